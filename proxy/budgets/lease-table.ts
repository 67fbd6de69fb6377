// All slices: the current one of each budget, and those of past windows and sessions until what they had is settled and returned.
// A lease counts its operations for as long as its session lives, so the count outlives a slice that was forgotten.
import { budgetBounds } from './bounds.ts';
import type { Budget } from './budgets.ts';
import { Slice, type SliceOrigin, sliceOrigin } from './lease.ts';

/** One moment by two clocks. */
export interface Moment {
  /** Monotonic. */
  readonly now: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number;
}

/** What slices live within. */
export interface SliceSession {
  readonly id: string;
  /** Whether the control plane knows what shut is. */
  readonly shuts: boolean;
}

export class Slices {
  /** By budget. */
  readonly #current = new Map<string, Slice>();
  readonly #all = new Map<string, Slice>();
  /** Seq of the newest operation of slices that were forgotten, of the current session. */
  readonly #counts = new Map<string, number>();

  current(budgetId: string): Slice | undefined {
    return this.#current.get(budgetId);
  }

  all(): IterableIterator<Slice> {
    return this.#all.values();
  }

  get countsKept(): number {
    return this.#counts.size;
  }

  /** The slice of the budget's window at this time, which becomes its current one. */
  open({ id: session, shuts }: SliceSession, budget: Budget, { at, now }: Moment): Slice {
    const origin = sliceOrigin(session, budget, at);
    const name = nameOf(origin);
    // The clock was corrected, and a window is back that was held to be over.
    const slice = this.#all.get(name) ?? this.#make(origin, { shuts, now });
    // Or it was drawn ahead.
    if (slice.state === 'past' || slice.state === 'next') slice.state = 'current';
    this.#current.set(budget.id, slice);
    return slice;
  }

  /** The slice of the window after that of this one, which becomes current when it begins; undefined where there is one already. */
  ahead({ origin: { budgetId, endsAt, period, session } }: Slice, now: number): Slice | undefined {
    const origin = sliceOrigin(session, { id: budgetId, period }, endsAt);
    if (this.#all.has(nameOf(origin))) return undefined;
    const slice = this.#make(origin, { shuts: true, now });
    slice.state = 'next';
    return slice;
  }

  /** Its window has begun. */
  begin(slice: Slice): void {
    const { budgetId } = slice.origin;
    const before = this.#current.get(budgetId);
    if (before !== undefined) this.retire(before);
    slice.state = 'current';
    this.#current.set(budgetId, slice);
  }

  #make(origin: SliceOrigin, { now, shuts }: { readonly now: number; readonly shuts: boolean }): Slice {
    const name = nameOf(origin);
    const slice = new Slice(origin, { seq: this.#counts.get(name) ?? 0, shuts }, now);
    this.#counts.delete(name);
    this.#all.set(name, slice);
    return slice;
  }

  /** The slice takes no hold any more. */
  retire(slice: Slice): void {
    const { budgetId } = slice.origin;
    if (this.#current.get(budgetId) === slice) this.#current.delete(budgetId);
    if (slice.state === 'current' || slice.state === 'next') slice.state = 'past';
  }

  /** The session of these slices is no more. In the next one a budget that was deleted may be there again: the database went back. */
  retireAll(): readonly Slice[] {
    const retired = [...this.#all.values()].filter(({ state }) => state !== 'past');
    for (const slice of retired) this.retire(slice);
    this.#counts.clear();
    return retired;
  }

  /** Whoever closes the session has what is left of all its slices, those of past windows as well. */
  forfeit(session: string): void {
    for (const slice of this.#all.values()) if (slice.origin.session === session) slice.forfeit();
  }

  /** @param session the current one */
  forget(slice: Slice, session: string): void {
    this.retire(slice);
    const name = nameOf(slice.origin);
    this.#all.delete(name);
    if (slice.origin.session === session && slice.seq > 0) this.#counts.set(name, slice.seq);
  }
}

function nameOf({ session, budgetId, window }: SliceOrigin): string {
  return `${session} ${budgetId} ${window}`;
}

/** @param now monotonic */
export function isForgettable(slice: Slice, now: number): boolean {
  const { available, holds, operation, state, usedAt, waiting } = slice;
  if (available > 0 || holds > 0 || operation !== undefined || waiting.size > 0) return false;
  return state === 'past' || now - usedAt >= budgetBounds.forgetMs;
}
