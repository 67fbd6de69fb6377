// Usage that waits in a real Redis: it is packed, sealed and bounded there, any proxy reports it, and a Redis that is
// gone, silent, killed or full causes no failure.
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { systemTimers } from '../../../common/timers.ts';
import { createRedisConnection, type RedisConnection, redisDeadlineMs } from '../../../proxy/redis/connection.ts';
import { nameInShard, shardCount } from '../../../proxy/redis/shards.ts';
import { redisTarget } from '../../../proxy/redis/target.ts';
import type { UsageEvent } from '../../../proxy/usage/ledger-client.ts';
import { overflowShardBytesMax, RedisOverflow } from '../../../proxy/usage/redis-overflow.ts';
import type { Entry } from '../../../proxy/usage/usage-log.ts';
import { startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { log } from '../../support/figures.ts';
import { until } from '../../support/process.ts';
import { startRedis, startRedisCluster, type TestRedis } from '../../support/redis.ts';
import { silentLog } from '../../support/silent-log.ts';
import { FakeWindows, startUsageProxy, type UsageProxy, usageOf, usagesOf } from '../../support/usage-queue.ts';

const realTime = { ...systemClock, ...systemTimers };
const sealKeys = parseSealKeys(createSealKey());
/** A long deadline for tests that are not about time, so that a busy machine does not matter. */
const patientMs = 5_000;

let redis: TestRedis;
let client: Redis;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  redis = await startRedis();
  client = new Redis(redis.url);
});
afterAll(async () => {
  client?.disconnect();
  await redis?.stop();
});
beforeEach(() => redis.flush());
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function connect(url = redis.url, deadlineMs = patientMs): Promise<RedisConnection> {
  const connection = createRedisConnection({ target: redisTarget(url), log: silentLog, deadlineMs });
  closers.push(() => connection.close());
  await until(() => connection.hasResponded(), { what: 'Redis to be connected' });
  return connection;
}

interface OverflowOptions {
  readonly keys?: typeof sealKeys;
  readonly shardBytesMax?: number;
}

function newOverflow(connection: RedisConnection, options: OverflowOptions = {}): RedisOverflow {
  const { keys = sealKeys, shardBytesMax = overflowShardBytesMax } = options;
  return new RedisOverflow({ connection, sealKeys: keys, clock: systemClock, shardBytesMax });
}

interface UsageMatch {
  readonly shard: number;
  readonly entry: Entry;
}

async function findAll(overflow: RedisOverflow): Promise<readonly UsageMatch[]> {
  const found: UsageMatch[] = [];
  for (let shard = 0; shard < shardCount; shard++) {
    let after: string | undefined;
    for (;;) {
      const entries: readonly Entry[] = await overflow.read(shard, after);
      found.push(...entries.map((entry) => ({ shard, entry })));
      after = entries.at(-1)?.id;
      if (after === undefined) break;
    }
  }
  return found;
}

const eventsOf = (found: readonly UsageMatch[]) => found.flatMap(({ entry }) => entry.events ?? []);
const idsOf = (events: readonly UsageEvent[]) => events.map(({ id }) => id).toSorted();
const streamOf = (shard: number) => nameInShard('usage:1', shard, 'events');

describe('the overflow', () => {
  it('returns the stored events, one entry for each organization', async () => {
    const overflow = newOverflow(await connect());
    const events = [
      usageOf({ personId: 'person-1', firstTokenMs: 12, charges: [] }),
      usageOf({ organizationId: 'organization-2', requestId: 'naïve – 請求', cost: 9_000_000_000_000_000 }),
      usageOf(),
    ];
    expect(await overflow.put(events)).toEqual([]);
    const found = await findAll(overflow);
    expect(found.map(({ entry }) => [entry.organizationId, entry.events?.length]).toSorted()).toEqual([
      ['organization-1', 2],
      ['organization-2', 1],
    ]);
    const byId = new Map(eventsOf(found).map((event) => [event.id, event]));
    for (const event of events) expect({ ...usageOf(), ...byId.get(event.id) }).toEqual(event);
    for (const { entry } of found) expect(Math.abs(entry.putAt - Date.now())).toBeLessThan(60_000);
  });

  it('splits large batches and compresses them', async () => {
    const overflow = newOverflow(await connect());
    const events = usagesOf(1_000);
    const from = performance.now();
    expect(await overflow.put(events)).toEqual([]);
    log('1,000 events put into Redis', performance.now() - from);
    const found = await findAll(overflow);
    expect(found.length).toBeGreaterThan(2);
    expect(idsOf(eventsOf(found))).toEqual(idsOf(events));
    const bytes = found.reduce((sum, { entry }) => sum + entry.size, 0);
    expect(bytes).toBeLessThan(150 * 1_000);
  });

  it('does not keep the event loop for long', async () => {
    const overflow = newOverflow(await connect());
    await overflow.put(usagesOf(1_000));
    const delays: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      delays.push(performance.now() - last);
      last = performance.now();
    }, 1);
    for (let i = 0; i < 20; i++) await overflow.put(usagesOf(1_000));
    clearInterval(timer);
    log('the event loop while 1,000 events at a time go to Redis', delays);
    expect(delays.toSorted((a, b) => a - b)[Math.floor(delays.length / 2)]).toBeLessThan(10);
  });

  it('shows only the organization and the size of an entry', async () => {
    const overflow = newOverflow(await connect());
    await overflow.put([usageOf({ id: 'canary-id', keyId: 'canary-key', requestId: 'canary-request' })]);
    const [found] = await findAll(overflow);
    const [entry] = await client.xrangeBuffer(streamOf(found?.shard ?? 0), '-', '+');
    const fields = entry?.[1] ?? [];
    expect(fields.filter((_, i) => i % 2 === 0).map(String)).toEqual(['organization', 'events', 'sealed']);
    expect(fields.slice(0, 4).map(String)).toEqual(['organization', 'organization-1', 'events', '1']);
    expect(Buffer.concat(fields).includes('canary')).toBe(false);
    for (const name of await client.keys('*')) expect(name).toMatch(/^gateway:usage:1:\{l\d\d\}:(events|bytes)$/);
  });

  it('removes named entries, and their counted bytes', async () => {
    const overflow = newOverflow(await connect());
    await overflow.put(Array.from({ length: 80 }, (_, i) => usageOf({ organizationId: `organization-${i}` })));
    const found = await findAll(overflow);
    const twice = Map.groupBy(found, ({ shard }) => shard);
    const [shard, some] = [...twice].find(([, entries]) => entries.length > 1) ?? [0, []];
    const [first, ...others] = some.map(({ entry }) => entry);
    if (first === undefined) throw new Error('no shard contains two of eighty entries');
    await overflow.remove(shard, others);
    await overflow.remove(shard, others);
    expect(await client.get(nameInShard('usage:1', shard, 'bytes'))).toBe(String(first.size));
    await overflow.remove(shard, [first]);
    expect(await client.exists(streamOf(shard), nameInShard('usage:1', shard, 'bytes'))).toBe(0);
  });

  it('can be locked by one proxy at a time', async () => {
    const [one, other] = [newOverflow(await connect()), newOverflow(await connect())];
    expect(await one.lock(3)).toBe(true);
    expect(await other.lock(3)).toBe(false);
    expect(await other.lock(4)).toBe(true);
    await other.unlock(3);
    expect(await other.lock(3)).toBe(false);
    await one.unlock(3);
    expect(await other.lock(3)).toBe(true);
    const endsInMs = await client.pttl(nameInShard('usage:1', 3, 'lock'));
    expect(endsInMs).toBeGreaterThan(0);
    expect(endsInMs).toBeLessThanOrEqual(10_000);
  });
});

describe('a full overflow', () => {
  it('accepts no more, loses no stored entry, and accepts more when there is room', async () => {
    const overflow = newOverflow(await connect(), { shardBytesMax: 2_000 });
    const events = Array.from({ length: 600 }, (_, i) => usageOf({ organizationId: `organization-${i}` }));
    const left: UsageEvent[] = [];
    for (const event of events) left.push(...(await overflow.put([event])));
    expect(left.length).toBeGreaterThan(100);
    const found = await findAll(overflow);
    expect(idsOf([...eventsOf(found), ...left])).toEqual(idsOf(events));
    for (const [, entries] of Map.groupBy(found, ({ shard }) => shard))
      expect(entries.reduce((sum, { entry }) => sum + entry.size, 0)).toBeLessThanOrEqual(2_000);
    for (const { entry, shard } of found) await overflow.remove(shard, [entry]);
    expect(await overflow.put(left.slice(0, 1))).toEqual([]);
  });

  it('is also one in which Redis refuses to write', async () => {
    for (let shard = 0; shard < shardCount; shard++) await client.set(streamOf(shard), 'no stream');
    const events = usagesOf(10);
    expect(idsOf(await newOverflow(await connect()).put(events))).toEqual(idsOf(events));
  });
});

describe('an entry', () => {
  async function put(): Promise<{ overflow: RedisOverflow; shard: number; fields: Buffer[] }> {
    const overflow = newOverflow(await connect());
    await overflow.put([usageOf()]);
    const [found] = await findAll(overflow);
    const shard = found?.shard ?? 0;
    const [entry] = await client.xrangeBuffer(streamOf(shard), '-', '+');
    return { overflow, shard, fields: entry?.[1] ?? [] };
  }

  async function readsAs(overflow: RedisOverflow, shard: number, fields: readonly (Buffer | string)[]) {
    await redis.flush();
    await client.xadd(streamOf(shard), '*', ...fields);
    const entries = await overflow.read(shard, undefined);
    expect(entries.length).toBe(1);
    return entries[0]?.events;
  }

  it('can be opened in its shard', async () => {
    const { fields, overflow, shard } = await put();
    expect((await readsAs(overflow, shard, fields))?.length).toBe(1);
  });

  it('that was moved to another shard cannot be opened', async () => {
    const { fields, overflow, shard } = await put();
    expect(await readsAs(overflow, (shard + 1) % shardCount, fields)).toBeUndefined();
  });

  it('with another organization, number or byte cannot be opened', async () => {
    const { fields, overflow, shard } = await put();
    const [organization = '', id = '', events = '', count = '', sealed = '', bytes = Buffer.alloc(0)] = fields;
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
    const forgeries = [
      [organization, 'organization-2', events, count, sealed, bytes],
      [organization, id, events, '2', sealed, bytes],
      [organization, id, events, count, sealed, altered],
      [organization, id, events, count, sealed, bytes.subarray(0, 20)],
      [organization, id, events, count, sealed, ''],
      [organization, id],
      ['something', 'else'],
    ];
    for (const forgery of forgeries) expect(await readsAs(overflow, shard, forgery)).toBeUndefined();
  });

  it('can be opened with an older key, and with no other', async () => {
    const { fields, shard } = await put();
    const connection = await connect();
    const [older] = sealKeys.keys;
    const [newer] = parseSealKeys(createSealKey()).keys;
    if (older === undefined || newer === undefined) throw new Error('no keys');
    const rotated = newOverflow(connection, { keys: { keys: [newer, older] } });
    expect((await readsAs(rotated, shard, fields))?.length).toBe(1);
    const another = newOverflow(connection, { keys: { keys: [newer] } });
    expect(await readsAs(another, shard, fields)).toBeUndefined();
  });
});

describe('a Redis that', () => {
  it('is a Cluster accepts entries on all its nodes', async () => {
    const cluster = await startRedisCluster();
    closers.push(() => cluster.stop());
    const overflow = newOverflow(await connect(cluster.urls.join(',')));
    const events = Array.from({ length: 200 }, (_, i) => usageOf({ organizationId: `organization-${i}` }));
    expect(await overflow.put(events)).toEqual([]);
    const found = await findAll(overflow);
    expect(idsOf(eventsOf(found))).toEqual(idsOf(events));
    for (const { entry, shard } of found) {
      expect(await overflow.lock(shard)).toBe(true);
      await overflow.remove(shard, [entry]);
      await overflow.unlock(shard);
    }
    expect(await findAll(overflow)).toEqual([]);
  });

  it('never responds delays a batch by one deadline', async () => {
    const hole = await startBlackHole();
    closers.push(() => hole.stop());
    const connection = createRedisConnection({
      target: redisTarget(`redis://127.0.0.1:${hole.port}`),
      log: silentLog,
    });
    closers.push(() => connection.close());
    const events = Array.from({ length: 100 }, (_, i) => usageOf({ organizationId: `organization-${i}` }));
    const from = performance.now();
    const left = await newOverflow(connection).put(events);
    expect(performance.now() - from).toBeLessThan(redisDeadlineMs + 100);
    expect(idsOf(left)).toEqual(idsOf(events));
  });

  it('falls silent in the middle does not cause events to be lost or recorded twice', async () => {
    const forwarder = await startForwarder({ port: redis.port });
    closers.push(() => forwarder.stop());
    const connection = await connect(`redis://127.0.0.1:${forwarder.port}`, redisDeadlineMs);
    const overflow = newOverflow(connection);
    forwarder.freeze();
    const events = usagesOf(10);
    expect(idsOf(await overflow.put(events))).toEqual(idsOf(events));
    await forwarder.heal();
    await until(async () => (await overflow.put(events)).length === 0, { what: 'Redis to take entries' });
    const patient = newOverflow(await connect());
    const ids = new Set(eventsOf(await findAll(patient)).map(({ id }) => id));
    expect([...ids].toSorted()).toEqual(idsOf(events));
  });
});

describe('proxies', () => {
  const ledger = new FakeWindows(realTime);
  beforeEach(() => {
    ledger.condition = 'up';
    ledger.recorded.clear();
  });

  function startProxy(connection: RedisConnection): UsageProxy {
    const proxy = startUsageProxy({
      time: realTime,
      client: ledger.client(),
      overflow: newOverflow(connection),
    });
    closers.push(() => proxy.close(performance.now()));
    return proxy;
  }

  it('that end while the control plane is away leave their usage to others', async () => {
    ledger.condition = 'down';
    const ending = startProxy(await connect());
    const events = [...usagesOf(1_500), ...usagesOf(700, { organizationId: 'organization-2' })];
    for (const event of events) ending.record(event);
    await ending.close(performance.now() + 10_000);
    expect(ending.counts).toMatchObject({ overflowed: events.length, lost: 0 });
    ledger.condition = 'up';
    const other = startProxy(await connect());
    await until(() => ledger.recorded.size === events.length, { what: 'the usage to be recorded' });
    await until(async () => (await client.keys('*events')).length === 0, { what: 'Redis to be emptied' });
    await until(() => other.counts.drained === events.length, {
      what: 'the other proxy to count all drained entries',
    });
    expect(other.counts).toMatchObject({ skipped: 0, lost: 0 });
    // Each event keeps the ordinal of its session that the ended proxy gave it.
    for (const event of events)
      expect({ ...usageOf(), ...ledger.recorded.get(event.id), ordinal: event.ordinal }).toEqual(event);
  });

  it('that continue meanwhile lose nothing when Redis is killed, or when it is back empty', async () => {
    const own = await startRedis();
    const proxy = startProxy(await connect(own.url, redisDeadlineMs));
    ledger.condition = 'down';
    const events = usagesOf(100);
    await own.kill();
    for (const event of events) proxy.record(event);
    await until(() => proxy.lines.some(({ msg }) => String(msg).startsWith('usage cannot be reported')), {
      what: 'the control plane to be given up',
    });
    expect(proxy.gauges.events).toBe(100);
    ledger.condition = 'up';
    await until(() => ledger.recorded.size === 100, { timeoutMs: 15_000, what: 'the usage to be recorded' });
    await until(() => proxy.gauges.events === 0, { what: 'the acknowledgement' });
    expect(proxy.counts).toMatchObject({ lost: 0 });
  });
});
