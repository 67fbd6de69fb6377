// Deletes what is over of budgets for each value: windows of the past with their leases and notices, and counters without
// a window, a bounded piece at a time. Usage stays. A window with money that is not settled stays as well, and so do all
// windows of budgets without an end until the limit is deleted.
import { type Kysely, sql } from 'kysely';
import { windowMaxMs, windowOf } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import { calendarOf } from '../store/budget-columns.ts';
import { budgetKinds } from '../store/budget-tables.ts';
import { countingOf } from '../store/limit-counting.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { usageWaitsMaxMs } from './bounds.ts';

/** Most usage of a window is reported by then. What comes later is recorded, and its window is made again and deleted. */
const windowsKeptMs = 2 * dayMs;
/** As long as usage of a deleted budget may come. */
const deletedKeptMs = windowMaxMs + usageWaitsMaxMs;
const pieceRows = 500;

/** Does one piece of each limit. @returns whether there may be more to delete */
export async function keepUpCounters(store: Pick<Store, 'ledger' | 'snapshot'>, now: number): Promise<boolean> {
  const limits = await store.snapshot((db) =>
    db
      .selectFrom('limits')
      .select(['id', 'period', 'calendar', 'counting', 'deleted_at'])
      .where('counting', 'is not', null)
      .where('kind', 'in', budgetKinds)
      .execute(),
  );
  let more = false;
  for (const { period, ...limit } of limits) {
    if (period === null || countingOf(limit)?.each === undefined) continue;
    const isGone = limit.deleted_at !== null && limit.deleted_at < now - deletedKeptMs;
    const before = period === 'total' ? undefined : windowOf(calendarOf({ ...limit, period }), now - windowsKeptMs);
    // Two transactions: other programs lock counters before windows.
    const windows =
      isGone || before !== undefined
        ? await store.ledger(({ db }) => deleteWindows(db, limit.id, isGone ? undefined : before))
        : 0;
    const counters = await store.ledger(({ db }) => deleteCounters(db, limit.id, now - windowsKeptMs));
    more ||= windows === pieceRows || counters === pieceRows;
  }
  return more;
}

/** @param before name of a window; undefined: all of them */
async function deleteWindows(db: Kysely<Schema>, limitId: string, before: string | undefined): Promise<number> {
  let query = db
    .selectFrom('limit_counters')
    .innerJoin('budget_windows', 'budget_windows.budget_id', 'limit_counters.id')
    .select(['budget_windows.budget_id', 'budget_windows.window_start'])
    .where('limit_counters.limit_id', '=', limitId)
    .where('leased', '=', 0)
    .where('unsettled', '=', 0)
    .orderBy('budget_windows.budget_id')
    .limit(pieceRows);
  if (before !== undefined) query = query.where('budget_windows.window_start', '<', before);
  const over = await query.execute();
  if (over.length === 0) return 0;
  const keys = sql.join(over.map((row) => sql`(${row.budget_id}, ${row.window_start})`));
  const isOver = sql<boolean>`(budget_id, window_start) in (values ${keys})`;
  // A report may have changed the row since it was read.
  await db.deleteFrom('budget_windows').where(isOver).where('leased', '=', 0).where('unsettled', '=', 0).execute();
  await db.deleteFrom('leases').where(isOver).where('remaining', '=', 0).execute();
  await db.deleteFrom('budget_notices').where(isOver).where('told_at', 'is not', null).execute();
  await db.deleteFrom('budget_adjustments').where(isOver).execute();
  return over.length;
}

async function deleteCounters(db: Kysely<Schema>, limitId: string, before: number): Promise<number> {
  const over = await db
    .selectFrom('limit_counters')
    .select('id')
    .where('limit_id', '=', limitId)
    .where('ends_at', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('budget_windows')
            .select('budget_windows.budget_id')
            .whereRef('budget_windows.budget_id', '=', 'limit_counters.id'),
        ),
      ),
    )
    .orderBy('id')
    .limit(pieceRows)
    .execute();
  if (over.length === 0) return 0;
  const ids = over.map(({ id }) => id);
  await db.deleteFrom('limit_counters').where('id', 'in', ids).where('ends_at', '<', before).execute();
  return over.length;
}
