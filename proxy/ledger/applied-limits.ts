// The limits that apply to a call: those of the organization, of the key and its scope, and of the project key and its
// scope if the call has one. Limits for other models, and for other tags, are left out. A limit for each value applies
// with the counter of the call's value. Budgets of provider keys apply to the targets that these keys are for.
import { limitsModel, limitsShadow } from '../../catalog/model-selector.ts';
import { type CounterKind, counterOf, type OwnerKind, ownerOfEach, tagOfEach } from '../../common/counter-names.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Caller } from '../access/authenticator.ts';
import type { KeyRecord, Limit, Principal } from '../access/principal.ts';
import type { Budget } from '../budgets/budgets.ts';
import type { ChatCall } from '../call.ts';
import { GatewayError } from '../errors.ts';
import type { RateLimit } from '../rates/rates.ts';

export type LimitLevel = LimitSubjectKind;

interface Applied {
  /** Of the limit, whose counter may have another id. */
  readonly limitId: string;
  readonly level: LimitLevel;
  /** The glob of models that it is for; undefined: all models. */
  readonly model: string | undefined;
  /** Only requests with this tag; absent: all. */
  readonly tag?: Limit['tag'];
  /** Of a limit for each value; absent: it counts all in one. */
  readonly each?: { readonly kind: CounterKind; readonly value: string };
}

export interface AppliedRate extends RateLimit, Applied {}

export interface AppliedBudget extends Budget, Applied {
  readonly amountUsd: string;
  /** Only for attempts with this provider key; absent: for all. */
  readonly providerKeyId?: string;
}

export interface AppliedLimits {
  readonly rates: readonly AppliedRate[];
  readonly budgets: readonly AppliedBudget[];
  /** Budgets of who pays, for copies of requests too: the platform's, and those of provider keys, of all targets. */
  readonly payerBudgets: readonly AppliedBudget[];
}

type LimitedCall = Pick<ChatCall, 'caller' | 'qualifiedModel' | 'route' | 'shadowOf'> & {
  /** It calls no model, and has no tags. */
  readonly isUntagged?: true;
};

/**
 * Each counter once: both keys may be of one scope, and one key may be sent as both.
 * @throws GatewayError invalid_request for a call without a tag that a limit requires
 */
export function appliedLimits(call: LimitedCall): AppliedLimits {
  const { caller, shadowOf } = call;
  const names = namesFor(call);
  if (shadowOf !== undefined) return ofShadow(call, names, shadowOf.name);
  const { principal, project } = caller;
  if (project !== undefined) return select(call, names);
  const { key } = principal;
  const known = remembered.get(key);
  if (known !== undefined && isSame(known.principal, principal)) return known.limits;
  const limits = select(call, names);
  if (areOfAllRequests(principal)) remembered.set(key, { principal, limits });
  return limits;
}

/** By key record, with the records beside it: the limits, if they apply to every model and every tag. */
const remembered = new WeakMap<KeyRecord, { readonly principal: Principal; readonly limits: AppliedLimits }>();

function isSame(known: Principal, { scope, organization, platform }: Principal): boolean {
  return known.scope === scope && known.organization === organization && known.platform === platform;
}

/** A limit for a route is for what its callers call; limits for models are for the model that gets the request. */
function namesFor({ qualifiedModel, route }: Pick<ChatCall, 'qualifiedModel' | 'route'>): readonly string[] {
  return route === undefined || route.name.includes('/') ? [qualifiedModel] : [qualifiedModel, `route/${route.name}`];
}

/**
 * A copy of a request is charged to the budgets for such copies, and to those of the provider key that it is sent with;
 * rates are for what callers send.
 */
function ofShadow(call: LimitedCall, names: readonly string[], route: string): AppliedLimits {
  const { caller } = call;
  const budgets = new Map<string, AppliedBudget>();
  for (const [level, limits] of levels(caller)) {
    for (const { id, kind, amountUsd = '0', period = 'total', model } of limits) {
      if (kind === 'budget' && model !== undefined && limitsShadow(model, route))
        budgets.set(id, { id, limitId: id, period, amountUsd, level, model });
    }
  }
  return { rates: [], budgets: [...budgets.values()], payerBudgets: select(call, names).payerBudgets };
}

function select({ caller, isUntagged }: LimitedCall, names: readonly string[]): AppliedLimits {
  const rates = new Map<string, AppliedRate>();
  const budgets = new Map<string, AppliedBudget>();
  const payerBudgets = new Map<string, AppliedBudget>();
  for (const { level, limit, sent } of limitsFor(caller, names)) {
    if (isUntagged !== true) requireTag(limit, caller);
    const { kind, count = 0, amountUsd = '0', period = 'total', model, providerKeyId } = limit;
    for (const { id, ...counter } of countersOf(limit, sent, caller)) {
      const applied = { id, limitId: limit.id, level, model, ...counter };
      const budget = { ...applied, period, amountUsd, ...countedValue(applied) };
      if (providerKeyId !== undefined) payerBudgets.set(id, { ...budget, level: 'provider_key', providerKeyId });
      else if (kind === 'budget') (level === 'platform' ? payerBudgets : budgets).set(id, budget);
      else rates.set(id, { ...applied, kind, max: count, ...byCaller(applied) });
    }
  }
  return { rates: [...rates.values()], budgets: [...budgets.values()], payerBudgets: [...payerBudgets.values()] };
}

interface LimitOfLevel {
  readonly level: LimitLevel;
  readonly limit: Limit;
  /** Of the keys that were sent: those that a limit of this level has counters for. */
  readonly sent: readonly Principal[];
}

/** Those for the model, by one of its names, and for traffic like the call. */
function* limitsFor(caller: Caller, names: readonly string[]): Iterable<LimitOfLevel> {
  for (const [level, limits, sent] of levels(caller))
    for (const limit of limits)
      if (countsTraffic(limit, caller) && countsModel(limit, names)) yield { level, limit, sent };
}

function countsModel({ model }: Limit, names: readonly string[]): boolean {
  return model === undefined || names.some((name) => limitsModel(model, name));
}

/** A caller's own provider key is no stored one. */
function countsTraffic({ traffic, providerKeyId }: Limit, { direct }: Caller): boolean {
  if (providerKeyId !== undefined) return !direct;
  return traffic === undefined || (traffic === 'direct') === direct;
}

type Counter = Pick<Applied, 'tag' | 'each'> & { readonly id: string };

/** Usually the limit itself. None: it does not count the call. */
function countersOf({ id, tag, each }: Limit, sent: readonly Principal[], { tags }: Caller): readonly Counter[] {
  if (tag === undefined && each === undefined) return [{ id }];
  if (tag !== undefined && tags?.get(tag.name) !== tag.value) return [];
  const ofTag = tag && { tag };
  if (each === undefined) return [{ id, ...ofTag }];
  const owner = ownerOfEach(each);
  const ofRequest = owner === undefined ? [tags?.get(tagOfEach(each) ?? '')] : sent.map((one) => ownerOf(one, owner));
  const values = new Set(ofRequest.filter((value) => value !== undefined));
  return [...values].map((one) => ({ id: counterOf(id, one), ...ofTag, each: { kind: each, value: one } }));
}

/** Undefined for a key that belongs to something else. */
function ownerOf({ key }: Principal, owner: OwnerKind): string | undefined {
  switch (owner) {
    case 'key':
      return key.keyId;
    case 'person':
    case 'system': {
      const { kind, id } = key.scope;
      return kind === (owner === 'system' ? 'ai_system' : owner) ? id : undefined;
    }
  }
}

function countedValue({ each }: Pick<Counter, 'each'>): { readonly value?: string } {
  return each === undefined ? {} : { value: each.value };
}

function byCaller({ each }: Pick<Counter, 'each'>): { readonly byCaller?: true } {
  return each === undefined || ownerOfEach(each.kind) !== undefined ? {} : { byCaller: true };
}

/** @throws GatewayError */
function requireTag({ id: limitId, tag, each, required }: Limit, { tags }: Caller): void {
  const name = each === undefined ? undefined : tagOfEach(each);
  if (required !== true || name === undefined || tags?.has(name) === true) return;
  if (tag !== undefined && tags?.get(tag.name) !== tag.value) return;
  const message = `a limit counts requests for each ${name}, and this one names none: send the header x-svc-tag-${name}`;
  throw new GatewayError('invalid_request', { param: `x-svc-tag-${name}`, message, limitId });
}

function areOfAllRequests({ organization, scope, key, platform }: Principal): boolean {
  return [organization, key, scope, platform].every((record) => record?.limits?.every(countsEveryRequest) ?? true);
}

function countsEveryRequest({ model, tag, each, traffic, providerKeyId }: Limit): boolean {
  if (traffic !== undefined || providerKeyId !== undefined) return false;
  return model === undefined && tag === undefined && (each === undefined || ownerOfEach(each) !== undefined);
}

function* levels({
  principal,
  project,
}: Caller): Iterable<readonly [LimitLevel, readonly Limit[], sent: readonly Principal[]]> {
  if (principal.platform?.limits !== undefined) yield ['platform', principal.platform.limits, []];
  yield ['organization', principal.organization.limits, project === undefined ? [principal] : [principal, project]];
  for (const sent of [principal, project]) {
    if (sent === undefined) continue;
    if (sent.scope !== undefined) yield [sent.scope.kind, sent.scope.limits, [sent]];
    yield ['virtual_key', sent.key.limits, [sent]];
  }
}
