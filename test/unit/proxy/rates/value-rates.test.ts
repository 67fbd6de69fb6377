// Counters of values that callers choose are bounded by organization; beyond the bound values share a counter.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { counterOf, otherCounterOf } from '../../../../common/counter-names.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { RateLimit } from '../../../../proxy/rates/rates.ts';
import { ValueRates } from '../../../../proxy/rates/value-rates.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const limitId = randomUUID();

function scene(max: number) {
  const clock = new VirtualTime();
  const local = new LocalRates({ clock, onTake: () => undefined });
  const used: string[] = [];
  const rates = new ValueRates(
    {
      take: (question) => {
        used.push(...question.limits.map(({ id }) => id));
        return local.take(question);
      },
    },
    clock,
    max,
  );
  const admits = (value: string, organizationId = 'a', byCaller = true) => {
    const counter = { id: counterOf(limitId, value), kind: 'requests_per_minute', max: 2 } as const;
    const limit: RateLimit = byCaller ? { ...counter, byCaller } : counter;
    const taken = rates.take({ organizationId, limits: [limit], tokens: 0 });
    if (taken instanceof Promise) throw new Error('memory has the result');
    return taken.reservation !== undefined;
  };
  return { clock, local, used, admits };
}

describe('rates for each value', () => {
  it('are counted apart up to the bound of the organization, and together beyond it', () => {
    const { admits, used, local } = scene(3);
    for (const value of ['ann', 'bob', 'cid'])
      expect([admits(value), admits(value), admits(value)]).toEqual([true, true, false]);
    const random = Array.from({ length: 1_000 }, (_, index) => admits(`random ${index}`));
    expect(random.filter(Boolean)).toHaveLength(2);
    expect(new Set(used.slice(9))).toEqual(new Set([otherCounterOf(limitId)]));
    expect(local.size).toBe(4);
    // Another organization has its own bound.
    expect(admits('ann of b', 'b')).toBe(true);
    expect(used.at(-1)).toBe(counterOf(limitId, 'ann of b'));
  });

  it('leave the room of values that were not used for two minutes', async () => {
    const { admits, used, clock } = scene(1);
    admits('ann');
    await clock.advance(61_000);
    admits('ann');
    await clock.advance(61_000);
    admits('bob');
    expect(used.at(-1)).toBe(otherCounterOf(limitId));
    await clock.advance(121_000);
    admits('bob');
    expect(used.at(-1)).toBe(counterOf(limitId, 'bob'));
  });

  it('of keys are not bounded, because operators create keys', () => {
    const { admits, used } = scene(0);
    admits('key', 'a', false);
    expect(used).toEqual([counterOf(limitId, 'key')]);
  });
});
