// One authorised chat request on its way: the input of inspect, reserve and dispatch, and its outcome.
import type { RouteRecovery } from '../proto/words/access.ts';
import type { Caller } from './access/authenticator.ts';
import type { RouteHedge, RouteShadow } from './access/routes.ts';
import type { ModelCapabilities } from './catalog/capabilities.ts';
import type { CatalogModel } from './catalog/models.ts';
import type { ResponseEnd } from './conversation/response-end.ts';
import type { CostText, Usage } from './conversation/usage.ts';
import { type ChatRequest, withOutputCeiling, withOverrides } from './formats/chat-completions/read-request.ts';
import type { RequestOverrides } from './formats/client-format.ts';
import type { Provider, Target } from './providers/provider.ts';

/** A model that a request may be sent to, with the keys for it. */
export interface CallTarget {
  readonly provider: Provider;
  /** The vendor's name of the model, as the caller sent it: the vendor receives this name. */
  readonly model: string;
  /** The model's canonical name, `<provider>/<primary id>`: in limits, allow-lists, prices, usage and logs. */
  readonly qualifiedModel: string;
  /** Undefined if the catalog does not contain the model. */
  readonly catalogModel: CatalogModel | undefined;
  /** Undefined if the catalog, or a custom provider's list, contains the model. */
  readonly unknownModel?: UnknownModel | undefined;
  /** The capabilities of models like this one. */
  readonly capabilities: ModelCapabilities;
  /** In the order in which they are tried; never empty. */
  readonly targets: readonly Target[];
  /** The changes that the route makes to the request. */
  readonly overrides?: RequestOverrides | undefined;
  readonly times?: AttemptTimes | undefined;
  /** Tokens that each choice may generate, where a budget applies and neither caller nor route has set a maximum. */
  readonly outputCeiling?: number | undefined;
  /** The index of the route's group; -1 for a target that comes before all groups. */
  readonly group?: number | undefined;
  /** It is a canary of its group. */
  readonly isCanary?: boolean;
  /** So many requests in flight make it full, as its group says. */
  readonly inFlightMax?: number | undefined;
}

/** Milliseconds. They only shorten the limits of the proxy's settings. Undefined: those alone apply. */
export interface AttemptTimes {
  /** Until the first token of a stream. */
  readonly firstTokenMs: number | undefined;
  /** Between two events of a stream. */
  readonly betweenTokensMs: number | undefined;
  /** From the start of the attempt to the end of the response. */
  readonly wholeMs: number | undefined;
  /** From the start of the attempt until a connection takes the request. */
  readonly connectMs: number | undefined;
}

/** The route that the caller called. */
export interface CalledRoute {
  /** The route's name: for a route that replaces a model, the model's canonical name. */
  readonly name: string;
  /** A refusal because the context is too long goes to the next target. */
  readonly onContext: boolean;
  /** A refusal by a content filter goes to the next target. */
  readonly onFilter: boolean;
  /** A refusal by a budget of the first target goes to the next one. */
  readonly onBudget: boolean;
  /** What follows when a provider cuts a stream of which the caller has a part. Absent: an error. */
  readonly recovery?: Exclude<RouteRecovery, 'off'>;
  /** When a second target gets this request. Absent: never. */
  readonly hedge?: RouteHedge | undefined;
  /** A model that gets copies of its requests. */
  readonly shadow?: RouteShadow | undefined;
}

/** Its own fields of {@link CallTarget} are those of the first target. */
export interface ChatCall extends CallTarget {
  readonly requestId: string;
  readonly caller: Caller;
  readonly request: ChatRequest;
  readonly route?: CalledRoute | undefined;
  /**
   * The later targets of the route, in order. No `Target` object is in two of them, so a target identifies its model,
   * even if one key is for two models.
   */
  readonly alternatives?: readonly CallTarget[] | undefined;
  /** The cost of a usage, for the usage chunk of a stream whose caller requested it. */
  readonly costText?: (usage: Usage, target: Target) => ReturnType<CostText>;
  /**
   * Output guardrails apply, its stream may be recovered, or the response is stored: all of them read it as a chat
   * completion.
   */
  readonly isGuarded?: boolean;
  /** Only the tokens of its request are counted: it counts as a request, and costs nothing. */
  readonly countsOnly?: true;
  /** It is a copy of a request to this route, for another model: nobody gets its response. */
  readonly shadowOf?: Pick<CalledRoute, 'name'>;
  /** The guardrail that calls the model; absent for a caller's request. */
  readonly guardrailId?: string;
}

/** The call as it was sent: to one of its targets, with the changes that its route makes for this target. */
export function callAt(call: ChatCall, target: Target | undefined): ChatCall {
  if (target === undefined) return call;
  if (call.route === undefined) return call.targets[0] === target ? call : { ...call, targets: [target] };
  const sent = withTarget(call, targetWith(call, target));
  const request = forAccount(sent.request, target);
  // Most routes have one target with one key: copies would be most of their cost.
  const isSame = request === sent.request && sent.targets.length === 1 && sent.targets[0] === target;
  return isSame ? sent : { ...sent, targets: [target], request };
}

/** Other accounts know nothing of the stored ids of one. */
function forAccount(request: ChatRequest, { providerKeyId }: Target): ChatRequest {
  const { client } = request;
  if (client?.store?.providerKeyId === undefined || client.store.providerKeyId === providerKeyId) return request;
  return { ...request, client: { ...client, store: { ...client.store, ids: new Map() } } };
}

/** The same call at the target's model alone, with the changes that the route makes for it. */
export function withTarget(call: ChatCall, at: CallTarget): ChatCall {
  const { overrides, outputCeiling } = at;
  const isAlone = at === call && call.alternatives === undefined;
  if (isAlone && overrides === undefined && outputCeiling === undefined) return call;
  const limited = outputCeiling === undefined ? call.request : withOutputCeiling(call.request, outputCeiling);
  const request = overrides === undefined ? limited : withOverrides(limited, overrides);
  // The changes are in the request now.
  return { ...atTarget(call, at), request, alternatives: undefined, overrides: undefined, outputCeiling: undefined };
}

/** The part of the call that contains the target; the first one for a target of another call. */
export function targetWith(call: ChatCall, target: Target): CallTarget {
  if (call.targets.includes(target)) return call;
  return call.alternatives?.find(({ targets }) => targets.includes(target)) ?? call;
}

/** In the order in which they are tried. */
export function callTargets(call: ChatCall): readonly CallTarget[] {
  return call.alternatives === undefined ? [call] : [call, ...call.alternatives];
}

/** @param targets not empty: what remains of the call's own */
export function withTargets(call: ChatCall, targets: readonly CallTarget[]): ChatCall {
  if (targets.length === 1 && targets[0] === call && call.alternatives === undefined) return call;
  const [first = call, ...others] = targets;
  return { ...atTarget(call, first), alternatives: others.length === 0 ? undefined : others };
}

/**
 * Only the fields of the target: a call is a target as well, and has more. One spread with fields behind it takes half the
 * time of several.
 */
function atTarget(call: ChatCall, at: CallTarget): ChatCall {
  return {
    ...call,
    provider: at.provider,
    model: at.model,
    qualifiedModel: at.qualifiedModel,
    catalogModel: at.catalogModel,
    unknownModel: at.unknownModel,
    capabilities: at.capabilities,
    targets: at.targets,
    overrides: at.overrides,
    times: at.times,
    outputCeiling: at.outputCeiling,
    group: at.group,
    isCanary: at.isCanary === true,
    inFlightMax: at.inFlightMax,
  };
}

/** Whether the vendor may generate the response after the request has ended. */
export function isInBackground({ request }: Pick<ChatCall, 'request'>): boolean {
  return request.client?.store?.isBackground === true;
}

/** A model that neither the catalog nor a custom provider's list contains. It may be newer than they are. */
export interface UnknownModel {
  /** Whether its name looks like a typing error, not like a new model or a name of the operator's own. */
  readonly isSlip: boolean;
  /** Similar canonical names that the caller may call, the nearest first. Expensive. */
  nearest(): readonly string[];
}

/** The outcome of a reserved request. */
export interface Outcome {
  /** How the last attempt's response ended; `unused` if there was none. */
  readonly ending: Exclude<ResponseEnd, 'open'>;
  /** The usage that the provider reported: a lower bound unless it is complete. */
  readonly usage: Usage | undefined;
  readonly usageIsComplete: boolean;
  /**
   * The most tokens that the received part of the response can have. Expensive: called only if the usage is not
   * complete.
   */
  textTokens(): number;
  readonly modelAnswered: string | undefined;
  /** The target of the last attempt; undefined if there was none. */
  readonly target: Target | undefined;
  readonly attempts: number;
  readonly status: number;
  readonly errorSource: 'gateway' | 'provider' | undefined;
  readonly errorCode: string | undefined;
  /** The caller has a part of the response, and is to get the rest of another attempt's. */
  readonly isPassedOn?: boolean;
  /** Milliseconds since the request arrived. */
  readonly latencyMs: number;
  readonly firstTokenMs: number | undefined;
}
