// The copy of a request for the model that its route compares: the request as input guardrails have left it, without
// what only one account has or what acts outside of the response.
import { isObject } from '../../common/json.ts';
import type { RouteShadow } from '../access/routes.ts';
import type { ChatCall } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { GatewayError } from '../errors.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { ClientRequest } from '../formats/client-format.ts';
import { ownTool } from '../pricing/demand.ts';
import { modelStop } from './callable-models.ts';
import { calledTarget, type TargetDeps } from './group-targets.ts';
import { withOwner } from './stored-ids.ts';

/**
 * Why there is none. `not_allowed`: the key may not call the model. `no_target`: there is no such model, or no stored key
 * for it. `stopped`: an operator has stopped the model. `unfit`: the request uses a vendor's own tools or stored state.
 */
export type NotCopied = 'not_allowed' | 'no_target' | 'stopped' | 'unfit';

/** @param call of a route, inspected */
export function shadowCallOf(deps: TargetDeps, call: ChatCall, shadow: RouteShadow): ChatCall | NotCopied {
  const { requestId, caller, request, route } = call;
  if (route === undefined) throw new Error('only routes copy requests');
  const target = calledTarget(deps, caller, shadow);
  if (typeof target === 'string') return target === 'not_allowed' ? 'not_allowed' : 'no_target';
  const { provider, qualifiedModel: model } = target;
  if (modelStop(caller, { provider: provider.name, model }, deps) !== undefined) return 'stopped';
  try {
    if (usesMore(request)) return 'unfit';
    const copy = withOwner({ requestId, caller, request, ...target, shadowOf: { name: route.name } });
    return { ...copy, request: unstored(copy.request) };
  } catch (error) {
    if (error instanceof GatewayError) return 'unfit';
    throw error;
  }
}

/** Tools that the vendor runs would act twice. What a vendor has stored, another account does not have. */
function usesMore({ body, client }: ChatRequest): boolean {
  const {
    tools,
    web_search_options: search,
    cached_content: cached,
    cachedContent,
    previous_response_id: previous,
  } = body;
  const runsTools =
    Array.isArray(tools) && tools.some((tool: unknown) => isObject(tool) && ownTool(tool) !== undefined);
  return (
    runsTools ||
    [search, cached, cachedContent, previous].some(isGiven) ||
    (client !== undefined && isOfAccount(client))
  );
}

/** @throws GatewayError of tools that nobody can read */
function isOfAccount({ translation, body, path, store }: ClientRequest): boolean {
  const own = translation.ownTools?.(body) ?? [];
  const acts = own.some(({ needs }) => needs.length > 0);
  return acts || path.compacts === true || store?.isBackground === true || isGiven(body.previous_response_id);
}

/** Nothing of a copy is stored. A large one is written anew, because the caller's attempts use the bytes. */
function unstored(request: ChatRequest): ChatRequest {
  const { client, source: _, body, ...rest } = request;
  const { store: _wanted, ...kept } = body;
  if (client === undefined) return { ...rest, body: kept };
  const { store: _kept, ...own } = client;
  return { ...rest, body: kept, client: own };
}
