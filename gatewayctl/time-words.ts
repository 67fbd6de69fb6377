// Times in people's words, in UTC: "yesterday", "month", "7d".
import { dayMs } from '../common/durations.ts';
import { duration } from '../common/settings.ts';

/** Times as RFC 3339. */
export interface Period {
  readonly from: string;
  /** Exclusive; undefined: now. */
  readonly to?: string;
}

type Bounds = readonly [from: number, to?: number];

/** Periods by their word; `day` is the start of today. */
const periods = {
  today: (day) => [day],
  yesterday: (day) => [day - dayMs, day],
  week: (day) => [monday(day) - 7 * dayMs, monday(day)],
  month: (day) => [firstOfMonth(day, -1), firstOfMonth(day, 0)],
  'this-week': (day) => [monday(day)],
  'this-month': (day) => [firstOfMonth(day, 0)],
} as const satisfies Record<string, (day: number) => Bounds>;

export const periodWords: readonly string[] = Object.keys(periods);

/** @throws Error that names the accepted forms */
export function periodOf(text: string, now = Date.now()): Period {
  const [from, to]: Bounds = isWord(text) ? periods[text](now - (now % dayMs)) : [now - ago(text)];
  return { from: instant(from), ...(to !== undefined && { to: instant(to) }) };
}

function isWord(text: string): text is keyof typeof periods {
  return Object.hasOwn(periods, text);
}

/** The start of a period, a date's first instant, or RFC 3339 unchanged. @throws Error that names the accepted forms */
export function startOf(text: string, now = Date.now()): string {
  if (/^\d{4}-/.test(text)) return startOfDate(text);
  return periodOf(text, now).from;
}

/** Leaves RFC 3339 unchanged; a date becomes its first instant in UTC. */
export function startOfDate(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
}

function ago(text: string): number {
  try {
    return duration(text);
  } catch (error) {
    const forms = error instanceof Error ? error.message : '';
    throw new Error(`${forms}, or one of ${periodWords.join(', ')}`);
  }
}

/** The Monday on or before a day. */
function monday(day: number): number {
  return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
}

function firstOfMonth(day: number, months: number): number {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
