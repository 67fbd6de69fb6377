// Budgets as the request path sees them. A request reserves money in leases that were acquired in advance, of every
// budget that applies or of none, and settles it exactly once. All of this is in memory, unless a lease has too little:
// then the request waits for one acquire call.
import type { BudgetCalendar } from '../../common/budget-window.ts';
import type { UsageEvent } from '../usage/ledger-client.ts';

export interface Budget {
  /** Of a budget for each value: the name of the counter (common/counter-names.ts). */
  readonly id: string;
  /** When its windows begin. */
  readonly period: BudgetCalendar;
  /** Of a counter: the value that it counts. */
  readonly value?: string | undefined;
}

export interface BudgetQuestion {
  /** At least one budget, none twice. */
  readonly budgets: readonly Budget[];
  /** The most that the request may cost, in nano-dollars. */
  readonly full: number;
  /**
   * Nano-dollars with which the request can still run, with a lower maximum of its output. Equal to `full` if the
   * caller set that maximum.
   */
  readonly least: number;
  /** A further attempt of the request may need as much again, and will not wait for it. Default: false. */
  readonly mayRepeat?: boolean;
  /** The usage to report if this proxy is killed. Its id, time and session are those of the reservation. */
  readonly ifKilled: () => UsageOfKilled;
}

/** Cost and charges do not include the reservation: the process that reports the event adds the reserved amounts. */
export type UsageOfKilled = Omit<UsageEvent, 'id' | 'at' | 'session' | 'ordinal'>;

export type FullQuestion = Omit<BudgetQuestion, 'least' | 'mayRepeat'>;

export interface Budgets {
  /** A promise only if an acquire call has to be waited for. @throws BudgetRefusal */
  take(question: BudgetQuestion): BudgetReservation | Promise<BudgetReservation>;
  /** Like `take`, but acquires nothing: undefined if the full amount is not in every lease. */
  takeNow(question: FullQuestion): BudgetReservation | undefined | Promise<BudgetReservation | undefined>;
  /** For a request without budgets: identifies its usage event. */
  stamp(): Stamp;
}

/** Fixed when a request is reserved, and never changed later. */
export interface Stamp {
  /** UUIDv7. */
  readonly id: string;
  /** Milliseconds since 1970 by the estimate of the database's clock. */
  readonly at: number;
  /** Empty if there is no session yet. */
  readonly session: string;
}

export interface BudgetReservation {
  readonly stamp: Stamp;
  /** Nano-dollars reserved in each budget: from `least` to `full`. */
  readonly amount: number;
  /** The leases of the reservation. */
  readonly leases: readonly Pick<Charge, 'budgetId' | 'window'>[];
  /**
   * Replaces the reservation by the cost. Called exactly once.
   * @param of the ids of the limits that are charged; the others get all of their money back. Default: all
   * @returns the charge to each lease, at most the cost
   */
  settle(cost: number, of?: ReadonlySet<string>): readonly Charge[];
}

export interface Charge {
  readonly budgetId: string;
  readonly window: string;
  /** Nano-dollars. */
  readonly escrow: number;
}

/**
 * exceeded: the remaining money is too little; busy: other requests or proxies have reserved the rest; unavailable: the
 * control plane does not respond and the lease is spent.
 */
export type RefusalReason = 'exceeded' | 'busy' | 'unavailable';

type RefusedWindow = Partial<Pick<BudgetRefusal, 'windowEndsAt' | 'amount'>>;

export class BudgetRefusal extends Error {
  /** Of a counter that has no room: the counter for further values. */
  readonly budgetId: string;
  readonly reason: RefusalReason;
  /** When the budget's window ends by the database's clock, in milliseconds since 1970; undefined for a total. */
  readonly windowEndsAt: number | undefined;
  /** Nano-dollars of the budget with raises, if the control plane reported it. */
  readonly amount: number | undefined;

  constructor(budgetId: string, reason: RefusalReason, window: RefusedWindow = {}) {
    super(`budget ${reason}`);
    this.name = 'BudgetRefusal';
    this.budgetId = budgetId;
    this.reason = reason;
    this.windowEndsAt = window.windowEndsAt;
    this.amount = window.amount;
  }
}
