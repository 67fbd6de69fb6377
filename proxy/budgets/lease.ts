// The money that this proxy has of one window of a budget. Available and reserved money together are the rest of the
// lease at the control plane, minus unreported and unacknowledged amounts: a release is deducted before it is sent, a
// grant is added when it arrives. Part of the available money is shut: no reservation is made of it. The control plane
// knows this part and frees it at once if this proxy is killed. So more is shut before that is sent, and less only
// after a response that confirms it.
import { type BudgetCalendar, windowEnd, windowOf, windowStart } from '../../common/budget-window.ts';
import type { AcquireRequest, AcquireResponse, ReturnRequest } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import { isSpent, type Refusal } from './refused-money.ts';
import { SpareMoney } from './spare-money.ts';

/** The subject of a lease: leases of the same session, budget and window have the same name. */
export interface LeaseOrigin {
  readonly session: string;
  readonly budgetId: string;
  readonly period: BudgetCalendar;
  readonly window: string;
  /** By the database's clock: from `startsAt` to before `endsAt`. Infinite for a total. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Of a counter: the value that it counts. */
  readonly value?: string | undefined;
}

export interface LeaseTerms {
  /** Number of the newest operation of the lease. */
  readonly seq: number;
  /** Whether the control plane supports shut money. */
  readonly shuts: boolean;
}

export function leaseOrigin(
  session: string,
  budget: { readonly id: string; readonly period: BudgetCalendar; readonly value?: string | undefined },
  at: number,
): LeaseOrigin {
  const window = windowOf(budget.period, at);
  return {
    session,
    budgetId: budget.id,
    period: budget.period,
    window,
    startsAt: windowStart(window) ?? Number.NEGATIVE_INFINITY,
    endsAt: windowEnd(budget.period, at) ?? Number.POSITIVE_INFINITY,
    ...(budget.value !== undefined && { value: budget.value }),
  };
}

export type LeaseOperation =
  | { readonly kind: 'acquire'; readonly request: AcquireRequest }
  | { readonly kind: 'release'; readonly request: ReturnRequest };

/** acquire: more money is acquired; open: less money is to be shut. Both are `Draw` calls of the contract. */
export type AcquireKind = 'acquire' | 'open';

/**
 * next: its window begins soon, and no reservation is made yet; past: its window or session is over, or the proxy
 * stops; deleted: its budget was deleted. In the last two states no more reservations are made.
 */
export type LeaseState = 'next' | 'current' | 'past' | 'deleted';

/** A request that waits for acquire calls. */
export interface WaitingRequest {
  readonly question: BudgetQuestion;
  /** Its leases have changed: it may continue, or be refused. */
  advance(): void;
  /**
   * An acquire call named another window than the database's clock. The estimate of that clock has been corrected
   * since.
   */
  windowMissed(): void;
}

const { aheadAfterPartMs, aheadAfterRefusalMs, amountMax, busyMs, deniedMs, exceededMs } = budgetBounds;
const { largestReservationMs, noteMs, openMs, leaseTargetMs } = budgetBounds;

/** The shut amount is reported alone only if it grows by at least this part of the available money. */
const noteShare = 1 / 8;
/** The open amount in parts of its aim: below the first more is opened, above the second less stays open. */
const openFrom = 3 / 4;
const openTo = 3 / 2;

export class Lease {
  readonly origin: LeaseOrigin;
  /** Requests that wait for this lease, in order of arrival. */
  readonly waiting = new Set<WaitingRequest>();
  state: LeaseState = 'current';
  /** The budget's amount with raises, as the newest refusal reported it. */
  amount: number | undefined;
  /** Whether the control plane supports shut money. */
  readonly #shuts: boolean;
  #available = 0;
  /** When the acquire operation under way began. */
  #availableBefore = 0;
  /** The session is closed from here: its unspent money is free without a release. */
  #isForfeited = false;
  /** Part of the available money. */
  #shut = 0;
  #notedAt = Number.NEGATIVE_INFINITY;
  #reservations = 0;
  #largestReservation = 0;
  /** In the ten seconds before. */
  #largestReservationBefore = 0;
  #largestReservationSince: number;
  /** For further attempts. */
  readonly spare = new SpareMoney();
  #seq: number;
  #operation: LeaseOperation | undefined;
  #newestAcquisition = 0;
  #refusal: Refusal | undefined;
  #isReclaimed = false;
  /** Nothing is acquired ahead of requests before this time. */
  #aheadAt = 0;
  /**
   * Money that left `available` and did not come back, decaying over five seconds: about the spending of five seconds.
   */
  #spending = 0;
  #usedAt: number;
  /** The least available amount since the time below. */
  #low = 0;
  #lowSince: number;

  /** @param now monotonic, like all times here */
  constructor(origin: LeaseOrigin, { seq, shuts }: LeaseTerms, now: number) {
    this.origin = origin;
    this.#seq = seq;
    this.#shuts = shuts;
    this.#largestReservationSince = now;
    this.#usedAt = now;
    this.#lowSince = now;
  }

  get available(): number {
    return this.#available;
  }

  get shut(): number {
    return this.#shut;
  }

  /** Money that can be reserved. */
  get open(): number {
    return this.#available - this.#shut;
  }

  get reservations(): number {
    return this.#reservations;
  }

  /** Number of the newest operation, acknowledged or not. */
  get seq(): number {
    return this.#seq;
  }

  get operation(): LeaseOperation | undefined {
    return this.#operation;
  }

  /** Number of the newest acquire operation that got a response. */
  get newestAcquisition(): number {
    return this.#newestAcquisition;
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  covers(at: number): boolean {
    return at >= this.origin.startsAt && at < this.origin.endsAt;
  }

  take(amount: number, now: number): void {
    this.#available -= amount;
    this.#reservations += amount;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#noteReservation(amount, now);
    this.#use(amount, now);
  }

  /** @returns the escrow: the part of the cost that is charged to the lease */
  settle(reservation: number, cost: number, now: number): number {
    const escrow = Math.min(cost, reservation + this.open);
    this.#reservations -= reservation;
    this.#available += reservation - escrow;
    if (this.#isForfeited) this.#available = 0;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#use(escrow - reservation, now);
    return escrow;
  }

  /** Why this much more is not available, if a recent response refused it. */
  refuses(more: number, now: number): RefusalReason | undefined {
    const refusal = this.#refusal;
    return refusal !== undefined && more >= refusal.need && now < refusal.until ? refusal.reason : undefined;
  }

  /** The operation that is due before a request has to wait. */
  runsLow(now: number): AcquireKind | undefined {
    if (this.#operation !== undefined) return undefined;
    const low = Math.max(this.#spendingAt(now) / 2, this.spare.at(now));
    if (now >= this.#aheadAt && this.#available < low) return 'acquire';
    const opens = this.open + this.#reservations < this.#openAim(now) * openFrom || this.open < this.#largestOfLate;
    return this.#shut > 0 && opens ? 'open' : undefined;
  }

  /**
   * Begins an acquire operation: for twice the money of the waiting requests and for five seconds of spending. Or one
   * that opens shut money.
   */
  acquire(kind: AcquireKind, now: number): void {
    // More is opened than aimed at; otherwise more would have to be opened soon again.
    const shut = this.#shutAim(now, openTo);
    if (shut > this.#shut) this.#shut = shut;
    const amounts = kind === 'acquire' ? this.#wanted(now) : { need: 0, want: 0 };
    this.#availableBefore = this.#available;
    this.#operation = { kind: 'acquire', request: { ...this.#next(shut), ...amounts, ...this.#valued } };
  }

  /** The amount with which the next window's lease should begin; 0 if this one is not in use. */
  aheadWant(now: number): number {
    if (now - this.#usedAt >= leaseTargetMs) return 0;
    return Math.min(amountMax, Math.ceil(Math.max(this.#spendingAt(now), 2 * this.#largestOfLate)));
  }

  /** Begins the first acquire operation of a lease whose window has not begun. */
  acquireAhead(want: number): void {
    this.#operation = { kind: 'acquire', request: { ...this.#next(0), need: 1, want, ...this.#valued } };
  }

  get #valued(): { readonly value?: string } {
    const { value } = this.origin;
    return value === undefined ? {} : { value };
  }

  /** The ledger has no room for the counter, and has not executed the operation. @returns the number of the one before */
  full(): number {
    this.#operation = undefined;
    return this.#seq - 1;
  }

  #wanted(now: number): { readonly need: number; readonly want: number } {
    let need = Number.POSITIVE_INFINITY;
    let waiting = 0;
    for (const { question } of this.waiting) {
      const lack = question.least - this.#available;
      if (lack > 0 && lack < need) need = lack;
      waiting += question.full;
    }
    if (!Number.isFinite(need)) need = 1;
    const spare = Math.max(waiting, this.spare.at(now));
    const size = Math.ceil(waiting + spare + this.#spendingAt(now)) - this.#available;
    return { need, want: Math.min(amountMax, Math.max(need, size)) };
  }

  acquired(response: AcquireResponse, now: number): void {
    if (this.#operation?.kind !== 'acquire') throw new Error('an acquire call got a response, but none is under way');
    const { need, shut, want } = this.#operation.request;
    this.#operation = undefined;
    if (!this.#isForfeited) this.#available += response.granted;
    const { outcome } = response;
    // Any other outcome may mean that the lease is over, and that the ledger ended it with the shut amount from before.
    const isExecuted = outcome === 'granted' || outcome === 'exceeded' || outcome === 'busy';
    if (isExecuted && !this.#isForfeited) this.#shut = shut;
    if (want === 0) {
      if (outcome === 'deleted') this.state = 'deleted';
      return;
    }
    this.#newestAcquisition = this.#seq;
    if (outcome === 'exceeded' || outcome === 'busy') {
      const returned = Math.max(0, this.#available - this.#availableBefore);
      const reason = isSpent(response, need, this.#reservations + returned) ? 'exceeded' : outcome;
      this.amount = response.amount;
      this.#refusal = { reason, need, until: now + (reason === 'exceeded' ? exceededMs : busyMs) };
      this.#aheadAt = now + aheadAfterRefusalMs;
    } else {
      this.#refusal = undefined;
      if (outcome === 'deleted') this.state = 'deleted';
      if (response.granted < want) this.#aheadAt = now + aheadAfterPartMs;
    }
  }

  /** The control plane refuses the operation. The operation stays, but no request has to wait for it. */
  denied(now: number): void {
    this.#refusal = { reason: 'unavailable', need: 0, until: now + deniedMs };
  }

  /** Begins a release, of shut money first. The amount cannot be used by anyone until the control plane has it. */
  release(amount: number, now: number): void {
    // The money is free again, so what was refused may be granted now.
    if (amount > 0 && this.#refusal?.reason === 'exceeded') this.#refusal = undefined;
    this.#available -= amount;
    this.#shut = Math.max(0, this.#shut - amount);
    this.#shut = Math.max(this.#shut, this.#shutAim(now));
    if (this.#available < this.#low) this.#low = this.#available;
    this.#operation = { kind: 'release', request: { ...this.#next(this.#shut), amount } };
  }

  /** Whether the control plane should get a report of its own that more is shut. */
  isToNote(now: number): boolean {
    if (this.#operation !== undefined || this.waiting.size > 0 || now - this.#notedAt < noteMs) return false;
    const more = this.#shutAim(now) - this.#shut;
    const isMuch = this.open > this.#openAim(now) * openTo;
    return isMuch && more >= this.#shut / 2 && more >= this.#available * noteShare;
  }

  /** Begins a release of nothing, which only reports the shut amount. */
  note(now: number): void {
    this.#notedAt = now;
    this.release(0, now);
  }

  returned(): void {
    if (this.#operation?.kind !== 'release') throw new Error('a release got a response, but none is under way');
    this.#operation = undefined;
  }

  /**
   * The session of a past lease was closed: the rest of its money is free, and so is any that comes back to it later.
   */
  forfeit(): void {
    this.#isForfeited = true;
    this.#available = 0;
    this.#shut = 0;
  }

  reclaim(now: number): void {
    this.#isReclaimed = true;
    this.#aheadAt = now + aheadAfterRefusalMs;
  }

  /**
   * The amount to release now. In a past lease that is everything; after a reclaim, once, all that no request here
   * waits for.
   */
  due(): number {
    if (this.state === 'next') return 0;
    if (this.state !== 'current') return this.#available;
    if (!this.#isReclaimed) return 0;
    this.#isReclaimed = false;
    let kept = 0;
    for (const { question } of this.waiting) kept += question.full;
    return Math.max(0, this.#available - kept);
  }

  /** The amount that was not needed for five seconds and is not likely to be needed in the next five. */
  idle(now: number): number {
    if (this.waiting.size > 0) return 0;
    if (now - this.#usedAt >= leaseTargetMs) return this.#available;
    if (now - this.#lowSince < leaseTargetMs) return 0;
    const spending = this.#spendingAt(now);
    const idle = Math.floor(this.#low - spending - this.spare.at(now));
    this.#low = this.#available;
    this.#lowSince = now;
    // A smaller amount would have to be acquired again soon.
    return idle > spending ? idle : 0;
  }

  /** The amount that requests are likely to reserve before more can be opened. */
  #openAim(now: number): number {
    const spending = this.#spendingAt(now) * (openMs / leaseTargetMs);
    let waiting = 0;
    for (const { question } of this.waiting) waiting += question.full;
    return Math.max(waiting, spending, 2 * this.#largestOfLate);
  }

  get #largestOfLate(): number {
    return Math.max(this.#largestReservation, this.#largestReservationBefore);
  }

  #shutAim(now: number, parts = 1): number {
    if (!this.#shuts || this.state !== 'current') return this.#shut;
    this.#noteReservation(0, now);
    return Math.max(0, this.#available - Math.ceil(this.#openAim(now) * parts));
  }

  #noteReservation(amount: number, now: number): void {
    const age = now - this.#largestReservationSince;
    if (age >= largestReservationMs) {
      this.#largestReservationBefore = age < 2 * largestReservationMs ? this.#largestReservation : 0;
      this.#largestReservation = 0;
      this.#largestReservationSince = now;
    }
    if (amount > this.#largestReservation) this.#largestReservation = amount;
  }

  #next(shut: number) {
    if (this.#operation !== undefined) throw new Error('an operation of the lease is under way');
    this.#seq += 1;
    const { session, budgetId, window } = this.origin;
    return { session, budgetId, window, seq: this.#seq, shut };
  }

  #use(amount: number, now: number): void {
    this.#spending = this.#fading(now) + amount;
    this.#usedAt = now;
  }

  #spendingAt(now: number): number {
    return Math.max(0, this.#fading(now));
  }

  #fading(now: number): number {
    return this.#spending * Math.exp((this.#usedAt - now) / leaseTargetMs);
  }
}
