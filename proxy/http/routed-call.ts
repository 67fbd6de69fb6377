// The targets of a route for one request, in the order in which they are tried: the groups whose conditions are met, and
// within a group a random order by weight. A target that the caller may not use, or that cannot be called, is left out.
import type { Caller } from '../access/authenticator.ts';
import type { Route, RouteTarget } from '../access/routes.ts';
import type { AttemptTimes, CallTarget, ChatCall } from '../call.ts';
import { GatewayError } from '../errors.ts';
import type { RequestOverrides } from '../formats/client-format.ts';
import type { Targets } from '../upstream/targets.ts';
import { type CallTargetDeps, calledModelOf } from './call-target.ts';
import { mayCall } from './callable-models.ts';
import { modelWithProvider } from './resolve-model.ts';
import { type ConditionedRequest, groupsFor } from './route-conditions.ts';

export interface RoutedDeps extends CallTargetDeps {
  readonly targets: Targets;
}

/** The parts of a call that its route decides. */
export type Routed = CallTarget & Pick<ChatCall, 'route' | 'alternatives'>;

/**
 * @throws GatewayError model_not_allowed if no target is left; provider_not_configured if keys are missing for all
 */
export function routed(deps: RoutedDeps, requested: ConditionedRequest, route: Route): Routed {
  const found = groupsFor(route.groups, requested).flatMap(([group, { targets }]) =>
    byWeight(targets).map((target) => callTargetOf(deps, requested.caller, { target, group })),
  );
  const [first, ...others] = found.filter((one) => typeof one !== 'string');
  if (first === undefined) throw noTarget(found.filter((one) => typeof one === 'string'));
  const { name, onContext, onFilter, recovery, shadow } = route;
  return {
    ...first,
    route: { name, onContext, onFilter, ...(recovery !== 'off' && { recovery }), ...(shadow && { shadow }) },
    ...(others.length > 0 && { alternatives: others.map(withOwnTargets) }),
  };
}

export type LeftOut = 'not_allowed' | 'no_provider' | 'no_chat' | 'no_key';

interface GroupTarget {
  readonly target: RouteTarget;
  readonly group: number;
}

function callTargetOf(deps: RoutedDeps, caller: Caller, { target, group }: GroupTarget): CallTarget | LeftOut {
  const found = calledTarget(deps, caller, target);
  if (typeof found === 'string') return found;
  return { ...found, group, overrides: overridesOf(target), times: timesOf(target) };
}

/** The model of a target, with the keys for it. */
export function calledTarget(
  deps: RoutedDeps,
  caller: Caller,
  target: Pick<RouteTarget, 'model' | 'providerKeyId'>,
): CallTarget | LeftOut {
  const { principal } = caller;
  const resolved = modelWithProvider(deps, caller, target.model);
  if (resolved === undefined) return 'no_provider';
  const called = calledModelOf(deps, caller, resolved);
  if (!mayCall(caller, called.qualifiedModel)) return 'not_allowed';
  if (called.catalogModel?.chat === false) return 'no_chat';
  const stored = deps.targets.stored(principal.organization, resolved.provider);
  const { providerKeyId: only } = target;
  const targets = only === undefined ? stored : stored.filter(({ providerKeyId }) => providerKeyId === only);
  if (targets.length === 0) return 'no_key';
  return { ...called, targets };
}

function overridesOf({ maxOutputTokens, reasoningEffort }: RouteTarget): RequestOverrides | undefined {
  const isNone = maxOutputTokens === undefined && reasoningEffort === undefined;
  return isNone ? undefined : { maxOutputTokens, reasoningEffort };
}

function timesOf({ firstTokenMs, betweenTokensMs, wholeMs }: RouteTarget): AttemptTimes | undefined {
  const isNone = firstTokenMs === undefined && betweenTokensMs === undefined && wholeMs === undefined;
  return isNone ? undefined : { firstTokenMs, betweenTokensMs, wholeMs };
}

/** One key may be for several models of the route. */
function withOwnTargets(target: CallTarget): CallTarget {
  return { ...target, targets: target.targets.map((one) => ({ ...one })) };
}

/** As for keys of one priority, see Targets. */
function byWeight(targets: readonly RouteTarget[]): readonly RouteTarget[] {
  if (targets.length < 2) return targets;
  return targets
    .map((target) => ({ target, at: -Math.log(1 - Math.random()) / target.weight }))
    .sort((a, b) => a.at - b.at)
    .map(({ target }) => target);
}

function noTarget(reasons: readonly LeftOut[]): GatewayError {
  if (reasons.length === 0) {
    const message = 'no target of this route is for such a request; an owner or admin can change the route';
    return new GatewayError('model_not_allowed', { param: 'model', message });
  }
  if (!reasons.includes('not_allowed')) return new GatewayError('provider_not_configured');
  const message = 'this virtual key may call no target of this route';
  return new GatewayError('model_not_allowed', { param: 'model', message });
}
