// Budgets by leases: a request makes its reservation in all leases that apply at once, or waits for acquire calls and
// reserves nothing meanwhile. docs/design/budgets.md describes the protocol.
import { uuidv7 } from '../../common/uuid.ts';
import { budgetBounds } from './bounds.ts';
import {
  type BudgetQuestion,
  BudgetRefusal,
  type BudgetReservation,
  type Budgets,
  type FullQuestion,
  type RefusalReason,
  type Stamp,
} from './budgets.ts';
import { type Claim, claimOn, decide, fits, toBeAcquired } from './claim.ts';
import type { Lease, WaitingRequest } from './lease.ts';
import { LeaseManager } from './lease-manager.ts';
import type { LeaseManagerDeps, LeaseManagerMetrics } from './lease-manager-deps.ts';
import { LeaseReservation, type ReservationOwner } from './lease-reservation.ts';
import type { Instant } from './lease-table.ts';

export interface LeaseMetrics extends LeaseManagerMetrics {
  /** A request has waited for acquire calls, with whichever result. */
  waited(ms: number): void;
}

export interface LeasedBudgetsDeps extends Omit<LeaseManagerDeps, 'metrics' | 'onChange'> {
  readonly metrics: LeaseMetrics;
}

export interface BudgetTotals {
  readonly leases: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** Nano-dollars. */
  readonly available: number;
  /** Part of the available money: free at once if this proxy is killed. */
  readonly shut: number;
  readonly reservations: number;
}

/** A request that got no result at once. */
interface ReservationRequest {
  readonly question: BudgetQuestion;
  /** Undefined without a session. */
  claim: Claim | undefined;
  /** Acquire calls that named another window than the database's clock. */
  windowMisses: number;
  /** The request has waited long enough. */
  isLate: boolean;
}

interface Waiter extends ReservationRequest, WaitingRequest {}

const { waitMs, waitPieceMs, windowTriesMax } = budgetBounds;

export class LeasedBudgets implements Budgets {
  readonly #deps: LeasedBudgetsDeps;
  readonly #leaseManager: LeaseManager;
  readonly #owner: ReservationOwner;
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();

  constructor(deps: LeasedBudgetsDeps) {
    this.#deps = deps;
    const leaseManager = new LeaseManager({ ...deps, onChange: () => this.#advanceAll() });
    this.#leaseManager = leaseManager;
    this.#owner = {
      monotonic: () => deps.clock.monotonic(),
      settled: (lease) => leaseManager.settled(lease),
    };
    leaseManager.start();
  }

  take(question: BudgetQuestion): BudgetReservation | Promise<BudgetReservation> {
    const instant = this.#leaseManager.instant();
    const leases = this.#leaseManager.of(question.budgets, instant);
    if (leases !== undefined && fits(leases, question)) {
      this.#spareFor(leases, question, instant);
      return this.#reservation(leases, question.full, instant);
    }
    const claim = leases && claimOn(leases, question);
    const request: ReservationRequest = { question, claim, windowMisses: 0, isLate: false };
    const outcome = this.#outcome(request, instant);
    if (outcome instanceof BudgetRefusal) throw outcome;
    return outcome ?? this.#wait(request, instant);
  }

  takeNow(question: FullQuestion): BudgetReservation | undefined {
    const instant = this.#leaseManager.instant();
    const leases = this.#leaseManager.of(question.budgets, instant);
    return leases && fits(leases, question) ? this.#reservation(leases, question.full, instant) : undefined;
  }

  stamp(): Stamp {
    return this.#stamp(this.#leaseManager.instant().at);
  }

  /** Another proxy needs money of the budget: what no request here waits for is released. */
  reclaim(budgetId: string, window: string): void {
    this.#leaseManager.reclaim(budgetId, window);
  }

  /** The database has another epoch than before. */
  epochChanged(change: 'restarted' | 'restored', epoch: string): void {
    this.#leaseManager.epochChanged(change, epoch);
  }

  /** A session of a dead process was closed: a database that goes back may count it as open. */
  adopted(session: string): void {
    this.#leaseManager.adopted(session);
  }

  /** New reservations are made in another session. */
  renewSession(session: string): void {
    this.#leaseManager.renewSession(session);
  }

  /** Sessions that called the control plane within a minute; at least 1. */
  get sessions(): number {
    return this.#leaseManager.sessions;
  }

  /** Walks all leases. */
  totals(): BudgetTotals {
    const totals = { leases: 0, waiting: this.#waiters.size, available: 0, shut: 0, reservations: 0 };
    for (const { available, reservations, shut } of this.#leaseManager.all()) {
      totals.leases += 1;
      totals.available += available;
      totals.shut += shut;
      totals.reservations += reservations;
    }
    return totals;
  }

  /** All leases, on which a model test checks the protocol's invariants. */
  leases(): readonly Lease[] {
    return [...this.#leaseManager.all()];
  }

  /**
   * Makes no more reservations and releases the free money. Money that requests still have reserved is released if they
   * settle in time; otherwise it becomes unconfirmed until they are reported. @param until monotonic
   */
  close(until: number): Promise<void> {
    return this.#leaseManager.close(until);
  }

  /**
   * To be called once usage was reported as well: the rest is free at once, instead of after a minute of silence. Never
   * rejects.
   * @param until monotonic: the ledger is called again until then if it does not respond, for example because it
   * restarts
   */
  endSession(until: number): Promise<void> {
    return this.#leaseManager.endSession(until);
  }

  /** Undefined: the request has to wait for acquire calls. */
  #outcome(request: ReservationRequest, instant: Instant): BudgetReservation | BudgetRefusal | undefined {
    const { claim, isLate, question, windowMisses } = request;
    const inTime = isLate || windowMisses >= windowTriesMax ? 'late' : 'acquire';
    const means = this.#leaseManager.mayAcquire ? inTime : 'away';
    if (claim === undefined) return means === 'acquire' ? undefined : withoutSession(question);
    const verdict = decide(claim, means, instant.now);
    switch (verdict.kind) {
      case 'reserve':
        this.#spareFor(claim.leases, question, instant);
        return this.#reservation(claim.leases, verdict.amount, instant);
      case 'refused':
        return refusalOf(verdict.lease, verdict.reason);
      case 'wait':
        return undefined;
    }
  }

  /** Call before the reservation: it acquires what is spare. */
  #spareFor(leases: readonly Lease[], { full, mayRepeat }: BudgetQuestion, { now }: Instant): void {
    if (mayRepeat === true) for (const lease of leases) lease.spare.note(full, now);
  }

  #reservation(leases: readonly Lease[], amount: number, { now, at }: Instant): BudgetReservation {
    for (const lease of leases) {
      lease.take(amount, now);
      const kind = lease.runsLow(now);
      if (kind !== undefined && this.#leaseManager.mayAcquire) this.#leaseManager.acquire(lease, kind, now);
    }
    return new LeaseReservation(this.#owner, this.#stamp(at), amount, leases);
  }

  #stamp(at: number): Stamp {
    return { id: uuidv7(at), at, session: this.#leaseManager.session };
  }

  #wait(request: ReservationRequest, instant: Instant): Promise<BudgetReservation> {
    return new Promise((resolve, reject) => {
      let piecesLeft = waitMs / waitPieceMs;
      let cancelTimer: () => void = () => undefined;
      const advance = () => {
        const outcome = this.#proceed(waiter);
        if (outcome === undefined) return;
        cancelTimer();
        this.#deps.metrics.waited(this.#deps.clock.monotonic() - instant.now);
        if (outcome instanceof BudgetRefusal) reject(outcome);
        else resolve(outcome);
      };
      const windowMissed = () => {
        waiter.windowMisses += 1;
      };
      const waiter: Waiter = { ...request, advance, windowMissed };
      const waitOn = () => {
        cancelTimer = this.#deps.timers.after(waitPieceMs, () => {
          piecesLeft -= 1;
          if (piecesLeft > 0) return waitOn();
          waiter.isLate = true;
          advance();
        });
      };
      waitOn();
      this.#waiters.add(waiter);
      for (const lease of waiter.claim?.leases ?? []) lease.waiting.add(waiter);
      this.#acquireFor(waiter, instant.now);
    });
  }

  /** Undefined: the request continues to wait. */
  #proceed(waiter: Waiter): BudgetReservation | BudgetRefusal | undefined {
    if (!this.#waiters.has(waiter)) return undefined;
    const instant = this.#leaseManager.instant();
    this.#moveToCurrent(waiter, instant);
    const outcome = this.#outcome(waiter, instant);
    if (outcome === undefined) {
      this.#acquireFor(waiter, instant.now);
      return undefined;
    }
    this.#waiters.delete(waiter);
    for (const lease of waiter.claim?.leases ?? []) lease.waiting.delete(waiter);
    return outcome;
  }

  /** Moves the request to the current leases: its own may be past, by their window or their session. */
  #moveToCurrent(waiter: Waiter, instant: Instant): void {
    const before = waiter.claim?.leases;
    const leases = this.#leaseManager.of(waiter.question.budgets, instant);
    if (before !== undefined && leases !== undefined && areSame(before, leases)) return;
    for (const lease of before ?? []) lease.waiting.delete(waiter);
    waiter.claim = leases && claimOn(leases, waiter.question);
    for (const lease of leases ?? []) lease.waiting.add(waiter);
  }

  #acquireFor({ claim }: Waiter, now: number): void {
    if (claim === undefined) return;
    for (const [lease, kind] of toBeAcquired(claim, now))
      if (lease.operation === undefined) this.#leaseManager.acquire(lease, kind, now);
  }

  #advanceAll(): void {
    for (const waiter of [...this.#waiters]) waiter.advance();
  }
}

function areSame(some: readonly Lease[], others: readonly Lease[]): boolean {
  return some.length === others.length && some.every((lease, index) => lease === others[index]);
}

function refusalOf({ origin, amount }: Lease, reason: RefusalReason): BudgetRefusal {
  const { budgetId, endsAt } = origin;
  return new BudgetRefusal(budgetId, reason, { windowEndsAt: Number.isFinite(endsAt) ? endsAt : undefined, amount });
}

function withoutSession({ budgets }: BudgetQuestion): BudgetRefusal {
  return new BudgetRefusal(budgets[0]?.id ?? '', 'unavailable');
}
