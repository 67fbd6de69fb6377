// Decides which days are to be compared, and when: every change of a comparison's inputs makes its days due. One
// replica takes a day at a time. If the replica stops, the day becomes due again.
import type { Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import type { BillVendor } from '../../proto/words/money.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import type { ReconcileDay } from './day-inputs.ts';

interface DueTransaction {
  readonly db: Kysely<Schema>;
  readonly now: number;
}

export interface DaysOfVendor {
  readonly organizationId: string;
  readonly vendor: BillVendor;
}

/** Marks days with new data. */
export async function markDays(
  { db, now }: DueTransaction,
  { organizationId, vendor }: DaysOfVendor,
  days: readonly string[],
): Promise<void> {
  const fresh = [...new Set(days)].map((day) => ({
    organization_id: organizationId,
    vendor,
    day,
    version: 1,
    compared_version: 0,
    due_at: now,
    compared_at: null,
    preliminary: 0 as const,
    compared: 0,
    agreed: 0,
    billed: null,
    ledger: 0,
    adjusted: 0,
    ignored: 0,
    drift: 0,
    unexplained: 0,
  }));
  for (let from = 0; from < fresh.length; from += insertRowsMax) {
    await db
      .insertInto('reconcile_days')
      .values(fresh.slice(from, from + insertRowsMax))
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'vendor', 'day'])
          .doUpdateSet(({ eb }) => ({ version: eb('reconcile_days.version', '+', 1), due_at: now })),
      )
      .execute();
  }
}

// A row has about fifteen columns, and SQLite accepts 32,766 parameters.
const insertRowsMax = 500;

/** Marks all known days, of one vendor or of all. */
export async function markAll(
  { db, now }: DueTransaction,
  { organizationId, vendor }: Pick<DaysOfVendor, 'organizationId'> & Partial<DaysOfVendor>,
): Promise<void> {
  let days = db
    .updateTable('reconcile_days')
    .set(({ eb }) => ({ version: eb('version', '+', 1), due_at: now }))
    .where('organization_id', '=', organizationId);
  if (vendor !== undefined) days = days.where('vendor', '=', vendor);
  await days.execute();
}

/** Makes a day due at once that was changed during its comparison, instead of at its postponed time. */
export async function dueNow({ db, now }: DueTransaction, day: ReconcileDay): Promise<void> {
  await ofDay(db.updateTable('reconcile_days').set({ due_at: now }), day).execute();
}

/** Called before takeDue, because takeDue writes and so waits for other writers. */
export async function isAnyDue(db: Kysely<Schema>, now: number): Promise<boolean> {
  const due = await db
    .selectFrom('reconcile_days')
    .select('day')
    .where('due_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

/** A comparison that takes longer than this is made again. */
const claimedMs = 600_000;

/** Takes the day that has been due for longest, for this replica. */
export async function takeDue({ db, now, locks }: LedgerTransaction): Promise<ReconcileDay | undefined> {
  const due = await locks
    .update(
      db
        .selectFrom('reconcile_days')
        .select(['organization_id', 'vendor', 'day'])
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('organization_id')
        .orderBy('vendor')
        .orderBy('day')
        .limit(1),
    )
    .executeTakeFirst();
  if (due === undefined) return undefined;
  // Checks the due time again, because a replica that locked the row first has postponed it.
  const day = { organizationId: due.organization_id, vendor: due.vendor, day: due.day };
  const { numUpdatedRows } = await ofDay(db.updateTable('reconcile_days').set({ due_at: now + claimedMs }), day)
    .where('due_at', '<=', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 0n ? undefined : day;
}

function ofDay(
  update: UpdateQueryBuilder<Schema, 'reconcile_days', 'reconcile_days', UpdateResult>,
  { organizationId, vendor, day }: ReconcileDay,
) {
  return update.where('organization_id', '=', organizationId).where('vendor', '=', vendor).where('day', '=', day);
}

/**
 * Proxies may report late, so a day is compared daily at first, then weekly as long as reports may arrive. Null: the
 * day is final.
 */
export function nextDue(day: string, preliminary: boolean, now: number): number | null {
  const age = now - (Date.parse(day) + dayMs);
  if (preliminary && age < 45 * dayMs) return now + dayMs;
  if (age < 4 * dayMs) return now + dayMs;
  return age < 45 * dayMs ? now + 7 * dayMs : null;
}
