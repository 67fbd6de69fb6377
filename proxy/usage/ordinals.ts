// Counts the events of sessions, from 1: no two events of a session ever have the same ordinal.

/** Counted sessions are never removed, so sessions beyond this number are not counted. */
const sessionsMax = 10_000;

export class Ordinals {
  readonly #next = new Map<string, number>();

  /** The ordinal of the session's next event, without using it. */
  next(session: string): number {
    return this.#next.get(session) ?? 1;
  }

  /** Undefined without a session, and beyond the sessions that can be counted. */
  take(session: string): number | undefined {
    if (session === '') return undefined;
    const ordinal = this.#next.get(session);
    if (ordinal === undefined && this.#next.size >= sessionsMax) return undefined;
    this.#next.set(session, (ordinal ?? 1) + 1);
    return ordinal ?? 1;
  }
}

const wordBits = 32;

/** A set of ordinals in little memory: they are near to each other, and a word contains 32. */
export class OrdinalSet {
  readonly #words = new Map<number, number>();

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  /** @returns whether it was absent */
  add(ordinal: number): boolean {
    return this.#set(ordinal, true);
  }

  /** @returns whether it was present */
  delete(ordinal: number): boolean {
    return this.#set(ordinal, false);
  }

  #set(ordinal: number, isIn: boolean): boolean {
    const at = Math.floor(ordinal / wordBits);
    const bit = 1 << (ordinal % wordBits);
    const word = this.#words.get(at) ?? 0;
    if (((word & bit) !== 0) === isIn) return false;
    const changed = word ^ bit;
    if (changed === 0) this.#words.delete(at);
    else this.#words.set(at, changed);
    return true;
  }
}
