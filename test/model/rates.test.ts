// The model of rates over a real Redis. GATEWAY_TEST_ROUNDS=5 runs the long form; `node test/model/run-rates.ts` runs
// any number of schedules.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { roundsOf, startingSeed } from '../support/seed.ts';
import { runRates } from './rates.model.ts';

// RATES_SEED repeats the schedule that a failure names.
const firstSeed = Number(process.env.RATES_SEED ?? startingSeed());
const seeds = Array.from({ length: roundsOf(4) }, (_, index) => firstSeed + index);

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
beforeEach(() => redis.flush());
afterAll(() => redis?.stop());

it.each(seeds)('rates are never exceeded, whatever happens to proxies and messages (seed %i)', async (seed) => {
  const { requests, admitted, calls, fullest } = await runRates({ url: redis.url, seed, seconds: 80 });
  console.log(`${requests} requests, ${admitted} admitted, ${calls} calls, the fullest minute ${fullest.toFixed(3)}`);
  // A schedule that admits nothing would prove nothing.
  expect(admitted).toBeGreaterThan(1_000);
});
