// The promises of rate limits, checked for the memory implementation and for scripts with a given time: in a real
// Redis, and in a Cluster of three masters, where each test uses another organization, so that every master counts.
// GATEWAY_TEST_ROUNDS=3 runs the long form.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RateReservation } from '../../../proxy/rates/rates.ts';
import { Random } from '../../support/access/random.ts';
import {
  admit,
  localScene,
  newLimit,
  newRequests,
  newSlotLimit,
  newTokens,
  type RatesScene,
  rateKinds,
  redisScene,
  take,
} from '../../support/rates.ts';
import { startRedis, startRedisCluster, type TestRedis, type TestRedisCluster } from '../../support/redis.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';

const minuteMs = 60_000;
const seed = Number(process.env.RATES_SEED ?? startingSeed());
console.log(`seed ${seed} (set RATES_SEED to repeat)`);

let redis: TestRedis;
let cluster: TestRedisCluster;
let organizations = 0;
beforeAll(async () => {
  [redis, cluster] = await Promise.all([startRedis(), startRedisCluster()]);
});
afterAll(() => Promise.all([redis?.stop(), cluster?.stop()]));

function clusterScene(): Promise<RatesScene> {
  organizations++;
  return redisScene(cluster.urls.join(','), `organization-${organizations}`);
}

const implementations: readonly (readonly [string, () => Promise<RatesScene>])[] = [
  ['memory', localScene],
  ['Redis', () => redisScene(redis.url)],
  ['a Redis Cluster', clusterScene],
];

interface Charge {
  readonly at: number;
  readonly tokens: number;
}

/** Checks that no interval that begins with a charge has more than the limit and its refill. */
function expectBounded(charges: readonly Charge[], max: number): void {
  charges.forEach((first, index) => {
    let sum = 0;
    for (const { at, tokens } of charges.slice(index)) {
      sum += tokens;
      expect(sum).toBeLessThanOrEqual(max + (max * (at - first.at)) / minuteMs);
    }
  });
}

describe.each(implementations)('rates in %s', (_name, open) => {
  let scene: RatesScene;
  let elapsed: number;
  beforeEach(async () => {
    scene = await open();
    elapsed = 0;
  });
  afterEach(() => scene.close());

  const advance = async (ms: number) => {
    elapsed += ms;
    await scene.advance(ms);
  };

  it.each(rateKinds)('count limits on %s', async (kind) => {
    const limits = [newLimit(kind, 10)];
    await admit(scene.rates, limits, 4);
    expect((await take(scene.rates, limits, 4)).standings[0]?.remaining).toBeLessThan(10 - 1);
  });

  describe('requests per minute', () => {
    it.each([1, 2, 7, 60, 400])('never exceed %i in any 60 s, in any sequence', async (max) => {
      const random = new Random(seed + max);
      const limit = newRequests(max);
      const times: number[] = [];
      const typicalGapMs = minuteMs / max / 2;
      // Full at once, and again in the next minute.
      while (elapsed < (max < 60 ? 4 : 2) * minuteMs) {
        const { reservation, standings } = await take(scene.rates, [limit]);
        const opensInMs = standings[0]?.opensInMs ?? 0;
        expect(reservation === undefined).toBe(opensInMs > 0);
        if (reservation !== undefined) times.push(elapsed);
        if (reservation === undefined && random.chance(0.8)) await advance(opensInMs);
        else await advance(random.below(2 * typicalGapMs));
      }
      times.forEach((time, index) => {
        const inMinute = times.filter((other, at) => at <= index && other > time - minuteMs).length;
        expect(inMinute).toBeLessThanOrEqual(max);
      });
    });

    it.each([1, 10, 100])('of a limit of %i are nearly all usable: 98 in 100', async (max) => {
      const limit = newRequests(max);
      const minutes = 61;
      let admitted = 0;
      while (elapsed < minutes * minuteMs) {
        const { reservation, standings } = await take(scene.rates, [limit]);
        if (reservation !== undefined) admitted++;
        else await advance(standings[0]?.opensInMs ?? 0);
      }
      expect(admitted).toBeGreaterThanOrEqual(0.98 * max * minutes);
    });

    it('are admitted again at the reported time, and not a millisecond before', async () => {
      const limit = newRequests(2);
      await advance(123);
      await admit(scene.rates, [limit]);
      await advance(20_500);
      await admit(scene.rates, [limit]);
      await advance(10_000);
      const opensInMs = (await take(scene.rates, [limit])).standings[0]?.opensInMs ?? 0;
      expect(elapsed + opensInMs).toBe(61_000);
      await advance(opensInMs - 1);
      expect(await take(scene.rates, [limit])).toMatchObject({ standings: [{ opensInMs: 1 }] });
      await advance(1);
      expect((await take(scene.rates, [limit])).standings).toEqual([
        { opensInMs: 0, remaining: 0, resetsInMs: 61_000 },
      ]);
    });

    it('are counted for each limit alone, and a changed limit keeps its count', async () => {
      const limit = newRequests(3);
      for (let i = 0; i < 3; i++) await admit(scene.rates, [limit]);
      expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
      await admit(scene.rates, [newRequests(3)]);
      const raised = { ...limit, max: 5 };
      expect((await take(scene.rates, [raised])).standings[0]?.remaining).toBe(1);
      expect((await take(scene.rates, [{ ...limit, max: 1 }])).standings[0]?.remaining).toBe(0);
    });

    it('are never admitted by a limit of zero', async () => {
      expect((await take(scene.rates, [newRequests(0)])).reservation).toBeUndefined();
    });
  });

  describe('tokens per minute', () => {
    it.each([100, 6_000, 1_000_000])('never exceed %i plus the refill in any interval', async (max) => {
      const random = new Random(seed + max);
      const limit = newTokens(max);
      const charges: Charge[] = [];
      const open: { reservation: RateReservation; estimate: number }[] = [];
      const ask = async (tokens: number) => {
        const { reservation, standings } = await take(scene.rates, [limit], tokens);
        if (reservation === undefined) return standings[0]?.opensInMs ?? 0;
        charges.push({ at: elapsed, tokens });
        open.push({ reservation, estimate: tokens });
        return 0;
      };
      const end = ({ reservation, estimate }: { reservation: RateReservation; estimate: number }) => {
        const used = random.below(estimate + 1);
        reservation.settle(used);
        charges.push({ at: elapsed, tokens: used - estimate });
      };
      while (elapsed < roundsOf(2) * minuteMs) {
        const tokens = 1 + random.below(random.chance(0.1) ? max : max / 10);
        const opensInMs = await ask(tokens);
        await advance(opensInMs);
        if (opensInMs > 0) expect(await ask(tokens)).toBe(0);
        if (random.chance(0.5)) open.splice(random.below(open.length), 1).forEach(end);
        await advance(random.below(2_000));
      }
      expectBounded(charges, max);
    });

    it('can be used at once, then as they refill, at the reported times', async () => {
      const limit = newTokens(600);
      await admit(scene.rates, [limit], 600);
      const refused = await take(scene.rates, [limit], 50);
      expect(refused).toEqual({
        reservation: undefined,
        standings: [{ opensInMs: 5_000, remaining: 0, resetsInMs: 60_000 }],
      });
      await advance(4_999);
      expect((await take(scene.rates, [limit], 50)).standings[0]?.opensInMs).toBe(1);
      await advance(1);
      expect((await take(scene.rates, [limit], 50)).standings).toEqual([
        { opensInMs: 0, remaining: 0, resetsInMs: 60_000 },
      ]);
    });

    it('are settled: unused estimates return, and excess use is deducted', async () => {
      const limit = newTokens(1_000);
      const remaining = async () => {
        await advance(1);
        return (await take(scene.rates, [limit], 0)).standings[0]?.remaining;
      };
      const low = await admit(scene.rates, [limit], 800);
      expect(await remaining()).toBe(200);
      low.settle(100);
      expect(await remaining()).toBe(900);
      const high = await admit(scene.rates, [limit], 100);
      high.settle(1_800);
      expect(await remaining()).toBe(0);
      const { opensInMs = 0 } = (await take(scene.rates, [limit], 1)).standings[0] ?? {};
      expect(Math.round(opensInMs / 1000)).toBe(54);
    });

    it('never return above the limit, and a debt ends within an hour', async () => {
      const limit = newTokens(60);
      const early = await admit(scene.rates, [limit], 60);
      await advance(minuteMs);
      early.settle(0);
      await advance(1);
      expect((await take(scene.rates, [limit], 0)).standings[0]?.remaining).toBe(60);
      (await admit(scene.rates, [limit], 1)).settle(Number.MAX_SAFE_INTEGER);
      await advance(1);
      expect((await take(scene.rates, [limit], 1)).standings[0]?.opensInMs).toBeLessThanOrEqual(3_600_000);
    });
  });

  describe('concurrent requests', () => {
    it('are admitted up to the limit, and one more for each that ends', async () => {
      const limit = newSlotLimit(2);
      const [first] = [await admit(scene.rates, [limit]), await admit(scene.rates, [limit])];
      expect(await take(scene.rates, [limit])).toEqual({
        reservation: undefined,
        standings: [{ opensInMs: 1_000, remaining: 0, resetsInMs: 0 }],
      });
      first.settle(0);
      await scene.advance(1);
      await admit(scene.rates, [limit]);
      expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
    });

    it('keep their slot for as long as they last', async () => {
      const limit = newSlotLimit(1);
      const reservation = await admit(scene.rates, [limit]);
      for (let i = 0; i < 10; i++) {
        await scene.advance(12_345);
        expect((await take(scene.rates, [limit])).reservation).toBeUndefined();
      }
      reservation.settle(0);
      await scene.advance(1);
      await admit(scene.rates, [limit]);
    });

    it('neither leak a slot nor give one away twice, in any sequence', async () => {
      const random = new Random(seed);
      const limit = newSlotLimit(5);
      const open: RateReservation[] = [];
      for (let i = 0; i < roundsOf(200); i++) {
        if (random.chance(0.6)) {
          const { reservation } = await take(scene.rates, [limit]);
          expect(reservation === undefined).toBe(open.length >= 5);
          if (reservation !== undefined) open.push(reservation);
        } else {
          open.splice(random.below(open.length), 1)[0]?.settle(0);
        }
        await scene.advance(random.below(3_000));
      }
    });
  });

  describe('several limits together', () => {
    it('take nothing of each other when one refuses', async () => {
      const closed = newRequests(1);
      await admit(scene.rates, [closed]);
      const others = [newRequests(10), newTokens(1_000), newSlotLimit(3)];
      for (const order of [
        [closed, ...others],
        [...others, closed],
      ]) {
        expect((await take(scene.rates, order, 500)).reservation).toBeUndefined();
      }
      const { standings } = await take(scene.rates, others, 0);
      expect(standings.map(({ remaining }) => remaining)).toEqual([9, 1_000, 2]);
    });

    it('are all reserved, and all released', async () => {
      const limits = [newTokens(100), newTokens(200), newSlotLimit(1), newRequests(5)];
      const reservation = await admit(scene.rates, limits, 90);
      expect((await take(scene.rates, limits, 0)).standings.map(({ remaining }) => remaining)).toEqual([
        ...[10, 110],
        ...[0, 4],
      ]);
      reservation.settle(0);
      await scene.advance(1);
      expect((await take(scene.rates, limits, 0)).standings.map(({ remaining }) => remaining)).toEqual([
        ...[100, 200],
        ...[0, 3],
      ]);
    });
  });
});

describe('memory, Redis and a Redis Cluster', () => {
  it('give the same results for the same requests', async () => {
    const random = new Random(seed);
    const scenes = await Promise.all(implementations.map(([, open]) => open()));
    const limits = [newRequests(20), newTokens(3_000), newSlotLimit(4), newRequests(35), newTokens(9_000)];
    const open: (readonly (RateReservation | undefined)[])[] = [];
    for (let i = 0; i < roundsOf(500); i++) {
      const requested = [random.pick(limits), ...limits].filter((_, at) => at === 0 || random.chance(0.5));
      const tokens = random.below(1_000);
      const unique = [...new Set(requested)];
      const responses = await Promise.all(scenes.map(({ rates }) => take(rates, unique, tokens)));
      const parsed = responses.map(({ standings, reservation }) => ({
        standings,
        admitted: reservation !== undefined,
      }));
      expect(parsed, `question ${i}`).toEqual(scenes.map(() => parsed[0]));
      if (parsed[0]?.admitted === true) open.push(responses.map(({ reservation }) => reservation));
      const used = random.below(1_500);
      const [ended = []] = random.chance(0.5) ? open.splice(random.below(open.length), 1) : [];
      for (const reservation of ended) reservation?.settle(used);
      const ms = random.chance(0.02) ? random.below(90_000) : random.below(800);
      for (const scene of scenes) await scene.advance(ms);
    }
    for (const scene of scenes) await scene.close();
  });
});
