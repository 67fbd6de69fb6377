// Turns a parsed request into a call that may be dispatched: resolves the provider and model, checks that the caller
// may use the model, and finds the targets. An allow-list applies to a model under each of its names; the provider gets
// the name that the caller sent.
import type { Caller } from '../access/authenticator.ts';
import { readCloudKeys, readDirectKey, readRegion, readRouteKey } from '../access/credentials.ts';
import { repeatsKey } from '../access/repeated-keys.ts';
import type { ChatCall } from '../call.ts';
import { GatewayError } from '../errors.ts';
import { issuerOfThinking } from '../formats/chat-completions/client-thinking.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import { refusedField } from '../formats/client-losses.ts';
import type { Credential } from '../providers/credentials/credential.ts';
import type { Provider, Target } from '../providers/provider.ts';
import { didYouMean, modelNotFound } from '../unknown-model.ts';
import { checkEndpoint, checkRegion } from '../upstream/base-urls.ts';
import type { DirectCredential } from '../upstream/targets.ts';
import type { Variate } from '../upstream/variates.ts';
import { type CalledModel, calledModelOf } from './call-target.ts';
import { expectNotStopped, mayCall, nearestCallable } from './callable-models.ts';
import { ConversationOrder } from './conversation-order.ts';
import type { RequestHeaders } from './headers.ts';
import type { ChatRoute } from './match.ts';
import {
  calledName,
  checkedModelName,
  namedRoute,
  type ResolvedModel,
  replacingRoute,
  resolveModel,
} from './resolve-model.ts';
import { issuerFirst, type RoutedDeps, routed } from './routed-call.ts';

export type AuthorizeDeps = RoutedDeps;

export interface AuthorizeInput {
  readonly requestId: string;
  readonly caller: Caller;
  readonly request: ChatRequest;
  readonly headers: RequestHeaders;
  readonly route: Pick<ChatRoute, 'provider' | 'home'>;
  /** The target of such a route, with the caller's own credential. */
  readonly routeTarget: Target | undefined;
  /** The call is a guardrail's, so the callers' allow-lists do not apply. */
  readonly isGuardrails?: boolean;
}

/**
 * @throws GatewayError invalid_request, model_not_found, model_not_allowed, model_not_supported,
 * provider_not_configured, stopped_by_operator…
 */
export function authorize(deps: AuthorizeDeps, input: AuthorizeInput): ChatCall {
  const { caller, headers, request, requestId } = input;
  // First of all, because the name is logged, stored and returned.
  if (repeatsKey(request.model, headers, caller.direct)) throw keyInModel();
  const route = mayBeRouted(input) ? namedRoute(caller, request.model) : undefined;
  const conversation = new ConversationOrder(input);
  const requested = { ...input, conversation };
  if (route !== undefined) {
    if (!mayCall(caller, calledName(route))) throw notAllowed(calledName(route));
    return { requestId, caller, request, ...routed(deps, requested, route) };
  }
  const called = calledModelOf(deps, caller, calledModel(deps, input));
  checkAllowed(deps, input, called);
  const replacing = mayBeRouted(input) ? replacingRoute(caller, called.qualifiedModel) : undefined;
  if (replacing !== undefined) return { requestId, caller, request, ...routed(deps, requested, replacing) };
  const { qualifiedModel: model } = called;
  expectNotStopped(caller, { provider: called.provider.name, model }, deps);
  if (called.catalogModel?.chat === false) throw new GatewayError('model_not_supported', { param: 'model', model });
  const targets = targetsOf(deps, input, { provider: called.provider, variate: conversation.of(false) });
  if (targets.length === 0) throw new GatewayError('provider_not_configured', { model });
  return { requestId, caller, request, ...called, targets };
}

/** A guardrail names a model, and a provider's own route is for that provider. */
function mayBeRouted({ isGuardrails, route }: AuthorizeInput): boolean {
  return isGuardrails !== true && route.provider === undefined;
}

/** @throws GatewayError model_not_allowed, model_not_found */
function checkAllowed(deps: AuthorizeDeps, { caller, isGuardrails }: AuthorizeInput, called: CalledModel): void {
  const { qualifiedModel, unknownModel } = called;
  if (isGuardrails === true || mayCall(caller, qualifiedModel)) return;
  const near = nearestCallable(qualifiedModel, caller, deps);
  if (unknownModel?.isSlip === true) throw modelNotFound(qualifiedModel, near);
  throw notAllowed(qualifiedModel, didYouMean(near));
}

function notAllowed(model: string, hint?: string): GatewayError {
  return new GatewayError('model_not_allowed', { param: 'model', model, hint });
}

function calledModel(deps: AuthorizeDeps, { request, caller, route, isGuardrails }: AuthorizeInput): ResolvedModel {
  const { provider, home } = route;
  // An operator has chosen the model of a guardrail.
  if (!caller.direct && isGuardrails !== true) refuseArn(request, caller);
  if (provider === undefined) {
    return resolveModel(deps, { caller, sent: request.model, home, isChat: request.client === undefined });
  }
  return { provider, model: checkedModelName(request.model), custom: undefined };
}

/**
 * An ARN names a profile, a prompt or a throughput of one account, in every client format: only an operator may choose it,
 * by an alias or as the target of a route.
 * @throws GatewayError unsupported_parameter
 */
function refuseArn({ client, model }: ChatRequest, { principal }: Caller): void {
  if (!/^(?:[^/]*\/)?arn:/.test(model)) return;
  if (principal.organization.modelAliases.some(({ name }) => name === model)) return;
  const param = client?.translation.fieldOf('model') ?? 'model';
  throw refusedField(param, `${param} must name a model or an alias; an ARN is of the whole vendor account`);
}

function keyInModel(): GatewayError {
  return new GatewayError('invalid_request', {
    param: 'model',
    message: 'the model name contains the key that is in a header of this request; send it in the header only',
  });
}

function targetsOf(
  deps: AuthorizeDeps,
  { caller, headers, request, routeTarget }: AuthorizeInput,
  { provider, variate }: { readonly provider: Provider; readonly variate: Variate },
): readonly Target[] {
  if (!caller.direct) {
    const stored = deps.targets.stored(caller.principal.organization, provider, variate);
    const issuer = stored.length > 1 ? issuerOfThinking(request) : undefined;
    return issuer === undefined ? stored : issuerFirst(stored, issuer);
  }
  return [routeTarget ?? directTarget(deps, provider, headers)];
}

/** @throws GatewayError provider_key_required, invalid_region */
export function directTarget(
  { targets }: Pick<AuthorizeDeps, 'targets'>,
  provider: Provider,
  headers: RequestHeaders,
): Target {
  return targets.direct(provider, directCredential(provider, headers));
}

/**
 * The credential of a direct request on the generic route.
 * @throws GatewayError provider_key_required, invalid_region
 */
function directCredential(provider: Provider, headers: RequestHeaders): DirectCredential {
  if (provider.routeCredential === 'cloud-keys') return cloudCredential(headers);
  return { credential: { apiKey: readDirectKey(headers) }, endpoint: undefined, region: undefined };
}

/**
 * The target of a request on a provider's own route, from its headers and path, before the body is read.
 * @throws GatewayError provider_key_required, invalid_endpoint, invalid_region
 */
export function routeTarget(
  { targets }: Pick<AuthorizeDeps, 'targets'>,
  { provider, endpoint }: ChatRoute,
  headers: RequestHeaders,
): Target | undefined {
  if (provider === undefined) return undefined;
  const form = provider.routeCredential;
  if (form === 'cloud-keys') return targets.direct(provider, cloudCredential(headers));
  const credential: Credential = { apiKey: readRouteKey(headers, form) };
  // Without this check, a key in the path would become part of a host name and be looked up.
  if (endpoint !== undefined && repeatsKey(endpoint, headers, true)) throw new GatewayError('invalid_endpoint');
  const checked = endpoint === undefined ? undefined : checkEndpoint(endpoint);
  return targets.direct(provider, { credential, endpoint: checked, region: undefined });
}

function cloudCredential(headers: RequestHeaders): DirectCredential {
  const credential = readCloudKeys(headers);
  return { credential, endpoint: undefined, region: checkRegion(readRegion(headers)) };
}
