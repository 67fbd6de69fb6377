// A budget as the ledger knows it, and one of its windows. A counter of a budget for each value is a budget of its own here.
import type { BudgetCalendar } from '../../common/budget-window.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Raise } from '../store/budget-columns.ts';
import { countsTags, type LimitCounting } from '../store/limit-counting.ts';

export interface Budget {
  readonly id: string;
  readonly organizationId: string;
  readonly subjectKind: LimitSubjectKind;
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
  /** Which requests of its subject it counts, and in how many counters; absent: all, in one. */
  readonly counting?: LimitCounting | undefined;
  /** Of a counter: the value that it counts, if that is known. `id` is the counter's name then. */
  readonly value?: string | undefined;
}

/**
 * Whether its windows count usage from before it was created. Sums by hour have neither tags nor a part of the traffic, and of
 * provider keys no counters; a budget without windows, and one of the platform, counts from its creation on.
 */
export function countsEarlier({
  period,
  counting,
  subjectKind,
}: Pick<Budget, 'period' | 'counting' | 'subjectKind'>): boolean {
  if (period === 'total' || subjectKind === 'platform') return false;
  if (counting === undefined) return true;
  return !countsTags(counting) && counting.traffic === undefined && subjectKind !== 'provider_key';
}

/** Copies of requests count towards budgets of who pays for them, and towards those for copies. */
export function countsCopies({ subjectKind }: Budget): boolean {
  return subjectKind === 'provider_key' || subjectKind === 'platform';
}

/** A budget and one of its windows. */
export interface BudgetWindow {
  readonly budget: Budget;
  /** The name that windowOf returns. */
  readonly window: string;
}
