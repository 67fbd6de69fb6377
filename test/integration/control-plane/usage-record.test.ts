// Usage in the ledger over both databases: each request is recorded once, and its hour and its keys agree with it.
import { describe, expect, it } from 'vitest';
import { hourMs } from '../../../common/durations.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import { hourKey, hourSums, sumByHour } from '../../../control-plane/usage/hours.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import { recordUsage } from '../../../control-plane/usage/record.ts';
import { Random } from '../../support/access/random.ts';
import { describeStores, type GivenStore } from '../../support/databases.ts';
import { startingSeed } from '../../support/seed.ts';
import { change, insertOrganization, insertVirtualKey } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';

const noon = Date.parse('2026-11-20T12:00:00Z');

async function record(
  { store }: Pick<GivenStore, 'store'>,
  events: readonly UsageEventRow[],
): Promise<ReadonlySet<string>> {
  await createUsageDays({ store, clock: { monotonic: () => 0 } }).ensureDays(events.map(({ day }) => day));
  return store.ledger((tx) => recordUsage(tx, events));
}

function recorded({ store }: GivenStore) {
  return store.snapshot(async (db) => ({
    events: await db.selectFrom('usage_events').selectAll().orderBy('id').execute(),
    hours: await db.selectFrom('usage_hours').selectAll().orderBy('hour').orderBy('key_id').execute(),
  }));
}

async function giveKeys({ store }: GivenStore, ids: readonly string[]): Promise<void> {
  await change(store, async (tx) => {
    await insertOrganization(tx);
    for (const id of ids) await insertVirtualKey(tx, { id });
    return undefined;
  });
}

function lastUses({ store }: GivenStore) {
  return store.snapshot(async (db) => {
    const keys = await db.selectFrom('virtual_keys').select(['id', 'last_used_at', 'revision']).execute();
    return Object.fromEntries(keys.map(({ id, last_used_at }) => [id, last_used_at]));
  });
}

describeStores('recorded usage', (given) => {
  it('is stored as reported, with the time of the database', async () => {
    const event = usageEvent({
      at: noon,
      project_key_id: 'key-2',
      person_id: 'person-1',
      first_token_ms: 90,
      streamed: 1,
    });
    expect(await record(given, [event])).toEqual(new Set([event.id]));
    const { events } = await recorded(given);
    expect(events).toMatchObject([event]);
    expect(Math.abs((events[0]?.recorded_at ?? 0) - Date.now())).toBeLessThan(10_000);
  });

  it('keeps any text and any number that can be stored', async () => {
    const texts = [
      '',
      '"',
      '\\',
      "'; --",
      '{a,"b"}',
      'null',
      '\n\t\u2028',
      'ü\u0308',
      '\u{1f600}',
      '\uffff',
      '0x10',
      '1e3',
    ];
    const numbers = [0, 1, 2 ** 31, Number.MAX_SAFE_INTEGER];
    const events = texts.map((text, nth) => {
      const number = numbers[nth % numbers.length] ?? 0;
      return usageEvent({ at: noon + nth * hourMs, model_answered: text, model_asked: text, cost: number });
    });
    await record(given, events);
    const { events: found, hours } = await recorded(given);
    expect(found.toSorted((a, b) => a.at - b.at)).toMatchObject(events);
    expect(hours.map(({ model_asked, cost }) => ({ model_asked, cost }))).toEqual(
      events.map(({ model_asked, cost }) => ({ model_asked, cost })),
    );
  });

  it.each([1, 2, 3, 63, 64, 65, 127, 128, 129, 999])('is complete after a report of %i', async (size) => {
    const events = Array.from({ length: size }, () => usageEvent({ at: noon }));
    expect(await record(given, events)).toEqual(new Set(events.map(({ id }) => id)));
    const { events: found, hours } = await recorded(given);
    expect(found.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted());
    expect(hours).toMatchObject([{ requests: size }]);
  });

  it('counts once, even when reported several times', async () => {
    const [first, second, third] = [usageEvent({ at: noon }), usageEvent({ at: noon }), usageEvent({ at: noon })];
    expect(await record(given, [first, second, first])).toEqual(new Set([first.id, second.id]));
    expect(await record(given, [second, third, { ...first, cost: 9 }])).toEqual(new Set([third.id]));
    expect(await record(given, [first, second, third])).toEqual(new Set());
    const { events, hours } = await recorded(given);
    expect(events).toHaveLength(3);
    expect(hours).toMatchObject([{ requests: 3, cost: 3 * first.cost }]);
  });

  it('counts once when several replicas record it at the same time, in any order', async () => {
    const events = Array.from({ length: 300 }, (_, at) =>
      usageEvent({ at: noon + at * 60_000, key_id: `key-${at % 7}` }),
    );
    const reports = [events, events.toReversed(), events.slice(100), events.slice(0, 200).toReversed()];
    const fresh = await Promise.all(reports.map((report) => record(given, report)));
    expect(fresh.flatMap((ids) => [...ids]).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    const { hours } = await recorded(given);
    expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(300);
  });

  it('can be a thousand requests of a thousand hours and two thousand keys in one report, or none', async () => {
    expect(await record(given, [])).toEqual(new Set());
    const events = Array.from({ length: 1000 }, (_, index) =>
      usageEvent({ at: noon + index * hourMs, key_id: `key-${index}`, project_key_id: `project-${index}` }),
    );
    await giveKeys(
      given,
      events.slice(0, 5).flatMap(({ key_id, project_key_id }) => [key_id, project_key_id ?? '']),
    );
    expect((await record(given, events)).size).toBe(1000);
    expect((await recorded(given)).hours).toHaveLength(1000);
    expect(Object.values(await lastUses(given)).toSorted()).toEqual(
      [0, 1, 2, 3, 4].flatMap((index) => [noon + index * hourMs, noon + index * hourMs]),
    );
  });

  it('separates an hour from the next by the millisecond', async () => {
    await record(given, [
      usageEvent({ at: noon - 1 }),
      usageEvent({ at: noon }),
      usageEvent({ at: noon + hourMs - 1 }),
    ]);
    const { hours } = await recorded(given);
    expect(hours).toMatchObject([
      { hour: noon - hourMs, requests: 1 },
      { hour: noon, requests: 2 },
    ]);
  });

  it('counts responses with 400 and above as failed', async () => {
    await record(
      given,
      [200, 399, 400, 499, 503].map((status) => usageEvent({ at: noon, status })),
    );
    expect((await recorded(given)).hours).toMatchObject([{ requests: 5, failed_requests: 3 }]);
  });

  const seed = startingSeed();
  it(`is the same in the hours as in the requests after random reports (seed ${seed})`, async () => {
    const random = new Random(seed);
    const sent: UsageEventRow[] = [];
    for (let report = 0; report < 20; report++) {
      const events = Array.from({ length: random.below(120) }, () =>
        random.chance(0.2) && sent.length > 0 ? random.pick(sent) : randomEvent(random),
      );
      sent.push(...events);
      await record(given, events);
    }
    const { events, hours } = await recorded(given);
    const expected = sumByHour(events);
    expect(hours.length).toBeGreaterThan(0);
    expect(hours.map((row) => JSON.stringify(row, hourColumns)).toSorted()).toEqual(
      expected.map((row) => JSON.stringify(row, hourColumns)).toSorted(),
    );
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set(sent.map(({ id }) => id)));
  });

  it('is undone with the transaction that records it', async () => {
    const event = usageEvent({ at: noon });
    await createUsageDays({ ...given, clock: { monotonic: () => 0 } }).ensureDays([event.day]);
    const failing = given.store.ledger(async (tx) => {
      await recordUsage(tx, [event]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await recorded(given)).toEqual({ events: [], hours: [] });
  });
});

const hourColumns = [...hourKey, ...hourSums];

function randomEvent(random: Random): UsageEventRow {
  return usageEvent({
    at: noon + random.below(3 * 24) * hourMs + random.below(hourMs),
    key_id: `key-${random.below(4)}`,
    person_id: random.pick([null, 'person-1', 'person-2']),
    project_key_id: random.pick([null, 'key-1', 'key-9']),
    model_asked: `gpt-provider/${random.pick(['a', 'b'])}`,
    prompt_tokens: random.below(100_000),
    completion_tokens: random.below(100_000),
    cost: random.below(1_000_000_000_000),
    unpriced: random.pick([0, 1]),
    estimated: random.pick([0, 1]),
    status: random.pick([200, 429, 499, 500]),
    latency_ms: random.below(100_000),
  });
}

describeStores('the last use of a key', (given) => {
  it('is that of its newest request, as key and as project key, without a change in the feed', async () => {
    await giveKeys(given, ['key-1', 'key-2', 'key-3']);
    const { revision } = await given.store.position();
    await record(given, [
      usageEvent({ at: noon + 5, key_id: 'key-1', project_key_id: 'key-2' }),
      usageEvent({ at: noon, key_id: 'key-1' }),
    ]);
    expect(await lastUses(given)).toEqual({ 'key-1': noon + 5, 'key-2': noon + 5, 'key-3': null });
    expect((await given.store.position()).revision).toBe(revision);
  });

  it('moves by a minute at least, and never back', async () => {
    await giveKeys(given, ['key-1']);
    const after = async (at: number) => {
      await record(given, [usageEvent({ at })]);
      return (await lastUses(given))['key-1'];
    };
    expect(await after(noon)).toBe(noon);
    expect(await after(noon + 59_999)).toBe(noon);
    expect(await after(noon + 60_000)).toBe(noon + 60_000);
    expect(await after(noon)).toBe(noon + 60_000);
  });

  it('does not move with a request that claims to be of another organization', async () => {
    await giveKeys(given, ['key-1']);
    await record(given, [usageEvent({ at: noon, organization_id: 'organization-2' })]);
    expect(await lastUses(given)).toEqual({ 'key-1': null });
  });
});

describe('sums by hour', () => {
  it.each(['organization_id', 'key_id', 'ai_system_id', 'project_person_id', 'model_asked'] as const)(
    'are separate when %s differs',
    (column) => {
      const event = usageEvent({ at: noon });
      const rows = sumByHour([event, { ...event, [column]: 'another' }, event]);
      expect(rows.map(({ requests }) => requests).toSorted()).toEqual([1, 2]);
    },
  );
});

describe('the order in which rows are locked', () => {
  it('follows their keys, in any order of events', () => {
    const events = Array.from({ length: 20 }, (_, index) => usageEvent({ at: noon, key_id: `key-${index}` }));
    expect(sumByHour(events.toReversed())).toEqual(sumByHour(events));
  });
});
