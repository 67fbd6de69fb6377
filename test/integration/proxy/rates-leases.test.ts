// What a proxy leases of busy limits: it saves calls, ends in time, returns, and is never more than the limit.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RateDecision, RateLimit, RateReservation } from '../../../proxy/rates/rates.ts';
import { type ModelProxy, RatesWorld, takeOf } from '../../model/rates.world.ts';
import { newRequests, newSlotLimit, newTokens } from '../../support/rates.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
let world: RatesWorld;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());
beforeEach(async () => {
  await redis.flush();
  world = await RatesWorld.open(redis.url);
  // The clocks' seconds begin together, so that a test knows where in one it is.
  await world.step(1_000 - (world.time.now() % 1_000));
});
afterEach(() => world.close());

interface Load {
  readonly limits: readonly RateLimit[];
  readonly ms: number;
  readonly gapMs?: number;
  readonly tokens?: number;
}

/** A request each gap that ends before the next one. */
async function load(proxy: ModelProxy, { limits, ms, gapMs = 20, tokens = 0 }: Load) {
  const before = proxy.calls;
  const decisions: (RateDecision | undefined)[] = [];
  for (let at = 0; at < ms; at += gapMs) {
    const decision = await takeOf(proxy, limits, tokens);
    decisions.push(decision);
    await world.step(gapMs);
    decision?.reservation?.settle(tokens);
  }
  const admitted = decisions.filter((decision) => decision?.reservation !== undefined).length;
  return { admitted, calls: proxy.calls - before, decisions };
}

const remaining = async (proxy: ModelProxy, limits: readonly RateLimit[]) =>
  (await takeOf(proxy, limits))?.standings.map((standing) => standing.remaining);

describe('requests of a busy limit', () => {
  it('need a call every quarter of a second after the first second, and count one by one', async () => {
    const [proxy, limits] = [world.newProxy(), [newRequests(6_000)]];
    const first = await load(proxy, { limits, ms: 1_000 });
    expect(first.calls, 'one more learns the time of Redis').toBe(51);
    const { calls, admitted, decisions } = await load(proxy, { limits, ms: 2_000 });
    expect(admitted).toBe(100);
    expect(calls).toBeLessThanOrEqual(2 * 6);
    const left = decisions.map((decision) => decision?.standings[0]?.remaining);
    expect(left).toEqual(left.map((_, index) => 6_000 - 50 - index - 1));
  });

  it('go to Redis one by one if they are fewer than sixteen a second', async () => {
    const [proxy, limits] = [world.newProxy(), [newRequests(6_000)]];
    const { calls } = await load(proxy, { limits, ms: 4_000, gapMs: 80 });
    expect(calls, 'one more learns the time of Redis').toBe(51);
  });

  it('are leased only until the second of Redis ends', async () => {
    const [proxy, limits] = [world.newProxy(), [newRequests(6_000)]];
    await load(proxy, { limits, ms: 1_900 });
    await world.step(100);
    for (let second = 0; second < 3; second++) {
      const before = proxy.calls;
      await load(proxy, { limits, ms: 20 });
      expect(proxy.calls, 'the first request of a second').toBe(before + 1);
      await load(proxy, { limits, ms: 880 });
      // Most of the last lease is left.
      await world.step(100);
    }
  });

  it('return soon when the load stops: no other proxy misses them', async () => {
    const [proxy, other, limits] = [world.newProxy(), world.newProxy(), [newRequests(6_000)]];
    const { admitted } = await load(proxy, { limits, ms: 2_300 });
    const [during = 0] = (await remaining(other, limits)) ?? [];
    expect(during).toBeLessThan(6_000 - admitted - 1);
    await world.step(400);
    expect(await remaining(other, limits)).toEqual([6_000 - admitted - 2]);
  });

  it('return to the second before, if it has ended meanwhile', async () => {
    const [proxy, other, limits] = [world.newProxy(), world.newProxy(), [newRequests(6_000)]];
    const { admitted } = await load(proxy, { limits, ms: 1_880 });
    await world.step(500);
    expect(await remaining(other, limits)).toEqual([6_000 - admitted - 1]);
    await world.step(60_000);
    expect(await remaining(other, limits), 'only the request after the load').toEqual([6_000 - 2]);
  });

  it('are leased up to a quarter of what is free, so that other proxies find some', async () => {
    const max = 600;
    const [proxy, other, limit] = [world.newProxy(), world.newProxy({ leases: false }), newRequests(max)];
    const closed = newRequests(0);
    let [admitted, most] = [0, 0];
    for (let nth = 0; nth < 590; nth++) {
      if ((await takeOf(proxy, [limit]))?.reservation !== undefined) admitted++;
      await world.step(5);
      // A refused request takes nothing.
      const [left = 0] = (await remaining(other, [limit, closed])) ?? [];
      const leased = max - admitted - left;
      expect(leased).toBeLessThanOrEqual((max - admitted + 50) / 4);
      most = Math.max(most, leased);
    }
    expect(most).toBeGreaterThanOrEqual(40);
  });

  it('with a full small limit beside go to Redis, and without it do not', async () => {
    const [proxy, large, small] = [world.newProxy(), newRequests(6_000), newRequests(10)];
    await load(proxy, { limits: [large], ms: 2_000 });
    const mixed = await load(proxy, { limits: [large, small], ms: 400 });
    expect(mixed).toMatchObject({ calls: 20, admitted: 10 });
    const alone = await load(proxy, { limits: [large], ms: 400 });
    expect(alone.calls).toBeLessThanOrEqual(4);
    expect(await remaining(proxy, [large])).toEqual([6_000 - 100 - 10 - 20 - 1]);
  });

  it('of a lease whose call was lost stay counted, and are not used', async () => {
    const [proxy, other, limits] = [world.newProxy(), world.newProxy(), [newRequests(6_000)]];
    const { admitted } = await load(proxy, { limits, ms: 2_000 });
    proxy.fault = () => ({ kind: 'unacknowledged' });
    const lost = takeOf(proxy, limits);
    await world.settled();
    await world.step(100);
    expect(await lost).toBeUndefined();
    proxy.fault = () => ({ kind: 'none' });
    await world.step(900);
    const [left = 0] = (await remaining(other, limits)) ?? [];
    expect(6_000 - admitted - 2 - left).toBeGreaterThanOrEqual(10);
    await world.step(62_000);
    expect(await remaining(other, limits)).toEqual([5_999]);
  });

  it('of leases are not used after the wall clock jumped, and return', async () => {
    const [proxy, limits, others] = [world.newProxy(), [newRequests(6_000)], [newRequests(6_000)]];
    for (let at = 0; at < 2_040; at += 20) {
      await takeOf(proxy, limits);
      await takeOf(proxy, others);
      await world.step(20);
    }
    const callsFor = async (requested: readonly RateLimit[]) => {
      const before = proxy.calls;
      await takeOf(proxy, requested);
      return proxy.calls - before;
    };
    expect([await callsFor(limits), await callsFor(others)]).toEqual([0, 0]);
    proxy.wallShiftMs += 5_000;
    expect([await callsFor(limits), await callsFor(others)]).toEqual([1, 1]);
    await world.step(400);
    expect(await remaining(world.newProxy(), limits)).toEqual([6_000 - 102 - 2 - 1]);
  });
});

describe('refusals of a busy limit', () => {
  it('come from memory for a quarter of a second, and end when the limit opens', async () => {
    const [proxy, limits] = [world.newProxy(), [newRequests(60)]];
    const first = await load(proxy, { limits, ms: 3_000 });
    expect(first.admitted).toBe(60);
    const full = await load(proxy, { limits, ms: 4_000 });
    expect(full.admitted).toBe(0);
    expect(full.calls).toBeLessThanOrEqual(4 * 5);
    const opens = full.decisions.map((decision) => decision?.standings[0]?.opensInMs);
    expect(opens).toEqual(opens.map((_, index) => 58_000 - 20 * index));
    await world.step(53_000);
    const later = await load(proxy, { limits, ms: 2_000 });
    expect(later.decisions.findIndex((decision) => decision?.reservation !== undefined)).toBe(50);
  });

  it('do not outlast a raised limit', async () => {
    const [proxy, limit] = [world.newProxy(), newRequests(60)];
    await load(proxy, { limits: [limit], ms: 4_000 });
    const { admitted } = await load(proxy, { limits: [{ ...limit, max: 100 }], ms: 200 });
    expect(admitted).toBe(10);
  });
});

describe('tokens of a busy limit', () => {
  it('that are leased and a full bucket are together no more than the limit', async () => {
    const max = 60_000;
    const [proxy, other, limits] = [world.newProxy(), world.newProxy(), [newTokens(max)]];
    await load(proxy, { limits, ms: 2_020, tokens: 10 });
    // Far less was used than is refilled meanwhile.
    await world.step(180);
    const [left = 0] = (await remaining(other, limits)) ?? [];
    expect(left).toBeGreaterThan(0.97 * max);
    await takeOf(other, limits, left);
    const before = proxy.calls;
    let used = left;
    while (proxy.calls === before)
      if ((await takeOf(proxy, limits, 10))?.reservation !== undefined && proxy.calls === before) used += 10;
    expect(used).toBeGreaterThan(left);
    expect(used).toBeLessThanOrEqual(max);
  });

  it('return when the load stops, as do those that were not used', async () => {
    const [proxy, other, limits] = [world.newProxy(), world.newProxy(), [newTokens(600_000)]];
    const reservations: RateReservation[] = [];
    for (let at = 0; at < 2_000; at += 20) {
      const decision = await takeOf(proxy, limits, 2_000);
      if (decision?.reservation !== undefined) reservations.push(decision.reservation);
      await world.step(20);
    }
    expect(reservations).toHaveLength(100);
    for (const reservation of reservations) reservation.settle(100);
    await world.step(1_500);
    expect(await remaining(other, limits)).toEqual([600_000]);
  });
});

describe('slots of a busy limit', () => {
  it('wait at the proxy for the next request, and return if there is none', async () => {
    const [proxy, other, limit] = [world.newProxy(), world.newProxy(), newSlotLimit(40)];
    await load(proxy, { limits: [limit], ms: 1_000 });
    const { calls, admitted } = await load(proxy, { limits: [limit], ms: 2_000 });
    expect(admitted).toBe(100);
    expect(calls).toBeLessThanOrEqual(6);
    await world.step(400);
    const all = await Promise.all(Array.from({ length: 40 }, () => takeOf(other, [limit])));
    expect(all.every((decision) => decision?.reservation !== undefined)).toBe(true);
  });

  it('return at once while fewer than a quarter are free', async () => {
    const [proxy, other, limit] = [world.newProxy(), world.newProxy(), newSlotLimit(8)];
    for (let nth = 0; nth < 7; nth++) await takeOf(other, [limit]);
    await load(proxy, { limits: [limit], ms: 2_000 });
    await world.settled();
    expect((await takeOf(other, [limit]))?.reservation).toBeDefined();
  });

  it('that waited at a killed proxy are free within 30 seconds', async () => {
    const [proxy, other, limit] = [world.newProxy(), world.newProxy(), newSlotLimit(40)];
    await load(proxy, { limits: [limit], ms: 2_000 });
    proxy.isAlive = false;
    await world.step(30_500);
    expect(await remaining(other, [limit])).toEqual([39]);
  });
});

it('a call with leases that runs twice takes them once', async () => {
  const [proxy, other] = [world.newProxy(), world.newProxy()];
  const limits = [newRequests(6_000), newTokens(600_000)];
  proxy.fault = () => ({ kind: 'twice' });
  const { admitted } = await load(proxy, { limits, ms: 3_000, tokens: 100 });
  await world.step(400);
  expect(admitted).toBe(150);
  expect((await remaining(other, limits))?.[0]).toBe(6_000 - 150 - 1);
});

it('when Redis falls silent, leases are used to their end, and then each proxy’s part of what was left', async () => {
  const limits = [newRequests(1_200)];
  const proxies = Array.from({ length: 3 }, () => world.newProxy({ sharedBy: 3 }));
  const admittedIn = async (ms: number) => {
    let admitted = 0;
    for (let at = 0; at < ms; at += 20) {
      const decisions = Promise.all(proxies.map((proxy) => takeOf(proxy, limits)));
      await world.settled();
      await world.step(20);
      // A call without a response takes its time.
      let isDone = false;
      void decisions.then(() => {
        isDone = true;
      });
      for (await world.settled(); !isDone; await world.settled()) await world.step(10);
      admitted += (await decisions).filter((decision) => decision?.reservation !== undefined).length;
    }
    return admitted;
  };
  const before = await admittedIn(4_040);
  expect(before).toBeGreaterThan(500);
  for (const proxy of proxies) proxy.fault = () => ({ kind: 'unsent' });
  const after = await admittedIn(8_000);
  expect(after).toBeGreaterThan(1_200 / 3);
  expect(before + after).toBeLessThanOrEqual(1_200);
  for (const proxy of proxies) proxy.fault = () => ({ kind: 'none' });
  await world.step(1_000);
  const again = await admittedIn(1_000);
  expect(before + after + again).toBeLessThanOrEqual(1_200);
});
