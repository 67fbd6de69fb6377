// Reports new differences. For each day of a vendor one change writes the audit event and the webhook deliveries, and
// records the reported amount. So each difference is reported once, even if a replica stops or several look, and again
// when it has changed.
import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from 'kysely';
import { usdOfNano } from '../../common/money.ts';
import { jsonColumn, strings } from '../store/json-columns.ts';
import type { ReconcileRowsTable } from '../store/reconciliation-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';
import { enqueueDeliveries } from '../webhooks/enqueue.ts';
import { daysAround, type ReconcileDay } from './day-inputs.ts';
import { theReasons } from './explain.ts';

const context = {
  actor: { kind: 'system', id: 'control-plane' },
  from: '',
  action: 'Reconciliation.FindDrift',
} as const;

/** How many days one run reports. Each is a change, and must leave time for the changes of operators. */
const reportsMax = 20;
/** How many days one run looks at. */
const daysMax = 500;
/** How many differences an event lists; its count and sums include the rest. */
const shownMax = 10;

/**
 * Documents and mappings of a bill are imported one after another: a later one may explain a difference that an earlier
 * one leaves open.
 */
const quietMs = 10_000;

/**
 * @param now in milliseconds
 * @returns how many days this replica has reported
 * @throws StoreUnavailableError
 */
export async function sendDriftAlerts(store: Pick<Store, 'snapshot' | 'change'>, now: number): Promise<number> {
  const days = await store.snapshot((db) => readyDays(db, now));
  let count = 0;
  for (const day of days) if (await store.change(context, (tx) => notify(tx, day))) count++;
  return count;
}

/** An organization that imports all the time waits; the others do not wait for it. */
async function readyDays(db: Kysely<Schema>, now: number): Promise<readonly ReconcileDay[]> {
  const days = await db
    .selectFrom('reconcile_rows')
    .select(['organization_id as organizationId', 'vendor', 'day'])
    .distinct()
    .where(isUnreported)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('reconcile_days as lately')
            .select('lately.day')
            .whereRef('lately.organization_id', '=', 'reconcile_rows.organization_id')
            .whereRef('lately.vendor', '=', 'reconcile_rows.vendor')
            .where('lately.compared_at', '>', now - quietMs),
        ),
      ),
    )
    .orderBy('organization_id')
    .orderBy('vendor')
    .orderBy('day')
    .limit(daysMax)
    .execute();
  const ready: ReconcileDay[] = [];
  for (const day of days) {
    if (ready.length === reportsMax) break;
    if (!(await isPending(db, day))) ready.push(day);
  }
  return ready;
}

/** Whether the day, or a day beside it, is due for a comparison that may still explain the difference. */
async function isPending(db: Kysely<Schema>, { organizationId, vendor, day }: ReconcileDay): Promise<boolean> {
  const pending = await db
    .selectFrom('reconcile_days')
    .select('day')
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', 'in', [day, ...daysAround(day)])
    .whereRef('compared_version', '<>', 'version')
    .executeTakeFirst();
  return pending !== undefined;
}

type DriftRow = Selectable<ReconcileRowsTable>;

async function notify(tx: ChangeTransaction, dueDay: ReconcileDay): Promise<Change<boolean> | Unchanged<boolean>> {
  const { organizationId, vendor, day } = dueDay;
  // One statement, so that of two replicas, or of a replica and a comparison that rewrites the day, only one gets each
  // row.
  const rows = await tx.db
    .updateTable('reconcile_rows')
    .set(({ eb, ref }) => ({ told_drift: eb('drift', '-', ref('adjusted')) }))
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .where(isUnreported)
    .returningAll()
    .execute();
  // Another replica has reported the differences, or they no longer exist.
  if (rows.length === 0) return { unchanged: false };
  const data = summary(dueDay, rows);
  const timestamp = new Date(tx.now).toISOString();
  await enqueueDeliveries(tx, organizationId, { type: 'reconcile.drift', timestamp, data });
  const { drift: _, ...after } = data;
  return {
    result: true,
    organizationId,
    target: { kind: 'reconciled_day', id: `${vendor} ${day}` },
    after,
    invalidations: [],
  };
}

/** Leaves out differences that the vendor may still correct, and settled ones. */
function isUnreported({ and, eb }: ExpressionBuilder<Schema, 'reconcile_rows'>): Expression<SqlBool> {
  return and([eb('told_drift', 'is', null), eb('state', 'in', ['unexplained', 'explained'])]);
}

const keysOf = jsonColumn('reconcile_rows', 'provider_key_ids', strings);
const reasonsOf = jsonColumn('reconcile_rows', 'reasons', theReasons);

/** The fields are described in docs/webhooks.md. */
function summary({ organizationId, vendor, day }: ReconcileDay, rows: readonly DriftRow[]) {
  const left = ({ drift, adjusted }: DriftRow) => drift - adjusted;
  const largest = rows.toSorted((a, b) => Math.abs(left(b)) - Math.abs(left(a)));
  return {
    organizationId,
    vendor,
    day,
    count: rows.length,
    driftUsd: usdOfNano(rows.reduce((sum, row) => sum + left(row), 0)),
    unexplainedUsd: usdOfNano(rows.reduce((sum, row) => sum + row.unexplained, 0)),
    drift: largest.slice(0, shownMax).map((row) => ({
      id: row.id,
      providerKeyIds: keysOf(row),
      model: row.model,
      billedUsd: row.billed === null ? null : usdOfNano(row.billed),
      ledgerUsd: usdOfNano(row.ledger),
      driftUsd: usdOfNano(left(row)),
      unexplainedUsd: usdOfNano(row.unexplained),
      reasons: reasonsOf(row).map(({ code, amount }) => ({
        code,
        amountUsd: usdOfNano(amount),
      })),
    })),
  };
}
