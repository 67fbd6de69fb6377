// Maps method and path to a route. The raw request target is split by hand and matched exactly: nothing is decoded,
// collapsed or resolved, so the authorized path is the dispatched path. Only names of models in the path are decoded,
// once.
import type { VendorName } from '../../common/vendors.ts';
import { GatewayError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';

export type Route = ChatRoute | { readonly kind: 'models' } | { readonly kind: 'model'; readonly id: string };

export interface ChatRoute {
  readonly kind: 'chat';
  /** The vendor whose clients use this route: a model name without a provider is looked up there first. */
  readonly home: VendorName;
  /** The model that the path names, not checked yet; the body's `model` has no meaning then. */
  readonly model?: string;
  /** Set for a provider's own route. */
  readonly provider: Provider | undefined;
  /** The endpoint in the path, not checked yet; only if the provider's route has one. */
  readonly endpoint: string | undefined;
}

/** The form of every provider's own chat route. */
const providerChat = /^\/v1\/([a-z0-9-]+)(?:\/([^/]+))?\/chat\/completions$/;

/** Chat completions where the SDKs of vendors put the path; the body, or the path, names the model. */
const genericChat: ReadonlyMap<string, ChatRoute> = new Map([
  ['/v1/chat/completions', { kind: 'chat', home: 'gpt-provider', provider: undefined, endpoint: undefined }],
  ['/openai/v1/chat/completions', { kind: 'chat', home: 'studio-ai', provider: undefined, endpoint: undefined }],
]);

/** The studio's SDK names a deployment in the path. */
const deploymentChat = /^\/(?:openai|v1)\/deployments\/([^/]+)\/chat\/completions$/;

const models: Route = { kind: 'models' };

/**
 * @param providers those with a route of their own, by path segment (name or alias)
 * @throws GatewayError route_not_found, method_not_allowed, invalid_request (undecodable model id)
 */
export function matchRoute(method: string, target: string, providers: ReadonlyMap<string, Provider>): Route {
  const route = findRoute(pathOf(target), providers);
  if (route === undefined) throw new GatewayError('route_not_found');
  const expected = route.kind === 'chat' ? 'POST' : 'GET';
  if (method !== expected) {
    throw new GatewayError('method_not_allowed', {
      allow: expected,
      message: `this route takes ${expected} only`,
    });
  }
  return route;
}

export type RouteForm = 'chat' | 'provider chat' | 'models' | 'model' | 'none';

/** The form of a path, for forward mode, where the existing providers are unknown. */
export function routeForm(target: string): RouteForm {
  const path = pathOf(target);
  if (genericChat.has(path) || deploymentChat.test(path)) return 'chat';
  if (providerChat.test(path)) return 'provider chat';
  if (path === '/v1/models') return 'models';
  return path.startsWith('/v1/models/') ? 'model' : 'none';
}

function pathOf(target: string): string {
  const queryStart = target.indexOf('?');
  return queryStart === -1 ? target : target.slice(0, queryStart);
}

function findRoute(path: string, providers: ReadonlyMap<string, Provider>): Route | undefined {
  const generic = genericChat.get(path);
  if (generic !== undefined) return generic;
  if (path === '/v1/models') return models;
  if (path.startsWith('/v1/models/')) return modelRoute(path.slice('/v1/models/'.length));
  const deployment = deploymentChat.exec(path)?.[1];
  if (deployment !== undefined) {
    return { kind: 'chat', home: 'studio-ai', model: decoded(deployment), provider: undefined, endpoint: undefined };
  }
  const [, name = '', endpoint] = providerChat.exec(path) ?? [];
  const provider = providers.get(name);
  if (provider === undefined || takesEndpoint(provider) !== (endpoint !== undefined)) return undefined;
  return { kind: 'chat', home: 'gpt-provider', provider, endpoint };
}

function takesEndpoint({ defaultBaseUrl }: Provider): boolean {
  return defaultBaseUrl.includes('{endpoint}');
}

function modelRoute(encodedId: string): Route | undefined {
  return encodedId === '' ? undefined : { kind: 'model', id: decoded(encodedId) };
}

/** @throws GatewayError invalid_request */
function decoded(encodedName: string): string {
  try {
    return decodeURIComponent(encodedName);
  } catch {
    throw new GatewayError('invalid_request', {
      message: 'the model id in the path is not valid percent-encoding',
    });
  }
}
