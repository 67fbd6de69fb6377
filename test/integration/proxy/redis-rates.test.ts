// Promises of rates in Redis beyond the arithmetic: several proxies, scripts that run late or twice, slots of killed
// proxies, clocks that are set, servers that lose everything, a Cluster, and a Redis that does not respond.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RateQuestion, Rates } from '../../../proxy/rates/rates.ts';
import { type RedisConnection, RedisUnavailableError } from '../../../proxy/redis/connection.ts';
import { startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { log } from '../../support/figures.ts';
import { freePort, until } from '../../support/process.ts';
import {
  admit,
  connectPatiently,
  kindOfTomorrow,
  newLimit,
  newRequests,
  newSlotLimit,
  newTokens,
  proxyRates,
  type RedisScene,
  realRates,
  redisScene,
  take,
} from '../../support/rates.ts';
import { startRedis, startRedisCluster, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
let scene: RedisScene;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());
beforeEach(async () => {
  await redis.flush();
  scene = await redisScene(redis.url);
});
afterEach(async () => {
  await scene.close();
  for (const close of closers.splice(0).toReversed()) await close();
});

const remaining = async (question: Parameters<typeof take>, at = 0) =>
  (await take(...question)).standings[at]?.remaining;

describe('a script', () => {
  it('refuses a kind of limit that it lacks with an error, and takes nothing of other limits', async () => {
    const known = newRequests(10);
    await expect(take(scene.rates, [known, newLimit(kindOfTomorrow, 10)])).rejects.toMatchObject({
      cause: {
        cause: { message: expect.stringContaining('GATEWAY_KIND no limit of the kind requests_per_century') },
      },
    });
    expect((await take(scene.rates, [known])).standings[0]?.remaining).toBe(9);
  });

  it('that runs twice reserves once and releases once', async () => {
    const twice = scene.newProxy((connection) => ({
      ...connection,
      run: (command) =>
        connection.run(async (client) => {
          await command(client);
          return command(client);
        }),
    }));
    const limits = [newRequests(10), newTokens(1_000), newSlotLimit(10)];
    const reservation = await admit(twice, limits, 600);
    const look = async () => (await take(scene.rates, limits, 0)).standings.map((one) => one.remaining);
    expect(await look()).toEqual([8, 400, 8]);
    reservation.settle(500);
    await scene.settled();
    expect(await look()).toEqual([7, 500, 8]);
  });

  it('that runs after its request has timed out takes nothing', async () => {
    const slow = scene.newProxy((connection) => ({
      ...connection,
      run: async (command) => {
        await scene.advance(5_001);
        return connection.run(command);
      },
    }));
    const limits = [newRequests(10), newSlotLimit(10)];
    await expect(take(slow, limits)).rejects.toThrow('too late');
    await expect(take(slow, limits)).rejects.toThrow('too late');
    expect(await remaining([scene.rates, limits])).toBe(9);
  });

  it('that the server does not know is sent whole', async () => {
    const limit = newRequests(3);
    await admit(scene.rates, [limit]);
    await scene.run((client) => client.script('FLUSH'));
    expect(await remaining([scene.rates, [limit]])).toBe(1);
  });

  it('leaves only keys that expire, and all of an organization in one slot of the Cluster', async () => {
    const limits = [newRequests(5), newTokens(1_000), newSlotLimit(5)];
    for (const tokens of [10, 20]) (await admit(scene.rates, limits, tokens)).settle(5);
    await admit(scene.rates, limits, 30);
    await scene.settled();
    const all = await scene.run((client) => client.keys('*'));
    const names = all.filter((name) => !name.endsWith(':clock-of-test'));
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      expect(await scene.run((client) => client.pttl(name))).toBeGreaterThan(0);
      expect(name).toMatch(/^gateway:rate:1:\{l\d\d\}:/);
    }
    expect(new Set(names.map((name) => /\{.*\}/.exec(name)?.[0])).size).toBe(1);
  });
});

describe('the clock of Redis', () => {
  it('can be set ahead: the next request learns the new time and continues', async () => {
    const limit = newRequests(5);
    await admit(scene.rates, [limit]);
    await scene.shiftRedisClock(3_600_000);
    expect(await remaining([scene.rates, [limit]])).toBe(4);
    expect(await remaining([scene.rates, [limit]])).toBe(3);
  });

  it('can be set back: no count returns, and no slot is kept longer than it should', async () => {
    const [requests, tokens, slots] = [newRequests(2), newTokens(600), newSlotLimit(1)];
    await admit(scene.rates, [requests, tokens], 600);
    await admit(scene.rates, [requests, slots]);
    await scene.shiftRedisClock(-20_000);
    expect((await take(scene.rates, [requests])).standings[0]?.opensInMs).toBe(81_000);
    expect((await take(scene.rates, [tokens], 1)).reservation).toBeUndefined();
    await scene.advance(20_000);
    expect((await take(scene.rates, [tokens], 1)).standings[0]?.opensInMs).toBe(100);
    await scene.advance(61_000);
    await admit(scene.rates, [requests, tokens], 600);
  });
});

describe('leases of slots', () => {
  it('end within 30 seconds after their proxy is killed, and not while it lives', async () => {
    const [killed, living] = [scene.newProxy(), scene.newProxy()];
    const limit = newSlotLimit(2);
    await admit(killed, [limit]);
    await admit(living, [limit]);
    await scene.advance(25_000);
    killed.close();
    expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
    await scene.advance(30_000);
    await admit(scene.rates, [limit]);
    expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
  });

  it('are renewed together: one command every ten seconds', async () => {
    let commands = 0;
    const counted = scene.newProxy((connection) => ({
      ...connection,
      run: (command) => {
        commands++;
        return connection.run(command);
      },
    }));
    const limits = [newSlotLimit(50), newSlotLimit(50), newSlotLimit(50)];
    // From here on it knows Redis's time.
    await take(counted, [newRequests(1)]);
    commands = 0;
    const reservations = await Promise.all(Array.from({ length: 20 }, () => admit(counted, limits)));
    expect(commands, 'all of one tick in one').toBe(1);
    await scene.advance(35_000);
    expect(commands).toBe(1 + 3);
    expect(await remaining([scene.rates, limits], 2)).toBe(50 - 20 - 1);
    for (const reservation of reservations) reservation.settle(0);
    await scene.settled();
    commands = 0;
    await scene.advance(60_000);
    expect(commands).toBe(0);
  });

  it('that end during their renewal are not restored', async () => {
    let gate: Promise<void> | undefined;
    const slow = scene.newProxy((connection) => ({
      ...connection,
      run: async (command, shard) => {
        const opens = gate;
        gate = undefined;
        await opens;
        return connection.run(command, shard);
      },
    }));
    const limit = newSlotLimit(1);
    const reservation = await admit(slow, [limit]);
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    const renewing = scene.advance(11_000);
    await until(() => gate === undefined, { what: 'the renewal' });
    reservation.settle(0);
    const leases = () =>
      scene.run(async (client) => {
        const [name = ''] = await client.keys('*concurrent_requests*');
        return client.zcard(name);
      });
    await until(async () => (await leases()) === 0, { what: 'the slot to be free' });
    opening.resolve();
    await renewing;
    expect(await leases()).toBe(0);
    await admit(scene.rates, [limit]);
  });

  it('of requests whose response from Redis was lost are freed as soon as Redis responds', async () => {
    let isAcknowledged = true;
    const unacknowledged = scene.newProxy((connection) => ({
      ...connection,
      run: async (command) => {
        const response = await connection.run(command);
        if (!isAcknowledged) throw new RedisUnavailableError('not acknowledged');
        return response;
      },
    }));
    let isDown = false;
    const cut = scene.newProxy((connection) => ({
      ...connection,
      run: (command) => (isDown ? Promise.reject(new RedisUnavailableError('down')) : connection.run(command)),
    }));
    const limit = newSlotLimit(3);
    await admit(unacknowledged, [limit]);
    const reservation = await admit(cut, [limit]);
    isAcknowledged = false;
    isDown = true;
    await expect(take(unacknowledged, [limit])).rejects.toThrow('not acknowledged');
    reservation.settle(0);
    expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
    await scene.advance(5_000);
    isAcknowledged = true;
    isDown = false;
    await scene.advance(1_000);
    expect(await remaining([scene.rates, [limit]])).toBe(3 - 1 - 1);
  });

  it('that Redis has lost are restored within ten seconds', async () => {
    const limit = newSlotLimit(2);
    await admit(scene.rates, [limit]);
    await admit(scene.rates, [limit]);
    await redis.flush();
    await scene.shiftRedisClock(0);
    await scene.advance(10_000);
    expect((await take(scene.newProxy(), [limit])).reservation).toBeUndefined();
  });
});

describe('several proxies', () => {
  const question = (organizationId: string, limits: RateQuestion['limits']) => ({
    ...{ organizationId, limits, tokens: 10 },
  });

  async function admittedOf(proxies: readonly Rates[], requested: RateQuestion, times: number) {
    const responses = await Promise.all(
      Array.from({ length: times }, () => proxies.map((proxy) => proxy.take(requested))).flat(),
    );
    const reservations = responses.flatMap(({ reservation }) => reservation ?? []);
    for (const reservation of reservations) reservation.settle(10);
    return reservations.length;
  }

  it('share each limit, and admit exactly as many requests as it allows', async () => {
    const connections = await Promise.all(Array.from({ length: 4 }, () => connectPatiently(redis.url)));
    for (const connection of connections) closers.push(() => connection.close());
    const proxies = connections.map((connection) => realRates(connection));
    for (const limit of [newRequests(50), newTokens(500), newSlotLimit(50)]) {
      expect(await admittedOf(proxies, question('organization-1', [limit]), 60)).toBe(50);
    }
  });

  it('share each limit in a Cluster of three masters too, for every organization', async () => {
    const cluster = await startRedisCluster();
    closers.push(() => cluster.stop());
    const connections = [
      await connectPatiently(cluster.urls.join(',')),
      await connectPatiently(cluster.urls.join(',')),
    ];
    for (const connection of connections) closers.push(() => connection.close());
    const proxies = connections.map((connection) => realRates(connection));
    for (let organization = 0; organization < 30; organization++) {
      const limits = [newRequests(7), newTokens(70), newSlotLimit(9)];
      expect(await admittedOf(proxies, question(`organization-${organization}`, limits), 10)).toBe(7);
    }
  });
});

describe('a Redis that does not respond', () => {
  function proxyAt(url: string, proxies = 1) {
    const proxy = proxyRates(url, proxies);
    closers.push(() => proxy.connection.close());
    return proxy;
  }

  async function timeTakes(rates: Rates, limits: RateQuestion['limits'], count: number): Promise<number[]> {
    const waited: number[] = [];
    for (let i = 0; i < count; i++) {
      const from = performance.now();
      await take(rates, limits);
      waited.push(performance.now() - from);
    }
    return waited;
  }

  /** Ten times the promise, as an allowance for a busy machine. */
  const waitMaxMs = 10 * 100;

  async function responds(connection: RedisConnection): Promise<boolean> {
    return connection
      .run((client) => client.ping())
      .then(
        () => true,
        () => false,
      );
  }

  it('from the start, refused or silent, leaves limits to each proxy, and no request waits', async () => {
    const hole = await startBlackHole();
    closers.push(() => hole.stop());
    for (const port of [await freePort(), hole.port]) {
      const { rates, counted } = proxyAt(`redis://127.0.0.1:${port}`);
      const limit = newRequests(3);
      expect(Math.max(...(await timeTakes(rates, [limit], 20)))).toBeLessThan(waitMaxMs);
      expect((await take(rates, [limit])).reservation).toBeUndefined();
      expect(counted()).toBe(21);
    }
  });

  it('after earlier responses keeps the counts of running requests, and later gets the count of admitted ones', async () => {
    const link = await startForwarder({ port: redis.port });
    closers.push(() => link.stop());
    const { rates, connection, counted } = proxyAt(`redis://127.0.0.1:${link.port}`);
    await until(() => connection.hasResponded());
    await until(() => responds(connection));
    const [requests, slots] = [newRequests(5), newSlotLimit(2)];
    const [reservation] = [await admit(rates, [requests, slots]), await admit(rates, [requests, slots])];
    expect(counted()).toBe(0);

    link.freeze();
    const other = newRequests(50);
    const waited = await timeTakes(rates, [other], 30);
    log('Redis silent: rates', waited);
    expect(Math.max(...waited)).toBeLessThan(waitMaxMs);
    // The first few requests notice the failure; the others do not wait.
    expect(waited.toSorted((a, b) => a - b)[20]).toBeLessThan(40);
    expect((await take(rates, [requests, slots])).reservation).toBeUndefined();
    reservation.settle(0);
    await admit(rates, [requests, slots]);

    await link.heal();
    await until(() => responds(connection), { what: 'Redis to respond again' });
    const before = counted();
    // Two admitted with Redis, one alone, and this one.
    expect((await take(rates, [requests])).standings[0]?.remaining).toBe(1);
    expect(await remaining([rates, [other]]), 'the request that was admitted without Redis is counted, once').toBe(
      50 - 30 - 1,
    );
    expect(counted()).toBe(before);
  });

  it('after earlier responses lets all proxies together admit no more than the limit', async () => {
    const link = await startForwarder({ port: redis.port });
    closers.push(() => link.stop());
    const proxies = Array.from({ length: 3 }, () => proxyAt(`redis://127.0.0.1:${link.port}`, 3));
    for (const { connection } of proxies) {
      await until(() => connection.hasResponded());
      await until(() => responds(connection));
    }
    const [max, before] = [20, 8];
    const [requests, tokens] = [newRequests(max), newTokens(max * 10)];
    const ask = async ({ rates }: (typeof proxies)[number], limit: RateQuestion['limits'][number]) =>
      (await take(rates, [limit], 10)).reservation === undefined ? 0 : 1;
    const rounds = async (limit: RateQuestion['limits'][number], count: number) => {
      let admitted = 0;
      for (let nth = 0; nth < count; nth++) for (const proxy of proxies) admitted += await ask(proxy, limit);
      return admitted;
    };
    // Each proxy has just learned of the others.
    for (const limit of [requests, tokens]) {
      let admitted = 0;
      for (let nth = 0; admitted < before; nth++) {
        const proxy = proxies[nth % 3];
        if (proxy !== undefined) admitted += await ask(proxy, limit);
      }
    }
    link.freeze();
    const [ofRequests, ofTokens] = [await rounds(requests, 20), await rounds(tokens, 20)];
    console.log(`Redis silent: ${before} let in before, ${ofRequests} (${ofTokens}) by three proxies alone`);
    expect(ofRequests).toBeGreaterThanOrEqual(3);
    expect(before + ofRequests).toBeLessThanOrEqual(max);
    // Some were refilled meanwhile.
    expect(before + ofTokens).toBeLessThanOrEqual(max + 4);

    await link.heal();
    await until(async () => (await Promise.all(proxies.map((each) => responds(each.connection)))).every(Boolean));
    for (const proxy of proxies) await ask(proxy, requests);
    expect(await rounds(requests, 20)).toBeLessThanOrEqual(max - before - ofRequests);
  });
});
