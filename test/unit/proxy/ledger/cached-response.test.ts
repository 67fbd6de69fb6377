// What a cached response costs, in budgets and in rate limits. Prices: $1 and $2 per million tokens.
import { describe, expect, it } from 'vitest';
import type { Limit } from '../../../../proxy/access/principal.ts';
import { type BudgetQuestion, BudgetRefusal } from '../../../../proxy/budgets/budgets.ts';
import type { ChatCall } from '../../../../proxy/call.ts';
import { noUsage, special, type Usage } from '../../../../proxy/conversation/usage.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { createRequestLedger } from '../../../../proxy/ledger/request-ledger.ts';
import { PriceTable } from '../../../../proxy/pricing/price-book.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { chatCallOf, outcomeWith } from '../../../support/charged-calls.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const model = 'gpt-provider/small';
const prices = [{ id: 'p', model, prices: { input: '1', output: '2', asOf: '2026-01-01' } }];
/** It costs 20,000 nano-dollars. */
const usage: Usage = { ...noUsage, promptTokens: 10, completionTokens: 5 };

const budget = (id: string): Limit => ({
  ...{ id, kind: 'budget', count: undefined, amountUsd: '1', period: 'day', model: undefined },
});
const rate = (kind: Limit['kind'], count: number): Limit => ({
  ...{ id: kind, kind, count, amountUsd: undefined, period: undefined, model: undefined },
});

function callWith(...limits: readonly Limit[]): ChatCall {
  const { caller, ...call } = chatCallOf('gpt-provider', 'small', {});
  const organization = { ...caller.principal.organization, prices, limits };
  const targets = [{ providerKeyId: 'pk', baseUrl: { origin: 'https://vendor.example', path: '' } } as Target];
  return { ...call, targets, caller: { ...caller, principal: { ...caller.principal, organization } } } as ChatCall;
}

function world({ isSpent = false } = {}) {
  const questions: BudgetQuestion[] = [];
  const settled: number[] = [];
  const events: UsageEvent[] = [];
  const stamp = () => ({ id: 'event', at: 0, session: 's' });
  const ledger = createRequestLedger({
    budgets: {
      take: (question) => {
        questions.push(question);
        if (isSpent) throw new BudgetRefusal('b', 'exceeded', undefined);
        return {
          ...{ stamp: stamp(), amount: question.full, leases: [] },
          settle: (cost) => {
            settled.push(cost);
            return question.budgets.map(({ id }) => ({ budgetId: id, window: 'w', escrow: cost }));
          },
        };
      },
      takeNow: () => undefined,
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
    rates: new LocalRates({ clock: new VirtualTime(), onTake: () => undefined }),
    prices: new PriceTable(),
  });
  return { questions, settled, events, ledger };
}

const outcome = { ...outcomeWith({ ending: 'unused' }), attempts: 0 };
const refusal = async (reserving: Promise<unknown>) =>
  reserving.then(
    () => undefined,
    (error: unknown) => (error instanceof GatewayError ? error.code : error),
  );

describe('a cached response', () => {
  it('costs nothing, also under a spent budget, and has a row without tokens, attempts and provider key', async () => {
    const { ledger, questions, events } = world({ isSpent: true });
    const reservation = await ledger.reserveCached(callWith(budget('b')), { usage, pricePercent: 0 });
    reservation.settle(outcome);
    expect([reservation.cost, questions]).toEqual([0, []]);
    expect(events).toMatchObject([
      { attempts: 0, promptTokens: 0, completionTokens: 0, cost: 0, unpriced: false, estimated: false, charges: [] },
    ]);
    expect(events[0]?.providerKeyId).toBeUndefined();
  });

  it.each([
    [1, 200],
    [7, 1400],
    [33, 6600],
    [100, 20_000],
  ])('costs %d %% of its price, in every budget', async (pricePercent, cost) => {
    const { ledger, questions, settled, events } = world();
    const reservation = await ledger.reserveCached(callWith(budget('b'), budget('c')), { usage, pricePercent });
    expect(questions).toMatchObject([{ full: cost, least: cost, budgets: [{ id: 'b' }, { id: 'c' }] }]);
    expect(questions[0]?.ifKilled()).toMatchObject({ attempts: 0, providerKeyId: undefined });
    reservation.settle(outcome);
    expect([reservation.cost, settled, events[0]?.cost]).toEqual([cost, [cost], cost]);
    expect(events[0]?.charges.map(({ escrow }) => escrow)).toEqual([cost, cost]);
  });

  it('is rounded up to a nano-dollar, and costs nothing without a price', async () => {
    const costAt = async (input: string | undefined, pricePercent: number) => {
      const call = callWith();
      const { principal } = call.caller;
      const own = input === undefined ? [] : [{ id: 'p', model, prices: { input, output: '2', asOf: '2026-01-01' } }];
      const organization = { ...principal.organization, prices: own };
      const at = { ...call, caller: { ...call.caller, principal: { ...principal, organization } } };
      return (await world().ledger.reserveCached(at, { usage: { ...noUsage, promptTokens: 3 }, pricePercent })).cost;
    };
    // Three tokens cost 450 nano-dollars, of which 7 % are 31.5.
    expect([await costAt('0.15', 7), await costAt('0.15', 100), await costAt(undefined, 50)]).toEqual([32, 450, 0]);
  });

  it('with usage that has no price is marked as such', async () => {
    const { ledger, events } = world();
    const searched = { ...usage, ...special({ searches: 1 }) };
    (await ledger.reserveCached(callWith(), { usage: searched, pricePercent: 10 })).settle(outcome);
    expect(events).toMatchObject([{ unpriced: true }]);
  });

  it('is refused by a spent budget if it costs something', async () => {
    const { ledger, events } = world({ isSpent: true });
    expect(await refusal(ledger.reserveCached(callWith(budget('b')), { usage, pricePercent: 1 }))).toBe(
      'budget_exceeded',
    );
    expect(events).toEqual([]);
  });

  it('counts as a request, and gives its money back if a limit refuses it', async () => {
    const { ledger, settled } = world();
    const call = callWith(budget('b'), rate('requests_per_minute', 1));
    const charge = { usage, pricePercent: 10 };
    const first = await ledger.reserveCached(call, charge);
    expect(first.headers.join()).toContain('x-ratelimit');
    expect(await refusal(ledger.reserveCached(call, charge))).toBe('rate_limit_exceeded');
    expect(settled).toEqual([0]);
    first.settle(outcome);
    expect(settled).toEqual([0, 2000]);
  });

  it('counts its tokens in the same proportion as its price', async () => {
    const { ledger } = world();
    const call = callWith(rate('tokens_per_minute', 10));
    const hit = async (pricePercent: number) => {
      const reservation = await ledger.reserveCached(call, { usage, pricePercent });
      reservation.settle(outcome);
    };
    for (let free = 0; free < 5; free++) await hit(0);
    // 15 tokens, of which 20 % are 3.
    for (let paid = 0; paid < 3; paid++) await hit(20);
    expect(await refusal(hit(20))).toBe('rate_limit_exceeded');
    expect(await refusal(hit(1))).toBeUndefined();
  });

  it('has a slot of concurrent requests until it is sent', async () => {
    const { ledger } = world();
    const call = callWith(rate('concurrent_requests', 1));
    const charge = { usage, pricePercent: 0 };
    const first = await ledger.reserveCached(call, charge);
    expect(await refusal(ledger.reserveCached(call, charge))).toBe('concurrency_limit_exceeded');
    first.settle(outcome);
    expect(await refusal(ledger.reserveCached(call, charge))).toBeUndefined();
  });
});
