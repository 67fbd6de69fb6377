// Properties of rates in memory beyond their arithmetic (test/integration/proxy/rates.test.ts): they are bounded, and
// they replace Redis when it fails.
import { describe, expect, it } from 'vitest';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { RateReservation, Rates } from '../../../../proxy/rates/rates.ts';
import { createSharedRates } from '../../../../proxy/rates/shared-rates.ts';
import { RedisUnavailableError } from '../../../../proxy/redis/connection.ts';
import { admit, kindOfTomorrow, newLimit, newRequests, newSlotLimit, newTokens, take } from '../../../support/rates.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

function newLocal(limitsMax?: number) {
  let taken = 0;
  const rates = new LocalRates({
    clock: new VirtualTime(),
    onTake: () => taken++,
    ...(limitsMax !== undefined && { limitsMax }),
  });
  return { rates, taken: () => taken };
}

describe('rates in memory', () => {
  it('are bounded: the limits unused for longest are forgotten, requests under way never', async () => {
    const { rates } = newLocal(3);
    const [requests, slots] = [newRequests(1), newSlotLimit(1)];
    await admit(rates, [requests]);
    const reservation = await admit(rates, [slots]);
    for (let i = 0; i < 10; i++) await admit(rates, [newTokens(10)], 5);
    expect(rates.size).toBe(3 + 1);
    await admit(rates, [requests]);
    expect((await take(rates, [slots])).reservation).toBeUndefined();
    reservation.settle(0);
    expect(rates.size).toBe(3);
  });

  it('throw for an unknown kind of limit, which would otherwise be counted as another kind', () => {
    const { rates } = newLocal();
    expect(() => rates.take({ organizationId: '', limits: [newLimit(kindOfTomorrow, 10)], tokens: 1 })).toThrow(
      'no case for "requests_per_century"',
    );
  });
});

describe('shared rates', () => {
  /** Admits everything until it has a failure. */
  class FakeRedis implements Rates {
    failure: Error | undefined;
    readonly settled: number[] = [];

    async take(): Promise<{ standings: []; reservation: RateReservation }> {
      if (this.failure !== undefined) throw this.failure;
      return { standings: [], reservation: { settle: (tokens) => void this.settled.push(tokens) } };
    }
  }

  it('are counted in memory while Redis fails, including the requests that Redis had admitted', async () => {
    const [redis, { rates: local, taken }] = [new FakeRedis(), newLocal()];
    const shared = createSharedRates({ redis, local });
    const slots = newSlotLimit(2);
    const first = await admit(shared, [slots]);
    redis.failure = new RedisUnavailableError('down');
    const second = await admit(shared, [slots]);
    expect(taken()).toBe(1);
    expect((await take(shared, [slots])).reservation).toBeUndefined();
    first.settle(7);
    expect(redis.settled).toEqual([7]);
    await admit(shared, [slots]);
    second.settle(9);
    expect(redis.settled).toEqual([7]);
    expect(local.size).toBe(1);
  });

  it('do not hide a defect', async () => {
    const redis = new FakeRedis();
    redis.failure = new TypeError('a defect');
    const shared = createSharedRates({ redis, local: newLocal().rates });
    await expect(take(shared, [newRequests(1)])).rejects.toThrow('a defect');
  });
});
