// Records over real Redis: a single server, a Cluster of three, one that is gone and one that accepts and never
// responds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackground } from '../../../common/background.ts';
import { systemClock } from '../../../common/clock.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { RateShare } from '../../../common/shares.ts';
import { systemTimers } from '../../../common/timers.ts';
import { accessLimits } from '../../../proxy/access/limits.ts';
import { createRecordSource, type LiveRecordSource } from '../../../proxy/access/record-source.ts';
import { createRedisRecords, recordCommands } from '../../../proxy/record-cache/redis-records.ts';
import { createRedisConnection, type RedisConnection } from '../../../proxy/redis/connection.ts';
import { redisTarget } from '../../../proxy/redis/target.ts';
import { shares } from '../../../proxy/shares.ts';
import { FakeControlPlane } from '../../support/access/control-plane.ts';
import { FakeDatabase } from '../../support/access/database.ts';
import { hashOf, hourMs, TestLink } from '../../support/access/one-proxy.ts';
import { startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { until } from '../../support/process.ts';
import { startRedis, startRedisCluster } from '../../support/redis.ts';
import { silentLog } from '../../support/silent-log.ts';

const realTime = { ...systemClock, ...systemTimers };
const sealKeys = parseSealKeys(createSealKey());
const key = hashOf(1);

const closers: (() => unknown)[] = [];
let database: FakeDatabase;
let controlPlane: FakeControlPlane;

beforeEach(() => {
  database = new FakeDatabase(systemClock);
  controlPlane = new FakeControlPlane(realTime, database);
  database.createOrganization('north');
  for (let number = 1; number <= 20; number++) database.createKey(hashOf(number), { organizationId: 'north' });
});

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A long deadline for tests that are not about time, so that a busy machine does not matter. */
const patient = { deadlineMs: 2_000 };

function connect(url: string, options: { readonly deadlineMs?: number } = {}): RedisConnection {
  const connection = createRedisConnection({ target: redisTarget(url), log: silentLog, ...options });
  closers.push(() => connection.close());
  return connection;
}

interface Proxy {
  readonly source: LiveRecordSource;
  readonly link: TestLink;
  readonly events: string[];
}

function startProxy(connection: RedisConnection): Proxy {
  const link = new TestLink();
  const events: string[] = [];
  const count = (event: string) => void events.push(event);
  const shared = {
    clock: systemClock,
    background: createBackground({ log: silentLog, onFailure: count }),
    metrics: { lookup: count, cacheIgnored: count, cacheFailed: count },
    limits: accessLimits,
    maxStaleMs: hourMs,
  };
  const recordKeys = controlPlane.signing.publicKeys();
  const commands = recordCommands(connection);
  const source = createRecordSource({
    ...shared,
    unknownCredentials: new RateShare(shares.unknown_credentials.bounds),
    cache: createRedisRecords({ ...shared, commands, sealKeys, recordKeys }),
    controlPlane: controlPlane.connect(link, recordKeys),
    timers: systemTimers,
    random: Math.random,
    log: silentLog,
  });
  closers.push(() => source.close());
  return { source, link, events };
}

async function ready(connection: RedisConnection): Promise<RedisConnection> {
  await until(() => connection.hasResponded(), { what: 'Redis to be connected' });
  return connection;
}

/** Two commands of 50 ms, and an allowance for a busy machine. */
const waitMaxMs = 100 + 40;

/**
 * Milliseconds until the records of a key were found, without the longest pause of this process meanwhile: a busy
 * machine stops it with all that it plays.
 */
async function timeToFind(proxy: Proxy, hash = key): Promise<number> {
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  pauses.enable();
  const from = performance.now();
  const principal = await proxy.source.find(hash, '192.0.2.1');
  const took = performance.now() - from;
  pauses.disable();
  expect(principal.key.keyId).toBe(`id-${hash}`);
  return took - pauses.max / 1e6;
}

const responds = (connection: RedisConnection): Promise<boolean> =>
  connection
    .run((client) => client.ping())
    .then(
      () => true,
      () => false,
    );

const stored = (connection: RedisConnection, keys: number) =>
  until(async () => (await connection.run((client) => client.dbsize())) === keys, {
    what: 'the records to be written',
  });

describe('a single Redis', () => {
  it('gives one proxy the records of another, sealed and expiring', async () => {
    const redis = await startRedis();
    closers.push(() => redis.stop());
    const connection = await ready(connect(redis.url, patient));
    await timeToFind(startProxy(connection));
    await stored(connection, 3);
    const names = await connection.run((client) => client.keys('*'));
    for (const name of names) {
      expect(name).toMatch(/^gateway:record:5:/);
      const expiresInMs = await connection.run((client) => client.pttl(name));
      expect(expiresInMs).toBeGreaterThan(hourMs - 10_000);
      expect(expiresInMs).toBeLessThanOrEqual(hourMs);
    }
    const second = startProxy(await ready(connect(redis.url, patient)));
    await until(() => second.source.feed().state === 'live');
    await timeToFind(second);
    expect(second.link.resolves).toBe(0);
    expect(second.events).toEqual(['redis']);
  });

  it('that is back is used again', async () => {
    const redis = await startRedis();
    const connection = await ready(connect(redis.url));
    await redis.kill();
    await until(async () => !(await responds(connection)), { what: 'Redis to be gone' });
    const proxy = startProxy(connection);
    expect(await timeToFind(proxy)).toBeLessThan(waitMaxMs);
    const again = await startRedis({ port: redis.port });
    closers.push(() => again.stop());
    await until(() => responds(connection), { what: 'Redis to respond again' });
    await timeToFind(proxy, hashOf(2));
    await stored(connection, 3);
  });

  it('that was emptied costs one resolve and nothing else', async () => {
    const redis = await startRedis();
    closers.push(() => redis.stop());
    await timeToFind(startProxy(await ready(connect(redis.url, patient))));
    await redis.flush();
    const second = startProxy(await ready(connect(redis.url, patient)));
    await timeToFind(second);
    expect(second.link.resolves).toBe(1);
  });
});

describe('a Redis that does not respond', () => {
  it('delays no request when it refuses connections', async () => {
    const hole = await startBlackHole();
    await hole.stop();
    const proxy = startProxy(connect(`redis://127.0.0.1:${hole.port}`));
    for (let number = 1; number <= 5; number++) expect(await timeToFind(proxy, hashOf(number))).toBeLessThan(waitMaxMs);
    expect(proxy.source.feed().state).not.toBe('none');
  });

  it('delays no request when it accepts and is silent from the start', async () => {
    const hole = await startBlackHole();
    closers.push(() => hole.stop());
    const proxy = startProxy(connect(`redis://127.0.0.1:${hole.port}`));
    await until(() => hole.accepted() > 0);
    for (let number = 1; number <= 5; number++) expect(await timeToFind(proxy, hashOf(number))).toBeLessThan(waitMaxMs);
  });

  it('delays requests by at most 100 ms when it falls silent, and soon none', async () => {
    const redis = await startRedis();
    closers.push(() => redis.stop());
    const forwarder = await startForwarder({ port: redis.port });
    closers.push(() => forwarder.stop());
    const connection = await ready(connect(`redis://127.0.0.1:${forwarder.port}`));
    const proxy = startProxy(connection);
    await timeToFind(proxy);
    forwarder.freeze();
    const times: number[] = [];
    for (let number = 2; number <= 20; number++) times.push(await timeToFind(proxy, hashOf(number)));
    expect(Math.max(...times)).toBeLessThan(waitMaxMs);
    expect(times.filter((time) => time > 40).length).toBeLessThanOrEqual(4);
    await forwarder.heal();
    await until(() => responds(connection), { what: 'Redis to respond again' });
  });

  it('is distinguished from a blocked event loop: a response that has arrived is used', async () => {
    const redis = await startRedis();
    closers.push(() => redis.stop());
    const connection = await ready(connect(redis.url));
    // From this phase of the loop timers run next, and arrived data only after them.
    const response = await new Promise((resolve, reject) => {
      setImmediate(() => {
        connection.run((client) => client.ping()).then(resolve, reject);
        const end = performance.now() + 120;
        while (performance.now() < end);
      });
    });
    expect(response).toBe('PONG');
  });
});

describe('a Redis Cluster', () => {
  it('has records on all of its nodes and loses none to another’s slot', async () => {
    const cluster = await startRedisCluster();
    closers.push(() => cluster.stop());
    const connection = await ready(connect(cluster.urls.join(','), patient));
    const first = startProxy(connection);
    for (let number = 1; number <= 20; number++) await timeToFind(first, hashOf(number));
    const second = startProxy(
      await ready(connect(cluster.urls[0]?.replace('redis:', 'redis-cluster:') ?? '', patient)),
    );
    await until(() => second.source.feed().state === 'live');
    for (let number = 1; number <= 20; number++) await timeToFind(second, hashOf(number));
    expect(first.events).not.toContain('write');
    expect(second.events).toEqual(Array(20).fill('redis'));
  });
});
