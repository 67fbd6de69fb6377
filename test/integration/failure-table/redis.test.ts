// Rows of the failure table: Redis as a cache refuses connections, accepts and never responds, falls silent, is
// emptied, rolled back or forged. Requests continue; nothing waits longer than 100 ms for Redis; nothing in Redis
// revives a key. `GATEWAY_TEST_ROUNDS=4` measures with more keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { admission, chat, outcomes, redisResponds, turns } from '../../support/chat-requests.ts';
import { log, percentile } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { freePort, until } from '../../support/process.ts';
import { readValues, startRedis, type TestRedis, writeValues } from '../../support/redis.ts';
import { roundsOf } from '../../support/seed.ts';
import { metric, readiness } from '../../support/telemetry.ts';

/** Allowance for a busy machine at the 99th percentile. */
const busyMs = 900;
const notFound = '401 access_not_found';

let gateway: TestGateway;
let redis: TestRedis;

beforeAll(async () => {
  [gateway, redis] = await Promise.all([startGateway(), startRedis()]);
});
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
});
beforeEach(() => redis.flush());

const newKeys = (count: number) => Promise.all(Array.from({ length: count }, () => gateway.organization.createKey()));
const ignored = (proxy: TestProxy, reason: string) => metric(proxy, 'gateway_access_cache_ignored_total', { reason });
const failures = (proxy: TestProxy) => metric(proxy, 'gateway_access_cache_failures_total');
const lookups = (proxy: TestProxy, tier: string) => metric(proxy, 'gateway_key_lookups_total', { tier });

async function startProxy(url = redis.url): Promise<TestProxy> {
  const proxy = await gateway.startProxy({ REDIS_URL: url });
  await until(async () => (await readiness(proxy)) === 'ok', { what: 'readiness' });
  return proxy;
}

async function startConnected(url?: string): Promise<TestProxy> {
  const proxy = await startProxy(url);
  await redisResponds(proxy);
  return proxy;
}

/** Milliseconds of two requests with each of many keys; the first of them has to look the key up. */
async function askTwice(proxy: TestProxy): Promise<readonly number[]> {
  const waited: number[] = [];
  for (const { value } of await newKeys(roundsOf(15))) {
    for (const reply of [await chat(value)(proxy), await chat(value)(proxy)]) {
      expect(reply.outcome).toBe('200');
      waited.push(reply.ms);
    }
  }
  return waited;
}

describe('Redis refused or black-holed: requests continue and wait at most 100 ms longer', () => {
  let without: readonly number[];
  beforeAll(async () => {
    without = await askTwice(gateway.proxy);
    log('no Redis set', without);
  });

  async function expectNoLonger(what: string, proxy: TestProxy): Promise<void> {
    const failed = await failures(proxy);
    const broken = await askTwice(proxy);
    log(`Redis ${what}`, broken);
    expect(percentile(broken, 0.99)).toBeLessThan(percentile(without, 0.99) + 100 + busyMs);
    expect(await failures(proxy)).toBeGreaterThan(failed);
    expect(await readiness(proxy)).toBe('ok');
  }

  it('when Redis refuses connections from the start', async () => {
    await expectNoLonger('refused', await startProxy(`redis://127.0.0.1:${await freePort()}`));
  });

  it('when Redis accepts and never responds from the start', async () => {
    const hole = await startBlackHole();
    await expectNoLonger('mute from the start', await startProxy(`redis://127.0.0.1:${hole.port}`));
    expect(hole.accepted()).toBeGreaterThan(0);
    await hole.stop();
  });

  it('when Redis falls silent later, and it is used again when it is back', async () => {
    const link = await startForwarder({ port: redis.port });
    const proxy = await startConnected(`redis://127.0.0.1:${link.port}`);
    const writer = await startConnected();
    // The writer reads these keys before the proxy's feed reaches its later position; a proxy resolves records that are
    // ahead of its own position.
    const known = (await newKeys(30)).map(({ value }) => chat(value));
    for (const question of known) expect((await question(writer)).outcome).toBe('200');
    link.freeze();
    await expectNoLonger('fallen silent', proxy);
    await link.heal();
    const healed = performance.now();
    await until(async () => {
      const question = known.pop();
      if (question === undefined) throw new Error('all known keys were used, none was read from Redis');
      expect((await question(proxy)).outcome).toBe('200');
      await sleep(250);
      return (await lookups(proxy, 'redis')) > 0;
    });
    log('Redis back: read again after', performance.now() - healed);
    await link.stop();
  });
});

describe('Redis emptied or rolled back: no revoked key is revived', () => {
  it('when Redis is emptied, known keys are served from memory, and a new proxy resolves them', async () => {
    const [key] = await newKeys(1);
    const question = chat(key?.value ?? '');
    const proxy = await startConnected();
    expect((await question(proxy)).outcome).toBe('200');
    await redis.flush();
    const second = await startConnected();
    expect(await outcomes([proxy, second], question)).toEqual(['200', '200']);
    expect([await lookups(proxy, 'memory'), await lookups(second, 'redis')]).toEqual([1, 0]);
  });

  it('when Redis is rolled back, a key revoked since is refused by the proxy that knows it and by a newly started one', async () => {
    const keys = await newKeys(4);
    const [revoked, ...live] = keys.map(({ value }) => admission(value));
    if (revoked === undefined) throw new Error('four keys were made');
    const proxy = await startConnected();
    for (const question of [revoked, ...live]) expect(await outcomes([proxy], question)).toEqual(['200']);
    const backup = await until(async () => ofSize(6, await readValues(redis.url)));

    await gateway.organization.api.call('VirtualKeys/Revoke', { id: keys[0]?.id });
    await turns([proxy], revoked, { from: '200', to: notFound });
    await until(async () => (await readValues(redis.url)).size === 5, { what: 'the record to be removed' });
    await writeValues(redis.url, backup);

    const second = await startConnected();
    await until(async () => (await metric(second, 'gateway_feed_age_seconds')) >= 0, { what: 'the feed' });
    expect(await outcomes([proxy, second], revoked)).toEqual([notFound, notFound]);
    expect(await ignored(second, 'outdated')).toBeGreaterThan(0);
    for (const question of live) expect(await outcomes([proxy, second], question)).toEqual(['200', '200']);
    expect(await lookups(second, 'redis'), 'records that were not revoked are used').toBeGreaterThan(0);
  });
});

describe('Redis forged: a value that cannot be opened under its key is ignored and counted:', () => {
  let keys: readonly { readonly id: string; readonly value: string }[];
  /** Of both keys, of their organization and of the platform, as a proxy writes them. */
  let values: ReadonlyMap<string, Buffer>;
  beforeAll(async () => {
    await redis.flush();
    keys = await newKeys(2);
    const writer = await startConnected();
    for (const { value } of keys) expect((await chat(value)(writer)).outcome).toBe('200');
    values = await until(async () => ofSize(4, await readValues(redis.url)));
  });

  it.each<[string, (values: ReadonlyMap<string, Buffer>) => ReadonlyMap<string, Buffer>]>([
    ['one bit altered', (values) => mapValues(values, (value) => flipped(value, value.length - 1))],
    ['its first sealed byte altered', (values) => mapValues(values, (value) => flipped(value, 1))],
    ['the record of another key', swapped],
    ['a record cut short', (values) => mapValues(values, (value) => value.subarray(0, value.length - 8))],
    ['nothing like a record', (values) => mapValues(values, () => Buffer.from('{"active":true}'))],
    ['an empty value', (values) => mapValues(values, () => Buffer.alloc(0))],
  ])('%s', async (_what, forge) => {
    await writeValues(redis.url, forge(values));

    const reader = await startConnected();
    await until(async () => (await metric(reader, 'gateway_feed_age_seconds')) >= 0, { what: 'the feed' });
    for (const { value } of keys) expect((await chat(value)(reader)).outcome).toBe('200');
    expect(await ignored(reader, 'unreadable')).toBeGreaterThan(0);
    expect(await lookups(reader, 'redis')).toBe(0);
    const [unknown] = await newKeys(1);
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: unknown?.id });
    expect((await chat(unknown?.value ?? '')(reader)).outcome).toBe(notFound);
  });
});

function ofSize<T>(size: number, values: ReadonlyMap<string, T>): ReadonlyMap<string, T> | undefined {
  return values.size === size ? values : undefined;
}

function mapValues(values: ReadonlyMap<string, Buffer>, change: (value: Buffer) => Buffer) {
  return new Map([...values].map(([name, value]) => [name, change(value)]));
}

function flipped(value: Buffer, at: number): Buffer {
  const copy = Buffer.from(value);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

function swapped(values: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const names = [...values.keys()];
  return new Map([...values.values()].map((value, index) => [names[(index + 1) % names.length] ?? '', value]));
}
