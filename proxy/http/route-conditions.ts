// Which groups of a route are for a request. Conditions read the parsed request, before guardrails.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Caller } from '../access/authenticator.ts';
import type { RouteConditions, RouteGroup } from '../access/routes.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';
import { type ChatRequest, clientBody } from '../formats/chat-completions/read-request.ts';
import { estimateTokens } from '../rates/estimate.ts';
import type { RequestHeaders } from './headers.ts';

/** Read from the caller, and never sent to a provider. */
export const routeTagHeader = 'x-svc-route-tag';

export interface ConditionedRequest {
  readonly request: ChatRequest;
  readonly caller: Caller;
  readonly headers: RequestHeaders;
}

/** Facts of one request, each found when a condition first needs it. */
class RequestFacts {
  readonly #of: ConditionedRequest;
  #hasImages: boolean | undefined;
  #tokens: number | undefined;

  constructor(of: ConditionedRequest) {
    this.#of = of;
  }

  get hasImages(): boolean {
    this.#hasImages ??= mediaOf(this.#of.request.messages).some(({ kind }) => kind === 'image');
    return this.#hasImages;
  }

  get hasTools(): boolean {
    const { request } = this.#of;
    return hasTools(request.body) || hasTools(clientBody(request));
  }

  /** Of the prompt. */
  get tokens(): number {
    this.#tokens ??= estimateTokens({ request: this.#of.request, catalogModel: undefined }, 0).input;
    return this.#tokens;
  }

  get streamed(): boolean {
    return this.#of.request.stream;
  }

  get tag(): string | undefined {
    return this.#of.headers.get(routeTagHeader);
  }

  isOf({ kind, id }: NonNullable<RouteConditions['scope']>): boolean {
    const { scope } = this.#of.caller.principal.key;
    return scope.kind === kind && scope.id === id;
  }
}

/** @returns the groups with their index in the route */
export function groupsFor(
  groups: readonly RouteGroup[],
  requested: ConditionedRequest,
): readonly (readonly [index: number, group: RouteGroup])[] {
  const facts = new RequestFacts(requested);
  return [...groups.entries()].filter(([, { conditions }]) => areMet(conditions, facts));
}

function areMet(conditions: RouteConditions, facts: RequestFacts): boolean {
  const { streamed, hasImages, hasTools, tokensAbove, tag, scope } = conditions;
  return (
    (streamed === undefined || streamed === facts.streamed) &&
    (tag === undefined || tag === facts.tag) &&
    (scope === undefined || facts.isOf(scope)) &&
    (hasTools === undefined || hasTools === facts.hasTools) &&
    (hasImages === undefined || hasImages === facts.hasImages) &&
    (tokensAbove === undefined || facts.tokens > tokensAbove)
  );
}

/** In chat completions, and in the formats of other clients: a vendor's own tools are tools too. */
function hasTools({ tools, functions, toolConfig }: JsonObject): boolean {
  return [tools, functions, isObject(toolConfig) ? toolConfig.tools : undefined].some(
    (list) => Array.isArray(list) && list.length > 0,
  );
}
