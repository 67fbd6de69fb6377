// Counts the events of sessions, from 1: no two events of a session ever have the same ordinal.

/** Sessions that were counted are never forgotten, so those that come after so many are not counted. */
const sessionsMax = 10_000;

export class Ordinals {
  readonly #next = new Map<string, number>();

  /** Of the session's next event, without taking it. */
  next(session: string): number {
    return this.#next.get(session) ?? 1;
  }

  /** Undefined without a session, and beyond what can be counted. */
  take(session: string): number | undefined {
    if (session === '') return undefined;
    const ordinal = this.#next.get(session);
    if (ordinal === undefined && this.#next.size >= sessionsMax) return undefined;
    this.#next.set(session, (ordinal ?? 1) + 1);
    return ordinal ?? 1;
  }
}
