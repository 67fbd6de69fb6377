// What this proxy has of one window of a budget. Available and holds together are what the lease at the control plane has left,
// less what is not reported or not answered yet: so a return is deducted before it is sent, and a grant is added when it came.
import { type BudgetPeriod, windowEnd, windowOf, windowStart } from '../../../common/budget-window.ts';
import { budgetBounds } from './bounds.ts';
import type { BudgetQuestion, RefusalReason } from './budgets.ts';
import type { DrawAnswer, DrawRequest, ReturnRequest } from './ledger-client.ts';

/** Of what: slices of the same have the same name. */
export interface SliceOrigin {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  /** By the database's clock; from `startsAt` to before `endsAt`. Infinite for a total. */
  readonly startsAt: number;
  readonly endsAt: number;
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
    window,
    startsAt: windowStart(window) ?? Number.NEGATIVE_INFINITY,
    endsAt: windowEnd(budget.period, at) ?? Number.POSITIVE_INFINITY,
  };
}

export type SliceOperation =
  | { readonly kind: 'draw'; readonly request: DrawRequest }
  | { readonly kind: 'return'; readonly request: ReturnRequest };

/** past: its window or session is over, or the proxy stops; deleted: the budget is. Both take no hold any more. */
export type SliceState = 'current' | 'past' | 'deleted';

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

const { aheadAfterPartMs, aheadAfterRefusalMs, amountMax, busyMs, deniedMs, exceededMs, sliceMs } =
  budgetBounds;

export class Slice {
  readonly origin: SliceOrigin;
  /** Requests that wait for this slice among others, in the order in which they came. */
  readonly waiting = new Set<WaitingRequest>();
  state: SliceState = 'current';
  #available = 0;
  #holds = 0;
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

  /** @param seq of the newest operation of the lease. @param now monotonic, as all times here */
  constructor(origin: SliceOrigin, seq: number, now: number) {
    this.origin = origin;
    this.#seq = seq;
    this.#usedAt = now;
    this.#lowSince = now;
  }

  get available(): number {
    return this.#available;
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
    this.#use(amount, now);
  }

  /** @returns the escrow: what the cost takes of the lease */
  settle(hold: number, cost: number, now: number): number {
    const escrow = Math.min(cost, hold + this.#available);
    this.#holds -= hold;
    this.#available += hold - escrow;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#use(escrow - hold, now);
    return escrow;
  }

  /** Why so much more is not to be had, as far as it was answered lately. */
  refuses(more: number, now: number): RefusalReason | undefined {
    const refusal = this.#refusal;
    return refusal !== undefined && more >= refusal.need && now < refusal.until ? refusal.reason : undefined;
  }

  /** Whether it is time to draw before a request has to wait. */
  runsLow(now: number): boolean {
    if (this.#operation !== undefined || now < this.#aheadAt) return false;
    return this.#available < this.#spendingAt(now) / 2;
  }

  /** Begins a draw: for the requests that wait, as many again, and five seconds of spending. */
  draw(now: number): void {
    let need = Number.POSITIVE_INFINITY;
    let waiting = 0;
    for (const { question } of this.waiting) {
      const lack = question.least - this.#available;
      if (lack > 0 && lack < need) need = lack;
      waiting += question.full;
    }
    if (!Number.isFinite(need)) need = 1;
    const size = Math.ceil(2 * waiting + this.#spendingAt(now)) - this.#available;
    const want = Math.min(amountMax, Math.max(need, size));
    this.#operation = { kind: 'draw', request: { ...this.#next(), need, want } };
  }

  drawn(answer: DrawAnswer, now: number): void {
    if (this.#operation?.kind !== 'draw') throw new Error('a draw was answered that was not asked for');
    const { need, want } = this.#operation.request;
    this.#operation = undefined;
    this.#newestDraw = this.#seq;
    this.#available += answer.granted;
    const { outcome } = answer;
    if (outcome === 'exceeded' || outcome === 'busy') {
      const until = now + (outcome === 'exceeded' ? exceededMs : busyMs);
      this.#refusal = { reason: outcome, need, until };
      this.#aheadAt = now + aheadAfterRefusalMs;
    } else {
      this.#refusal = undefined;
      if (outcome === 'deleted') this.state = 'deleted';
      if (answer.granted < want) this.#aheadAt = now + aheadAfterPartMs;
    }
  }

  /** The control plane will not do the operation: it stays, but nobody has to wait for it. */
  denied(now: number): void {
    this.#refusal = { reason: 'unavailable', need: 0, until: now + deniedMs };
  }

  /** Begins a return. The amount is nobody's until the control plane has it. */
  giveBack(amount: number): void {
    this.#available -= amount;
    if (this.#available < this.#low) this.#low = this.#available;
    this.#operation = { kind: 'return', request: { ...this.#next(), amount } };
  }

  returned(): void {
    if (this.#operation?.kind !== 'return') throw new Error('a return was answered that was not sent');
    this.#operation = undefined;
  }

  recall(now: number): void {
    this.#isRecalled = true;
    this.#aheadAt = now + aheadAfterRefusalMs;
  }

  /** What is to be returned now, once: all that no request here waits for. */
  due(): number {
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

  #next() {
    if (this.#operation !== undefined) throw new Error('an operation of the slice is under way');
    this.#seq += 1;
    const { session, budgetId, window } = this.origin;
    return { session, budgetId, window, seq: this.#seq, shut: 0 };
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
