// All leases: the current one of each budget, and those of past windows and sessions until their money is settled and
// released. Operations of a lease are counted for as long as its session lives, so the count outlives a lease that was
// removed.
import { budgetBounds } from './bounds.ts';
import type { Budget } from './budgets.ts';
import { Lease, type LeaseOrigin, leaseOrigin } from './lease.ts';

/** One instant on two clocks. */
export interface Instant {
  /** Monotonic. */
  readonly now: number;
  /** Milliseconds since 1970 by the database's clock. */
  readonly at: number;
}

/** The session that leases belong to. */
export interface LeaseSession {
  readonly id: string;
  /** Whether the control plane supports shut money. */
  readonly shuts: boolean;
}

export class LeaseTable {
  /** By budget. */
  readonly #current = new Map<string, Lease>();
  readonly #all = new Map<string, Lease>();
  /** Seq of the newest operation of each removed lease of the current session. */
  readonly #counts = new Map<string, number>();

  current(budgetId: string): Lease | undefined {
    return this.#current.get(budgetId);
  }

  all(): IterableIterator<Lease> {
    return this.#all.values();
  }

  get countsKept(): number {
    return this.#counts.size;
  }

  /** The lease of the budget's window at this time. It becomes the budget's current lease. */
  open({ id: session, shuts }: LeaseSession, budget: Budget, { at, now }: Instant): Lease {
    const origin = leaseOrigin(session, budget, at);
    const name = nameOf(origin);
    // The clock was corrected, and a window that seemed to be over is current again.
    const lease = this.#all.get(name) ?? this.#make(origin, { shuts, now });
    // Or it was acquired ahead.
    if (lease.state === 'past' || lease.state === 'next') lease.state = 'current';
    this.#current.set(budget.id, lease);
    return lease;
  }

  /**
   * A new lease of the window after that of this one; it becomes current when that window begins. Undefined if there is
   * one already.
   */
  ahead({ origin: { budgetId, endsAt, period, session, value } }: Lease, now: number): Lease | undefined {
    const origin = leaseOrigin(session, { id: budgetId, period, value }, endsAt);
    if (this.#all.has(nameOf(origin))) return undefined;
    const lease = this.#make(origin, { shuts: true, now });
    lease.state = 'next';
    return lease;
  }

  /** Makes the lease current: its window has begun. */
  begin(lease: Lease): void {
    const { budgetId } = lease.origin;
    const before = this.#current.get(budgetId);
    if (before !== undefined) this.retire(before);
    lease.state = 'current';
    this.#current.set(budgetId, lease);
  }

  #make(origin: LeaseOrigin, { now, shuts }: { readonly now: number; readonly shuts: boolean }): Lease {
    const name = nameOf(origin);
    const lease = new Lease(origin, { seq: this.#counts.get(name) ?? 0, shuts }, now);
    this.#counts.delete(name);
    this.#all.set(name, lease);
    return lease;
  }

  /** No more reservations are made in the lease. */
  retire(lease: Lease): void {
    const { budgetId } = lease.origin;
    if (this.#current.get(budgetId) === lease) this.#current.delete(budgetId);
    if (lease.state === 'current' || lease.state === 'next') lease.state = 'past';
  }

  /**
   * Retires all leases: their session is over. In the next session a deleted budget may exist again, because the
   * database went back.
   */
  retireAll(): readonly Lease[] {
    const retired = [...this.#all.values()].filter(({ state }) => state !== 'past');
    for (const lease of retired) this.retire(lease);
    this.#counts.clear();
    return retired;
  }

  /** The session is closed, which frees the rest of all its leases, also of those of past windows. */
  forfeit(session: string): void {
    for (const lease of this.#all.values()) if (lease.origin.session === session) lease.forfeit();
  }

  /** @param session the current one. @param seq number of its last operation */
  forget(lease: Lease, session: string, seq = lease.seq): void {
    this.retire(lease);
    const name = nameOf(lease.origin);
    this.#all.delete(name);
    if (lease.origin.session === session && seq > 0) this.#counts.set(name, seq);
  }
}

function nameOf({ session, budgetId, window }: LeaseOrigin): string {
  return `${session} ${budgetId} ${window}`;
}

/** @param now monotonic */
export function isForgettable(lease: Lease, now: number): boolean {
  const { available, reservations, operation, state, usedAt, waiting } = lease;
  if (available > 0 || reservations > 0 || operation !== undefined || waiting.size > 0) return false;
  return state === 'past' || now - usedAt >= budgetBounds.forgetMs;
}

const { aheadMs, sweepMs } = budgetBounds;

/**
 * Begins to acquire money of windows that are about to begin, for leases in use. This is spread over the last seconds
 * of the windows before, so that requests do not all wait for it when the windows have begun. Called with every sweep.
 * @returns leases whose first acquire operation has begun and is to be sent
 */
export function acquireAhead(leases: LeaseTable, { at, now }: Instant, random: () => number): readonly Lease[] {
  const begun: Lease[] = [];
  // The loop also visits the leases that it creates, which are not current.
  for (const lease of leases.all()) {
    const leftMs = lease.origin.endsAt - at;
    if (lease.state !== 'current' || leftMs > aheadMs || leftMs <= 0) continue;
    // Each of the remaining sweeps is equally likely, except the last one.
    const sweepsLeft = Math.max(1, Math.floor(leftMs / sweepMs) - 1);
    if (random() * sweepsLeft >= 1) continue;
    const want = lease.aheadWant(now);
    const next = want > 0 ? leases.ahead(lease, now) : undefined;
    next?.acquireAhead(want);
    if (next !== undefined) begun.push(next);
  }
  return begun;
}
