// Requests that a proxy admitted alone while Redis was silent are reported to Redis once, with any number of concurrent
// calls.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LocalRates } from '../../../proxy/rates/local-rates.ts';
import type { RateLimit } from '../../../proxy/rates/rates.ts';
import { RedisUnavailableError } from '../../../proxy/redis/connection.ts';
import { until } from '../../support/process.ts';
import { admit, newRequests, newTokens, type RedisScene, redisScene, take } from '../../support/rates.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
let scene: RedisScene;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());
beforeEach(async () => {
  await redis.flush();
  scene = await redisScene(redis.url);
});
afterEach(() => scene.close());

describe('a count of requests that were admitted without Redis', () => {
  /**
   * Five requests of 10 tokens were admitted alone; calls wait until the test resolves them, and fail if it rejects
   * them.
   */
  async function proxyAlone() {
    const limits = [newRequests(100), newTokens(1_000)];
    const alone = new LocalRates({ clock: scene.time, onTake: () => undefined, proxies: () => 1 });
    const calls: PromiseWithResolvers<void>[] = [];
    let isGated = false;
    const rates = scene.newProxy(
      (connection) => ({
        ...connection,
        run: async (command, shard) => {
          const call = Promise.withResolvers<void>();
          if (isGated) calls.push(call);
          else call.resolve();
          await call.promise;
          return connection.run(command, shard);
        },
      }),
      alone,
    );
    await take(rates, [newRequests(1)]);
    isGated = true;
    for (let nth = 0; nth < 5; nth++) await admit(alone, limits, 10);
    /** In a separate tick; its call is running when this resolves. */
    const ask = async () => {
      const nth = calls.length;
      const response = take(rates, limits, 10);
      await until(() => calls.length > nth, { what: 'the call' });
      return { response, call: calls[nth] };
    };
    return { limits, ask };
  }

  const left = async (limits: readonly RateLimit[]) =>
    (await take(scene.rates, limits)).standings.map(({ remaining }) => remaining);

  it('is reported by one of several concurrent calls', async () => {
    const { ask, limits } = await proxyAlone();
    const pending = [await ask(), await ask(), await ask()];
    for (const { call } of pending) call?.resolve();
    await Promise.all(pending.map(({ response }) => response));
    expect(await left(limits)).toEqual([100 - 5 - 3 - 1, 1_000 - 50 - 30]);
  });

  it('is reported by the next call when the first fails', async () => {
    const { ask, limits } = await proxyAlone();
    const [first, second] = [await ask(), await ask()];
    first.call?.reject(new RedisUnavailableError('down'));
    await expect(first.response).rejects.toThrow('down');
    second.call?.resolve();
    await second.response;
    expect(await left(limits)).toEqual([100 - 1 - 1, 1_000 - 10]);
    const third = await ask();
    third.call?.resolve();
    await third.response;
    expect(await left(limits)).toEqual([100 - 5 - 2 - 2, 1_000 - 50 - 20]);
  });
});
