// The targets of a route for one request, in the order in which they are tried: the groups whose conditions are met, each
// in its own order. A target whose account wrote reasoning that only it can read comes first.
import type { Route } from '../access/routes.ts';
import { stoppedError } from '../access/stops.ts';
import type { CallTarget, ChatCall } from '../call.ts';
import { type Issuer, issuerOf } from '../conversation/opaque.ts';
import { GatewayError } from '../errors.ts';
import { issuerOfThinking } from '../formats/chat-completions/client-thinking.ts';
import type { Target } from '../providers/provider.ts';
import { reasonNotToRepeat } from '../response-cache/keepable.ts';
import { modelStop } from './callable-models.ts';
import { type GroupDeps, type GroupRequest, groupTargets, type LeftOut } from './group-targets.ts';
import { groupsFor } from './route-conditions.ts';

export type RoutedDeps = GroupDeps;

/** The parts of a call that its route decides. */
export type Routed = CallTarget & Pick<ChatCall, 'route' | 'alternatives'>;

/**
 * @throws GatewayError model_not_allowed if no target is left; provider_not_configured if keys are missing for all;
 * stopped_by_operator if all that could serve it are stopped; invalid_request if the route keeps reasoning, and none of them can read it
 */
export function routed(deps: RoutedDeps, requested: GroupRequest, route: Route): Routed {
  const found = groupsFor(route.groups, requested).flatMap(([index, group]) =>
    groupTargets(deps, requested, group, index),
  );
  const callable = found.filter((one) => typeof one !== 'string');
  if (callable.length === 0) throw noTarget(found.filter((one) => typeof one === 'string'));
  const allowed = notStopped(deps, requested, callable);
  const issuer = issuerOfThinking(requested.request);
  const [first, ...others] = forReasoning(allowed, issuer, route.keepReasoning);
  if (first === undefined) throw unreadReasoning();
  const { name, onContext, onFilter, onBudget, recovery, shadow } = route;
  return {
    ...first,
    route: {
      ...{ name, onContext, onFilter, onBudget },
      ...(recovery !== 'off' && { recovery }),
      ...(isHedged(requested, route, first, issuer) && { hedge: route.hedge }),
      ...(shadow && { shadow }),
    },
    ...(others.length > 0 && { alternatives: others.map(withOwnTargets) }),
  };
}

/** @param callable not empty @throws GatewayError stopped_by_operator if none is left */
function notStopped(
  deps: RoutedDeps,
  { caller }: GroupRequest,
  callable: readonly CallTarget[],
): readonly CallTarget[] {
  const stops = callable.map(({ provider, qualifiedModel: model }) =>
    modelStop(caller, { provider: provider.name, model }, deps),
  );
  const left = callable.filter((_, index) => stops[index] === undefined);
  const [first] = stops;
  if (left.length === 0 && first !== undefined) throw stoppedError(first);
  return left;
}

/** Not what belongs to one account or acts there, what is cached there, or what two targets at a time would be too large for. */
function isHedged(
  { request, conversation }: GroupRequest,
  { hedge, groups }: Route,
  { group = 0 }: CallTarget,
  issuer: Issuer | undefined,
): boolean {
  if (hedge === undefined || request.isLarge === true || issuer !== undefined) return false;
  if (groups[group]?.choice === 'sticky' || conversation.isPinned) return false;
  return reasonNotToRepeat(request) === undefined;
}

/** @param isKept the other accounts do not get the request */
function forReasoning(
  callable: readonly CallTarget[],
  issuer: Issuer | undefined,
  isKept: boolean,
): readonly CallTarget[] {
  if (issuer === undefined) return callable;
  if (isKept) {
    return callable.flatMap((one) => {
      const targets = one.targets.filter((target) => isOf(target, issuer));
      return targets.length === 0 ? [] : [{ ...one, targets }];
    });
  }
  const preferred = callable.find(({ targets }) => targets.some((target) => isOf(target, issuer)));
  if (preferred === undefined) return callable;
  const targets = issuerFirst(preferred.targets, issuer);
  return [{ ...preferred, targets, group: -1 }, ...callable.filter((one) => one !== preferred)];
}

/** The keys of one model, with that of the issuer in front. */
export function issuerFirst(targets: readonly Target[], issuer: Issuer): readonly Target[] {
  return [...targets.filter((target) => isOf(target, issuer)), ...targets.filter((target) => !isOf(target, issuer))];
}

function isOf({ provider, providerKeyId }: Target, issuer: Issuer): boolean {
  return provider.name === issuer.provider && issuerOf(provider.name, providerKeyId).account === issuer.account;
}

function unreadReasoning(): GatewayError {
  return new GatewayError('invalid_request', {
    param: 'messages',
    message:
      'the route keeps reasoning, and none of its provider keys can read that of this request; leave the reasoning out',
  });
}

/** One key may be for several models of the route. */
function withOwnTargets(target: CallTarget): CallTarget {
  return { ...target, targets: target.targets.map((one) => ({ ...one })) };
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
