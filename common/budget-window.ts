// Windows of budgets, in UTC: a day, a week from Monday, a month, or one window without an end. The name of a window is
// the day on which it starts.
const budgetPeriods = ['day', 'week', 'month', 'total'] as const;

export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The only window of a budget that never resets. */
export const totalWindow = 'total';

export const dayMs = 86_400_000;
/** 1970-01-01 was a Thursday. */
const firstMondayMs = 4 * dayMs;

/**
 * @param at milliseconds since 1970
 * @returns the name of the window that contains `at`: the UTC day on which it starts ("2026-11-20"), or "total"
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

// Caches the last name of each period. Nearly all calls are for the same day, and formatting a date costs more than the
// rest of the call.
const lastNamed: Record<Exclude<BudgetPeriod, 'total'>, Named> = {
  day: { day: Number.NaN, window: '' },
  week: { day: Number.NaN, window: '' },
  month: { day: Number.NaN, window: '' },
};

function nameOf(start: number): string {
  return new Date(start).toISOString().slice(0, 10);
}

/** When the window that contains `at` ends, in milliseconds since 1970; undefined for a window without an end. */
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

/** Formats the UTC day of `at`: "2026-11-20". */
export function dayOf(at: number): string {
  return windowOf('day', at);
}

/**
 * When a window starts, in milliseconds since 1970.
 * @param window a name from windowOf; undefined is returned for "total"
 */
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
