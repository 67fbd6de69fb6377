// A request with several models, or provider keys, and budgets that grant what a test says. Prices: $1 and $2 per million
// tokens of the cheap model, ten times as much for the dear one.
import type { Limit } from '../../../../proxy/access/principal.ts';
import type { BudgetQuestion, Budgets } from '../../../../proxy/budgets/budgets.ts';
import type { CallTarget, ChatCall } from '../../../../proxy/call.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import type { Reservation } from '../../../../proxy/ledger/ledger.ts';
import { createRequestLedger } from '../../../../proxy/ledger/request-ledger.ts';
import { PriceTable } from '../../../../proxy/pricing/price-book.ts';
import type { Target } from '../../../../proxy/providers/provider.ts';
import { LocalRates } from '../../../../proxy/rates/local-rates.ts';
import type { UsageEvent } from '../../../../proxy/usage/ledger-client.ts';
import { chatCallOf, outcomeWith } from '../../../support/charged-calls.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

export const cheap = 'gpt-provider/small';
export const dear = 'assistant-provider/large';
export const unpriced = 'gpt-provider/without-a-price';
const price = (model: string, input: string, output: string) => ({
  id: model,
  model,
  prices: { input, output, asOf: '2026-01-01' },
});
const prices = [price(cheap, '1', '2'), price(dear, '10', '20')];

export const limit = (id: string, model?: string, fields: Partial<Limit> = {}): Limit => ({
  ...{ id, kind: 'budget', count: undefined, amountUsd: '1', period: 'day', model },
  ...fields,
});
export const rate = (id: string, model: string, count: number) =>
  limit(id, model, { kind: 'requests_per_minute', count, amountUsd: undefined, period: undefined });

export interface Routed {
  readonly models: readonly string[];
  readonly limits?: readonly Limit[];
  readonly fields?: object;
  readonly overrides?: readonly CallTarget['overrides'][];
  readonly onBudget?: boolean;
  /** Of each model: its provider keys. Default: one of its own. */
  readonly keys?: readonly (readonly string[])[];
  /** No route: only the first model. */
  readonly isAlone?: boolean;
}

function targetOf(providerKeyId: string): Target {
  return { providerKeyId, baseUrl: { origin: 'https://vendor.example', path: '' } } as Target;
}

export function callOf({ models, limits = [], fields = {}, overrides = [], keys = [], ...of }: Routed): ChatCall {
  const all = models.map((model, at) => {
    const [vendor = '', name = ''] = model.split('/');
    const { caller, ...call } = chatCallOf(vendor, name, { max_completion_tokens: 100, ...fields });
    const { principal } = caller;
    const organization = { ...principal.organization, prices, limits };
    return {
      ...call,
      ...{
        caller: { ...caller, principal: { ...principal, organization } },
        targets: (keys[at] ?? [`key-${at}-${model}`]).map(targetOf),
      },
      ...{ overrides: overrides[at], group: at },
    } as ChatCall;
  });
  const [first, ...alternatives] = all;
  if (first === undefined) throw new Error('no models');
  if (of.isAlone === true) return first;
  const onBudget = of.onBudget === true;
  return { ...first, alternatives, route: { name: 'fast', onContext: false, onFilter: false, onBudget } };
}

export interface World {
  readonly questions: BudgetQuestion[];
  readonly charges: (readonly [cost: number, of: readonly string[] | undefined])[];
  readonly events: UsageEvent[];
  reserve(call: ChatCall): Reservation;
}

/**
 * @param take what a reservation gets; default: all that it needs
 * @param lacking budgets that have no money for further attempts
 */
export function world(
  take: (question: BudgetQuestion) => number = ({ full }) => full,
  lacking: ReadonlySet<string> = new Set(),
): World {
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
      takeNow: (question) =>
        question.budgets.some(({ id }) => lacking.has(id))
          ? undefined
          : taken({ ...question, least: question.full }, question.full),
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

export const modelsOf = ({ call }: Reservation) =>
  [call, ...(call.alternatives ?? [])].map((one) => one.qualifiedModel);
export const usage = { ...noUsage, promptTokens: 10, completionTokens: 5 };
export const served = (target: Target | undefined) => ({
  ...outcomeWith({ ending: 'whole', usage, complete: true }),
  target,
});
export const targetAt = ({ call }: Reservation, at: number) =>
  (at === 0 ? call : call.alternatives?.[at - 1])?.targets[0];
export const budgetsOf = ({ budgets }: BudgetQuestion) => budgets.map(({ id }) => id);
