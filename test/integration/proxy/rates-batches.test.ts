// Requests of one event-loop tick go to Redis together, and are counted exactly as if they ran one after another.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requestsInCallMax } from '../../../proxy/rates/batch-queue.ts';
import { LocalRates } from '../../../proxy/rates/local-rates.ts';
import type { RateDecision, RateLimit, RateReservation, Rates } from '../../../proxy/rates/rates.ts';
import { type RedisConnection, RedisUnavailableError } from '../../../proxy/redis/connection.ts';
import { shardOf } from '../../../proxy/redis/shards.ts';
import { Random } from '../../support/access/random.ts';
import {
  admit,
  newRequests,
  newSlotLimit,
  newTokens,
  type ProxyRates,
  type RedisScene,
  redisScene,
  take,
} from '../../support/rates.ts';
import {
  startRedis,
  startRedisCluster,
  type TestRedis,
  type TestRedisCluster,
  withClient,
} from '../../support/redis.ts';
import { startingSeed } from '../../support/seed.ts';

const seed = Number(process.env.RATES_SEED ?? startingSeed());
console.log(`seed ${seed} (set RATES_SEED to repeat)`);

let redis: TestRedis;
let cluster: TestRedisCluster;
let scene: RedisScene;
const [mine, other] = ['organization-1', 'organization-2'] as const;

beforeAll(async () => {
  [redis, cluster] = await Promise.all([startRedis(), startRedisCluster()]);
});
afterAll(() => Promise.all([redis?.stop(), cluster?.stop()]));
beforeEach(async () => {
  await redis.flush();
  scene = await redisScene(redis.url, mine, [other]);
});
afterEach(() => scene.close());

const admitted = (responses: readonly RateDecision[]) => responses.map(({ reservation }) => reservation !== undefined);
const remaining = (responses: readonly RateDecision[]) =>
  responses.map(({ standings }) => standings.map((standing) => standing.remaining));

/** A proxy that knows Redis's time. `calls` returns the number of its calls since. */
async function countedProxy(): Promise<{ rates: ProxyRates; calls(): number }> {
  let calls = 0;
  const rates = scene.newProxy((connection) => ({
    ...connection,
    run: (command, shard) => {
      calls++;
      return connection.run(command, shard);
    },
  }));
  await take(rates, [newRequests(1)]);
  await take(rates.of(other), [newRequests(1)]);
  calls = 0;
  return { rates, calls: () => calls };
}

describe('requests of one tick', () => {
  const slots: readonly (readonly [string, () => string])[] = [
    ['Redis', () => redis.url],
    ['a Redis Cluster', () => cluster.urls.join(',')],
  ];

  interface Pair {
    readonly parsed: RateReservation;
    readonly reference: RateReservation;
  }

  it.each(slots)('are counted in %s as if they ran one after another', async (_name, url) => {
    const random = new Random(seed);
    await scene.close();
    scene = await redisScene(url(), mine, [other]);
    expect(shardOf(mine)).not.toBe(shardOf(other));
    const alone = new LocalRates({ clock: scene.time, onTake: () => undefined });
    const newLimits = () => [
      ...[newRequests(30), newRequests(55), newTokens(9_000), newTokens(20_000)],
      ...[newSlotLimit(6), newSlotLimit(9), newTokens(300_000_000_000)],
    ];
    const organizations = [mine, other].map((organization) => ({
      ...{ rates: scene.rates.of(organization), limits: newLimits() },
    }));
    const open: Pair[] = [];
    let [refusals, requests] = [0, 0];
    for (let turn = 0; turn < 400; turn++) {
      const ends = open.splice(0, random.below(open.length + 1));
      const requested = Array.from({ length: random.below(12) }, () => {
        const { rates, limits } = random.pick(organizations);
        const chosen = limits.filter(() => random.chance(0.4));
        const tokens = random.below(3_000);
        return { rates, tokens, limits: chosen.length > 0 ? chosen : [random.pick(limits)] };
      });
      const responses = Promise.all(requested.map(({ rates, limits, tokens }) => take(rates, limits, tokens)));
      // These end later in the tick, and still make room.
      for (const { parsed, reference } of ends) {
        const used = random.below(5_000);
        parsed.settle(used);
        reference.settle(used);
      }
      const expected: RateDecision[] = [];
      for (const { limits, tokens } of requested) expected.push(await take(alone, limits, tokens));
      const parsed = await responses;
      const standings = (all: readonly RateDecision[]) => all.map((response) => response.standings);
      expect(admitted(parsed), `tick ${turn}`).toEqual(admitted(expected));
      expect(standings(parsed), `tick ${turn}`).toEqual(standings(expected));
      for (const [index, { reservation }] of parsed.entries()) {
        const reference = expected[index]?.reservation;
        if (reservation !== undefined && reference !== undefined) open.push({ parsed: reservation, reference });
      }
      refusals += admitted(parsed).filter((isIn) => !isIn).length;
      requests += parsed.length;
      await scene.advance(random.chance(0.05) ? random.below(90_000) : random.below(4_000));
    }
    console.log(`${requests} requests, ${refusals} of them refused`);
    expect(refusals).toBeGreaterThan(requests / 20);
    expect(refusals).toBeLessThan(requests / 2);
  });

  it('need one call for each shard, or more if they exceed the size of a call', async () => {
    const { rates, calls } = await countedProxy();
    const [here, there] = [[newRequests(300), newSlotLimit(1_000)], [newRequests(7)]];
    const count = 2 * requestsInCallMax + 20;
    const responses = Promise.all([
      ...Array.from({ length: count }, () => take(rates, here)),
      ...Array.from({ length: 10 }, () => take(rates.of(other), there)),
    ]);
    const parsed = await responses;
    expect(calls()).toBe(3 + 1);
    expect(parsed.slice(0, count).every(({ reservation }) => reservation !== undefined)).toBe(true);
    expect(remaining(parsed.slice(count - 1, count))).toEqual([[300 - count, 1_000 - count]]);
    expect(remaining(parsed.slice(count))).toEqual([6, 5, 4, 3, 2, 1, 0, 0, 0, 0].map((left) => [left]));
    for (const { reservation } of parsed) reservation?.settle(0);
    await scene.settled();
    expect(calls(), 'what has ended goes in as many').toBe(4 + 3);
    expect(remaining([await take(rates, here)])).toEqual([[300 - count - 1, 999]]);
  });

  it('that end make room for those that begin, in either order, in one call', async () => {
    const { rates, calls } = await countedProxy();
    const limits = [newSlotLimit(2), newTokens(100)];
    const reservations = [await admit(rates, limits, 50), await admit(rates, limits, 50)];
    const before = calls();
    const pending = Promise.all(Array.from({ length: 3 }, () => take(rates, limits, 40)));
    for (const reservation of reservations) reservation.settle(10);
    expect(admitted(await pending)).toEqual([true, true, false]);
    expect(calls()).toBe(before + 1);
  });

  it('end first even if their ends need more than one call', async () => {
    const { rates } = await countedProxy();
    const limit = newSlotLimit(requestsInCallMax + 50);
    const reservations = await Promise.all(Array.from({ length: limit.max }, () => admit(rates, [limit])));
    const pending = Promise.all(reservations.map(() => take(rates, [limit])));
    for (const reservation of reservations) reservation.settle(0);
    expect(admitted(await pending)).not.toContain(false);
  });

  it('with two maxima of one limit are counted against the newer one', async () => {
    const limit = newRequests(5);
    const [raised, lowered] = [newTokens(10), newSlotLimit(10)];
    const ask = async (changed: RateLimit, from: number, to: number) =>
      admitted(await Promise.all([from, from, to, to].map((max) => take(scene.rates, [{ ...changed, max }], 10))));
    expect(await ask(limit, 5, 2)).toEqual([true, true, false, false]);
    expect(await ask(raised, 10, 30)).toEqual([true, true, true, false]);
    expect(await ask(lowered, 10, 1)).toEqual([true, false, false, false]);
    const slotLimit = newSlotLimit(3);
    const reservation = await admit(scene.rates, [slotLimit]);
    reservation.settle(0);
    expect(admitted([await take(scene.rates, [{ ...slotLimit, max: 0 }])])).toEqual([false]);
  });

  it('get figures with all digits', async () => {
    const limits = [newRequests(Number.MAX_SAFE_INTEGER), newTokens(100_000_000_001)];
    expect(remaining([await take(scene.rates, limits, 33_333_333_333)])).toEqual([
      [Number.MAX_SAFE_INTEGER - 1, 66_666_666_668],
    ]);
  });

  it('cost Redis fewer than 30 commands for 32 requests of six limits', async () => {
    const { rates, calls } = await countedProxy();
    const limits = [1, 2].flatMap(() => [newRequests(1_000), newTokens(1_000_000), newSlotLimit(1_000)]);
    const turn = async (reservations: readonly RateReservation[]) => {
      for (const reservation of reservations) reservation.settle(50);
      return Promise.all(Array.from({ length: 32 }, () => admit(rates, limits, 100)));
    };
    const first = await commandsOf(() => turn([]));
    const second = await commandsOf(() => turn(first.result));
    console.log(`32 requests of six limits: ${first.count} commands, with as many that end ${second.count}`);
    expect(first.count).toBeLessThan(30);
    expect(second.count).toBeLessThan(30);
    expect(calls()).toBe(2);
  });
});

/** Number of commands that Redis ran meanwhile, including those of scripts. */
async function commandsOf<T>(act: () => Promise<T>): Promise<{ readonly count: number; readonly result: T }> {
  const sum = (client: { info(section: string): Promise<string> }) =>
    client
      .info('commandstats')
      .then((text) => [...text.matchAll(/^cmdstat_(?!info)\S+:calls=(\d+)/gm)])
      .then((lines) => lines.reduce((all, [, calls]) => all + Number(calls), 0));
  return withClient(redis.url, async (client) => {
    await client.ping();
    const before = await sum(client);
    const result = await act();
    return { result, count: (await sum(client)) - before };
  });
}

describe('the keys of a limit in Redis', () => {
  it('are kept for as long as they count, from their last change on', async () => {
    const limits = [newRequests(9), newTokens(1_000), newSlotLimit(9)];
    await admit(scene.rates, limits, 100);
    const names = await scene.run((client) => client.keys('*:limit-*'));
    expect(names).toHaveLength(3);
    for (const name of names) await scene.run((client) => client.pexpire(name, 500));
    await scene.advance(1_000);
    await admit(scene.rates, limits, 800);
    const kept = new Map<string, number>();
    for (const name of names) kept.set(name.split(':').at(-2) ?? '', await scene.run((c) => c.pttl(name)));
    expect(kept.get('requests_per_minute')).toBeGreaterThan(61_000);
    expect(kept.get('tokens_per_minute')).toBeGreaterThan(53_000);
    expect(kept.get('concurrent_requests')).toBeGreaterThan(30_000);
  });

  it('expire together with the rest of their second when the clock is set back', async () => {
    const limit = newRequests(9);
    await Promise.all([admit(scene.rates, [limit]), admit(scene.rates, [limit])]);
    await scene.shiftRedisClock(-20_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[6]]);
    await scene.advance(45_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[5]]);
    await scene.advance(45_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[7]]);
  });

  it('open a minute later when the limit is full again in the tick in which all counts expire', async () => {
    const limit = newRequests(2);
    const ask = () => Promise.all([1, 2, 3].map(() => take(scene.rates, [limit])));
    const opens = ([, , third]: readonly RateDecision[]) => third?.standings[0]?.opensInMs;
    expect(opens(await ask())).toBe(61_000);
    await scene.advance(30_000);
    expect(opens(await ask())).toBe(31_000);
    await scene.advance(40_000);
    expect(opens(await ask())).toBe(61_000);
  });
});

describe('a call', () => {
  const through = (run: (connection: RedisConnection) => RedisConnection['run']) =>
    scene.newProxy((connection) => ({ ...connection, run: run(connection) }));

  it('that runs twice counts once, and returns the same response again', async () => {
    const twice = through(
      (connection) => (command, shard) =>
        connection.run(async (client) => {
          await command(client);
          return command(client);
        }, shard),
    );
    const limits = [newRequests(10), newTokens(1_000), newSlotLimit(2)];
    const ask = () => Promise.all([300, 800, 200, 100].map((tokens) => take(twice, limits, tokens)));
    const first = await ask();
    expect(admitted(first)).toEqual([true, false, true, false]);
    expect(remaining(first)).toEqual([
      ...[
        [9, 700, 1],
        [9, 700, 1],
      ],
      ...[
        [8, 500, 0],
        [8, 500, 0],
      ],
    ]);
    first[0]?.reservation?.settle(250);
    expect(remaining((await ask()).slice(0, 2))).toEqual([
      [7, 250, 0],
      [7, 250, 0],
    ]);
  });

  it('whose response was lost frees all slots that it acquired or released', async () => {
    let isAcknowledged = true;
    const unacknowledged = through((connection) => async (command, shard) => {
      const response = await connection.run(command, shard);
      if (!isAcknowledged) throw new RedisUnavailableError('not acknowledged');
      return response;
    });
    const limit = newSlotLimit(40);
    const reservations = await Promise.all(Array.from({ length: 10 }, () => admit(unacknowledged, [limit])));
    isAcknowledged = false;
    const pending = Promise.allSettled(Array.from({ length: 20 }, () => take(unacknowledged, [limit])));
    for (const reservation of reservations) reservation.settle(0);
    expect((await pending).map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[40 - 20 - 1]]);
    isAcknowledged = true;
    await scene.advance(1_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[40 - 2]]);
  });

  it('that was never sent acquires nothing, and its released slots are freed when Redis responds again', async () => {
    let isDown = false;
    let calls = 0;
    const cut = through((connection) => async (command, shard) => {
      if (isDown) throw new RedisUnavailableError('down');
      calls++;
      return connection.run(command, shard);
    });
    const limit = newSlotLimit(5);
    const reservation = await admit(cut, [limit]);
    isDown = true;
    const pending = Promise.allSettled([take(cut, [limit]), take(cut, [limit])]);
    reservation.settle(0);
    expect((await pending).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    calls = 0;
    await scene.advance(1_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[4]]);
    await scene.advance(60_000);
    expect(calls, 'once is enough').toBe(1);
  });

  it('that runs too late has no effect: its requests fail, and its released slots are freed afterwards', async () => {
    let delayMs = 0;
    const slow = through((connection) => async (command, shard) => {
      await scene.time.advance(delayMs);
      await scene.shiftRedisClock(0);
      return connection.run(command, shard);
    });
    const limit = newSlotLimit(3);
    const reservation = await admit(slow, [limit]);
    delayMs = 5_001;
    const pending = Promise.allSettled([take(slow, [limit])]);
    reservation.settle(0);
    expect(await pending).toMatchObject([{ status: 'rejected', reason: { message: 'Redis responded too late' } }]);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[3 - 1 - 1]]);
    delayMs = 0;
    await scene.advance(1_000);
    expect(remaining([await take(scene.rates, [limit])])).toEqual([[3 - 2]]);
  });

  it('with a defect fails its requests with that defect', async () => {
    const broken: Rates = through(() => () => Promise.reject(new TypeError('a defect')));
    await expect(take(broken, [newRequests(1)])).rejects.toThrow('a defect');
  });
});
