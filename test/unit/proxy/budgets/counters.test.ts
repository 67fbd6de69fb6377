// Budgets for each value at one proxy: a counter is acquired with its value, and a value without room counts with the
// further values. A caller that sends random values gets no more money than that, and fills neither memory nor the ledger.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counterOf, otherCounterOf } from '../../../../common/counter-names.ts';
import type { BudgetQuestion } from '../../../../proxy/budgets/budgets.ts';
import { usageOf } from '../../../support/usage-queue.ts';
import { World } from './world.ts';

const limit = randomUUID();
let world: World;

beforeEach(async () => {
  world = new World();
  world.ledger.counterAmount = 1_000;
  await world.time.advance(5);
});

afterEach(() => {
  expect(world.defects).toEqual([]);
});

function ask(full: number, value: string): BudgetQuestion {
  const budget = { id: counterOf(limit, value), period: 'day', value } as const;
  return { budgets: [budget], full, least: full, ifKilled: () => usageOf() };
}

describe('a budget for each value', () => {
  it('is acquired with its value, from the next window on too', async () => {
    world.ledger.sessions = 1;
    await world.time.advance(11_000);
    await world.take(ask(100, 'ann'));
    expect(world.link.acquisitions).toMatchObject([{ budgetId: counterOf(limit, 'ann'), value: 'ann', seq: 1 }]);
    // Money of the window after is acquired shortly before it begins.
    await world.time.advance(3_600_000 - 11_000 - 2_000);
    await world.take(ask(100, 'ann'));
    await world.time.advance(3_000);
    const windows = new Set(world.link.acquisitions.map(({ window }) => window));
    expect(windows.size).toBe(2);
    expect(new Set(world.link.acquisitions.map(({ value }) => value))).toEqual(new Set(['ann']));
  });

  it('counts a value without room with the further values, and others on their own', async () => {
    world.ledger.countersMax = 1;
    await world.take(ask(100, 'ann'));
    const further = await world.take(ask(600, 'bob'));
    expect(further.leases.map(({ budgetId }) => budgetId)).toEqual([otherCounterOf(limit)]);
    expect(await world.refusal(ask(600, 'cid'), 5_000)).toBe(`busy ${otherCounterOf(limit)}`);
    expect(world.budgets.leases().map(({ origin }) => origin.budgetId)).toEqual([
      counterOf(limit, 'ann'),
      otherCounterOf(limit),
    ]);
    const own = await world.take(ask(100, 'ann'));
    expect(own.leases.map(({ budgetId }) => budgetId)).toEqual([counterOf(limit, 'ann')]);
  });

  it('numbers the operations of a value from 1 again once there is room', async () => {
    world.ledger.countersMax = 0;
    await world.take(ask(100, 'bob'));
    world.ledger.countersMax = 1;
    await world.time.advance(1_500);
    const own = await world.take(ask(100, 'bob'));
    expect(own.leases.map(({ budgetId }) => budgetId)).toEqual([counterOf(limit, 'bob')]);
    expect(world.link.acquisitions.filter(({ value }) => value === 'bob').map(({ seq }) => seq)).toEqual([1, 1]);
  });

  it('is charged by its limit, whichever counter it is', async () => {
    world.ledger.countersMax = 0;
    const further = await world.take(ask(100, 'bob'));
    expect(further.settle(40, new Set([limit]))).toEqual([
      { budgetId: otherCounterOf(limit), window: expect.any(String), escrow: 40 },
    ]);
  });

  it('bounds what random values get, remember and call', async () => {
    world.ledger.countersMax = 20;
    let admitted = 0;
    for (let round = 0; round < 40; round++) {
      const batch = Array.from({ length: 25 }, (_, index) => world.refusal(ask(500, `random ${round} ${index}`), 0));
      await world.time.advance(20);
      for (const outcome of await Promise.all(batch)) if (outcome === 'let in') admitted += 1;
    }
    await world.time.advance(5_000);
    expect(admitted).toBeGreaterThan(20);
    // Two of each of the 20 counters, and two of the further values.
    expect(admitted).toBeLessThanOrEqual(2 * 21);
    expect(world.budgets.leases().length).toBeLessThanOrEqual(21);
    // A thousand values, and not a call for each.
    expect(world.link.acquisitions.length).toBeLessThan(150);
  });
});
