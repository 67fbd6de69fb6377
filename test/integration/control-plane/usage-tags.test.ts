// Usage by the tags of requests, over both databases: sums by each tag equal the rows to the nano-dollar, and callers
// who send random values fill no more than limits allow, and hide nothing but their own names' values.
import { expect, it } from 'vitest';
import { dayMs, hourMs } from '../../../common/durations.ts';
import { keepUp } from '../../../control-plane/ledger/usage-upkeep.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { hourRowsMax } from '../../../control-plane/usage/full-hours.ts';
import { hourKey, hourOf, hourSums } from '../../../control-plane/usage/hours.ts';
import { otherValue, taggedSetsMax } from '../../../control-plane/usage/metadata-sets.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import { tagValuesMax } from '../../../control-plane/usage/tag-values.ts';
import type { TaggedEventRow } from '../../../control-plane/usage/tagged-event.ts';
import { readTotals } from '../../../control-plane/usage/totals.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores, type GivenStore } from '../../support/databases.ts';
import { startingSeed } from '../../support/seed.ts';
import { change, insertOrganization, insertVirtualKey } from '../../support/stored-records.ts';
import { organizationId, recordEvents, usageEvent } from '../../support/usage-events.ts';

const now = Date.now();

/** Nano-dollars and requests by value of a name; "" for none. */
async function by(store: Store, name: string, only: Readonly<Record<string, string>> = {}) {
  const rows = await store.snapshot((db) =>
    readTotals(db, {
      ...{ organizationId, from: 0, to: hourOf(now) + 2 * hourMs, groupBy: [], groupByMetadata: [name] },
      ...{ only: {}, models: undefined, metadata: only, orderBy: undefined, after: undefined, limit: 1_000_000 },
    }),
  );
  return new Map(rows.map(({ metadata: [value = ''], cost, requests }) => [value, { cost: Number(cost), requests }]));
}

function sumOf(sums: ReadonlyMap<string, { readonly cost: number }>): number {
  return [...sums.values()].reduce((sum, { cost }) => sum + cost, 0);
}

/** What the rows themselves say. */
function expected(events: readonly TaggedEventRow[], valueIn: (event: TaggedEventRow) => string) {
  const sums = new Map<string, { cost: number; requests: number }>();
  for (const event of events) {
    const { cost, requests } = sums.get(valueIn(event)) ?? { cost: 0, requests: 0 };
    sums.set(valueIn(event), { cost: cost + event.cost, requests: requests + 1 });
  }
  return sums;
}

async function withOrganization(store: Store): Promise<void> {
  await change(store, async (tx) => {
    await insertOrganization(tx, { id: organizationId });
    await insertVirtualKey(tx, {
      id: 'key-1',
      organization_id: organizationId,
      metadata: '{"feature":"default","team":"blue"}',
    });
  });
}

const seed = startingSeed();

describeStores('usage by tags', (given) => {
  it(`is summed by the tag, else by the key's metadata, to the nano-dollar (seed ${seed})`, async () => {
    const { store } = given;
    await withOrganization(store);
    const random = new Random(seed);
    const one = (values: readonly string[]) => values[random.below(values.length)] ?? '';
    const events = Array.from({ length: 600 }, () =>
      usageEvent({
        ...{ cost: random.below(1e9), at: now - random.below(2 * hourMs), shadow: 0 },
        ...(random.below(4) > 0 && {
          tags: {
            ...(random.below(2) === 0 && { feature: one(['search', 'chat', '(other)', 'constructor']) }),
            ...(random.below(2) === 0 && { user: one(['ada', 'Bob', 'é漢 "x"\\', 'ADA']) }),
          },
        }),
      }),
    );
    await Promise.all([recordEvents(store, events), recordEvents(store, events.toReversed())]);
    expect(await by(store, 'feature')).toEqual(expected(events, ({ tags }) => tags?.feature ?? 'default'));
    expect(await by(store, 'user')).toEqual(expected(events, ({ tags }) => tags?.user ?? ''));
    expect(await by(store, 'team')).toEqual(expected(events, () => 'blue'));
    const ofAda = events.filter(({ tags }) => tags?.user === 'ada');
    expect(await by(store, 'feature', { user: 'ada' })).toEqual(
      expected(ofAda, ({ tags }) => tags?.feature ?? 'default'),
    );
  });

  it('has a bounded number of values and rows, although two names get random ones without end', async () => {
    const { store } = given;
    await withOrganization(store);
    // Little room is left: 200 values of one name, and 500 rows of the hour.
    await fillValues(given, 'user', tagValuesMax - 200);
    await fillHour(given, hourRowsMax - 500);
    const [count, reported] = [2_500, 250];
    const features = ['search', 'chat', 'translate'];
    const events = Array.from({ length: count }, (_, nth) =>
      usageEvent({
        ...{ cost: 1 + (nth % 7), at: now },
        tags: { feature: features[nth % 3] ?? '', user: `user ${nth}`, session: `session ${nth}` },
      }),
    );
    for (let from = 0; from < count; from += reported) await recordEvents(store, events.slice(from, from + reported));
    // The hour's first thousand rows above its limit have no users, further ones no sessions either.
    const room = { user: [150, 200], session: [1_000, 1_500 + 2 * reported] } as const;
    for (const [name, [least, most]] of Object.entries(room)) {
      const sums = await by(store, name);
      expect(sums.size).toBeLessThanOrEqual(most + 1);
      expect(sums.size).toBeGreaterThan(least);
      expect(sums.get(otherValue)?.requests).toBe(count - (sums.size - 1));
      expect(sumOf(sums)).toBe(events.reduce((sum, { cost }) => sum + cost, 0));
    }
    // Names without a flood, and the key's own, have every request.
    expect(await by(store, 'feature')).toEqual(expected(events, ({ tags }) => tags?.feature ?? ''));
    expect(await by(store, 'team')).toEqual(expected(events, () => 'blue'));
    const { hours, sets, values } = await sizes(store);
    expect(hours).toBeLessThanOrEqual(hourRowsMax + 1_000 + 2 * reported);
    expect(sets).toBeLessThanOrEqual(1_500 + 2 * reported);
    expect(values).toBeLessThanOrEqual(tagValuesMax + count + features.length);
    // What is known stays known: in another hour a value has its own sum.
    await recordEvents(store, [usageEvent({ at: now - 3 * hourMs, cost: 5, tags: { user: 'user 1' } })]);
    expect(await by(store, 'user')).toEqual(
      new Map(
        [...(await by(store, 'user'))].map(([value, sum]) => [
          value,
          value === 'user 1' ? { cost: 7, requests: 2 } : sum,
        ]),
      ),
    );
  });

  it('leaves out the values of the fullest name, when an organization has very many sets', async () => {
    const { store } = given;
    await withOrganization(store);
    const several = Array.from({ length: 20 }, (_, nth) => usageEvent({ tags: { user: `user ${nth}`, feature: 'a' } }));
    await recordEvents(store, several);
    await fillSets(given, taggedSetsMax - 20);
    const tags = [
      { user: 'user 1', feature: 'b' },
      { user: 'user 2', feature: 'c' },
      { user: 'user 3', feature: 'a' },
    ];
    await recordEvents(
      store,
      tags.map((one) => usageEvent({ cost: 1, tags: one })),
    );
    const features = await by(store, 'feature');
    expect([...features.keys()].toSorted()).toEqual(['a', 'b', 'c']);
    const users = await by(store, 'user');
    expect(users.get(otherValue)?.requests).toBe(2);
    // A set that was there before keeps its values.
    expect(users.get('user 3')?.requests).toBe(2);
    expect((await by(store, 'team')).get('blue')?.requests).toBe(23);
  });

  it('is forgotten with the last sums of a value', async () => {
    const { store } = given;
    await withOrganization(store);
    await recordEvents(store, [usageEvent({ tags: { user: 'ada' } }), usageEvent({ tags: { user: 'bob' } })]);
    const long = 7 * 366 * dayMs;
    await store.ledger(async ({ db }) => {
      const set = db.selectFrom('usage_metadata').select('set_id').where('value', '=', 'ada');
      await db
        .updateTable('usage_metadata_sets')
        .set({ used_on: now - long })
        .where('set_id', 'in', set)
        .execute();
    });
    const days = createUsageDays({ store, clock: { monotonic: () => 0 } });
    while (await keepUp({ store, days, keptMs: 40 * dayMs }));
    expect(await sizes(store)).toMatchObject({ sets: 1, values: 1 });
    await recordEvents(store, [usageEvent({ tags: { user: 'ada' } })]);
    expect(await sizes(store)).toMatchObject({ sets: 2, values: 2 });
  });
});

async function sizes(store: Store) {
  return await store.snapshot(async (db) => {
    const hours = await db.selectFrom('usage_metadata_hours').select('hour').execute();
    const sets = await db.selectFrom('usage_metadata_sets').select('set_id').execute();
    const values = await db.selectFrom('usage_tag_values').select('value').execute();
    return { hours: hours.length, sets: sets.length, values: values.length };
  });
}

type Given = Pick<GivenStore, 'database'>;

function fillSets({ database }: Given, count: number): Promise<unknown> {
  return database.raw(`insert into usage_metadata_sets (organization_id, set_id, part, used_on)
    ${numbers(count)} select '${organizationId}', 'filled ' || n, 1, ${now} from numbers`);
}

function fillValues({ database }: Given, name: string, count: number): Promise<unknown> {
  return database.raw(`insert into usage_tag_values (organization_id, name, value)
    ${numbers(count)} select '${organizationId}', '${name}', 'filled ' || n from numbers`);
}

/** With rows of no usage. */
function fillHour({ database }: Given, count: number): Promise<unknown> {
  const ids = hourKey.filter((name) => name !== 'organization_id' && name !== 'hour');
  const columns = ['organization_id', 'hour', 'metadata_set', ...ids, ...hourSums];
  const values = [
    `'${organizationId}'`,
    hourOf(now),
    "'filled ' || n",
    ...ids.map(() => "''"),
    ...hourSums.map(() => 0),
  ];
  return database.raw(
    `insert into usage_metadata_hours (${columns.join(', ')}) ${numbers(count)} select ${values.join(', ')} from numbers`,
  );
}

function numbers(count: number): string {
  return `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
}
