// The money of a request with several models: one reservation in every budget of every one, each attempt charged to the
// budgets of its own model. Prices: $1 and $2 per million tokens of the cheap model, ten times as much for the dear one.
import { describe, expect, it } from 'vitest';
import type { Limit } from '../../../../proxy/access/principal.ts';
import { type BudgetQuestion, BudgetRefusal, type Budgets } from '../../../../proxy/budgets/budgets.ts';
import type { CallTarget, ChatCall } from '../../../../proxy/call.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { Reservation } from '../../../../proxy/ledger/ledger.ts';
import { createRequestLedger } from '../../../../proxy/ledger/request-ledger.ts';
import { PriceTable } from '../../../../proxy/pricing/price-book.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { chatCallOf, outcomeWith } from '../../../support/charged-calls.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const cheap = 'gpt-provider/small';
const dear = 'assistant-provider/large';
const unpriced = 'gpt-provider/without-a-price';
const price = (model: string, input: string, output: string) => ({
  id: model,
  model,
  prices: { input, output, asOf: '2026-01-01' },
});
const prices = [price(cheap, '1', '2'), price(dear, '10', '20')];

const limit = (id: string, model?: string, fields: Partial<Limit> = {}): Limit => ({
  ...{ id, kind: 'budget', count: undefined, amountUsd: '1', period: 'day', model },
  ...fields,
});
const rate = (id: string, model: string, count: number) =>
  limit(id, model, { kind: 'requests_per_minute', count, amountUsd: undefined, period: undefined });

interface Routed {
  readonly models: readonly string[];
  readonly limits?: readonly Limit[];
  readonly fields?: object;
  readonly overrides?: readonly CallTarget['overrides'][];
  readonly onBudget?: boolean;
}

function targetOf(model: string, at: number): Target {
  return { providerKeyId: `key-${at}-${model}`, baseUrl: { origin: 'https://vendor.example', path: '' } } as Target;
}

function callOf({ models, limits = [], fields = {}, overrides = [], onBudget = false }: Routed): ChatCall {
  const all = models.map((model, at) => {
    const [vendor = '', name = ''] = model.split('/');
    const { caller, ...call } = chatCallOf(vendor, name, { max_completion_tokens: 100, ...fields });
    const { principal } = caller;
    const organization = { ...principal.organization, prices, limits };
    return {
      ...call,
      ...{ caller: { ...caller, principal: { ...principal, organization } }, targets: [targetOf(model, at)] },
      ...{ overrides: overrides[at], group: at },
    } as ChatCall;
  });
  const [first, ...alternatives] = all;
  if (first === undefined) throw new Error('no models');
  return { ...first, alternatives, route: { name: 'fast', onContext: false, onFilter: false, onBudget } };
}

interface World {
  readonly questions: BudgetQuestion[];
  readonly charges: (readonly [cost: number, of: readonly string[] | undefined])[];
  readonly events: UsageEvent[];
  reserve(call: ChatCall): Reservation;
}

/** @param take what a reservation gets; default: all that it needs */
function world(take: (question: BudgetQuestion) => number = ({ full }) => full): World {
  const time = new VirtualTime();
  const [questions, charges, events]: [BudgetQuestion[], World['charges'], UsageEvent[]] = [[], [], []];
  let stamps = 0;
  const stamp = () => ({ id: `event-${++stamps}`, at: 0, session: 's' });
  const taken = (question: BudgetQuestion, amount: number): ReturnType<Budgets['take']> => ({
    ...{ stamp: stamp(), amount, leases: [] },
    settle: (cost, of) => {
      charges.push([cost, of && [...of]]);
      return question.budgets
        .filter(({ id }) => of?.has(id) ?? true)
        .map(({ id }) => ({ budgetId: id, window: 'w', escrow: cost }));
    },
  });
  const ledger = createRequestLedger({
    budgets: {
      take: (question) => {
        questions.push(question);
        return taken(question, take(question));
      },
      takeNow: (question) => taken({ ...question, least: question.full }, question.full),
      stamp,
    },
    usageLog: {
      hasRoom: true,
      record: (event) => void events.push(event as UsageEvent),
      close: () => Promise.resolve(),
    },
    outputTokensDefault: 1000,
    metrics: { refused: () => undefined },
    budgetMetrics: { refused: () => undefined, unpriced: () => undefined, estimated: () => undefined },
    rates: new LocalRates({ clock: time, onTake: () => undefined }),
    prices: new PriceTable(),
  });
  const reserve = (call: ChatCall) => {
    const reservation = ledger.reserve(call);
    if (reservation instanceof Promise) throw new Error('nothing has to be waited for');
    return reservation;
  };
  return { questions, charges, events, reserve };
}

const modelsOf = ({ call }: Reservation) => [call, ...(call.alternatives ?? [])].map((one) => one.qualifiedModel);
const usage = { ...noUsage, promptTokens: 10, completionTokens: 5 };
const served = (target: Target | undefined) => ({ ...outcomeWith({ ending: 'whole', usage, complete: true }), target });
const targetAt = ({ call }: Reservation, at: number) => (at === 0 ? call : call.alternatives?.[at - 1])?.targets[0];
const budgetsOf = ({ budgets }: BudgetQuestion) => budgets.map(({ id }) => id);

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
    expect(await reservation.chargeAttempt(abandoned)).toBe(true);
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
      await reservation.chargeAttempt({ ...cut, target: targetAt(reservation, 0), isPassedOn });
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
