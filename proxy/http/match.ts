// Maps method and path to a route. The raw request target is split by hand and matched exactly: nothing is decoded,
// collapsed or resolved, so the authorized path is the dispatched path. Only names of models in the path are decoded,
// once.
import type { VendorName } from '../../common/vendors.ts';
import { GatewayError } from '../errors.ts';
import type { ClientFormatName, Framing } from '../formats/client-format.ts';
import type { Provider } from '../providers/provider.ts';
import type { RequestHeaders } from './headers.ts';

export type Route = ChatRoute | ModelsRoute | { readonly kind: 'model'; readonly id: string };

interface ModelsRoute {
  readonly kind: 'models';
  readonly query: URLSearchParams;
}

export interface ChatRoute {
  readonly kind: 'chat';
  readonly format: ClientFormatName;
  /** Only the request's tokens are counted; no model is called. */
  readonly counts?: true;
  /** Whether the path demands a stream; undefined if the body does. */
  readonly stream?: boolean;
  readonly framing?: Framing;
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

/** Where the SDKs of vendors put the path; the body names the model. */
const genericChat: ReadonlyMap<string, ChatRoute> = new Map([
  ['/v1/chat/completions', chat('chat_completions', 'gpt-provider')],
  ['/openai/v1/chat/completions', chat('chat_completions', 'studio-ai')],
  ['/v1/messages', chat('messages', 'assistant-provider')],
  // One SDK of this format wants the version in the base URL, another one does not.
  ['/messages', chat('messages', 'assistant-provider')],
  ['/v1/messages/count_tokens', { ...chat('messages', 'assistant-provider'), counts: true }],
  ['/messages/count_tokens', { ...chat('messages', 'assistant-provider'), counts: true }],
  ['/v1/responses', chat('responses', 'gpt-provider')],
  ['/openai/responses', chat('responses', 'studio-ai')],
  ['/openai/v1/responses', chat('responses', 'studio-ai')],
  ['/v1/responses/input_tokens', { ...chat('responses', 'gpt-provider'), counts: true }],
]);

function chat(format: ClientFormatName, home: VendorName): ChatRoute {
  return { kind: 'chat', format, home, provider: undefined, endpoint: undefined };
}

/** The studio's SDK names a deployment in the path. */
const deploymentChat = /^\/(?:openai|v1)\/deployments\/([^/]+)\/chat\/completions$/;

/** A model and a method after the last colon, as the SDK of the search company writes them. */
const generatePath = /^\/v1(?:beta)?\/models\/(.+):(generateContent|streamGenerateContent|countTokens)$/;

/** The list of models, or one of them by its encoded name. */
const modelsPath = /^\/v1(?:beta)?\/models(?:\/(.+))?$/;

/**
 * @param providers those with a route of their own, by path segment (name or alias)
 * @throws GatewayError route_not_found, method_not_allowed, invalid_request (undecodable model id)
 */
export function matchRoute(method: string, target: string, providers: ReadonlyMap<string, Provider>): Route {
  const route = findRoute(target, providers);
  if (route === undefined) throw new GatewayError('route_not_found');
  if (queryOf(target).has('key')) throw keyInQuery();
  const expected = route.kind === 'chat' ? 'POST' : 'GET';
  if (method !== expected) {
    throw new GatewayError('method_not_allowed', {
      allow: expected,
      message: `this route takes ${expected} only`,
    });
  }
  return route;
}

/**
 * The format of a path's clients. The list of models has one path for three formats, whose SDKs mark their requests
 * with a header.
 */
export function clientFormatOf(target: string, headers: RequestHeaders): ClientFormatName {
  const path = pathOf(target);
  const generic = genericChat.get(path);
  if (generic !== undefined) return generic.format;
  if (generatePath.test(path)) return 'generate_content';
  if (path.startsWith('/v1beta/')) return 'generate_content';
  if (!modelsPath.test(path)) return 'chat_completions';
  if (headers.get('anthropic-version') !== undefined) return 'messages';
  return headers.get('x-goog-api-client') === undefined ? 'chat_completions' : 'generate_content';
}

export type RouteForm = 'chat' | 'provider chat' | 'models' | 'model' | 'none';

/** The form of a path, for forward mode, where the existing providers are unknown. */
export function routeForm(target: string): RouteForm {
  const path = pathOf(target);
  if (genericChat.has(path) || deploymentChat.test(path) || generatePath.test(path)) return 'chat';
  if (providerChat.test(path)) return 'provider chat';
  const models = modelsPath.exec(path);
  if (models === null) return 'none';
  return models[1] === undefined ? 'models' : 'model';
}

function pathOf(target: string): string {
  const queryStart = target.indexOf('?');
  return queryStart === -1 ? target : target.slice(0, queryStart);
}

const noQuery = new URLSearchParams();

function queryOf(target: string): URLSearchParams {
  const queryStart = target.indexOf('?');
  return queryStart === -1 ? noQuery : new URLSearchParams(target.slice(queryStart));
}

function keyInQuery(): GatewayError {
  return new GatewayError('invalid_request', {
    message: 'a key in the query would be logged on its way; send it in a header, such as x-goog-api-key',
  });
}

function findRoute(target: string, providers: ReadonlyMap<string, Provider>): Route | undefined {
  const path = pathOf(target);
  const generic = genericChat.get(path);
  if (generic !== undefined) return generic;
  const generate = generatePath.exec(path);
  if (generate !== null) return generateRoute(generate, queryOf(target));
  const models = modelsPath.exec(path);
  if (models !== null) {
    const [, model] = models;
    return model === undefined ? { kind: 'models', query: queryOf(target) } : { kind: 'model', id: decoded(model) };
  }
  const deployment = deploymentChat.exec(path)?.[1];
  if (deployment !== undefined) {
    return { ...chat('chat_completions', 'studio-ai'), model: decoded(deployment) };
  }
  const [, name = '', endpoint] = providerChat.exec(path) ?? [];
  const provider = providers.get(name);
  if (provider === undefined || takesEndpoint(provider) !== (endpoint !== undefined)) return undefined;
  return { ...chat('chat_completions', 'gpt-provider'), provider, endpoint };
}

/** @throws GatewayError invalid_request */
function generateRoute([, model = '', method]: readonly string[], query: URLSearchParams): ChatRoute {
  const stream = method === 'streamGenerateContent';
  return {
    ...chat('generate_content', 'search-provider'),
    model: decoded(model).replace(/^models\//, ''),
    stream,
    ...(stream && { framing: query.get('alt') === 'sse' ? 'sse' : 'json_array' }),
    ...(method === 'countTokens' && { counts: true }),
  };
}

function takesEndpoint({ defaultBaseUrl }: Provider): boolean {
  return defaultBaseUrl.includes('{endpoint}');
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
