// Writes the result of a comparison, unless its inputs have changed since. Then the result is outdated and the day is
// due again.
import type { Kysely, Selectable } from 'kysely';
import type { ReconcileRowsTable } from '../store/reconciliation-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { type Bound, isBeyond } from './analysis.ts';
import type { ComparedDay, DriftRow } from './compare.ts';
import type { ReconcileDay } from './day-inputs.ts';
import { markDays, nextDue } from './due.ts';

/** @returns whether it was written */
export async function writeDay(
  { db, now, locks }: LedgerTransaction,
  dueDay: ReconcileDay,
  { version, compared }: { readonly version: number; readonly compared: ComparedDay },
): Promise<boolean> {
  const { organizationId, vendor, day } = dueDay;
  const state = await locks
    .update(
      db
        .selectFrom('reconcile_days')
        .select('version')
        .where('organization_id', '=', organizationId)
        .where('vendor', '=', vendor)
        .where('day', '=', day),
    )
    .executeTakeFirst();
  if (state?.version !== version) return false;
  await replaceRows(db, dueDay, compared, now);
  const { preliminary, billed, wakes, rows: _rows, bound: _bound, ...sums } = compared;
  await db
    .updateTable('reconcile_days')
    .set({
      ...sums,
      billed: billed ?? null,
      preliminary: preliminary ? 1 : 0,
      compared_at: now,
      compared_version: version,
      due_at: nextDue(day, preliminary, now),
    })
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .execute();
  await markDays({ db, now }, dueDay, wakes);
  return true;
}

async function replaceRows(
  db: Kysely<Schema>,
  { organizationId, vendor, day }: ReconcileDay,
  { rows, bound }: ComparedDay,
  now: number,
): Promise<void> {
  const ofDay = await db
    .selectFrom('reconcile_rows')
    .select(['id', 'first_seen_at', 'told_drift'])
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .execute();
  const before = new Map(ofDay.map((row) => [row.id, row]));
  await db
    .deleteFrom('reconcile_rows')
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .execute();
  const fresh = rows.map(
    (row): Selectable<ReconcileRowsTable> => ({
      ...row,
      organization_id: organizationId,
      first_seen_at: before.get(row.id)?.first_seen_at ?? now,
      compared_at: now,
      told_drift: reportedOf(row, before.get(row.id)?.told_drift ?? null, bound),
    }),
  );
  for (let from = 0; from < fresh.length; from += insertRowsMax) {
    await db
      .insertInto('reconcile_rows')
      .values(fresh.slice(from, from + insertRowsMax))
      .execute();
  }
}

/** A difference that is about the same as when it was reported is not reported again. */
function reportedOf({ drift, adjusted }: DriftRow, reported: number | null, bound: Bound): number | null {
  if (reported === null) return null;
  const left = drift - adjusted;
  return isBeyond(left - reported, Math.max(Math.abs(left), Math.abs(reported)), bound) ? null : reported;
}

// A row has about twenty columns, and SQLite accepts 32,766 parameters.
const insertRowsMax = 500;
