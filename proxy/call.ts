// One authorised chat request on its way: the input of inspect, reserve and dispatch, and its outcome.
import type { Caller } from './access/authenticator.ts';
import type { ModelCapabilities } from './catalog/capabilities.ts';
import type { CatalogModel } from './catalog/models.ts';
import type { ResponseEnd } from './conversation/response-end.ts';
import type { CostText, Usage } from './conversation/usage.ts';
import type { ChatRequest } from './formats/chat-completions/read-request.ts';
import type { Provider, Target } from './providers/provider.ts';

export interface ChatCall {
  readonly requestId: string;
  readonly caller: Caller;
  readonly request: ChatRequest;
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
  /** The cost of a usage, for the usage chunk of a stream whose caller requested it. */
  readonly costText?: CostText;
  /** Output guardrails apply: they read the response as a chat completion. */
  readonly isGuarded?: boolean;
  /** Only the tokens of its request are counted: it counts as a request, and costs nothing. */
  readonly countsOnly?: true;
  /** The guardrail that calls the model; absent for a caller's request. */
  readonly guardrailId?: string;
}

/** The call as it was sent: to one of its targets. */
export function callAt<Call extends Pick<ChatCall, 'targets'>>(call: Call, target: Target | undefined): Call {
  return target === undefined || call.targets[0] === target ? call : { ...call, targets: [target] };
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
  /** Milliseconds since the request arrived. */
  readonly latencyMs: number;
  readonly firstTokenMs: number | undefined;
}
