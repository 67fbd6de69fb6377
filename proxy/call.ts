// One authorised chat request on its way: what inspect, reserve and dispatch look at.
import type { Caller } from './access/authenticator.ts';
import type { ModelCapabilities } from './catalog/capabilities.ts';
import type { CatalogModel } from './catalog/models.ts';
import type { CostText } from './conversation/usage.ts';
import type { ChatRequest } from './formats/chat-completions/read-request.ts';
import type { Provider, Target } from './providers/provider.ts';
import type { UnknownModel } from './unknown-model.ts';

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
