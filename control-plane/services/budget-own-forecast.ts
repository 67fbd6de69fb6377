// Forecasts of budgets whose usage no sums by hour show: those of a tag, of each value, of a part of the traffic, of the
// platform, of routes and of shadow traffic; and those of keys and scopes of an organization with too many sums to read.
// They are made from the budget's own windows in the ledger, two rows each: what it spent in as much time before now as its
// last window lasted, and at the same rate until the end.
import { type Kysely, sql } from 'kysely';
import { type BudgetCalendar, windowEnd, windowOf, windowStart } from '../../common/budget-window.ts';
import { hourMs } from '../../common/durations.ts';
import { windowKey } from '../ledger/matching.ts';
import type { Schema } from '../store/schema.ts';
import { type Forecast, whole } from './budget-forecast.ts';

/** A current window with an end. */
export interface OwnForecastQuestion {
  /** The budget's, or the name of its counter. */
  readonly ledgerId: string;
  readonly calendar: BudgetCalendar;
  readonly window: string;
  /** In nano-dollars. */
  readonly spent: number;
  /** Since when it counts, in milliseconds since 1970. */
  readonly since: number;
  /** Its windows of the past are deleted: a missing one does not mean that nothing was spent. */
  readonly forgets?: boolean;
}

/** By `ledgerId`. Reads one row of each budget, by its key. A window without an end has no forecast. */
export async function forecastByOwnWindows(
  { db, now }: { readonly db: Kysely<Schema>; readonly now: number },
  questions: readonly OwnForecastQuestion[],
): Promise<ReadonlyMap<string, Forecast>> {
  const spans = questions.flatMap((question) => spanOf(question) ?? []);
  const earlier = await readSpent(db, spans);
  return new Map(
    spans.map((one) => [
      one.ledgerId,
      { spent: forecastOf(one, earlier.get(windowKey(one.ledgerId, one.before.window)), now), basis: 'windows' },
    ]),
  );
}

interface Spans extends OwnForecastQuestion {
  readonly startsAt: number;
  readonly endsAt: number;
  /** The window before. */
  readonly before: { readonly window: string; readonly startsAt: number };
}

function spanOf(question: OwnForecastQuestion): Spans | undefined {
  const { calendar, window } = question;
  const startsAt = windowStart(window);
  const endsAt = startsAt === undefined ? undefined : windowEnd(calendar, startsAt);
  if (startsAt === undefined || endsAt === undefined) return undefined;
  const before = windowOf(calendar, startsAt - 1);
  return { ...question, startsAt, endsAt, before: { window: before, startsAt: windowStart(before) ?? startsAt } };
}

async function readSpent(db: Kysely<Schema>, spans: readonly Spans[]): Promise<ReadonlyMap<string, number>> {
  if (spans.length === 0) return new Map();
  const wanted = sql.join(spans.map(({ ledgerId, before }) => sql`(${ledgerId}, ${before.window})`));
  const rows = await db
    .selectFrom('budget_windows')
    .select(['budget_id', 'window_start', 'spent'])
    .where(sql<boolean>`(budget_id, window_start) in (values ${wanted})`)
    .execute();
  return new Map(rows.map(({ budget_id, window_start, spent }) => [windowKey(budget_id, window_start), spent]));
}

/** @param earlier of the window before, of which only that part counts that is not longer ago than it lasted */
function forecastOf(spans: Spans, earlier: number | undefined, now: number): number {
  const { spent, startsAt, endsAt, before, forgets } = spans;
  const since = earlier === undefined && forgets === true ? Math.max(spans.since, startsAt) : spans.since;
  const from = Math.max(since, Math.min(startsAt, now - (startsAt - before.startsAt)));
  const counted = startsAt - Math.max(since, before.startsAt);
  const part = counted > 0 ? Math.max(0, startsAt - from) / counted : 0;
  return whole(spent + ((spent + (earlier ?? 0) * part) * (endsAt - now)) / Math.max(hourMs, now - from));
}
