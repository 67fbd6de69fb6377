// Periods of reports. Days and months are UTC, as those of budgets are.

export interface Period {
  /** RFC 3339. */
  readonly from: string;
  /** Exclusive; absent: now. */
  readonly to?: string;
}

const dayMs = 86_400_000;

export const periodOptions = [
  { id: 'today', name: 'today (UTC)' },
  { id: '24h', name: 'last 24 hours' },
  { id: '7d', name: 'last 7 days' },
  { id: '30d', name: 'last 30 days' },
  { id: 'month', name: 'this month (UTC)' },
  { id: 'last-month', name: 'last month (UTC)' },
] as const;

export function startOfDay(now: number): number {
  return now - (now % dayMs);
}

export function startOfMonth(now: number, months = 0): number {
  const time = new Date(now);
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1);
}

/** @param id of `periodOptions`; any other is this month */
export function periodOf(id: string | undefined, now = Date.now()): Period {
  const hour = now - (now % 3_600_000);
  switch (id) {
    case 'today':
      return { from: text(startOfDay(now)) };
    case '24h':
      return { from: text(hour - dayMs) };
    case '7d':
      return { from: text(startOfDay(now) - 6 * dayMs) };
    case '30d':
      return { from: text(startOfDay(now) - 29 * dayMs) };
    case 'last-month':
      return { from: text(startOfMonth(now, -1)), to: text(startOfMonth(now)) };
    default:
      return { from: text(startOfMonth(now)) };
  }
}

function text(time: number): string {
  return new Date(time).toISOString();
}
