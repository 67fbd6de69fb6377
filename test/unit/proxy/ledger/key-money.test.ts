// The money of provider keys: a request has a reservation in the budgets of all keys that may get it, each attempt is
// charged to that of its own key, and a key without money is left out.
import { describe, expect, it } from 'vitest';
import type { Limit } from '../../../../proxy/access/principal.ts';
import { type BudgetQuestion, BudgetRefusal, type RefusalReason } from '../../../../proxy/budgets/budgets.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { Reservation } from '../../../../proxy/ledger/ledger.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { budgetsOf, callOf, cheap, dear, limit, modelsOf, served, world } from './route-money.fixture.ts';

const ofKey = (providerKeyId: string, fields: Partial<Limit> = {}) =>
  limit(`budget-${providerKeyId}`, undefined, { providerKeyId, ...fields });
const limits = [limit('all'), ofKey('a'), ofKey('b'), ofKey('c')];
const alone = { models: [cheap], keys: [['a', 'b']], limits, isAlone: true };

const keysOf = ({ call }: Reservation) =>
  [call, ...(call.alternatives ?? [])].map(({ targets }) => targets.map(({ providerKeyId }) => providerKeyId));

function targetNamed(target: Target | undefined): Target {
  if (target === undefined) throw new Error('the call has fewer targets');
  return target;
}

/** Refuses what is in these budgets. */
const spent =
  (refusals: Readonly<Record<string, RefusalReason>>) =>
  (question: BudgetQuestion): number => {
    const refusing = budgetsOf(question).find((id) => id in refusals);
    if (refusing !== undefined) throw new BudgetRefusal(refusing, refusals[refusing] ?? 'exceeded');
    return question.full;
  };

function refusalOf(reserve: () => unknown): unknown {
  try {
    reserve();
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? `${error.code} ${error.limitId}` : error;
  }
}

describe('a request that two provider keys may get', () => {
  it('reserves in the budgets of both, and is charged to that of the key which had it', async () => {
    const { questions, charges, events, reserve } = world();
    const reservation = reserve(callOf(alone));
    expect(questions.map(budgetsOf)).toEqual([['all', 'budget-a', 'budget-b']]);
    const [first, second] = reservation.call.targets;
    expect(await reservation.chargeAttempt(served(first), targetNamed(second))).toBe(true);
    reservation.settle(served(second));
    expect(charges).toEqual([
      [20_000, ['all', 'budget-a']],
      [20_000, ['all', 'budget-b']],
    ]);
    expect(events.map(({ providerKeyId }) => providerKeyId)).toEqual(['a', 'b']);
  });

  it('makes a further attempt with the money of its key alone, if the budget of another one has none', async () => {
    const { charges, reserve } = world(undefined, new Set(['budget-a']));
    const reservation = reserve(callOf(alone));
    const [first, second] = reservation.call.targets;
    // The same key again has no money.
    expect(await reservation.chargeAttempt(served(first), targetNamed(first))).toBe(false);
    expect(charges).toEqual([]);
    expect(await reservation.chargeAttempt(served(first), targetNamed(second))).toBe(true);
    reservation.settle(served(second));
    expect(charges).toEqual([
      [20_000, ['all', 'budget-a']],
      // All that it has a reservation in: the budget of its own key, and the common one.
      [20_000, undefined],
    ]);
  });

  it('moves that money to a third key after an attempt that cost nothing, and not without money for it', async () => {
    const three = { ...alone, keys: [['a', 'b', 'c']] };
    const lacking = new Set(['budget-a']);
    const { charges, events, reserve } = world(undefined, lacking);
    const reservation = reserve(callOf(three));
    const [first, second, third] = reservation.call.targets;
    expect(reservation.moveTo(targetNamed(second))).toBe(true);
    expect(await reservation.chargeAttempt(served(first), targetNamed(second))).toBe(true);
    lacking.add('budget-c');
    expect(await reservation.moveTo(targetNamed(third))).toBe(false);
    lacking.delete('budget-c');
    expect(await reservation.moveTo(targetNamed(third))).toBe(true);
    reservation.settle(served(third));
    expect(charges).toEqual([
      [20_000, ['all', 'budget-a']],
      [0, undefined],
      [20_000, undefined],
    ]);
    expect(events.map(({ providerKeyId }) => providerKeyId)).toEqual(['a', 'c']);
  });

  it('needs no money for a further attempt with a key that has no budget, and money again for one with a budget', async () => {
    const lacking = new Set(['budget-a']);
    const { charges, events, reserve } = world(undefined, lacking);
    const reservation = reserve(callOf({ ...alone, keys: [['a', 'x']], limits: [ofKey('a')] }));
    const [first, second] = reservation.call.targets;
    expect(await reservation.chargeAttempt(served(first), targetNamed(second))).toBe(true);
    expect(await reservation.moveTo(targetNamed(first))).toBe(false);
    reservation.settle(served(second));
    expect(charges).toEqual([[20_000, undefined]]);
    expect(events.map(({ providerKeyId, charges: of }) => [providerKeyId, of?.length])).toEqual([
      ['a', 1],
      ['x', 0],
    ]);
  });

  it('charges both of two attempts at a time to their own keys', async () => {
    const { charges, reserve } = world();
    const reservation = reserve(callOf(alone));
    const [first, second] = reservation.call.targets;
    await reservation.reserveHedge();
    reservation.chargeContender(served(first), false);
    reservation.settle(served(second));
    expect(charges.map(([, of]) => of)).toEqual([
      ['all', 'budget-a'],
      ['all', 'budget-b'],
    ]);
  });

  it('is sent with the other one if the budget of one is spent', () => {
    const { questions, reserve } = world(spent({ 'budget-a': 'exceeded' }));
    expect(keysOf(reserve(callOf(alone)))).toEqual([['b']]);
    expect(questions.map(budgetsOf)).toEqual([
      ['all', 'budget-a', 'budget-b'],
      ['all', 'budget-b'],
    ]);
  });

  it('is refused if both are spent; it may try again if the money of one is only reserved', () => {
    const both = (reasons: Readonly<Record<string, RefusalReason>>) =>
      refusalOf(() => world(spent(reasons)).reserve(callOf(alone)));
    expect(both({ 'budget-a': 'exceeded', 'budget-b': 'exceeded' })).toBe('budget_exceeded budget-b');
    expect(both({ 'budget-a': 'busy', 'budget-b': 'exceeded' })).toBe('budget_busy budget-a');
    expect(both({ 'budget-a': 'exceeded', 'budget-b': 'busy' })).toBe('budget_busy budget-b');
    expect(both({ all: 'exceeded' })).toBe('budget_exceeded all');
  });

  it('needs no price and no money with a key that has no budget', () => {
    const { questions, reserve } = world(spent({ 'budget-a': 'exceeded' }));
    expect(keysOf(reserve(callOf({ ...alone, keys: [['a', 'x']], limits: [ofKey('a')] })))).toEqual([['x']]);
    expect(questions).toHaveLength(1);
  });
});

describe('a route', () => {
  it('leaves out each model whose keys have no money, first ones too', () => {
    const routed = { models: [cheap, dear], keys: [['a'], ['b', 'c']], limits };
    const { reserve } = world(spent({ 'budget-a': 'exceeded', 'budget-b': 'exceeded' }));
    const reservation = reserve(callOf(routed));
    expect([modelsOf(reservation), keysOf(reservation)]).toEqual([[dear], [['c']]]);
  });

  it('counts a budget of a key for one model with that model only', () => {
    const { charges, questions, reserve } = world();
    const own = [ofKey('a', { model: dear })];
    const reservation = reserve(callOf({ models: [cheap, dear], keys: [['a'], ['a']], limits: own }));
    expect(questions.map(budgetsOf)).toEqual([['budget-a']]);
    reservation.settle(served(reservation.call.targets[0]));
    expect(charges).toEqual([[20_000, []]]);
  });
});
