// Method and path to route. The raw request target is split by hand and matched letter for letter: nothing is decoded,
// collapsed or resolved, so what is authorised is what is dispatched. Only the last part of /v1/models/{id} is decoded.
import { GatewayError } from '../errors.ts';

export type Route =
  | { readonly kind: 'chat'; readonly provider: string | undefined }
  | { readonly kind: 'models' }
  | { readonly kind: 'model'; readonly id: string };

/** Canonical name of a provider with a route of its own, by path segment (name or alias). */
export type ProviderRoutes = ReadonlyMap<string, string>;

const genericChat: Route = { kind: 'chat', provider: undefined };
const models: Route = { kind: 'models' };

/** @throws GatewayError route_not_found, method_not_allowed, invalid_request (undecodable model id) */
export function matchRoute(method: string, target: string, providers: ProviderRoutes): Route {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const route = findRoute(path, providers);
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

function findRoute(path: string, providers: ProviderRoutes): Route | undefined {
  if (path === '/v1/chat/completions') return genericChat;
  if (path === '/v1/models') return models;
  if (path.startsWith('/v1/models/')) return modelRoute(path.slice('/v1/models/'.length));
  const match = /^\/v1\/([a-z0-9-]+)\/chat\/completions$/.exec(path);
  const provider = providers.get(match?.[1] ?? '');
  return provider === undefined ? undefined : { kind: 'chat', provider };
}

function modelRoute(encodedId: string): Route | undefined {
  if (encodedId === '') return undefined;
  try {
    return { kind: 'model', id: decodeURIComponent(encodedId) };
  } catch {
    throw new GatewayError('invalid_request', {
      message: 'the model id in the path is not valid percent-encoding',
    });
  }
}
