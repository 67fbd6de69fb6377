// Differences are reported once, with their present amount, even if several replicas report at the same moment or a
// comparison writes meanwhile.
import type { Insertable, Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemTimers } from '../../../common/timers.ts';
import { sendDriftAlerts } from '../../../control-plane/reconciliation/alerts.ts';
import type { ReconcileRowsTable } from '../../../control-plane/store/reconciliation-tables.ts';
import type { Schema } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';

const now = Date.now();

/** A difference that was not reported yet. */
const difference = (day: string, drift: number): Insertable<ReconcileRowsTable> => ({
  ...{ organization_id: 'acme', vendor: 'openai', id: day, day, model: 'm', name: 'm', kind: 'usage' },
  ...{
    provider_key_ids: '[]',
    refs: '[]',
    billed: drift,
    ledger: 0,
    drift,
    adjusted: 2,
    billed_tokens: null,
  },
  ...{ ledger_tokens: '{}', billed_requests: null, ledger_requests: 0, reasons: '[]', unexplained: drift },
  ...{ state: 'unexplained', first_seen_at: 1, compared_at: 1, told_drift: null },
});

async function write(store: Store, row: Insertable<ReconcileRowsTable>): Promise<void> {
  await store.ledger(async ({ db }) => {
    await db.deleteFrom('reconcile_rows').where('id', '=', row.id).execute();
    await db.insertInto('reconcile_rows').values(row).execute();
  });
}

async function stateOf(store: Store, day: string) {
  return await store.snapshot(async (db) => ({
    rows: await db.selectFrom('reconcile_rows').select(['drift', 'told_drift']).where('id', '=', day).execute(),
    reported: await db.selectFrom('audit_events').select('after').where('target_id', '=', `openai ${day}`).execute(),
  }));
}

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('reporting differences over %s', (_name, fresh) => {
  let database: StoreDatabase;

  beforeAll(async () => {
    database = await fresh();
  });
  afterAll(() => database.drop());

  it('happens once for each by several replicas', async () => {
    const day = '2026-10-01';
    const stores = [await database.open(), await database.open(), await database.open()] as const;
    await write(stores[0], difference(day, 7));
    const counts = await Promise.all(stores.map((store) => sendDriftAlerts(store, now)));
    expect(counts.toSorted()).toEqual([0, 0, 1]);
    expect(await stateOf(stores[0], day)).toMatchObject({
      rows: [{ drift: 7, told_drift: 5 }],
      reported: [{ after: expect.stringContaining('"driftUsd":"0.000000005"') }],
    });
  });
});

// SQLite has one writer at a time.
it('a difference that a comparison changes during its report is reported again: PostgreSQL', async () => {
  const database = await freshPostgres();
  onTestFinished(() => database.drop());
  const day = '2026-10-02';
  const [store, other] = [await database.open(), await database.open()];
  await write(store, difference(day, 7));
  let written: Promise<void> | undefined;
  const slow: Pick<Store, 'snapshot' | 'change'> = {
    snapshot: (work) => store.snapshot(work),
    change: (context, work) =>
      store.change(context, (tx) => {
        // Runs as soon as the row was touched; waits a while in case the other transaction has to wait for this one.
        const meanwhile = async () => {
          written ??= write(other, difference(day, 70));
          await Promise.race([written, new Promise<void>((done) => systemTimers.after(500, done))]);
        };
        return work({ ...tx, db: afterStatement(tx.db, meanwhile) });
      }),
  };
  await sendDriftAlerts(slow, now);
  await written;
  expect((await stateOf(store, day)).rows).toEqual([{ drift: 70, told_drift: null }]);
  await sendDriftAlerts(store, now);
  expect((await stateOf(store, day)).reported).toHaveLength(2);
});

function afterStatement(db: Kysely<Schema>, run: () => Promise<void>): Kysely<Schema> {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await run();
      return result;
    },
  });
}
