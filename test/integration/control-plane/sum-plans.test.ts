// How both databases find the rows of sums that the console reads: each statement by an index of its table, none from the
// requests. `npm run console-load` measures the same reads with a million rows.
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayMs, hourMs } from '../../../common/durations.ts';
import type { OperatorCaller } from '../../../control-plane/rpc/caller.ts';
import { forecastWindows } from '../../../control-plane/services/budget-forecast.ts';
import { readDetails } from '../../../control-plane/services/key-details.ts';
import type { ReadCall } from '../../../control-plane/services/method.ts';
import { get as getOverview } from '../../../control-plane/services/overview.ts';
import { range } from '../../../control-plane/services/usage.ts';
import { series } from '../../../control-plane/services/usage-series.ts';
import type { Schema } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { whatToFold } from '../../../control-plane/usage/fold.ts';
import { hourOf } from '../../../control-plane/usage/hours.ts';
import { startOfUnit } from '../../../control-plane/usage/levels.ts';
import { modelsUsed, readTotals, type TotalsQuestion } from '../../../control-plane/usage/totals.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { foldAll, manyKeyId, manyKeys, manySums } from '../../support/many-rows.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';
import { organizationId } from '../../support/usage-events.ts';

const now = Date.now();
const personId = manyKeyId(999_999);
const keys = 200;

const base = {
  ...{ organizationId, from: startOfUnit('day', now) - 20 * dayMs - 5 * hourMs, to: hourOf(now) + hourMs },
  ...{ groupBy: [], groupByMetadata: [], only: {}, models: undefined, metadata: {} },
  ...{ orderBy: undefined, after: undefined, limit: 100 },
} as const satisfies TotalsQuestion;

const totals = (fields: Partial<TotalsQuestion>) => (call: ReadCall) => readTotals(call.db, { ...base, ...fields });

const reads: Readonly<Record<string, (call: ReadCall) => Promise<unknown>>> = {
  'Overview.Get': (call) => getOverview(call, { organizationId }),
  'Overview.Get of a member': (call) => getOverview({ ...call, caller: caller('member') }, { organizationId }),
  'Usage.Totals': totals({}),
  'Usage.Totals by model': totals({ groupBy: ['model'], orderBy: 'cost' }),
  'Usage.Totals by key': totals({ groupBy: ['key'], orderBy: 'cost' }),
  'Usage.Totals by person and day': totals({ groupBy: ['person', 'day'] }),
  'Usage.Totals by hour': totals({ groupBy: ['hour', 'key'] }),
  'Usage.Totals of keys': totals({ groupBy: ['day'], only: { key: [manyKeyId(1), manyKeyId(2)] } }),
  'Usage.Totals of keys by hour': totals({ groupBy: ['hour'], only: { key: [manyKeyId(1)] } }),
  'Usage.Totals by tag': totals({ groupByMetadata: ['feature'] }),
  'Usage.Totals of a tag': totals({ groupBy: ['model'], metadata: { feature: 'x' } }),
  'the models of a filter': (call) => modelsUsed(call.db, base),
  'Usage.Series': (call) =>
    series(call, {
      ...{ organizationId, bucket: 'USAGE_BUCKET_DAY', dimension: 'USAGE_DIMENSION_KEY', metadata: {}, filter: null },
      ...{ allowUnmatched: false },
    }),
  'forecasts of budgets': ({ db }) => {
    const budget = { model: null, period: 'month', spent: 0, endsAt: now + 3 * dayMs } as const;
    return forecastWindows({ db, organizationId, now }, [
      { ...budget, id: 'a', subjectKind: 'organization', subjectId: organizationId },
      { ...budget, id: 'b', subjectKind: 'virtual_key', subjectId: manyKeyId(1) },
      { ...budget, id: 'c', subjectKind: 'provider_key', subjectId: manyKeyId(1) },
    ]);
  },
  'VirtualKeys.List with spend': async (call) => {
    const rows = await call.db.selectFrom('virtual_keys').selectAll().orderBy('id').limit(100).execute();
    return await readDetails(call, rows, { withSpend: true });
  },
};

function caller(role: 'owner' | 'member'): OperatorCaller {
  return { kind: 'operator', role, personId, organizationId, tokenEndsAt: now + hourMs, from: '192.0.2.1' };
}

const big = ['usage_events', 'usage_hours', 'usage_metadata_hours', 'usage_sums', 'usage_provider_key_hours'];

/** Runs the work. @returns the plan of each of its statements */
async function plansOf(store: Store, explain: string, work: (call: ReadCall) => Promise<unknown>) {
  return await store.snapshot(async (db) => {
    const statements: CompiledQuery[] = [];
    const watched: Kysely<Schema> = db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        statements.push(db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await work({ db: watched, caller: caller('owner'), now });
    if (explain === 'explain') await sql`set local enable_seqscan = off`.execute(db);
    const plans: string[] = [];
    for (const { sql: text, parameters } of statements) {
      const plan = await db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
      plans.push(plan.rows.map((row) => JSON.stringify(row)).join('\n'));
    }
    return plans;
  });
}

describe.each([
  ['SQLite', freshSqlite, 'explain query plan', (table: string) => new RegExp(`SCAN ${table}\\b`)],
  ['PostgreSQL', freshPostgres, 'explain', (table: string) => new RegExp(`Seq Scan on ${table}(_\\w+)?\\b`)],
] as const)('reads of sums over %s', (_name, fresh, explain, scanOf) => {
  let database: StoreDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    await change(store, (tx) => insertOrganization(tx).then(() => undefined));
    const many = { organizationId, personId, keys, hours: 20, lastHour: hourOf(now) };
    await database.raw(manyKeys(many));
    await database.raw(manySums(many));
    await foldAll(store);
  });
  afterAll(() => database.drop());

  it.each(Object.keys(reads))('%s finds its rows by an index', async (name) => {
    const read = reads[name];
    if (read === undefined) throw new Error(name);
    const plans = await plansOf(store, explain, read);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      for (const table of big) expect(plan).not.toMatch(scanOf(table));
      expect(plan).not.toContain('usage_events');
    }
  });

  it('whole months of a million rows are few rows of sums', async () => {
    const month = range({}, now);
    const [sum] = await store.snapshot((db) => readTotals(db, { ...base, from: hourOf(month.from), limit: 1 }));
    expect(sum?.requests).toBeGreaterThanOrEqual(keys * 2);
    const counts = await store.snapshot((db) =>
      db
        .selectFrom('usage_sums')
        .select(({ fn }) => ['level', fn.countAll<number>().as('count')])
        .groupBy('level')
        .execute(),
    );
    const rowsOf = new Map(counts.map(({ level, count }) => [level, Number(count)]));
    expect(rowsOf.get('month')).toBeLessThanOrEqual(keys * 2 * 3);
    expect(rowsOf.get('scope_month')).toBeLessThan(rowsOf.get('month') ?? 0);
    expect(rowsOf.get('model_day')).toBeLessThanOrEqual(20 * 36);
    expect(await whatToFold(store)).toEqual([]);
  });
});
