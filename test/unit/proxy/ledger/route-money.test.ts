// The money of a request with several models: one reservation in every budget of every one, each attempt charged to the
// budgets of its own model.
import { describe, expect, it } from 'vitest';
import { type BudgetQuestion, BudgetRefusal } from '../../../../proxy/budgets/budgets.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { Reservation } from '../../../../proxy/ledger/ledger.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { outcomeWith } from '../../../support/charged-calls.ts';
import {
  budgetsOf,
  callOf,
  cheap,
  dear,
  limit,
  modelsOf,
  type Routed,
  rate,
  served,
  targetAt,
  unpriced,
  world,
} from './route-money.fixture.ts';

describe('the reservation of a request with two models', () => {
  const limits = [limit('all'), limit('cheap', cheap), limit('dear', dear), limit('other', 'gpt-provider/other')];

  it('is one, in the budgets of both, as much as the dearer one may cost', () => {
    const { questions, reserve } = world();
    const reservation = reserve(callOf({ models: [cheap, dear], limits }));
    expect(modelsOf(reservation)).toEqual([cheap, dear]);
    expect(questions.map(budgetsOf)).toEqual([['all', 'cheap', 'dear']]);
    const alone = world();
    alone.reserve(callOf({ models: [dear], limits }));
    expect(questions[0]?.full).toBe(alone.questions[0]?.full);
    // 100 tokens of output at $20 per million, and the prompt.
    expect(questions[0]?.full).toBeGreaterThan(100 * 20_000);
  });

  it('charges the budgets of the model that responded, at its price', () => {
    const { charges, events, reserve } = world();
    const reservation = reserve(callOf({ models: [cheap, dear], limits }));
    expect(reservation.settle(served(targetAt(reservation, 1))).cost).toBe(10 * 10_000 + 5 * 20_000);
    expect(charges).toEqual([[200_000, ['all', 'dear']]]);
    expect(events.map(({ modelAsked, provider, cost }) => [modelAsked, provider, cost])).toEqual([
      [dear, 'assistant-provider', 200_000],
    ]);
  });

  it('charges each attempt to its own model, and an abandoned one at most its own worst case', async () => {
    const { charges, events, reserve } = world();
    const call = callOf({ models: [cheap, dear], limits });
    const reservation = reserve(call);
    const alone = world();
    alone.reserve(callOf({ models: [cheap], limits }));
    const worst = alone.questions[0]?.full ?? 0;
    const abandoned = { ...outcomeWith({ ending: 'timed_out' }), target: targetAt(reservation, 0) };
    expect(await reservation.chargeAttempt(abandoned, sentAt(reservation, 1))).toBe(true);
    expect(reservation.settle(served(targetAt(reservation, 1))).cost).toBe(worst + 200_000);
    expect(charges).toEqual([
      [worst, ['all', 'cheap']],
      [200_000, ['all', 'dear']],
    ]);
    expect(events.map(({ modelAsked, cost }) => [modelAsked, cost])).toEqual([
      [cheap, worst],
      [dear, 200_000],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  });

  it('of attempts that the caller has a part of is in the cost that it sees; of others it is not', async () => {
    const cost = async (first: string, isPassedOn: boolean) => {
      const { reserve } = world();
      const reservation = reserve(callOf({ models: [first, dear] }));
      const cut = outcomeWith({
        ending: 'cut',
        usage: { ...noUsage, promptTokens: 10, completionTokens: 5 },
        complete: true,
      });
      await reservation.chargeAttempt({ ...cut, target: targetAt(reservation, 0), isPassedOn }, sentAt(reservation, 1));
      return reservation.costText({ ...noUsage, promptTokens: 10 }, targetAt(reservation, 1));
    };
    expect(await cost(cheap, false)).toBe('0.0001');
    expect(await cost(cheap, true)).toBe('0.00012');
    expect(await cost(unpriced, true)).toBeUndefined();
  });

  it('is in the budgets of the route’s name too', () => {
    const { questions, reserve } = world();
    reserve(callOf({ models: [cheap, dear], limits: [limit('route', 'route/fast'), limit('else', 'route/slow')] }));
    expect(questions.map(budgetsOf)).toEqual([['route']]);
  });

  it('leaves each model its own most tokens of output', () => {
    const { reserve } = world(() => 8_000_000);
    const reservation = reserve(
      callOf({ models: [cheap, dear], limits, fields: { max_completion_tokens: undefined } }),
    );
    const [cheapest = 0, dearest = 0] = [
      reservation.call.outputCeiling,
      reservation.call.alternatives?.[0]?.outputCeiling,
    ];
    expect(cheapest).toBe(1000);
    expect(dearest).toBeGreaterThan(0);
    expect(dearest).toBeLessThan(cheapest);
    const maxTokens = (at: number) => reservation.headersAt(targetAt(reservation, at)).at(-1);
    expect([maxTokens(0), maxTokens(1)]).toEqual([String(cheapest), String(dearest)]);
  });

  it('counts the limit that the route sets for a model', () => {
    const { questions, reserve } = world();
    const overrides = [{ maxOutputTokens: 10, reasoningEffort: undefined }];
    reserve(callOf({ models: [dear], limits: [limit('all')], overrides }));
    reserve(callOf({ models: [dear], limits: [limit('all')] }));
    expect((questions[1]?.full ?? 0) - (questions[0]?.full ?? 0)).toBe(90 * 20_000);
  });
});

describe('a model is left out', () => {
  const refusing = (id: string) => (question: BudgetQuestion) => {
    if (budgetsOf(question).includes(id)) throw new BudgetRefusal(id, 'exceeded', undefined);
    return question.full;
  };
  const limits = [limit('all'), limit('dear', dear)];

  it('whose own budget is spent, unless it is the first', () => {
    const { questions, reserve } = world(refusing('dear'));
    expect(modelsOf(reserve(callOf({ models: [cheap, dear], limits })))).toEqual([cheap]);
    expect(questions.map(budgetsOf)).toEqual([['all', 'dear'], ['all']]);
    expect(() => reserve(callOf({ models: [dear, cheap], limits }))).toThrow(/is spent/);
    expect(() => world(refusing('all')).reserve(callOf({ models: [cheap, dear], limits }))).toThrow(/is spent/);
  });

  it('first too, if the route says so; what is left decides then', () => {
    const { questions, reserve } = world(refusing('dear'));
    const call = callOf({ models: [dear, cheap], limits, onBudget: true });
    expect(modelsOf(reserve(call))).toEqual([cheap]);
    expect(questions.map(budgetsOf)).toEqual([['all', 'dear'], ['all']]);
    const alone = world();
    alone.reserve(callOf({ models: [cheap], limits }));
    expect(questions[1]?.full).toBe(alone.questions[0]?.full);
  });

  it('only while another one is left: the refusal is that of the first', () => {
    const refusals = world((question) => {
      const [id = ''] = budgetsOf(question);
      throw new BudgetRefusal(id, 'exceeded', undefined);
    });
    const own = [limit('cheap', cheap), limit('dear', dear)];
    const refused = (of: Routed) => {
      try {
        refusals.reserve(callOf({ onBudget: true, ...of }));
        return undefined;
      } catch (error) {
        return error instanceof GatewayError ? error.limitId : error;
      }
    };
    expect(refused({ models: [cheap, dear], limits: own })).toBe('cheap');
    expect(refused({ models: [dear, cheap], limits: own })).toBe('dear');
    expect(refused({ models: [dear], limits: own })).toBe('dear');
    expect(refused({ models: [dear, cheap], limits: [limit('all')] })).toBe('all');
  });

  it('for which less was reserved than it needs', () => {
    const { charges, reserve } = world(({ least }) => least);
    const reservation = reserve(callOf({ models: [cheap, dear], limits }));
    expect(modelsOf(reservation)).toEqual([cheap]);
    reservation.settle(served(targetAt(reservation, 0)));
    expect(charges).toEqual([[20_000, ['all']]]);
  });

  it('without a price, if a budget applies', () => {
    const { reserve } = world();
    expect(modelsOf(reserve(callOf({ models: [unpriced, cheap, unpriced, dear], limits })))).toEqual([cheap, dear]);
    expect(modelsOf(reserve(callOf({ models: [unpriced, cheap] })))).toEqual([unpriced, cheap]);
    expect(() => reserve(callOf({ models: [unpriced], limits }))).toThrow(/has no price/);
  });

  it('for which an option of the request has no price, unless it is the first', () => {
    const { reserve } = world();
    const fields = { service_tier: 'priority' };
    const own = callOf({ models: [cheap, dear], limits: [limit('dear', dear)], fields });
    expect(modelsOf(reserve(own))).toEqual([cheap]);
    const first = callOf({ models: [dear, cheap], limits: [limit('dear', dear)], fields });
    expect(() => reserve(first)).toThrow(/service_tier/);
  });

  it('whose own rate limit is reached, unless it is the first', () => {
    const { reserve } = world();
    const rates = [rate('r', dear, 1)];
    expect(modelsOf(reserve(callOf({ models: [cheap, dear], limits: rates })))).toEqual([cheap, dear]);
    expect(modelsOf(reserve(callOf({ models: [cheap, dear], limits: rates })))).toEqual([cheap]);
    expect(() => reserve(callOf({ models: [dear, cheap], limits: rates }))).toThrow(/is reached/);
  });
});

describe('a limit of tokens', () => {
  it('counts the largest estimate of all models', () => {
    const tokens = (count: number) => [
      limit('t', undefined, { kind: 'tokens_per_minute', count, amountUsd: undefined, period: undefined }),
    ];
    const overrides = [{ maxOutputTokens: 10, reasoningEffort: undefined }, undefined];
    const call = (count: number) => callOf({ models: [cheap, dear], limits: tokens(count), overrides });
    expect(() => world().reserve(call(100))).toThrow(/more than/);
    expect(modelsOf(world().reserve(call(200)))).toEqual([cheap, dear]);
  });
});

function sentAt(reservation: Reservation, at: number): Target {
  const target = targetAt(reservation, at);
  if (target === undefined) throw new Error(`there is no target ${at}`);
  return target;
}
