// All leases: the current one of each budget, and those of past windows and sessions until their money is settled and
// released. Operations of a lease are counted for as long as its session lives, so the count outlives a lease that was
// removed.
import { budgetBounds } from './bounds.ts';
import type { Budget } from './budgets.ts';
import { Slice, type SliceOrigin, sliceOrigin } from './lease.ts';

/** One instant on two clocks. */
export interface Moment {
  /** Monotonic. */
  readonly now: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number;
}

/** The session that leases belong to. */
export interface SliceSession {
  readonly id: string;
  /** Whether the control plane supports shut money. */
  readonly shuts: boolean;
}

export class Slices {
  /** By budget. */
  readonly #current = new Map<string, Slice>();
  readonly #all = new Map<string, Slice>();
  /** Seq of the newest operation of each removed lease of the current session. */
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

  /** The lease of the budget's window at this time. It becomes the budget's current lease. */
  open({ id: session, shuts }: SliceSession, budget: Budget, { at, now }: Moment): Slice {
    const origin = sliceOrigin(session, budget, at);
    const name = nameOf(origin);
    // The clock was corrected, and a window that seemed to be over is current again.
    const slice = this.#all.get(name) ?? this.#make(origin, { shuts, now });
    // Or it was acquired ahead.
    if (slice.state === 'past' || slice.state === 'next') slice.state = 'current';
    this.#current.set(budget.id, slice);
    return slice;
  }

  /**
   * A new lease of the window after that of this one; it becomes current when that window begins. Undefined if there is
   * one already.
   */
  ahead({ origin: { budgetId, endsAt, period, session } }: Slice, now: number): Slice | undefined {
    const origin = sliceOrigin(session, { id: budgetId, period }, endsAt);
    if (this.#all.has(nameOf(origin))) return undefined;
    const slice = this.#make(origin, { shuts: true, now });
    slice.state = 'next';
    return slice;
  }

  /** Makes the lease current: its window has begun. */
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

  /** No more reservations are made in the lease. */
  retire(slice: Slice): void {
    const { budgetId } = slice.origin;
    if (this.#current.get(budgetId) === slice) this.#current.delete(budgetId);
    if (slice.state === 'current' || slice.state === 'next') slice.state = 'past';
  }

  /**
   * Retires all leases: their session is over. In the next session a deleted budget may exist again, because the
   * database went back.
   */
  retireAll(): readonly Slice[] {
    const retired = [...this.#all.values()].filter(({ state }) => state !== 'past');
    for (const slice of retired) this.retire(slice);
    this.#counts.clear();
    return retired;
  }

  /** The session is closed, which frees the rest of all its leases, also of those of past windows. */
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

const { aheadMs, sweepMs } = budgetBounds;

/**
 * Begins to acquire money of windows that are about to begin, for leases in use. This is spread over the last seconds
 * of the windows before, so that requests do not all wait for it when the windows have begun. Called with every sweep.
 * @returns leases whose first acquire operation has begun and is to be sent
 */
export function drawAhead(slices: Slices, { at, now }: Moment, random: () => number): readonly Slice[] {
  const begun: Slice[] = [];
  // The loop also visits the leases that it creates, which are not current.
  for (const slice of slices.all()) {
    const leftMs = slice.origin.endsAt - at;
    if (slice.state !== 'current' || leftMs > aheadMs || leftMs <= 0) continue;
    // Each of the remaining sweeps is equally likely, except the last one.
    const sweepsLeft = Math.max(1, Math.floor(leftMs / sweepMs) - 1);
    if (random() * sweepsLeft >= 1) continue;
    const want = slice.aheadWant(now);
    const next = want > 0 ? slices.ahead(slice, now) : undefined;
    next?.drawAhead(want);
    if (next !== undefined) begun.push(next);
  }
  return begun;
}
