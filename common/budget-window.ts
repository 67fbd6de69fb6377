// Windows of budgets: an hour, a day, a week from Monday, a month, a quarter, in UTC, or as the clocks of a time zone
// show them; or one window without an end. The name of a window is when it starts.
import { dayMs, hourMs } from './durations.ts';
import { type LocalCalendar, localWindow } from './local-windows.ts';

const budgetPeriods = ['hour', 'day', 'week', 'month', 'quarter', 'total'] as const;

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** When a budget's windows begin: a period in UTC, or one in a time zone or from another time on. */
export type BudgetCalendar = BudgetPeriod | LocalCalendar;

/** The only window of a budget that never resets. */
export const totalWindow = 'total';

/** 1970-01-01 was a Thursday. */
const firstMondayMs = 4 * dayMs;

/** The longest window that ends. */
export const windowMaxMs = 93 * dayMs;

export function periodOf(calendar: BudgetCalendar): BudgetPeriod {
  return typeof calendar === 'string' ? calendar : calendar.period;
}

/**
 * @param at milliseconds since 1970
 * @returns the name of the window that contains `at`: the UTC day on which it starts ("2026-11-20"); the minute in UTC
 * ("2026-11-20T05:00Z") for an hour, and for a calendar with a time zone or another start; or "total"
 */
export function windowOf(calendar: BudgetCalendar, at: number): string {
  if (calendar === 'total') return totalWindow;
  if (typeof calendar !== 'string') return localWindowAt(calendar, at).window;
  const slot = Math.floor(at / (calendar === 'hour' ? hourMs : dayMs));
  if (lastNamed[calendar].slot !== slot)
    lastNamed[calendar] = { slot, window: nameOf(calendar, startOf(calendar, at)) };
  return lastNamed[calendar].window;
}

interface Named {
  readonly slot: number;
  readonly window: string;
}

// Caches the last name of each period. Nearly all calls are for the same day, and formatting a date costs more than the
// rest of the call.
const lastNamed: Record<Exclude<BudgetPeriod, 'total'>, Named> = {
  hour: { slot: Number.NaN, window: '' },
  day: { slot: Number.NaN, window: '' },
  week: { slot: Number.NaN, window: '' },
  month: { slot: Number.NaN, window: '' },
  quarter: { slot: Number.NaN, window: '' },
};

function nameOf(period: BudgetPeriod, start: number): string {
  return period === 'hour' ? minuteOf(start) : new Date(start).toISOString().slice(0, 10);
}

function minuteOf(start: number): string {
  return `${new Date(start).toISOString().slice(0, 16)}Z`;
}

interface NamedLocal {
  readonly window: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** The last window of each calendar, because a time zone costs far more than the rest of a call. */
const lastLocal = new Map<string, NamedLocal>();
const calendarsMax = 10_000;

function localWindowAt(calendar: LocalCalendar, at: number): NamedLocal {
  const key = `${calendar.period} ${calendar.timeZone} ${calendar.hour} ${calendar.weekday} ${calendar.dayOfMonth} ${calendar.month}`;
  const last = lastLocal.get(key);
  if (last !== undefined && at >= last.startsAt && at < last.endsAt) return last;
  const found = localWindow(calendar, at);
  const named = { ...found, window: minuteOf(found.startsAt) };
  if (lastLocal.size >= calendarsMax) lastLocal.clear();
  lastLocal.set(key, named);
  return named;
}

/** When the window that contains `at` ends, in milliseconds since 1970; undefined for a window without an end. */
export function windowEnd(calendar: BudgetCalendar, at: number): number | undefined {
  if (typeof calendar !== 'string') return localWindowAt(calendar, at).endsAt;
  switch (calendar) {
    case 'hour':
      return startOf(calendar, at) + hourMs;
    case 'day':
      return startOf(calendar, at) + dayMs;
    case 'week':
      return startOf(calendar, at) + 7 * dayMs;
    case 'month':
      return monthsLater(startOf(calendar, at), 1);
    case 'quarter':
      return monthsLater(startOf(calendar, at), 3);
    case 'total':
      return undefined;
  }
}

function monthsLater(start: number, months: number): number {
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

/** Formats the UTC day of `at`: "2026-11-20". */
export function dayOf(at: number): string {
  return windowOf('day', at);
}

/**
 * When a window starts, in milliseconds since 1970.
 * @param window a name from windowOf; undefined is returned for "total"
 */
export function windowStart(window: string): number | undefined {
  if (window === totalWindow) return undefined;
  return Date.parse(window.includes('T') ? window : `${window}T00:00:00Z`);
}

/** Whether a text has the form of a window's name. */
export function isWindowName(text: string): boolean {
  if (text === totalWindow) return true;
  const start = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}Z)?$/.test(text) ? windowStart(text) : undefined;
  // Date.parse reads 31 February as 3 March.
  return start !== undefined && !Number.isNaN(start) && new Date(start).toISOString().startsWith(text.replace('Z', ''));
}

function startOf(period: Exclude<BudgetPeriod, 'total'>, at: number): number {
  switch (period) {
    case 'hour':
      return Math.floor(at / hourMs) * hourMs;
    case 'day':
      return Math.floor(at / dayMs) * dayMs;
    case 'week':
      return at - ((at - firstMondayMs) % (7 * dayMs));
    case 'month': {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    }
    case 'quarter': {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / 3) * 3);
    }
  }
}
