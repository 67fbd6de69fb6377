// What this proxy has of one window of a budget. Available and holds together are what the lease at the control plane has left,
// less what is not reported or not answered yet: so a return is deducted before it is sent, and a grant is added when it came.
// Part of what is available is shut: no hold is taken of it, which the control plane is told, and it is free again at once should this
// proxy be killed. More is shut before that is sent, less only after an answer that says so.
import { type BudgetPeriod, windowEnd, windowOf, windowStart } from '../../common/budget-window.ts';
import type { AcquireResponse, DrawRequest, ReturnRequest } from '../usage/ledger-client.ts';
import { budgetBounds } from './bounds.ts';
import type { BudgetQuestion, RefusalReason } from './budgets.ts';

/** Of what: slices of the same have the same name. */
export interface SliceOrigin {
  readonly session: string;
  readonly budgetId: string;
  readonly period: BudgetPeriod;
  readonly window: string;
  /** By the database's clock; from `startsAt` to before `endsAt`. Infinite for a total. */
  readonly startsAt: number;
  readonly endsAt: number;
}

export interface SliceTerms {
  /** Of the newest operation of the lease. */
  readonly seq: number;
  /** Whether the control plane knows what shut is. */
  readonly shuts: boolean;
}

export function sliceOrigin(
  session: string,
  budget: { readonly id: string; readonly period: BudgetPeriod },
  at: number,
): SliceOrigin {
  const window = windowOf(budget.period, at);
  return {
    session,
    budgetId: budget.id,
    period: budget.period,
    window,
    startsAt: windowStart(window) ?? Number.NEGATIVE_INFINITY,
    endsAt: windowEnd(budget.period, at) ?? Number.POSITIVE_INFINITY,
  };
}

export type SliceOperation =
  | { readonly kind: 'draw'; readonly request: DrawRequest }
  | { readonly kind: 'return'; readonly request: ReturnRequest };

/** draw: more is asked for; open: what is shut is to be less. Both are draws of the contract. */
export type DrawKind = 'draw' | 'open';

/**
 * next: its window begins soon, and it takes no hold yet; past: its window or session is over, or the proxy stops; deleted: the budget
 * is. The latter take no hold any more.
 */
export type SliceState = 'next' | 'current' | 'past' | 'deleted';

/** A request that waits for draws. */
export interface WaitingRequest {
  readonly question: BudgetQuestion;
  /** Its slices have changed: it may go on, or be refused. */
  advance(): void;
  /** The draw was made for a window that is not the database's: its clock has been looked at since. */
  windowMissed(): void;
}

interface Refusal {
  readonly reason: RefusalReason;
  /** So much more was refused, and more than that would be. */
  readonly need: number;
  /** Monotonic. */
  readonly until: number;
}

const { aheadAfterPartMs, aheadAfterRefusalMs, amountMax, busyMs, deniedMs, exceededMs } = budgetBounds;
const { largestHoldMs, noteMs, openMs, sliceMs } = budgetBounds;

/** A note of less than this part of what is available is not worth its way. */
const noteShare = 1 / 8;
/** What is open, as parts of what is aimed at: below the first more is opened, above the second less. */
const openFrom = 3 / 4;
const openTo = 3 / 2;

export class Slice {
  readonly origin: SliceOrigin;
  /** Requests that wait for this slice among others, in the order in which they came. */
  readonly waiting = new Set<WaitingRequest>();
  state: SliceState = 'current';
  /** Whether the control plane knows what shut is. */
  readonly #shuts: boolean;
  #available = 0;
  /** Its session is closed from here: what it has not spent is free without being returned. */
  #isForfeited = false;
  /** Of what is available. */
  #shut = 0;
  #notedAt = Number.NEGATIVE_INFINITY;
  #holds = 0;
  #largestHold = 0;
  /** Of the ten seconds before. */
  #largestHoldBefore = 0;
  #largestHoldSince: number;
  #seq: number;
  #operation: SliceOperation | undefined;
  #newestDraw = 0;
  #refusal: Refusal | undefined;
  #isRecalled = false;
  /** Nothing is drawn ahead of requests before. */
  #aheadAt = 0;
  /** What went out of `available` and did not come back, fading within five seconds: five seconds of spending. */
  #spending = 0;
  #usedAt: number;
  /** The least that was available since. */
  #low = 0;
  #lowSince: number;

  /** @param now monotonic, as all times here */
  constructor(origin: SliceOrigin, { seq, shuts }: SliceTerms, now: number) {
    this.origin = origin;
    this.#seq = seq;
    this.#shuts = shuts;
    this.#largestHoldSince = now;
    this.#usedAt = now;
    this.#lowSince = now;
  }

  get available(): number {
    return this.#available;
  }

  get shut(): number {
    return this.#shut;
  }

  /** What holds can be taken of. */
  get open(): number {
    return this.#available - this.#shut;
  }

  get holds(): number {
    return this.#holds;
  }

  /** Of the newest operation, answered or not. */
  get seq(): number {
    return this.#seq;
  }

  get operation(): SliceOperation | undefined {
    return this.#operation;
  }

  /** Seq of the newest draw that was answered. */
  get newestDraw(): number {
    return this.#newestDraw;
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  covers(at: number): boolean {
    return at >= this.origin.startsAt && at < this.origin.endsAt;
  }

  take(amount: number, now: number): void {
    this.#available -= amount;
    this.#holds += amount;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#noteHold(amount, now);
    this.#use(amount, now);
  }

  /** @returns the escrow: what the cost takes of the lease */
  settle(hold: number, cost: number, now: number): number {
    const escrow = Math.min(cost, hold + this.open);
    this.#holds -= hold;
    this.#available += hold - escrow;
    if (this.#isForfeited) this.#available = 0;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#use(escrow - hold, now);
    return escrow;
  }

  /** Why so much more is not to be had, as far as it was answered lately. */
  refuses(more: number, now: number): RefusalReason | undefined {
    const refusal = this.#refusal;
    return refusal !== undefined && more >= refusal.need && now < refusal.until ? refusal.reason : undefined;
  }

  /** What it is time for before a request has to wait. */
  runsLow(now: number): DrawKind | undefined {
    if (this.#operation !== undefined) return undefined;
    if (now >= this.#aheadAt && this.#available < this.#spendingAt(now) / 2) return 'draw';
    const opens = this.open + this.#holds < this.#openAim(now) * openFrom || this.open < this.#largestOfLate;
    return this.#shut > 0 && opens ? 'open' : undefined;
  }

  /** Begins a draw: for the requests that wait, as many again, and five seconds of spending. Or one that opens what is shut. */
  draw(kind: DrawKind, now: number): void {
    // More than is aimed at, or it would be opened again soon.
    const shut = this.#shutAim(now, openTo);
    if (shut > this.#shut) this.#shut = shut;
    const amounts = kind === 'draw' ? this.#wanted(now) : { need: 0, want: 0 };
    this.#operation = { kind: 'draw', request: { ...this.#next(shut), ...amounts } };
  }

  /** What its successor is to begin with; 0 where it is not in use. */
  aheadWant(now: number): number {
    if (now - this.#usedAt >= sliceMs) return 0;
    return Math.min(amountMax, Math.ceil(Math.max(this.#spendingAt(now), 2 * this.#largestOfLate)));
  }

  /** Begins the first draw of a slice whose window has not begun. */
  drawAhead(want: number): void {
    this.#operation = { kind: 'draw', request: { ...this.#next(0), need: 1, want } };
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
    const size = Math.ceil(2 * waiting + this.#spendingAt(now)) - this.#available;
    return { need, want: Math.min(amountMax, Math.max(need, size)) };
  }

  drawn(response: AcquireResponse, now: number): void {
    if (this.#operation?.kind !== 'draw') throw new Error('a draw was answered that was not asked for');
    const { need, shut, want } = this.#operation.request;
    this.#operation = undefined;
    if (!this.#isForfeited) this.#available += response.granted;
    const { outcome } = response;
    // Every other answer may be that of a lease that is over, whose books went by what was shut before.
    const isExecuted = outcome === 'granted' || outcome === 'exceeded' || outcome === 'busy';
    if (isExecuted && !this.#isForfeited) this.#shut = shut;
    if (want === 0) {
      if (outcome === 'deleted') this.state = 'deleted';
      return;
    }
    this.#newestDraw = this.#seq;
    if (outcome === 'exceeded' || outcome === 'busy') {
      const reason = this.#isSpent(response, need) ? 'exceeded' : outcome;
      this.#refusal = { reason, need, until: now + (reason === 'exceeded' ? exceededMs : busyMs) };
      this.#aheadAt = now + aheadAfterRefusalMs;
    } else {
      this.#refusal = undefined;
      if (outcome === 'deleted') this.state = 'deleted';
      if (response.granted < want) this.#aheadAt = now + aheadAfterPartMs;
    }
  }

  /** Whether what is missing cannot come back, though it is not reported yet: neither others hold it nor requests of this proxy. */
  #isSpent({ attainable, outcome }: AcquireResponse, need: number): boolean {
    return outcome === 'busy' && attainable !== undefined && need > attainable + this.#holds;
  }

  /** The control plane will not do the operation: it stays, but nobody has to wait for it. */
  denied(now: number): void {
    this.#refusal = { reason: 'unavailable', need: 0, until: now + deniedMs };
  }

  /** Begins a return, of what is shut first. The amount is nobody's until the control plane has it. */
  giveBack(amount: number, now: number): void {
    this.#available -= amount;
    this.#shut = Math.max(0, this.#shut - amount);
    this.#shut = Math.max(this.#shut, this.#shutAim(now));
    if (this.#available < this.#low) this.#low = this.#available;
    this.#operation = { kind: 'return', request: { ...this.#next(this.#shut), amount } };
  }

  /** Whether the control plane is to be told that more is shut, for that alone. */
  isToNote(now: number): boolean {
    if (this.#operation !== undefined || this.waiting.size > 0 || now - this.#notedAt < noteMs) return false;
    const more = this.#shutAim(now) - this.#shut;
    const isMuch = this.open > this.#openAim(now) * openTo;
    return isMuch && more >= this.#shut / 2 && more >= this.#available * noteShare;
  }

  /** Begins a return of nothing. */
  note(now: number): void {
    this.#notedAt = now;
    this.giveBack(0, now);
  }

  returned(): void {
    if (this.#operation?.kind !== 'return') throw new Error('a return was answered that was not sent');
    this.#operation = undefined;
  }

  /** Of a past slice: what it has left is not its own any more, nor what comes back to it. */
  forfeit(): void {
    this.#isForfeited = true;
    this.#available = 0;
    this.#shut = 0;
  }

  recall(now: number): void {
    this.#isRecalled = true;
    this.#aheadAt = now + aheadAfterRefusalMs;
  }

  /** What is to be returned now, once: all that no request here waits for. */
  due(): number {
    if (this.state === 'next') return 0;
    if (this.state !== 'current') return this.#available;
    if (!this.#isRecalled) return 0;
    this.#isRecalled = false;
    let kept = 0;
    for (const { question } of this.waiting) kept += question.full;
    return Math.max(0, this.#available - kept);
  }

  /** What was not needed for five seconds, nor is likely to be in the next. */
  idle(now: number): number {
    if (this.waiting.size > 0) return 0;
    if (now - this.#usedAt >= sliceMs) return this.#available;
    if (now - this.#lowSince < sliceMs) return 0;
    const spending = this.#spendingAt(now);
    const idle = Math.floor(this.#low - spending);
    this.#low = this.#available;
    this.#lowSince = now;
    // Less is drawn again soon.
    return idle > spending ? idle : 0;
  }

  /** As much as requests are likely to take before more can be opened. */
  #openAim(now: number): number {
    const spending = this.#spendingAt(now) * (openMs / sliceMs);
    let waiting = 0;
    for (const { question } of this.waiting) waiting += question.full;
    return Math.max(waiting, spending, 2 * this.#largestOfLate);
  }

  get #largestOfLate(): number {
    return Math.max(this.#largestHold, this.#largestHoldBefore);
  }

  #shutAim(now: number, parts = 1): number {
    if (!this.#shuts || this.state !== 'current') return this.#shut;
    this.#noteHold(0, now);
    return Math.max(0, this.#available - Math.ceil(this.#openAim(now) * parts));
  }

  #noteHold(amount: number, now: number): void {
    const age = now - this.#largestHoldSince;
    if (age >= largestHoldMs) {
      this.#largestHoldBefore = age < 2 * largestHoldMs ? this.#largestHold : 0;
      this.#largestHold = 0;
      this.#largestHoldSince = now;
    }
    if (amount > this.#largestHold) this.#largestHold = amount;
  }

  #next(shut: number) {
    if (this.#operation !== undefined) throw new Error('an operation of the slice is under way');
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
    return this.#spending * Math.exp((this.#usedAt - now) / sliceMs);
  }
}
