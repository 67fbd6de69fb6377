// One authorised chat request on its way: what inspect, reserve and dispatch look at, and what became of it.
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
  /** The vendor's name of the model, as the caller sent it: this goes up. */
  readonly model: string;
  /** The model's canonical name, `<provider>/<primary id>`: in limits, allow-lists, prices, usage and logs. */
  readonly qualifiedModel: string;
  /** Undefined where the catalog does not know the model. */
  readonly catalogModel: CatalogModel | undefined;
  /** Undefined where the catalog, or a custom provider's list, knows the model. */
  readonly unknownModel?: UnknownModel | undefined;
  /** What models like this one take. */
  readonly capabilities: ModelCapabilities;
  /** In the order in which they are to be tried; never empty. */
  readonly targets: readonly Target[];
  /** What a usage costs, for the usage chunk of a stream whose caller asked for it. */
  readonly costText?: CostText;
  /** Of a question that this guardrail asks a model; absent: of a caller's request. */
  readonly guardrailId?: string;
}

/** A model that neither the catalog nor a custom provider's list knows. It may be newer than they are. */
export interface UnknownModel {
  /** Whether it looks like a typing error rather than like a new model, or a name of the operator's own. */
  readonly isSlip: boolean;
  /** Canonical names near to it that the caller may call, the nearest first. Not cheap. */
  nearest(): readonly string[];
}

/** What became of a reserved request. */
export interface Outcome {
  /** How the last attempt's response ended; `unused` where there was none. */
  readonly ending: Exclude<ResponseEnd, 'open'>;
  /** As far as the provider reported it: a lower bound unless it is complete. */
  readonly usage: Usage | undefined;
  readonly usageIsComplete: boolean;
  /** The most tokens that what came of the response can be. Costs time: asked only where usage is not complete. */
  textTokens(): number;
  readonly modelAnswered: string | undefined;
  readonly attempts: number;
  readonly status: number;
  readonly errorSource: 'gateway' | 'provider' | undefined;
  readonly errorCode: string | undefined;
  /** Milliseconds since the request came. */
  readonly latencyMs: number;
  readonly firstTokenMs: number | undefined;
}
