// Windows of budgets, in UTC: a day, a week from Monday, a month, or one without end. A window is named by the day it starts on.
const budgetPeriods = ['day', 'week', 'month', 'total'] as const;

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The window of a budget without windows. */
export const totalWindow = 'total';

export const dayMs = 86_400_000;
/** 1970-01-01 was a Thursday. */
const firstMondayMs = 4 * dayMs;

/**
 * @param at milliseconds since 1970
 * @returns the window that it is in: the UTC day it starts on, "2026-11-20", or "total"
 */
export function windowOf(period: BudgetPeriod, at: number): string {
  if (period === 'total') return totalWindow;
  const day = Math.floor(at / dayMs);
  if (lastNamed[period].day !== day) lastNamed[period] = { day, window: nameOf(startOf(period, at)) };
  return lastNamed[period].window;
}

interface Named {
  readonly day: number;
  readonly window: string;
}

// What is asked for is of one day, nearly always, and to put a date into words costs more than what it is asked for.
const lastNamed: Record<Exclude<BudgetPeriod, 'total'>, Named> = {
  day: { day: Number.NaN, window: '' },
  week: { day: Number.NaN, window: '' },
  month: { day: Number.NaN, window: '' },
};

function nameOf(start: number): string {
  return new Date(start).toISOString().slice(0, 10);
}

/** Milliseconds since 1970 when the window of this time ends; undefined for one without end. */
export function windowEnd(period: BudgetPeriod, at: number): number | undefined {
  switch (period) {
    case 'day':
      return startOf(period, at) + dayMs;
    case 'week':
      return startOf(period, at) + 7 * dayMs;
    case 'month': {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    }
    case 'total':
      return undefined;
  }
}

/** "2026-11-20" */
export function dayOf(at: number): string {
  return windowOf('day', at);
}

/** When a window starts. @param window as windowOf names it; undefined for "total" */
export function windowStart(window: string): number | undefined {
  return window === totalWindow ? undefined : Date.parse(`${window}T00:00:00Z`);
}

function startOf(period: Exclude<BudgetPeriod, 'total'>, at: number): number {
  switch (period) {
    case 'day':
      return Math.floor(at / dayMs) * dayMs;
    case 'week':
      return at - ((at - firstMondayMs) % (7 * dayMs));
    case 'month': {
      const date = new Date(at);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    }
  }
}
