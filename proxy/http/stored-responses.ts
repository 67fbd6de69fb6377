// Stored responses, read, cancelled and deleted by id. The id says which account has them, and only its owner can open
// it. Each counts as a request. Nothing is charged: no model is called.
import { canonicalModel } from '../../catalog/model-names.ts';
import { isObject, parseJson } from '../../common/json.ts';
import type { Caller } from '../access/authenticator.ts';
import { isSealed, type SealedIds, type StoredId } from '../access/sealed-ids.ts';
import { unsupported } from '../conversation/invalid.ts';
import { GatewayError } from '../errors.ts';
import { readGptError } from '../formats/gpt-error.ts';
import { isOverStatus } from '../formats/stored-state.ts';
import type { Guardrails } from '../guardrails/guardrail.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Provider, Target } from '../providers/provider.ts';
import type { PlainResponse } from '../upstream/plain-exchange.ts';
import { providerFailure } from '../upstream/provider-failure.ts';
import { type AuthorizeDeps, directTarget } from './authorize.ts';
import type { BackgroundResponses } from './background-responses.ts';
import { expectNotStopped, mayCall } from './callable-models.ts';
import type { Exchange } from './exchange.ts';
import type { StoredRoute } from './match.ts';
import { respondText } from './respond.ts';
import { notFound, sealedIdsOf, sealedText, sealing } from './stored-ids.ts';
import { type FetchStored, type StoredAction, storedRequest } from './stored-request.ts';

export interface StoredDeps extends AuthorizeDeps {
  readonly guardrails: Pick<Guardrails, 'guardsResponses'>;
  readonly ledger: Ledger;
  readonly backgroundResponses: Pick<BackgroundResponses, 'poll' | 'pollSoon'>;
  readonly fetchStored: FetchStored;
  now(): number;
}

/**
 * @throws GatewayError response_not_found, unsupported_parameter, provider_key_required, rate_limit_exceeded…;
 * ProviderFailure
 */
export async function respondStored(
  exchange: Exchange,
  deps: StoredDeps,
  route: StoredRoute,
  caller: Caller,
): Promise<void> {
  const { action, query } = route;
  const provider = deps.providers.get('gpt-provider');
  if (provider === undefined) throw new GatewayError('route_not_found');
  exchange.record.provider = provider.name;
  if (query.get('stream') === 'true') throw unsupported('stream', 'a stored response is only read whole');
  const sealed = caller.direct ? undefined : sealedIdsOf(caller);
  if (!caller.direct && sealed === undefined) throw unsupported('store', notStored);
  if (deps.guardrails.guardsResponses(caller)) throw unsupported('store', guarded);
  const reads = action === 'read' || action === 'items';
  // Nothing is generated for a response that is cancelled or deleted.
  if (reads) expectNotStopped(caller, { provider: provider.name, model: undefined }, deps);
  const { id, target } = storedTarget(deps, { exchange, caller, provider, sealed, id: route.id });
  exchange.record.providerKeyId = target.providerKeyId;
  const counting = deps.ledger.count(caller);
  exchange.record.limitHeaders = counting instanceof Promise ? await counting : counting;
  if (action === 'delete') await deps.backgroundResponses.poll(target, id);
  const passed = { action, id, query: passedQuery(action, query, sealed) };
  const request = await storedRequest(target, passed, deps.now());
  exchange.attemptStarted();
  const response = await deps.fetchStored(request, exchange);
  exchange.waitFor(undefined);
  if (response.status >= 300) throw failureOf(response, target, deps.now());
  const text = response.body.toString();
  const value = parseJson(text);
  if (action !== 'items') checkModel(caller, provider.name, value);
  const model = modelIn(provider.name, value);
  if (reads && model !== undefined) expectNotStopped(caller, { provider: provider.name, model }, deps);
  if (isObject(value) && isOverStatus(value.status)) deps.backgroundResponses.pollSoon(target, id);
  const seal = sealFor(sealed, target);
  respondText(exchange, seal === undefined ? text : sealedText({ text, value }, seal));
}

const notStored =
  'responses are not stored: the organization has switched it off, or the gateway has no key to seal their ids';
const guarded = 'stored responses are not served to callers whose responses are guarded';

interface StoredName {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly provider: Provider;
  readonly sealed: SealedIds | undefined;
  readonly id: string;
}

/** No path within the vendor's API. */
const rawId = /^[a-z]{1,16}_[\w-]{1,200}$/;

/** @throws GatewayError response_not_found */
function storedTarget(
  deps: StoredDeps,
  { exchange, caller, provider, sealed, id }: StoredName,
): { readonly id: string; readonly target: Target } {
  if (sealed === undefined) {
    if (!rawId.test(id)) throw notFound();
    return { id, target: directTarget(deps, provider, exchange.headers) };
  }
  const stored: StoredId | undefined = isSealed(id) ? sealed.open(id) : undefined;
  const targets = deps.targets.stored(caller.principal.organization, provider);
  const target = targets.find(({ providerKeyId }) => providerKeyId === stored?.providerKeyId);
  if (stored === undefined || target === undefined) throw notFound();
  return { id: stored.id, target };
}

/** Each parameter is written again by name, so that nothing else reaches the vendor. */
function passedQuery(action: StoredAction, query: URLSearchParams, sealed: SealedIds | undefined): URLSearchParams {
  const passed = new URLSearchParams();
  for (const name of ['include', 'include[]']) {
    for (const value of query.getAll(name)) passed.append('include[]', value);
  }
  if (action !== 'items') return passed;
  for (const name of ['limit', 'order']) if (query.has(name)) passed.set(name, query.get(name) ?? '');
  const after = query.get('after');
  if (after !== null) passed.set('after', sealed === undefined ? after : (sealed.open(after)?.id ?? ''));
  return passed;
}

function failureOf({ status, head, body }: PlainResponse, target: Target, now: number): Error {
  // Its words name the vendor's id.
  if (status === 404) return notFound();
  return providerFailure(readGptError(status, body), { head }, { request: undefined, target }, now);
}

/** Allow-lists apply to reading too. @throws GatewayError response_not_found */
function checkModel(caller: Caller, provider: string, response: unknown): void {
  const model = modelIn(provider, response);
  if (model !== undefined && !mayCall(caller, model)) throw notFound();
}

/** The canonical name of the model that has written a response. */
function modelIn(provider: string, response: unknown): string | undefined {
  const model = isObject(response) ? response.model : undefined;
  return typeof model === 'string' ? canonicalModel(`${provider}/${model}`) : undefined;
}

function sealFor(sealed: SealedIds | undefined, { providerKeyId }: Target): ((id: string) => string) | undefined {
  if (sealed === undefined || providerKeyId === undefined) return undefined;
  return sealing(sealed, providerKeyId);
}
