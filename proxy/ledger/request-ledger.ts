// The ledger of requests. A request reserves money in every budget, then its part of every rate limit, all or nothing.
// In the end its usage is priced, settled and recorded, once. All of this is in memory, unless a lease has to acquire
// money or Redis counts the rates.
import { usdOfNano } from '../../common/money.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import type { Budgets, RefusalReason, Stamp } from '../budgets/budgets.ts';
import { type ChatCall, callAt, type Outcome, targetWith, withTargets } from '../call.ts';
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
import type { Target } from '../providers/provider.ts';
import type { UsageLog } from '../usage/usage-log.ts';
import type { AppliedBudget, LimitLevel } from './applied-limits.ts';
import { reserveCached } from './cached-response.ts';
import type { Ledger, Reservation, Settled } from './ledger.ts';
import { withoutTexts } from './outlasting-call.ts';
import { countRequest, type RateLimitsDeps, type RateLimitsReservation, takeRates } from './rate-limits.ts';
import {
  limitsOfAll,
  type Money,
  type PricedTarget,
  pricedTargets,
  type TakenMoney,
  takeMoney,
} from './request-money.ts';
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
      const taken = takeMoney(deps, call, pricedTargets(deps, call));
      return taken instanceof Promise
        ? taken.then((money) => withRates(deps, call, money))
        : withRates(deps, call, taken);
    },
    count: (caller) => countRequest(deps, caller),
    reserveCached: (call, charge) => reserveCached(deps, call, charge),
  };
}

interface Deps extends RequestLedgerDeps {
  readonly servedTiers: ServedTiers;
}

/** Releases the money if a rate limit refuses. */
function withRates(deps: Deps, call: ChatCall, taken: TakenMoney): Reservation | Promise<Reservation> {
  const { targets, money } = taken;
  const refused = (error: unknown): Reservation | Promise<Reservation> => {
    const left = withoutLimit(targets, error);
    if (left !== undefined) return withRates(deps, call, { targets: left, money });
    money?.reservation.settle(0);
    throw error;
  };
  const left =
    call.route === undefined
      ? (targets[0]?.call ?? call)
      : withTargets(
          call,
          targets.map(({ at }) => at),
        );
  const reserved = (rates: RateLimitsReservation) => new RequestReservation(deps, left, { ...taken, rates });
  try {
    const rates = takeRates(deps, left, limitsOfAll(targets, 'rates'));
    return rates instanceof Promise ? rates.then(reserved, refused) : reserved(rates);
  } catch (error) {
    return refused(error);
  }
}

/** Without the later targets that a limit is for which has refused the request. Undefined: it is for the first one. */
function withoutLimit(targets: readonly PricedTarget[], error: unknown): readonly PricedTarget[] | undefined {
  if (!(error instanceof GatewayError) || error.limitId === undefined) return undefined;
  const isLimited = ({ limits }: PricedTarget) => limits.rates.some(({ limitId }) => limitId === error.limitId);
  const [first] = targets;
  if (first === undefined || isLimited(first) || !targets.some(isLimited)) return undefined;
  return targets.filter((target) => !isLimited(target));
}

interface ReservationParts extends TakenMoney {
  readonly rates: RateLimitsReservation;
}

/** Of one or several attempts. */
interface Earlier extends Settled {
  /** As far as the providers reported it. */
  readonly usage: Usage;
  readonly isPriced: boolean;
}

/** Of one attempt. */
interface AttemptMoney {
  /** Undefined: no budget applies. */
  readonly money: Money | undefined;
  /** Made at the start, not at the end: for a budget that is created meanwhile, the order of both has to be known. */
  readonly stamp: Stamp;
}

class RequestReservation implements Reservation {
  readonly outputCeiling: number | undefined;
  readonly #deps: Deps;
  #call: ChatCall;
  /** By the part of the call that it is; never empty. */
  #targets: readonly PricedTarget[];
  readonly #rates: RateLimitsReservation;
  /** That of the first attempt, in the budgets of all targets; undefined: no budget applies. */
  readonly #first: Money | undefined;
  /** That of the current attempt. */
  #own: AttemptMoney;
  /** That of a second attempt at the same time. */
  #hedge: AttemptMoney | undefined;
  /** What the attempts before the current one have cost. */
  #earlier: Earlier = { cost: 0, usage: noUsage, estimateReason: undefined, isPriced: true };
  /** Nano-dollars of attempts that the caller has a part of; undefined: unknown. */
  #passedOn: number | undefined = 0;

  constructor(deps: Deps, call: ChatCall, { money, rates, targets }: ReservationParts) {
    this.#deps = deps;
    this.#rates = rates;
    this.#first = money;
    this.#own = { money, stamp: money?.reservation.stamp ?? deps.budgets.stamp() };
    const ceilings = targets.map(({ bound }) => money && bound?.ceilingFor(money.reservation.amount));
    this.outputCeiling = ceilings[0];
    this.#call = call.route === undefined || money === undefined ? call : withCeilings(call, targets, ceilings);
    this.#targets = targets;
  }

  get call(): ChatCall {
    return this.#call;
  }

  headersAt(target?: Target): readonly string[] {
    const { headers } = this.#rates;
    const at = target === undefined || this.#call.route === undefined ? undefined : targetWith(this.#call, target);
    const ceiling = at === undefined ? this.outputCeiling : at.outputCeiling;
    return ceiling === undefined ? headers : [...headers, 'x-svc-max-tokens', String(ceiling)];
  }

  costText(usage: Usage, target?: Target): string | undefined {
    const { prices } = this.#pricedAt(target);
    if (this.#passedOn === undefined || prices?.covers(usage) !== true) return undefined;
    return usdOfNano(this.#passedOn + prices.costOf(usage));
  }

  async chargeAttempt(outcome: Outcome, target: Target): Promise<boolean> {
    const next = await this.#moneyFor(target);
    if (next === undefined) return false;
    const charged = this.#charge(outcome, this.#own);
    this.#earlier = this.#total(charged);
    if (outcome.isPassedOn === true)
      this.#passedOn = charged.isPriced ? (this.#passedOn ?? 0) + charged.cost : undefined;
    this.#own = next;
    return true;
  }

  moveTo(next: Target): boolean | Promise<boolean> {
    const needed = budgetsAt(this.#first?.budgets ?? [], next);
    return needed.every((budget) => this.#own.money?.budgets.includes(budget)) || this.#exchangeFor(next);
  }

  async #exchangeFor(target: Target): Promise<boolean> {
    const next = await this.#moneyFor(target);
    if (next === undefined) return false;
    this.#own.money?.reservation.settle(0);
    this.#own = next;
    return true;
  }

  async reserveHedge(): Promise<boolean> {
    this.#hedge = await this.#moneyForAnother(this.#first?.budgets);
    return this.#hedge !== undefined;
  }

  releaseHedge(): void {
    this.#hedge?.money?.reservation.settle(0);
    this.#hedge = undefined;
  }

  chargeContender(outcome: Outcome, isHedge: boolean): void {
    const hedge = this.#hedge;
    if (hedge === undefined) throw new Error('there is no second attempt');
    // What cost nothing leaves no row, as before the next target of a chain.
    const isFree = outcome.ending === 'unused' && !outcome.usageIsComplete;
    const counted = isFree ? { ...outcome, attempts: 0 } : outcome;
    this.#earlier = this.#total(this.#charge(counted, isHedge ? hedge : this.#own));
    if (!isHedge) this.#own = hedge;
    this.#hedge = undefined;
  }

  /** For all targets, else for this one alone. Undefined: a budget lacks it. */
  async #moneyFor(target: Target): Promise<AttemptMoney | undefined> {
    const all = this.#first?.budgets ?? [];
    const forAll = await this.#moneyForAnother(all, target);
    const own = budgetsAt(all, target);
    return forAll ?? (own.length === all.length ? undefined : await this.#moneyForAnother(own, target));
  }

  /**
   * As much as for the first attempt. Undefined: a budget lacks it.
   * @param target the only one that may get the next attempt; undefined: the first one
   */
  async #moneyForAnother(
    budgets: readonly AppliedBudget[] = [],
    target: Target | undefined = undefined,
  ): Promise<AttemptMoney | undefined> {
    const { budgets: all } = this.#deps;
    const first = this.#first;
    if (first === undefined || budgets.length === 0) return { money: undefined, stamp: all.stamp() };
    const ifKilled = () => killedEvent(callAt(this.#call, target));
    const next = await all.takeNow({ budgets, full: first.reservation.amount, ifKilled });
    return next && { money: { budgets, reservation: next }, stamp: next.stamp };
  }

  settle(outcome: Outcome): Settled {
    if (this.#call.countsOnly === true) {
      // No model was called, so there is no usage to charge or to record, however the count ended.
      this.#rates.settle(noUsage, false);
      return { cost: 0, estimateReason: undefined };
    }
    const { cost, usage, estimateReason } = this.#total(this.#charge(outcome, this.#own));
    this.#rates.settle(usage, estimateReason !== undefined);
    return { cost, estimateReason };
  }

  outlasting(): Pick<Reservation, 'settle'> {
    this.#call = withoutTexts(this.#call);
    this.#targets = this.#targets.map(({ call, prices, bound, ...target }) => ({
      ...{ ...target, call: withoutTexts(call), prices },
      // The texts are here for the last time.
      bound: bound ?? (prices && this.#bound(call, prices)),
    }));
    return this;
  }

  /** Charges one attempt to the budgets of its model, and records it. */
  #charge(outcome: Outcome, { money, stamp }: AttemptMoney): Earlier {
    const { usageLog, budgetMetrics, servedTiers } = this.#deps;
    const priced = this.#pricedAt(outcome.target);
    const call = callAt(this.#call, outcome.target);
    const charged = this.#charged(outcome, priced, money);
    const { usage, cost, estimateReason } = charged;
    const estimated = estimateReason !== undefined;
    if (!estimated) servedTiers.note(call, usage);
    const isPriced = priced.prices?.covers(usage) ?? usage.promptTokens + usage.completionTokens === 0;
    const charges = money?.reservation.settle(cost, chargedBudgets(money, priced, outcome.target)) ?? [];
    if (!isPriced) budgetMetrics.unpriced();
    if (estimated) budgetMetrics.estimated(estimateReason);
    // A request that was not dispatched used nothing, so nothing is recorded.
    if (outcome.attempts > 0) {
      const booking = { ...charged, stamp, estimated, unpriced: !isPriced, charges };
      usageLog.record(usageEvent(call, outcome, booking));
    }
    return { cost, estimateReason, isPriced, usage: estimated ? (outcome.usage ?? noUsage) : usage };
  }

  /** The model of a target, with the prices of this very target: its region may have prices of its own. */
  #pricedAt(target: Target | undefined): PricedTarget {
    const [first] = this.#targets;
    if (first === undefined) throw new Error('a reservation is for a target');
    if (target === undefined || first.at.targets[0] === target) return first;
    const found = this.#targets.find(({ at }) => at.targets.includes(target)) ?? first;
    if (found.at.targets[0] === target) return found;
    const prices = this.#deps.prices.of({ ...found.call, targets: [target] });
    return { ...found, prices: prices ?? found.prices };
  }

  /** The attempt together with those before it. */
  #total({ cost, usage, estimateReason, isPriced }: Earlier): Earlier {
    const { promptTokens, completionTokens } = this.#earlier.usage;
    return {
      cost: this.#earlier.cost + cost,
      usage: {
        ...usage,
        promptTokens: promptTokens + usage.promptTokens,
        completionTokens: completionTokens + usage.completionTokens,
      },
      estimateReason: estimateReason ?? this.#earlier.estimateReason,
      isPriced: isPriced && this.#earlier.isPriced,
    };
  }

  #charged(outcome: Outcome, { prices, call, bound }: PricedTarget, money: Money | undefined): Charged {
    if (prices !== undefined) {
      return chargeOf(outcome, { prices, terms: () => this.#terms(call, { prices, bound, money }) });
    }
    const estimateReason = estimateReasonOf(outcome);
    const isUnused = outcome.ending === 'unused' && !outcome.usageIsComplete;
    const reported = isUnused ? noUsage : (outcome.usage ?? noUsage);
    const usage =
      estimateReason === undefined ? reported : estimatedUsage(call, outcome, this.#deps.outputTokensDefault);
    return { usage, cost: 0, estimateReason, reportedCost: undefined };
  }

  #bound(call: ChatCall, prices: Prices): CostBound {
    const { servedTiers, outputTokensDefault } = this.#deps;
    return boundOf(call, servedTiers.reservedFor(call, prices), outputTokensDefault);
  }

  #terms(call: ChatCall, { prices, bound: known, money }: Charging): Terms {
    const bound = known ?? this.#bound(call, prices);
    // The reservation may be that of a dearer target.
    const reserved = Math.min(bound.full, money?.reservation.amount ?? bound.full);
    return {
      bound,
      reserved,
      thinksUnseen: mayThinkUnseen(call),
      unknownCost: call.caller.principal.organization.unknownCost,
    };
  }
}

interface Charging {
  readonly prices: Prices;
  readonly bound: CostBound | undefined;
  readonly money: Money | undefined;
}

/** Each target with the most tokens that the reserved money is enough for. */
function withCeilings(
  call: ChatCall,
  targets: readonly PricedTarget[],
  ceilings: readonly (number | undefined)[],
): ChatCall {
  return withTargets(
    call,
    targets.map(({ at }, index) => ({ ...at, outputCeiling: ceilings[index] })),
  );
}

/** Without those of other provider keys. */
function budgetsAt(budgets: readonly AppliedBudget[], { providerKeyId: key }: Target): readonly AppliedBudget[] {
  return budgets.filter(({ providerKeyId }) => providerKeyId === undefined || providerKeyId === key);
}

/**
 * Undefined: all that the reservation is in, which is usual. Others are those of another target's model, or of another
 * provider key.
 */
function chargedBudgets(
  { budgets }: Money,
  { limits, at }: PricedTarget,
  target: Target | undefined = at.targets[0],
): ReadonlySet<string> | undefined {
  const charged = limits.budgets.filter(
    ({ providerKeyId }) => providerKeyId === undefined || providerKeyId === target?.providerKeyId,
  );
  return charged.length === budgets.length ? undefined : new Set(charged.map(({ limitId }) => limitId));
}
