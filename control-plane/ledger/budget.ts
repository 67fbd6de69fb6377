// A budget as the ledger knows it, and one of its windows. A counter of a budget for each value is a budget of its own here.
import type { BudgetCalendar } from '../../common/budget-window.ts';
import type { Raise } from '../store/budget-columns.ts';
import type { LimitCounting } from '../store/limit-counting.ts';

export interface Budget {
  readonly id: string;
  readonly organizationId: string;
  readonly subjectId: string;
  /** When its windows begin. */
  readonly period: BudgetCalendar;
  /** In nano-dollars, without raises. */
  readonly amount: number;
  readonly raises: readonly Raise[];
  /** Refuses nothing, so proxies do not know it. */
  readonly soft: boolean;
  /** In percent of the amount; undefined: the usual ones. */
  readonly thresholds: readonly number[] | undefined;
  /** Null for all models. */
  readonly model: string | null;
  readonly createdAt: number;
  readonly deleted: boolean;
  /** Which tag's requests it counts, and in how many counters; absent: all, in one. */
  readonly counting?: LimitCounting | undefined;
  /** Of a counter: the value that it counts, if that is known. `id` is the counter's name then. */
  readonly value?: string | undefined;
}

/** A budget and one of its windows. */
export interface BudgetWindow {
  readonly budget: Budget;
  /** The name that windowOf returns. */
  readonly window: string;
}
