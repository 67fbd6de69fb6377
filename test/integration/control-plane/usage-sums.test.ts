// Sums of days and months over both databases: whatever is folded, and whenever, every total is that of the sums by hour,
// which is that of the requests.
import { describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../../common/durations.ts';
import { recordAdjustment } from '../../../control-plane/ledger/adjustments.ts';
import { keepUp } from '../../../control-plane/ledger/usage-upkeep.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { foldPiece, forgetHour, whatToFold } from '../../../control-plane/usage/fold.ts';
import { startFoldTask } from '../../../control-plane/usage/fold-task.ts';
import { hourOf, hourSums } from '../../../control-plane/usage/hours.ts';
import { nextUnit, startOfUnit } from '../../../control-plane/usage/levels.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import type { TaggedEventRow } from '../../../control-plane/usage/tagged-event.ts';
import { readTotals } from '../../../control-plane/usage/totals.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores } from '../../support/databases.ts';
import { foldAll } from '../../support/many-rows.ts';
import { until } from '../../support/process.ts';
import {
  expectSameTotals,
  expectTotalsOfRequests,
  prepare,
  question,
  randomEvent,
  randomQuestion,
  record,
  thisHour,
} from '../../support/random-usage.ts';
import { startingSeed } from '../../support/seed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { organizationId, usageEvent } from '../../support/usage-events.ts';

const clock = { monotonic: () => 0 };

/** Of a key without metadata. */
function unnamed(at: number): TaggedEventRow {
  return usageEvent({ at, key_id: 'key_2' });
}

describeStores('sums of days and months', (given) => {
  const seed = startingSeed();
  it(`give the totals of the hours and of the requests, whatever is recorded between (seed ${seed})`, async () => {
    const { store } = given;
    const random = new Random(seed);
    await prepare(store);
    for (let report = 0; report < 8; report++) {
      await record(
        store,
        Array.from({ length: 1 + random.below(60) }, () => randomEvent(random)),
      );
      for (const next of await whatToFold(store))
        for (let piece = random.below(6); piece > 0; piece--) await foldPiece(store, next, 1 + random.below(9));
      for (let time = 0; time < 3; time++) await expectSameTotals(store, randomQuestion(random));
    }
    await foldAll(store, 7);
    for (let time = 0; time < 8; time++) await expectSameTotals(store, randomQuestion(random));
    for (let time = 0; time < 3; time++) await expectTotalsOfRequests(store, randomQuestion(random));
  });

  it('are whole when replicas fold, record and correct at the same time', async () => {
    const { store } = given;
    const random = new Random(7);
    await prepare(store);
    await record(
      store,
      Array.from({ length: 200 }, () => randomEvent(random)),
    );
    const day = startOfUnit('day', thisHour - 3 * dayMs);
    const correction = {
      ...{ organizationId, subjectId: organizationId, keyId: '', aiSystemId: '', personId: '' },
      ...{ model: 'claude/a', at: day, amount: 5 },
    };
    await Promise.all([
      foldAll(store, 3),
      foldAll(store, 11),
      ...Array.from({ length: 6 }, () =>
        record(
          store,
          Array.from({ length: 30 }, () => randomEvent(random)),
        ),
      ),
      store.ledger((tx) => recordAdjustment(tx, correction)),
    ]);
    await foldAll(store, 7);
    for (const groupBy of [[], ['key'], ['day'], ['model']] as const)
      await expectSameTotals(store, question({ groupBy }));
    await expectTotalsOfRequests(store, { from: 0, to: thisHour + dayMs, more: 5n });
  });

  it('have what comes late for an hour that is folded in part, before and behind the position', async () => {
    const { store } = given;
    await prepare(store);
    const at = thisHour - 5 * hourMs;
    const ids = ['a', 'c', 'e', 'g'];
    const use = (id: string, cost: number) => ({
      ...unnamed(at),
      key_id: id,
      ...(cost > 9 && { tags: { feature: id } }),
      cost,
    });
    await record(store, [...ids.map((id) => use(id, 1)), ...ids.map((id) => use(id, 10))]);
    for (const next of await whatToFold(store)) await foldPiece(store, next, 2);
    const positions = await store.snapshot((db) => db.selectFrom('usage_folds').select(['key_id', 'inside']).execute());
    expect(positions).toEqual([
      { key_id: 'e', inside: 1 },
      { key_id: 'e', inside: 1 },
    ]);
    const late = ['a', 'b', 'c', 'd', 'e', 'f', 'h'];
    await record(store, [...late.map((id) => use(id, 2)), ...late.map((id) => use(id, 20))]);
    const byKey = { groupBy: ['key'], groupByMetadata: ['feature'], from: startOfUnit('month', at) } as const;
    await expectSameTotals(store, question(byKey));
    await expectSameTotals(store, question({ groupBy: ['key'] }));
    await foldAll(store, 2);
    await expectSameTotals(store, question(byKey));
    const total = await store.snapshot((db) => readTotals(db, question({ groupBy: ['key'] })));
    expect(total.map(({ key, cost }) => [key, cost])).toEqual([
      ...[
        ['a', '33'],
        ['b', '22'],
        ['c', '33'],
        ['d', '22'],
        ['e', '33'],
        ['f', '22'],
        ['g', '11'],
        ['h', '22'],
      ],
    ]);
  });

  it('are nothing of hours that are not over', async () => {
    const { store } = given;
    await prepare(store);
    const present = hourOf(Date.now());
    await record(store, [unnamed(present), unnamed(present + hourMs)]);
    expect(await whatToFold(store)).toEqual([]);
    await record(store, [unnamed(present - 2 * hourMs)]);
    await foldAll(store, 7);
    const levels = await store.snapshot((db) =>
      db.selectFrom('usage_sums').select(['level', 'requests']).orderBy('level').execute(),
    );
    expect(levels).toEqual(
      ['day', 'model_day', 'model_hour', 'month', 'scope_day', 'scope_month'].map((level) => ({ level, requests: 1 })),
    );
  });

  it('are undone with the transaction that folds', async () => {
    const { store } = given;
    await prepare(store);
    await record(store, [unnamed(thisHour - 5 * hourMs)]);
    const [next] = await whatToFold(store);
    const failing: Pick<Store, 'ledger'> = {
      ledger: (work) =>
        store.ledger(async (tx) => {
          await work(tx);
          throw new Error('killed');
        }),
    };
    if (next === undefined) throw new Error('there is nothing to fold');
    await expect(foldPiece(failing, next)).rejects.toThrow('killed');
    expect(await store.snapshot((db) => db.selectFrom('usage_sums').select('level').execute())).toEqual([]);
    expect(await whatToFold(store)).toEqual([next]);
  });

  it('lose what the upkeep deletes, hour by hour', async () => {
    const { store } = given;
    await prepare(store);
    const month = startOfUnit('month', thisHour - 40 * dayMs);
    const hours = [month - 3 * hourMs, month, month + hourMs, month + 30 * hourMs, nextUnit('month', month)];
    const events = hours.flatMap((at) => [usageEvent({ at }), usageEvent({ at, tags: { feature: 'x' } })]);
    await record(store, events);
    await foldAll(store, 7);
    for (const left of [4, 3, 2]) {
      for (const source of ['hours', 'sets'] as const)
        expect(await forgetHour(store, { organizationId, source }, thisHour)).toBe(true);
      const [sum] = await store.snapshot((db) => readTotals(db, question()));
      expect(sum).toMatchObject({ requests: 2 * left });
      await expectSameTotals(store, question({ groupBy: ['day'], groupByMetadata: ['feature'] }));
    }
    const oldest = await store.snapshot((db) => db.selectFrom('usage_sums').select(['level', 'hour']).execute());
    expect(oldest.filter(({ hour }) => hour < month)).toEqual([]);
    const days = createUsageDays({ store, clock });
    expect(await keepUp({ store, days, keptMs: 400 * dayMs })).toBe(false);
  });

  it('begin after replicas of the version before had time to end', async () => {
    const { store } = given;
    await prepare(store);
    await record(store, [unnamed(thisHour - 5 * hourMs)]);
    const begins = { organization_id: '', source: 'begins', hour: Date.now() + minuteMs } as const;
    const none = { key_id: '', ai_system_id: '', person_id: '', project_key_id: '', project_ai_system_id: '' };
    await store.ledger(({ db }) =>
      db
        .insertInto('usage_folds')
        .values({ ...begins, ...none, project_person_id: '', model_asked: '', metadata_set: '', inside: 0 })
        .execute(),
    );
    expect(await whatToFold(store)).toEqual([]);
    await store.ledger(({ db }) =>
      db
        .updateTable('usage_folds')
        .set({ hour: Date.now() - 1 })
        .execute(),
    );
    expect(await whatToFold(store)).toHaveLength(1);
  });

  it('are made by a task, from its start on', async () => {
    const { store } = given;
    await prepare(store);
    await record(store, [unnamed(thisHour - 5 * hourMs)]);
    const task = startFoldTask({ store, log: silentLog });
    await until(async () => (await whatToFold(store)).length === 0);
    await task.close();
    const [sum] = await store.snapshot((db) => readTotals(db, question()));
    expect(sum).toMatchObject({ requests: 1 });
  });
});

describe('what is summed', () => {
  it('is each column of the sums by hour', () => {
    expect(hourSums).toHaveLength(12);
  });
});
