// The ledger of requests. A request reserves money in every budget, then its part of every rate limit, all or nothing.
// In the end its usage is priced, settled and recorded, once. All of this is in memory, unless a lease has to acquire
// money or Redis counts the rates.
import { usdOfNano } from '../../common/money.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import {
  BudgetRefusal,
  type BudgetReservation,
  type Budgets,
  type RefusalReason,
  type Stamp,
} from '../budgets/budgets.ts';
import { type ChatCall, callAt, type Outcome } from '../call.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';
import { GatewayError } from '../errors.ts';
import { boundOf, type CostBound } from '../pricing/bound.ts';
import {
  type Charged,
  chargeOf,
  estimatedUsage,
  estimateReasonOf,
  mayThinkUnseen,
  type Terms,
} from '../pricing/charge.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import type { Prices } from '../pricing/prices.ts';
import { ServedTiers } from '../pricing/served-tiers.ts';
import { unpriceable } from '../pricing/unpriceable.ts';
import { counted } from '../rates/rates.ts';
import { modelNotPriced } from '../unknown-model.ts';
import type { UsageLog } from '../usage/usage-log.ts';
import { type AppliedBudget, type AppliedLimits, appliedLimits, type LimitLevel } from './applied-limits.ts';
import type { Ledger, Reservation, Settled } from './ledger.ts';
import { budgetRefusal } from './limit-messages.ts';
import { withoutTexts } from './outlasting-call.ts';
import { countRequest, type RateLimitsDeps, type RateLimitsReservation, takeRates } from './rate-limits.ts';
import { killedEvent, usageEvent } from './usage-event.ts';

export interface BudgetMetrics {
  refused(level: LimitLevel, reason: RefusalReason): void;
  /** A request to a model without a price, or with usage that has no price. */
  unpriced(): void;
  /** A request whose provider did not report all usage. */
  estimated(reason: EstimateReason): void;
}

export interface RequestLedgerDeps extends RateLimitsDeps {
  readonly prices: PriceTable;
  readonly budgets: Budgets;
  readonly usageLog: UsageLog;
  readonly budgetMetrics: BudgetMetrics;
}

export function createRequestLedger(given: RequestLedgerDeps): Ledger {
  const deps = { ...given, servedTiers: new ServedTiers() };
  return {
    reserve: (call) => {
      if (!deps.usageLog.hasRoom) throw new GatewayError('ledger_unavailable', { retryAfter: 1 });
      const limits = limitsOf(call);
      const prices = deps.prices.of(call);
      const money = takeMoney(deps, call, { budgets: limits.budgets, prices });
      return money instanceof Promise
        ? money.then((taken) => withRates(deps, call, { limits, prices, money: taken }))
        : withRates(deps, call, { limits, prices, money });
    },
    count: (caller) => countRequest(deps, caller),
  };
}

/**
 * A guardrail's call of a model is no request of the caller: it is charged, but not counted. A request that calls no
 * model is counted, but neither charged nor compared with limits of tokens.
 */
function limitsOf(call: ChatCall): AppliedLimits {
  const limits = appliedLimits(call);
  if (call.countsOnly === true) {
    return { rates: limits.rates.filter(({ kind }) => counted[kind] !== 'tokens'), budgets: [] };
  }
  return call.guardrailId === undefined ? limits : { ...limits, rates: [] };
}

interface Deps extends RequestLedgerDeps {
  readonly servedTiers: ServedTiers;
}

/** Undefined if no budget applies. */
type Money =
  | {
      readonly reservation: BudgetReservation;
      readonly budgets: readonly AppliedBudget[];
      readonly bound: CostBound;
      readonly outputCeiling: number | undefined;
    }
  | undefined;

interface RequestTarget {
  readonly budgets: readonly AppliedBudget[];
  readonly prices: Prices | undefined;
}

function takeMoney(deps: Deps, call: ChatCall, { budgets, prices }: RequestTarget): Money | Promise<Money> {
  if (budgets.length === 0) return undefined;
  if (prices === undefined) throw modelNotPriced(call);
  const field = unpriceable(call, prices);
  if (field !== undefined) throw unpriced(field);
  const bound = boundOf(call, deps.servedTiers.reservedFor(call, prices), deps.outputTokensDefault);
  const refused = (error: unknown): never => {
    throw refusalOf(deps, budgets, error);
  };
  const reserved = (reservation: BudgetReservation) => ({
    reservation,
    budgets,
    bound,
    outputCeiling: bound.ceilingFor(reservation.amount),
  });
  try {
    const ifKilled = () => killedEvent(call);
    const taken = deps.budgets.take({ budgets, full: bound.full, least: bound.least, ifKilled });
    return taken instanceof Promise ? taken.then(reserved, refused) : reserved(taken);
  } catch (error) {
    return refused(error);
  }
}

/** @param field makes the cost unknown; the model itself if it charges for more than tokens */
function unpriced(field: string): GatewayError {
  const message =
    field === 'model'
      ? 'a budget applies, and this model charges for more than tokens; call another one'
      : `a budget applies, and what \`${field}\` costs is not known; leave it out`;
  return new GatewayError('unsupported_parameter', { param: field, message });
}

function refusalOf(deps: Deps, budgets: readonly AppliedBudget[], error: unknown): unknown {
  if (!(error instanceof BudgetRefusal)) return error;
  const budget = budgets.find(({ id }) => id === error.budgetId);
  if (budget === undefined) return error;
  deps.budgetMetrics.refused(budget.level, error.reason);
  // The window ends by the database's clock.
  return budgetRefusal(budget, error, deps.budgets.stamp().at);
}

interface ReserveContext {
  readonly limits: AppliedLimits;
  readonly prices: Prices | undefined;
  readonly money: Money;
}

/** Releases the money if a rate limit refuses. */
function withRates(
  deps: Deps,
  call: ChatCall,
  { limits, prices, money }: ReserveContext,
): Reservation | Promise<Reservation> {
  const release = (error: unknown): never => {
    money?.reservation.settle(0);
    throw error;
  };
  const reserved = (rates: RateLimitsReservation) => new RequestReservation(deps, call, { prices, money, rates });
  try {
    const rates = takeRates(deps, call, limits.rates);
    return rates instanceof Promise ? rates.then(reserved, release) : reserved(rates);
  } catch (error) {
    return release(error);
  }
}

interface ReservationParts {
  readonly prices: Prices | undefined;
  readonly money: Money;
  readonly rates: RateLimitsReservation;
}

/** Of one or several attempts. */
interface Earlier extends Settled {
  /** As far as the providers reported it. */
  readonly usage: Usage;
}

class RequestReservation implements Reservation {
  readonly headers: readonly string[];
  readonly outputCeiling: number | undefined;
  readonly #deps: Deps;
  #call: ChatCall;
  /** Computed while the request's texts were here. */
  #knownBound: CostBound | undefined;
  readonly #prices: Prices | undefined;
  readonly #rates: RateLimitsReservation;
  /** That of the current attempt. */
  #money: Money;
  /** What the attempts before the current one have cost. */
  #earlier: Earlier = { cost: 0, usage: noUsage, estimateReason: undefined };
  /** Made at the start, not at the end: for a budget that is created meanwhile, the order of both has to be known. */
  #stamp: Stamp;

  constructor(deps: Deps, call: ChatCall, reserved: ReservationParts) {
    const { money, rates } = reserved;
    this.#deps = deps;
    this.#call = call;
    this.#prices = reserved.prices;
    this.#rates = rates;
    this.#money = money;
    this.#stamp = money?.reservation.stamp ?? deps.budgets.stamp();
    this.outputCeiling = money?.outputCeiling;
    this.headers =
      this.outputCeiling === undefined
        ? rates.headers
        : [...rates.headers, 'x-svc-max-tokens', String(this.outputCeiling)];
  }

  costText(usage: Usage): string | undefined {
    const prices = this.#prices;
    return prices?.covers(usage) === true ? usdOfNano(prices.costOf(usage)) : undefined;
  }

  async chargeAttempt(outcome: Outcome): Promise<boolean> {
    const money = this.#money;
    let next: BudgetReservation | undefined;
    if (money !== undefined) {
      const { budgets, reservation } = money;
      const ifKilled = () => killedEvent(this.#call);
      next = await this.#deps.budgets.takeNow({ budgets, full: reservation.amount, ifKilled });
      if (next === undefined) return false;
    }
    this.#earlier = this.#total(this.#charge(outcome));
    this.#money = money && next && { ...money, reservation: next };
    this.#stamp = next?.stamp ?? this.#deps.budgets.stamp();
    return true;
  }

  settle(outcome: Outcome): Settled {
    if (this.#call.countsOnly === true) {
      // No model was called, so there is no usage to charge or to record, however the count ended.
      this.#rates.settle(noUsage, false);
      return { cost: 0, estimateReason: undefined };
    }
    const { cost, usage, estimateReason } = this.#total(this.#charge(outcome));
    this.#rates.settle(usage, estimateReason !== undefined);
    return { cost, estimateReason };
  }

  /** Charges one attempt to the budgets, and records it. */
  #charge(outcome: Outcome): Earlier {
    const { usageLog, budgetMetrics, servedTiers, prices: table } = this.#deps;
    const call = callAt(this.#call, outcome.target);
    const prices = call === this.#call ? this.#prices : (table.of(call) ?? this.#prices);
    const charged = this.#charged(outcome, prices);
    const { usage, cost, estimateReason } = charged;
    const estimated = estimateReason !== undefined;
    if (!estimated) servedTiers.note(call, usage);
    const isPriced = prices?.covers(usage) ?? usage.promptTokens + usage.completionTokens === 0;
    const charges = this.#money?.reservation.settle(cost) ?? [];
    if (!isPriced) budgetMetrics.unpriced();
    if (estimated) budgetMetrics.estimated(estimateReason);
    // A request that was not dispatched used nothing, so nothing is recorded.
    if (outcome.attempts > 0) {
      const booking = { ...charged, stamp: this.#stamp, estimated, unpriced: !isPriced, charges };
      usageLog.record(usageEvent(call, outcome, booking));
    }
    return { cost, estimateReason, usage: estimated ? (outcome.usage ?? noUsage) : usage };
  }

  /** The attempt together with those before it. */
  #total({ cost, usage, estimateReason }: Earlier): Earlier {
    const { promptTokens, completionTokens } = this.#earlier.usage;
    return {
      cost: this.#earlier.cost + cost,
      usage: {
        ...usage,
        promptTokens: promptTokens + usage.promptTokens,
        completionTokens: completionTokens + usage.completionTokens,
      },
      estimateReason: estimateReason ?? this.#earlier.estimateReason,
    };
  }

  outlasting(): Pick<Reservation, 'settle'> {
    const prices = this.#prices;
    if (this.#money === undefined && prices !== undefined) this.#knownBound = this.#bound(prices);
    this.#call = withoutTexts(this.#call);
    return this;
  }

  #charged(outcome: Outcome, prices: Prices | undefined): Charged {
    if (prices !== undefined) return chargeOf(outcome, { prices, terms: () => this.#terms(prices) });
    const estimateReason = estimateReasonOf(outcome);
    const isUnused = outcome.ending === 'unused' && !outcome.usageIsComplete;
    const reported = isUnused ? noUsage : (outcome.usage ?? noUsage);
    const usage =
      estimateReason === undefined ? reported : estimatedUsage(this.#call, outcome, this.#deps.outputTokensDefault);
    return { usage, cost: 0, estimateReason, reportedCost: undefined };
  }

  #bound(prices: Prices): CostBound {
    const { servedTiers, outputTokensDefault } = this.#deps;
    return boundOf(this.#call, servedTiers.reservedFor(this.#call, prices), outputTokensDefault);
  }

  #terms(prices: Prices): Terms {
    const money = this.#money;
    const bound = money?.bound ?? this.#knownBound ?? this.#bound(prices);
    return {
      bound,
      reserved: money?.reservation.amount ?? bound.full,
      thinksUnseen: mayThinkUnseen(this.#call),
      unknownCost: this.#call.caller.principal.organization.unknownCost,
    };
  }
}
