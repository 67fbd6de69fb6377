// The ledger of responses that were stored and are returned again. Such a response counts as a request. It calls no
// model, so it costs nothing, unless its route charges a part of the price of its tokens; then these count as well, in the
// same proportion.
import type { Budgets } from '../budgets/budgets.ts';
import type { ChatCall, Outcome } from '../call.ts';
import { noUsage } from '../conversation/usage.ts';
import { GatewayError } from '../errors.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import { counted } from '../rates/rates.ts';
import type { UsageLog } from '../usage/usage-log.ts';
import { appliedLimits } from './applied-limits.ts';
import type { CachedCharge, CachedReservation } from './ledger.ts';
import { type RateLimitsDeps, takeTokens } from './rate-limits.ts';
import { type MoneyDeps, takeAmount } from './request-money.ts';
import { killedEvent, usageEvent } from './usage-event.ts';

export interface CachedLedgerDeps extends RateLimitsDeps, Pick<MoneyDeps, 'budgetMetrics'> {
  readonly prices: PriceTable;
  readonly budgets: Budgets;
  readonly usageLog: UsageLog;
}

/** @param call to the target that sent the response */
export async function reserveCached(
  deps: CachedLedgerDeps,
  call: ChatCall,
  { usage, pricePercent }: CachedCharge,
): Promise<CachedReservation> {
  if (!deps.usageLog.hasRoom) throw new GatewayError('ledger_unavailable', { retryAfter: 1 });
  const prices = pricePercent === 0 ? undefined : deps.prices.of(call);
  const cost = prices === undefined ? 0 : partOf(prices.costOf(usage), pricePercent);
  const unpriced = pricePercent > 0 && prices?.covers(usage) !== true;
  const { budgets, payerBudgets, rates } = appliedLimits(call);
  // No provider key was used.
  const paying = payerBudgets.filter(({ providerKeyId }) => providerKeyId === undefined);
  const ifKilled = () => ({ ...killedEvent(call), ...calledNothing });
  const money = cost === 0 ? undefined : await takeAmount(deps, [...budgets, ...paying], { amount: cost, ifKilled });
  const limits = pricePercent === 0 ? rates.filter(({ kind }) => counted[kind] !== 'tokens') : rates;
  const tokens = partOf(usage.promptTokens + usage.completionTokens, pricePercent);
  const stamp = money?.stamp ?? deps.budgets.stamp();
  try {
    const taken = await takeTokens(deps, call.caller, { limits, tokens });
    return {
      headers: taken.headers,
      cost,
      settle: (outcome: Outcome) => {
        const charges = money?.settle(cost) ?? [];
        taken.settle({ ...noUsage, promptTokens: tokens }, false);
        const booking = { stamp, usage: noUsage, estimated: false, cost, unpriced, charges };
        deps.usageLog.record({ ...usageEvent(call, outcome, booking), ...calledNothing });
      },
    };
  } catch (error) {
    money?.settle(0);
    throw error;
  }
}

/** No provider key was used, and the number of attempts distinguishes such a response from others. */
const calledNothing = { attempts: 0, providerKeyId: undefined } as const;

/** Rounded up: a part of a nano-dollar, or of a token, is one. */
function partOf(whole: number, percent: number): number {
  const hundredths = whole * percent;
  const rest = hundredths % 100;
  return (hundredths - rest) / 100 + (rest === 0 ? 0 : 1);
}
