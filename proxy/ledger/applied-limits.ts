// The limits that apply to a call: those of the organization, of the key and its scope, and of the project key and its
// scope if the call has one. Limits for other models are left out.
import { limitsModel, limitsShadow } from '../../catalog/model-selector.ts';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Caller } from '../access/authenticator.ts';
import type { KeyRecord, Limit, Principal } from '../access/principal.ts';
import type { Budget } from '../budgets/budgets.ts';
import type { ChatCall } from '../call.ts';
import type { RateLimit } from '../rates/rates.ts';

export type LimitLevel = LimitSubjectKind;

interface Applied {
  readonly level: LimitLevel;
  /** The glob of models that it is for; undefined: all models. */
  readonly model: string | undefined;
}

export interface AppliedRate extends RateLimit, Applied {}

export interface AppliedBudget extends Budget, Applied {
  readonly amountUsd: string;
}

export interface AppliedLimits {
  readonly rates: readonly AppliedRate[];
  readonly budgets: readonly AppliedBudget[];
}

type LimitedCall = Pick<ChatCall, 'caller' | 'qualifiedModel' | 'route' | 'shadowOf'>;

/** Each limit once: both keys may be of one scope, and one key may be sent as both. */
export function appliedLimits(call: LimitedCall): AppliedLimits {
  const { caller, shadowOf } = call;
  if (shadowOf !== undefined) return ofShadow(caller, shadowOf.name);
  const names = namesFor(call);
  const { principal, project } = caller;
  if (project !== undefined) return select(caller, names);
  const { key, scope, organization } = principal;
  const known = remembered.get(key);
  if (known !== undefined && known.scope === scope && known.organization === organization) return known.limits;
  const limits = select(caller, names);
  if (areOfAllModels(principal)) remembered.set(key, { scope, organization, limits });
  return limits;
}

/** By key record, with the records beside it: the limits, if they apply to every model. */
const remembered = new WeakMap<KeyRecord, Omit<Principal, 'key'> & { readonly limits: AppliedLimits }>();

/** A limit for a route is for what its callers call; limits for models are for the model that gets the request. */
function namesFor({ qualifiedModel, route }: Pick<ChatCall, 'qualifiedModel' | 'route'>): readonly string[] {
  return route === undefined || route.name.includes('/') ? [qualifiedModel] : [qualifiedModel, `route/${route.name}`];
}

/** A copy of a request is charged to the budgets for such copies, and to no other; rates are for what callers send. */
function ofShadow(caller: Caller, route: string): AppliedLimits {
  const budgets = new Map<string, AppliedBudget>();
  for (const [level, limits] of levels(caller)) {
    for (const { id, kind, amountUsd = '0', period = 'total', model } of limits) {
      if (kind === 'budget' && model !== undefined && limitsShadow(model, route))
        budgets.set(id, { id, period, amountUsd, level, model });
    }
  }
  return { rates: [], budgets: [...budgets.values()] };
}

function select(caller: Caller, names: readonly string[]): AppliedLimits {
  const rates = new Map<string, AppliedRate>();
  const budgets = new Map<string, AppliedBudget>();
  for (const [level, limits] of levels(caller)) {
    for (const { id, kind, count = 0, amountUsd = '0', period = 'total', model } of limits) {
      if (model !== undefined && !names.some((name) => limitsModel(model, name))) continue;
      if (kind === 'budget') budgets.set(id, { id, period, amountUsd, level, model });
      else rates.set(id, { id, kind, max: count, level, model });
    }
  }
  return { rates: [...rates.values()], budgets: [...budgets.values()] };
}

function areOfAllModels({ organization, scope, key }: Principal): boolean {
  return [organization, key, scope].every((record) => record?.limits.every(({ model }) => model === undefined) ?? true);
}

function* levels({ principal, project }: Caller): Iterable<readonly [LimitLevel, readonly Limit[]]> {
  yield ['organization', principal.organization.limits];
  for (const sent of [principal, project]) {
    if (sent === undefined) continue;
    if (sent.scope !== undefined) yield [sent.scope.kind, sent.scope.limits];
    yield ['virtual_key', sent.key.limits];
  }
}
