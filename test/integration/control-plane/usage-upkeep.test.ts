// Daily partitions of usage: created in advance and on demand, by several replicas at once, and deleted when they are
// old.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { dayMs } from '../../../common/durations.ts';
import { keepUp, startUsageUpkeep } from '../../../control-plane/ledger/usage-upkeep.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import { StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { createUsageDays, partitionedDays, type UsageDays } from '../../../control-plane/usage/partitions.ts';
import { recordUsage } from '../../../control-plane/usage/record.ts';
import { describeStores, freshPostgres, type GivenStore } from '../../support/databases.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';

const keptMs = 40 * dayMs;
const stillClock = { monotonic: () => 0 };

function ago(days: number, fields: Partial<UsageEventRow> = {}): UsageEventRow {
  return usageEvent({ at: Date.now() - days * dayMs, ...fields });
}

async function record({ store }: GivenStore, days: UsageDays, events: readonly UsageEventRow[]): Promise<void> {
  await days.ensureDays(events.map(({ day }) => day));
  await store.ledger((tx) => recordUsage(tx, events));
}

function counts({ store }: GivenStore) {
  return store.snapshot(async (db) => ({
    days: (await db.selectFrom('usage_events').select('day').distinct().orderBy('day').execute()).map(({ day }) => day),
    hours: (await db.selectFrom('usage_hours').select('hour').execute()).length,
  }));
}

describeStores('the upkeep of usage', (given) => {
  it('keeps usage that is reported 40 days late, and deletes whole days that are older than the limit', async () => {
    const { store } = given;
    const days = createUsageDays({ store, clock: stillClock });
    await change(store, (tx) => insertOrganization(tx).then(() => undefined));
    await record(given, days, [ago(0), ago(39), ago(40), ago(41), ago(90), ago(400)]);
    while (await keepUp({ store, days, keptMs }));
    expect((await counts(given)).days).toEqual([40, 39, 0].map((back) => dayOf(Date.now() - back * dayMs)));
    expect((await counts(given)).hours).toBe(6);
  });

  it('deletes sums by hour after five years, or as late as the requests', async () => {
    const { store } = given;
    const days = createUsageDays({ store, clock: stillClock });
    await change(store, (tx) => insertOrganization(tx).then(() => undefined));
    const years = 366 * dayMs;
    await record(given, days, [ago(0), ago(5 * 366 - 1), ago(5 * 366 + 1), ago(6 * 366)]);
    while (await keepUp({ store, days, keptMs: 7 * years }));
    expect((await counts(given)).hours).toBe(4);
    while (await keepUp({ store, days, keptMs }));
    expect((await counts(given)).hours).toBe(2);
  });

  it('deletes many rows in pieces', async () => {
    const { store } = given;
    const days = createUsageDays({ store, clock: stillClock });
    for (let batch = 0; batch < 3; batch++) {
      await record(
        given,
        days,
        Array.from({ length: 900 }, () => ago(41)),
      );
    }
    await record(given, days, [ago(42)]);
    expect(await keepUp({ store, days, keptMs })).toBe(true);
    const left = await store.snapshot((db) =>
      db.selectFrom('usage_events').select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow(),
    );
    expect(left.n).toBeGreaterThan(0);
    while (await keepUp({ store, days, keptMs }));
    expect((await counts(given)).days).toEqual([]);
  });

  it('runs from the start, survives an outage, and ends when it is closed', async () => {
    const { store } = given;
    const days = createUsageDays({ store, clock: stillClock });
    await record(given, days, [ago(50), ago(51)]);
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) };
    const broken = { ...store, snapshot: () => Promise.reject(new Error('cut off')) };
    const failing = startUsageUpkeep({ store: broken, days, keptMs, log });
    await until(() => warnings.length > 0);
    await failing.close();
    const upkeep = startUsageUpkeep({ store, days, keptMs, log });
    await until(async () => (await counts(given)).days.length === 0);
    await upkeep.close();
  });
});

/** Retries, as proxies do with reports, when all connections are in use for two seconds on a busy machine. */
async function whenReachable<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || tries === 5) throw error;
    }
  }
}

describe('partitions of usage in PostgreSQL', () => {
  it('exist for the days around now after the upkeep', async () => {
    const database = await freshPostgres();
    try {
      const store = await database.open();
      await keepUp({ store, days: createUsageDays({ store, clock: stillClock }), keptMs });
      const expected = [-1, 0, 1, 2].map((ahead) => dayOf(Date.now() + ahead * dayMs));
      expect([...(await store.snapshot(partitionedDays))].toSorted()).toEqual(expected);
    } finally {
      await database.drop();
    }
  });

  it('are created by many replicas at once without an error, while others record', async () => {
    const database = await freshPostgres();
    try {
      const stores = await Promise.all([database.open(), database.open(), database.open()]);
      const replicas = stores.map((store) => ({
        store,
        days: createUsageDays({ store, clock: stillClock }),
      }));
      const events = Array.from({ length: 20 }, (_, back) => ago(back));
      const recorded = replicas.flatMap(({ store, days }) =>
        events.map((event) =>
          whenReachable(async () => {
            await days.ensureDays([event.day]);
            return (await store.ledger((tx) => recordUsage(tx, [event]))).size;
          }),
        ),
      );
      expect((await Promise.all(recorded)).reduce((sum, fresh) => sum + fresh, 0)).toBe(20);
      const [store] = stores;
      expect(await store?.snapshot(partitionedDays)).toEqual(new Set(events.map(({ day }) => day)));
    } finally {
      await database.drop();
    }
  });

  it('are created again after another replica dropped them, once an hour has passed', async () => {
    const database = await freshPostgres();
    try {
      const store = await database.open();
      let now = 0;
      const days = createUsageDays({ store, clock: { monotonic: () => now } });
      await days.ensureDays(['2026-01-31']);
      await database.raw('drop table usage_events_20260131');
      await days.ensureDays(['2026-01-31']);
      expect(await store.snapshot(partitionedDays)).toEqual(new Set());
      now = 3_600_000;
      await days.ensureDays(['2026-01-31']);
      expect(await store.snapshot(partitionedDays)).toEqual(new Set(['2026-01-31']));
    } finally {
      await database.drop();
    }
  });

  it.each(['', '2026-11', '2026-13-01', "2026-11-20'; drop table usage_hours; --"])(
    'are not created for an invalid day: %j',
    async (day) => {
      const database = await freshPostgres();
      try {
        const days = createUsageDays({ store: await database.open(), clock: stillClock });
        await expect(days.ensureDays([day])).rejects.toThrow(RangeError);
      } finally {
        await database.drop();
      }
    },
  );
});
