// The targets of one group of a route for a request, in the order in which they are tried. A target that the caller may
// not use, or that cannot be called, is left out.
import type { Caller } from '../access/authenticator.ts';
import type { RouteGroup, RouteTarget } from '../access/routes.ts';
import type { AttemptTimes, CallTarget } from '../call.ts';
import { noUsage } from '../conversation/usage.ts';
import type { RequestOverrides } from '../formats/client-format.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import { estimateTokens } from '../rates/estimate.ts';
import { countedTarget } from '../routing/counted-target.ts';
import { type Choosable, inOrder } from '../routing/group-order.ts';
import type { TargetLoads } from '../routing/target-loads.ts';
import type { Targets } from '../upstream/targets.ts';
import type { Variate } from '../upstream/variates.ts';
import { type CallTargetDeps, calledModelOf } from './call-target.ts';
import { mayCall } from './callable-models.ts';
import type { ConversationOrder } from './conversation-order.ts';
import { modelWithProvider } from './resolve-model.ts';
import type { ConditionedRequest } from './route-conditions.ts';

export interface TargetDeps extends CallTargetDeps {
  readonly targets: Targets;
}

export interface GroupDeps extends TargetDeps {
  readonly loads: Pick<TargetLoads, 'inFlight' | 'latency'>;
  readonly prices: Pick<PriceTable, 'of'>;
}

export type LeftOut = 'not_allowed' | 'no_provider' | 'no_chat' | 'no_key';

export interface GroupRequest extends ConditionedRequest {
  readonly conversation: ConversationOrder;
}

/** @param index of the group in its route */
export function groupTargets(
  deps: GroupDeps,
  requested: GroupRequest,
  { targets, choice, inFlightMax }: RouteGroup,
  index: number,
): readonly (CallTarget | LeftOut)[] {
  const { conversation } = requested;
  const variate = conversation.of(choice === 'sticky');
  const found = targets.map((target) => callTargetOf(deps, requested, { target, index, inFlightMax, variate }));
  if (found.length < 2) return found;
  const callable = targets.flatMap((target, at) => {
    const call = found[at];
    return typeof call === 'object' ? [choosable(deps, requested, { target, call })] : [];
  });
  // The cheapest one is the same for all requests of a conversation, or nearly so.
  const isPinned = callable.length > 1 && choice !== 'cheapest' && conversation.isPinned;
  const ordered = inOrder(callable, isPinned ? 'sticky' : choice, variate);
  return [...ordered.map(({ call }) => call), ...found.filter((one) => typeof one === 'string')];
}

interface GroupTarget {
  readonly target: RouteTarget;
  readonly index: number;
  readonly inFlightMax: number | undefined;
  readonly variate: Variate;
}

function callTargetOf(
  deps: GroupDeps,
  { caller }: GroupRequest,
  { target, index, inFlightMax, variate }: GroupTarget,
): CallTarget | LeftOut {
  const found = calledTarget(deps, caller, target, variate);
  if (typeof found === 'string') return found;
  return {
    ...found,
    group: index,
    overrides: overridesOf(target),
    times: timesOf(target),
    inFlightMax,
    isCanary: target.canary !== undefined,
  };
}

/** The model of a target, with the keys for it. @param variate default: a random order of the keys */
export function calledTarget(
  deps: TargetDeps,
  caller: Caller,
  { model, providerKeyId: only }: Pick<RouteTarget, 'model' | 'providerKeyId'>,
  variate?: Variate,
): CallTarget | LeftOut {
  const { principal } = caller;
  const resolved = modelWithProvider(deps, caller, model);
  if (resolved === undefined) return 'no_provider';
  const called = calledModelOf(deps, caller, resolved);
  if (!mayCall(caller, called.qualifiedModel)) return 'not_allowed';
  if (called.catalogModel?.chat === false) return 'no_chat';
  const stored = deps.targets.stored(principal.organization, resolved.provider, variate);
  const targets = only === undefined ? stored : stored.filter(({ providerKeyId }) => providerKeyId === only);
  return targets.length === 0 ? 'no_key' : { ...called, targets };
}

function overridesOf({ maxOutputTokens, reasoningEffort }: RouteTarget): RequestOverrides | undefined {
  const isNone = maxOutputTokens === undefined && reasoningEffort === undefined;
  return isNone ? undefined : { maxOutputTokens, reasoningEffort };
}

function timesOf({ firstTokenMs, betweenTokensMs, wholeMs, connectMs }: RouteTarget): AttemptTimes | undefined {
  const isUnset = (firstTokenMs ?? betweenTokensMs ?? wholeMs ?? connectMs) === undefined;
  return isUnset ? undefined : { firstTokenMs, betweenTokensMs, wholeMs, connectMs };
}

interface ChoosableTarget extends Choosable {
  readonly call: CallTarget;
}

function choosable(
  deps: GroupDeps,
  { caller, request }: GroupRequest,
  { target, call }: { readonly target: RouteTarget; readonly call: CallTarget },
): ChoosableTarget {
  const { id: organization } = caller.principal.organization;
  const names = { organization, model: call.qualifiedModel };
  const counted = call.targets.map((one) => countedTarget(one, names).identity);
  return {
    call,
    name: `${target.model} ${target.providerKeyId ?? ''}`,
    weight: target.weight,
    canary: target.canary,
    inFlight: () => counted.reduce((sum, identity) => sum + deps.loads.inFlight(identity), 0),
    latency: () => {
      // Of the key that gets the request first.
      const [first] = counted;
      return first && deps.loads.latency(first);
    },
    cost: () => {
      const prices = deps.prices.of({ ...call, caller });
      if (prices === undefined) return undefined;
      const { input, output } = estimateTokens({ ...call, request }, outputTokensExpected);
      const completionTokens = Math.min(output, target.maxOutputTokens ?? output);
      return prices.costOf({ ...noUsage, promptTokens: input, completionTokens });
    },
  };
}

/** Of a request without a maximum. */
const outputTokensExpected = 1000;
