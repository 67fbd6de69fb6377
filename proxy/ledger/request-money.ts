// The money of a request: one reservation, in every budget that applies to one of its targets. Its amount is the worst
// case of the dearest target, in each of these budgets. A later target of a route that has no price, or no money in a
// budget of its own, is left out, and so is each provider key whose budget has no money.
import { limitOfCounter } from '../../common/counter-names.ts';
import {
  BudgetRefusal,
  type BudgetReservation,
  type Budgets,
  type RefusalReason,
  type UsageOfKilled,
} from '../budgets/budgets.ts';
import { type CallTarget, type ChatCall, callTargets, withTarget } from '../call.ts';
import { GatewayError } from '../errors.ts';
import { boundOf, type CostBound } from '../pricing/bound.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import type { Prices } from '../pricing/prices.ts';
import type { ServedTiers } from '../pricing/served-tiers.ts';
import { unpriceable } from '../pricing/unpriceable.ts';
import { counted } from '../rates/rates.ts';
import { modelNotPriced } from '../unknown-model.ts';
import { type AppliedBudget, type AppliedLimits, appliedLimits, type LimitLevel } from './applied-limits.ts';
import { budgetRefusal } from './limit-messages.ts';
import { killedEvent } from './usage-event.ts';

export interface MoneyDeps {
  readonly prices: PriceTable;
  readonly budgets: Budgets;
  readonly servedTiers: ServedTiers;
  readonly outputTokensDefault: number;
  readonly budgetMetrics: { refused(level: LimitLevel, reason: RefusalReason): void };
}

/** One of the models that a request may be sent to, with its limits and prices. */
export interface PricedTarget {
  readonly at: CallTarget;
  /** To this model alone; of a request without a route, the call itself. */
  readonly call: ChatCall;
  readonly limits: TargetLimits;
  readonly prices: Prices | undefined;
  /** Undefined if no budget applies. */
  readonly bound: CostBound | undefined;
}

/** The budgets of the provider keys of its targets are among `budgets`. */
export type TargetLimits = Pick<AppliedLimits, 'rates' | 'budgets'>;

/** @returns at least one, in the order in which they are tried. @throws GatewayError if there is none */
export function pricedTargets(deps: MoneyDeps, call: ChatCall): readonly PricedTarget[] {
  if (call.route === undefined) return [pricedTarget(deps, call, call)];
  const priced: PricedTarget[] = [];
  let problem: unknown;
  for (const at of callTargets(call)) {
    try {
      priced.push(pricedTarget(deps, withTarget(call, at), at));
    } catch (error) {
      // What the request asks of the first one is for its caller to change. No caller can set a price.
      const isFinal = priced.length === 0 && !(error instanceof GatewayError && unpricedModels.has(error.code));
      if (isFinal) throw error;
      problem ??= error;
    }
  }
  if (priced.length === 0) throw problem;
  return priced;
}

const unpricedModels: ReadonlySet<string> = new Set(['model_not_priced', 'model_not_found']);

/** @throws GatewayError model_not_priced, model_not_found, unsupported_parameter */
function pricedTarget(deps: MoneyDeps, call: ChatCall, at: CallTarget): PricedTarget {
  const limits = limitsOf(call);
  const prices = deps.prices.of(call);
  const [budget] = limits.budgets;
  if (budget === undefined) return { at, call, limits, prices, bound: undefined };
  if (prices === undefined) throw modelNotPriced(call, budget.id);
  const field = unpriceable(call, prices);
  if (field !== undefined) throw unpriced(field, budget.id);
  const bound = boundOf(call, deps.servedTiers.reservedFor(call, prices), deps.outputTokensDefault);
  return { at, call, limits, prices, bound };
}

/**
 * A guardrail's call of a model is no request of the caller: it is charged, but not counted. A request that calls no
 * model is counted, but neither charged nor compared with limits of tokens.
 */
function limitsOf(call: ChatCall): TargetLimits {
  const limits = appliedLimits(call);
  if (call.countsOnly === true) {
    return { rates: limits.rates.filter(({ kind }) => counted[kind] !== 'tokens'), budgets: [] };
  }
  const rates = call.guardrailId === undefined ? limits.rates : [];
  const paying = limits.payerBudgets.filter(
    ({ providerKeyId }) => providerKeyId === undefined || hasKey(call, providerKeyId),
  );
  return { rates, budgets: paying.length === 0 ? limits.budgets : [...limits.budgets, ...paying] };
}

function hasKey({ targets }: CallTarget, providerKeyId: string): boolean {
  return targets.some((target) => target.providerKeyId === providerKeyId);
}

/** @param field makes the cost unknown; the model itself if it charges for more than tokens. @param limitId of the budget */
function unpriced(field: string, limitId: string): GatewayError {
  const message =
    field === 'model'
      ? 'a budget applies, and this model charges for more than tokens; call another one'
      : `a budget applies, and what \`${field}\` costs is not known; leave it out`;
  return new GatewayError('unsupported_parameter', { param: field, message, limitId });
}

/** Reserved money, in all budgets of all targets. */
export interface Money {
  readonly reservation: BudgetReservation;
  readonly budgets: readonly AppliedBudget[];
}

export interface TakenMoney {
  /** Those that are left; the first one always, unless the route lets budgets leave it out. */
  readonly targets: readonly PricedTarget[];
  /** Undefined if no budget applies. */
  readonly money: Money | undefined;
}

/**
 * A promise only if an acquire call has to be waited for.
 * @param first the refusal of a target that came before these
 * @throws GatewayError budget_exceeded, budget_busy, ledger_unavailable: the refusal of a budget of the first target
 */
export function takeMoney(
  deps: MoneyDeps,
  call: ChatCall,
  targets: readonly PricedTarget[],
  first?: () => unknown,
): TakenMoney | Promise<TakenMoney> {
  const budgets = limitsOfAll(targets, 'budgets');
  if (budgets.length === 0) return { targets, money: undefined };
  const reserved = (reservation: BudgetReservation): TakenMoney => ({
    targets:
      targets.length === 1
        ? targets
        : targets.filter(({ bound }, index) => index === 0 || (bound?.least ?? 0) <= reservation.amount),
    money: { reservation, budgets },
  });
  const refused = (error: unknown): TakenMoney | Promise<TakenMoney> => {
    const onBudget = call.route?.onBudget === true;
    const spent = error instanceof BudgetRefusal ? refusing(budgets, error) : undefined;
    const refusal = () => refusalOf(deps, budgets, { error, isShadow: call.shadowOf !== undefined });
    if (spent?.providerKeyId !== undefined) {
      const others = withoutKey(deps, targets, spent.providerKeyId);
      // The caller may try again if the money of one of the keys is only reserved.
      const isSpent = error instanceof BudgetRefusal && error.reason === 'exceeded';
      if (others !== undefined) return takeMoney(deps, call, others, first ?? (isSpent ? undefined : refusal));
    }
    const left = spent && withoutBudget(targets, spent.limitId, onBudget);
    if (left === undefined) throw (first ?? refusal)();
    // If no target is left in the end, the caller gets the refusal of the one that the request was for.
    return takeMoney(deps, call, left, first ?? (left[0] === targets[0] ? undefined : refusal));
  };
  try {
    const ifKilled = () => killedEvent(call);
    const { full, least } = amountsOf(targets);
    const taken = deps.budgets.take({ budgets, full, least, ifKilled, mayRepeat: mayRepeat(call) });
    return taken instanceof Promise ? taken.then(reserved, refused) : reserved(taken);
  } catch (error) {
    return refused(error);
  }
}

/**
 * Reserves an amount that is known. Undefined if no budget applies.
 * @throws GatewayError budget_exceeded, budget_busy, ledger_unavailable
 */
export async function takeAmount(
  deps: Pick<MoneyDeps, 'budgets' | 'budgetMetrics'>,
  budgets: readonly AppliedBudget[],
  { amount, ifKilled }: { readonly amount: number; readonly ifKilled: () => UsageOfKilled },
): Promise<BudgetReservation | undefined> {
  if (budgets.length === 0) return undefined;
  try {
    return await deps.budgets.take({ budgets, full: amount, least: amount, ifKilled });
  } catch (error) {
    throw refusalOf(deps, budgets, { error, isShadow: false });
  }
}

/** Whether another target, or another key, may get the request after an attempt that has cost something. */
function mayRepeat({ targets, alternatives, shadowOf }: ChatCall): boolean {
  return shadowOf === undefined && (targets.length > 1 || alternatives !== undefined);
}

/** The first target decides with how little the request can run; others need as much as they need. */
function amountsOf(targets: readonly PricedTarget[]): { readonly full: number; readonly least: number } {
  const [only] = targets;
  if (targets.length === 1 && only?.bound !== undefined) return only.bound;
  const bounds = targets.flatMap(({ bound }) => bound ?? []);
  const full = Math.max(...bounds.map((bound) => bound.full));
  const least = targets[0]?.bound?.least ?? Math.min(...bounds.map((bound) => bound.least));
  return { full, least };
}

/**
 * The targets without those of a provider key: other keys of the same model, or other models of the route, get the request.
 * @returns undefined if there is none
 */
function withoutKey(
  deps: MoneyDeps,
  targets: readonly PricedTarget[],
  providerKeyId: string,
): readonly PricedTarget[] | undefined {
  const left = targets.flatMap((priced): readonly PricedTarget[] => {
    if (!hasKey(priced.at, providerKeyId)) return [priced];
    const others = priced.at.targets.filter((target) => target.providerKeyId !== providerKeyId);
    if (others.length === 0) return [];
    return [pricedTarget(deps, { ...priced.call, targets: others }, { ...priced.at, targets: others })];
  });
  return left.length === 0 ? undefined : left;
}

/** @returns undefined if the first target needs the budget and may not be left out, or if nothing else is left */
function withoutBudget(
  targets: readonly PricedTarget[],
  refusingId: string,
  onBudget: boolean,
): readonly PricedTarget[] | undefined {
  const needs = ({ limits }: PricedTarget) => limits.budgets.some(({ limitId }) => limitId === refusingId);
  const [first] = targets;
  if (first === undefined || !targets.some(needs) || (needs(first) && !onBudget)) return undefined;
  const left = targets.filter((target) => !needs(target));
  return left.length === 0 ? undefined : left;
}

/** Each limit once. Usually there is one target. */
export function limitsOfAll<Kind extends keyof TargetLimits>(
  targets: readonly PricedTarget[],
  kind: Kind,
): TargetLimits[Kind] {
  const all = targets[0]?.limits[kind] ?? [];
  if (targets.every(({ limits }) => limits[kind] === all)) return all;
  const lists = targets.flatMap(({ limits }): readonly TargetLimits[Kind][number][] => limits[kind]);
  return [...new Map(lists.map((limit) => [limit.id, limit])).values()] as TargetLimits[Kind];
}

/** Of a counter that has no room, the counter for further values refused. */
function refusing(budgets: readonly AppliedBudget[], { budgetId }: BudgetRefusal): AppliedBudget | undefined {
  return (
    budgets.find(({ id }) => id === budgetId) ?? budgets.find(({ limitId }) => limitId === limitOfCounter(budgetId))
  );
}

interface Refused {
  readonly error: unknown;
  /** A copy of a request: no caller was refused. */
  readonly isShadow: boolean;
}

function refusalOf(
  deps: Pick<MoneyDeps, 'budgets' | 'budgetMetrics'>,
  budgets: readonly AppliedBudget[],
  { error, isShadow }: Refused,
): unknown {
  if (!(error instanceof BudgetRefusal)) return error;
  const budget = refusing(budgets, error);
  if (budget === undefined) return error;
  if (!isShadow) deps.budgetMetrics.refused(budget.level, error.reason);
  // The window ends by the database's clock.
  return budgetRefusal(budget, error, deps.budgets.stamp().at);
}
