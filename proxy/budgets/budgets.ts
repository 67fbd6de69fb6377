// Budgets as the request path sees them: money is taken from slices that were drawn in advance, of every budget that applies or
// of none, and settled exactly once. Memory only, unless a slice holds too little: then one draw is waited for.
import type { BudgetPeriod } from '../../common/budget-window.ts';
import type { UsageEvent } from './ledger-client.ts';

export interface Budget {
  readonly id: string;
  readonly period: BudgetPeriod;
}

export interface BudgetQuestion {
  /** At least one, none twice. */
  readonly budgets: readonly Budget[];
  /** Nano-dollars that the request may cost at most. */
  readonly full: number;
  /** Nano-dollars with which it can still run, with a lower ceiling on its output; the same as `full` where that is its caller's. */
  readonly least: number;
  /** What is to be reported of the request should this proxy be killed; its id, time and session are those of the hold. */
  readonly ifKilled: () => UsageOfKilled;
}

/** Cost and charges are what it holds by then. */
export type UsageOfKilled = Omit<UsageEvent, 'id' | 'at' | 'session' | 'ordinal'>;

export interface Budgets {
  /** A promise only where a draw has to be waited for. @throws BudgetRefusal */
  take(question: BudgetQuestion): BudgetHold | Promise<BudgetHold>;
  /** For a request without budgets: what its usage is recorded under. */
  stamp(): Stamp;
}

/** What is fixed when a request is reserved, and never stamped later. */
export interface Stamp {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds since 1970 by the estimate of the database's clock. */
  readonly at: number;
  /** Empty where there is none yet. */
  readonly session: string;
}

export interface BudgetHold {
  readonly stamp: Stamp;
  /** Nano-dollars held of each budget: from `least` to `full`. */
  readonly amount: number;
  /** Of what it is held. */
  readonly slices: readonly Pick<Charge, 'budgetId' | 'window'>[];
  /** Replaces the hold by what it cost. Called exactly once. @returns what is taken of each slice, at most the cost */
  settle(cost: number): readonly Charge[];
}

export interface Charge {
  readonly budgetId: string;
  readonly window: string;
  /** Nano-dollars. */
  readonly escrow: number;
}

/**
 * exceeded: what is spent leaves too little; busy: others hold what is left; unavailable: the control plane does not answer and
 * the slice is spent.
 */
export type RefusalReason = 'exceeded' | 'busy' | 'unavailable';

export class BudgetRefusal extends Error {
  readonly budgetId: string;
  readonly reason: RefusalReason;
  /** Milliseconds since 1970 when the budget's window ends, by the database's clock; undefined for a total. */
  readonly windowEndsAt: number | undefined;

  constructor(budgetId: string, reason: RefusalReason, windowEndsAt: number | undefined) {
    super(`budget ${reason}`);
    this.name = 'BudgetRefusal';
    this.budgetId = budgetId;
    this.reason = reason;
    this.windowEndsAt = windowEndsAt;
  }
}
