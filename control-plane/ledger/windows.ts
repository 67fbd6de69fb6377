// Locks the rows of budgets' windows. A row that does not exist yet is created with the usage that was recorded in its
// window before. It is created before the transaction records any event, and other transactions that would create it
// wait.
import { type Kysely, type Selectable, sql } from 'kysely';
import { isCounter } from '../../common/counter-names.ts';
import type { Schema } from '../store/schema.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import { partsOf } from './bounds.ts';
import type { BudgetWindow } from './budget.ts';
import type { LedgerLocking, TimedTransaction } from './locks.ts';
import { windowKey, windowOfBudget } from './matching.ts';
import { readRecorded } from './recorded.ts';

export type WindowRow = Selectable<Schema['budget_windows']>;

/**
 * Creates the missing rows, then locks all rows, both in the order of their keys. It holds no row locks while it
 * creates rows: it may wait for a transaction that creates the same row, but that one waits for no row locked here. The
 * organizations are locked already (shared).
 * @returns all wanted rows, by windowKey
 */
export async function lockWindows(
  tx: TimedTransaction,
  wanted: ReadonlyMap<string, BudgetWindow>,
): Promise<ReadonlyMap<string, WindowRow>> {
  const present = await readKeys(tx.db, keysOf(wanted));
  const missing = [...wanted].filter(([key]) => !present.has(key)).map(([, window]) => window);
  if (missing.length > 0) await makeWindows(tx, missing);
  return await lockKeys(tx, keysOf(wanted));
}

/** Locks the row if it exists. */
export async function lockWindow(
  { db, locks }: LedgerLocking,
  budgetId: string,
  window: string,
): Promise<WindowRow | undefined> {
  return await locks
    .update(
      db.selectFrom('budget_windows').selectAll().where('budget_id', '=', budgetId).where('window_start', '=', window),
    )
    .executeTakeFirst();
}

/** Writes rows that are locked. */
export async function saveWindows(db: Kysely<Schema>, rows: readonly WindowRow[]): Promise<void> {
  for (const part of partsOf(rows)) {
    await db
      .insertInto('budget_windows')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['budget_id', 'window_start']).doUpdateSet(({ ref }) => ({
          spent: ref('excluded.spent'),
          leased: ref('excluded.leased'),
          unsettled: ref('excluded.unsettled'),
        })),
      )
      .execute();
  }
}

type Key = readonly [budgetId: string, window: string];

function keysOf(wanted: ReadonlyMap<string, BudgetWindow>): readonly Key[] {
  return [...wanted]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { budget, window }]) => [budget.id, window] as const);
}

async function readKeys(db: Kysely<Schema>, keys: readonly Key[]): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for (const part of partsOf(keys)) {
    const rows = await selectKeys(db, part).select(['budget_id', 'window_start']).execute();
    for (const row of rows) present.add(windowKey(row.budget_id, row.window_start));
  }
  return present;
}

async function lockKeys({ db, locks }: LedgerLocking, keys: readonly Key[]): Promise<ReadonlyMap<string, WindowRow>> {
  const locked = new Map<string, WindowRow>();
  for (const part of partsOf(keys)) {
    const query = selectKeys(db, part).selectAll().orderBy('budget_id').orderBy('window_start');
    for (const row of await locks.update(query).execute()) {
      locked.set(windowKey(row.budget_id, row.window_start), row);
    }
  }
  return locked;
}

function selectKeys(db: Kysely<Schema>, keys: readonly Key[]) {
  const list = sql.join(keys.map(([budgetId, window]) => sql`(${budgetId}, ${window})`));
  return db.selectFrom('budget_windows').where(sql<boolean>`(budget_id, window_start) in (values ${list})`);
}

async function makeWindows(tx: TimedTransaction, missing: readonly BudgetWindow[]): Promise<void> {
  const recorded = await readRecorded(tx.db, missing);
  const spentOf = ({ budget, window }: BudgetWindow) => recorded.get(windowKey(budget.id, window)) ?? 0;
  const rows = missing
    .map((one) => ({
      budget_id: one.budget.id,
      organization_id: one.budget.organizationId,
      window_start: one.window,
      spent: spentOf(one),
      leased: 0,
      unsettled: 0,
    }))
    .toSorted((a, b) => (windowKey(a.budget_id, a.window_start) < windowKey(b.budget_id, b.window_start) ? -1 : 1));
  for (const part of partsOf(rows)) {
    await tx.db
      .insertInto('budget_windows')
      .values(part)
      .onConflict((conflict) => conflict.columns(['budget_id', 'window_start']).doNothing())
      .execute();
  }
  await noteThresholds(
    tx,
    missing
      // Rows of counters are deleted when their windows are over, and a late report may create them again.
      .filter(({ budget }) => !budget.deleted && !isCounter(budget.id))
      .map((one) => ({ ...windowOfBudget(one, tx.now), spent: spentOf(one) })),
  );
}
