// Windows of budgets that begin at a time of day of a time zone: days, weeks, months and quarters, as a calendar on the
// wall counts them. A window begins at the first instant at which the clocks there show its beginning or later. So
// windows neither overlap nor leave gaps, and a day has 23 or 25 hours where clocks are changed.
import { dayMs, hourMs } from './durations.ts';

export interface LocalCalendar {
  readonly period: 'day' | 'week' | 'month' | 'quarter';
  /** A name of the IANA database, "Europe/Berlin", or "UTC". */
  readonly timeZone: string;
  /** 0 to 23. */
  readonly hour: number;
  /** Of a week: 1 (Monday) to 7; otherwise 1. */
  readonly weekday: number;
  /** Of a month or quarter: 1 to 28; otherwise 1. */
  readonly dayOfMonth: number;
  /** The first month of a year in which a quarter begins: 1 to 3; otherwise 1. */
  readonly month: number;
}

/** Where windows begin, and by which clocks. */
export type CalendarStart = Omit<LocalCalendar, 'period'>;

/** A window: from `startsAt` to before `endsAt`, in milliseconds since 1970. */
export interface LocalWindow {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** 1970-01-01 was a Thursday. */
const firstMonday = 4 * dayMs;

/** @param at milliseconds since 1970 */
export function localWindow(calendar: LocalCalendar, at: number): LocalWindow {
  const { timeZone } = calendar;
  const start = (nth: number) => instantAt(timeZone, wallStart(calendar, nth));
  let nth = nthAt(calendar, at + offsetAt(timeZone, at));
  while (start(nth) > at) nth -= 1;
  while (start(nth + 1) <= at) nth += 1;
  return { startsAt: start(nth), endsAt: start(nth + 1) };
}

// Times on the wall are counted as if they were UTC.

/** What the clocks show at the beginning of the window of this number. */
function wallStart({ period, hour, weekday, dayOfMonth, month }: LocalCalendar, nth: number): number {
  switch (period) {
    case 'day':
      return nth * dayMs + hour * hourMs;
    case 'week':
      return firstMonday + (nth * 7 + weekday - 1) * dayMs + hour * hourMs;
    case 'month':
      return Date.UTC(1970, nth, dayOfMonth, hour);
    case 'quarter':
      return Date.UTC(1970, month - 1 + 3 * nth, dayOfMonth, hour);
  }
}

/** About the number of the window at this time on the wall. */
function nthAt({ period }: LocalCalendar, wall: number): number {
  const date = new Date(wall);
  const months = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  switch (period) {
    case 'day':
      return Math.floor(wall / dayMs);
    case 'week':
      return Math.floor((wall - firstMonday) / (7 * dayMs));
    case 'month':
      return months;
    case 'quarter':
      return Math.floor(months / 3);
  }
}

/** The first instant at which the clocks show this or a later time. */
function instantAt(timeZone: string, wall: number): number {
  const [before, after] = [offsetAt(timeZone, wall - dayMs), offsetAt(timeZone, wall + dayMs)];
  const early = wall - before;
  if (before === after || offsetAt(timeZone, early) === before) return early;
  const late = wall - after;
  if (offsetAt(timeZone, late) === after) return late;
  // The clocks skip this time.
  return changeBetween(timeZone, { from: late, to: early, offset: after });
}

interface Change {
  /** Before the clocks are changed. */
  readonly from: number;
  /** After that. */
  readonly to: number;
  /** From then on. */
  readonly offset: number;
}

function changeBetween(timeZone: string, { from, to, offset }: Change): number {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(timeZone, middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}

/** How many milliseconds the clocks are ahead of UTC. */
function offsetAt(timeZone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** A clock is large, and names are accepted in any letter case. */
const clocksMax = 1000;

/** @throws RangeError if it is no time zone */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const numeric = 'numeric' as const;
  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  });
  if (clocks.size >= clocksMax) clocks.clear();
  clocks.set(timeZone, clock);
  return clock;
}

/** Whether it is a name of the IANA database that this program knows. Offsets are none: they know no summer time. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(text)) return false;
  try {
    clockOf(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
