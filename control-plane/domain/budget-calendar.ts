// When the windows of a budget begin, beside its period: a time zone, and an hour and day by the clocks there. Pure.
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { type CalendarStart, isTimeZone } from '../../common/local-windows.ts';
import { budgetPeriods } from '../../proto/words/access.ts';
import { type Field, invalid, optional, type Problem, problemsAt, valid } from './field.ts';
import { notOfRates, unchanged } from './limit.ts';
import { within } from './shared-fields.ts';

interface Start {
  readonly hour?: number;
  readonly weekday?: number;
  readonly dayOfMonth?: number;
  readonly month?: number;
}

/** The fields of the contract. */
export interface CalendarFields {
  readonly period?: string;
  readonly timeZone?: string;
  readonly startsOn?: Start | null;
}

/** Of a new limit. Undefined values: the windows are those of the period in UTC. */
export function budgetCalendar(ofBudget: boolean, fields: CalendarFields) {
  const { timeZone, startsOn } = fields;
  if (!ofBudget) return { time_zone: notOfRates(timeZone), starts_on: notOfRates(startsOn ?? undefined) };
  const period = budgetPeriods.wordOf(fields.period ?? '');
  return {
    time_zone: optional((text: string) => timeZoneOf(period, text), timeZone),
    starts_on: optional((start: Start) => startOf(period, start), startsOn),
  };
}

/** Undefined if the windows are those of the period in UTC. */
export function calendarStart(timeZone: string | undefined, start: Start | undefined): CalendarStart | undefined {
  const { hour = 0, weekday = 1, dayOfMonth = 1, month = 1 } = start ?? {};
  const isUsual = hour === 0 && weekday === 1 && dayOfMonth === 1 && month === 1;
  if (isUsual && (timeZone === undefined || timeZone === 'UTC')) return undefined;
  return { timeZone: timeZone ?? 'UTC', hour, weekday, dayOfMonth, month };
}

/** Of a change, which may repeat the present values. @param present undefined for windows in UTC, and for no budget */
export function sameCalendar(present: CalendarStart | undefined, { timeZone, startsOn }: CalendarFields) {
  const same = calendarStart(timeZone ?? present?.timeZone, startsOn ?? present);
  return {
    time_zone: unchanged(timeZone === undefined || same?.timeZone === present?.timeZone),
    starts_on: unchanged(!startsOn || JSON.stringify(same) === JSON.stringify(present)),
  };
}

const withoutDays = 'does not go with this period';

function timeZoneOf(period: BudgetPeriod | undefined, text: string): Field<string> {
  if (period === 'hour' || period === 'total') return invalid(withoutDays);
  return isTimeZone(text) ? valid(text) : invalid('must be a time zone of the IANA database, such as Europe/Berlin');
}

/** Which fields a period has, with their bounds. */
const bounds: Readonly<Record<BudgetPeriod, Readonly<Partial<Record<keyof Start, readonly [number, number]>>>>> = {
  hour: {},
  day: { hour: [0, 23] },
  week: { hour: [0, 23], weekday: [1, 7] },
  month: { hour: [0, 23], dayOfMonth: [1, 28] },
  quarter: { hour: [0, 23], dayOfMonth: [1, 28], month: [1, 3] },
  total: {},
};

const paths = {
  hour: '.hour',
  weekday: '.weekday',
  dayOfMonth: '.day_of_month',
  month: '.month',
} as const satisfies Record<keyof Start, string>;

function startOf(period: BudgetPeriod | undefined, start: Start): Field<Start> {
  if (period === undefined) return valid({});
  const problems = (['hour', 'weekday', 'dayOfMonth', 'month'] as const).flatMap((name): readonly Problem[] => {
    const value = start[name];
    if (value === undefined) return [];
    const [least, most] = bounds[period][name] ?? [];
    const field = least === undefined || most === undefined ? invalid(withoutDays) : within(least, most)(value);
    return problemsAt(paths[name], field);
  });
  return problems.length > 0 ? { problems } : valid(start);
}
