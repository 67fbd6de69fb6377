// What a budget's row says beside its amount: thresholds, and raises of the amount that end. Pure.
import { type BudgetCalendar, type BudgetPeriod, windowEnd, windowStart } from '../../common/budget-window.ts';
import { aList, aNumber, aRecord, aString } from '../../common/json-shape.ts';
import type { CalendarStart } from '../../common/local-windows.ts';
import { readColumn } from './json-columns.ts';

/** An amount in addition to the budget's, from a time to before another. */
export interface Raise {
  readonly id: string;
  /** Nano-dollars. */
  readonly amount: number;
  /** Milliseconds since 1970, by the database's clock. */
  readonly from: number;
  readonly until: number;
  /** Empty if none was given. */
  readonly reason: string;
}

interface TermsRow {
  readonly id: string;
  readonly thresholds: string | null;
  readonly raises: string | null;
}

interface CalendarRow {
  readonly id: string;
  readonly period: BudgetPeriod;
  readonly calendar: string | null;
}

/** When the windows of a budget begin. */
export function calendarOf({ id, period, calendar }: CalendarRow): BudgetCalendar {
  const start = calendarStartOf({ id, calendar });
  return start === undefined || period === 'hour' || period === 'total' ? period : { period, ...start };
}

/** Undefined: the period says all. */
export function calendarStartOf({ id, calendar }: Pick<CalendarRow, 'id' | 'calendar'>): CalendarStart | undefined {
  return calendar === null ? undefined : readColumn(calendar, aStart, `limits.calendar of ${id}`);
}

const aStart = aRecord<CalendarStart>({
  ...{ timeZone: aString, hour: aNumber, weekday: aNumber, dayOfMonth: aNumber, month: aNumber },
});

/** Undefined: the usual ones. */
export function thresholdsOf({ id, thresholds }: Pick<TermsRow, 'id' | 'thresholds'>): readonly number[] | undefined {
  return thresholds === null ? undefined : readColumn(thresholds, aList(aNumber), `limits.thresholds of ${id}`);
}

/** All that are stored, ended ones too, oldest first. */
export function raisesOf({ id, raises }: Pick<TermsRow, 'id' | 'raises'>): readonly Raise[] {
  return raises === null ? [] : readColumn(raises, raiseList, `limits.raises of ${id}`);
}

const raiseList = aList(
  aRecord<Raise>({ id: aString, amount: aNumber, from: aNumber, until: aNumber, reason: aString }),
);

export interface RaisedBudget {
  readonly period: BudgetCalendar;
  readonly raises: readonly Raise[];
}

/**
 * Nano-dollars that raises add to the amount in a window: those in force now; before the window begins, those in force
 * when it begins; after its end, those that were in force then.
 */
export function raisedIn({ period, raises }: RaisedBudget, window: string, now: number): number {
  if (raises.length === 0) return 0;
  const start = windowStart(window) ?? now;
  const end = windowEnd(period, start) ?? Number.POSITIVE_INFINITY;
  const at = Math.min(Math.max(now, start), end - 1);
  return raises.reduce((sum, { amount, from, until }) => (from <= at && at < until ? sum + amount : sum), 0);
}
