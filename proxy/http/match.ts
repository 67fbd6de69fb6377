// Maps method and path to a route of the table. The raw request target is split by hand and matched exactly: nothing is
// decoded, collapsed or resolved, so the authorized path is the dispatched path. Only names of models in the path are
// decoded, once.
import type { VendorName } from '../../common/vendors.ts';
import { GatewayError } from '../errors.ts';
import { type ClientFormatName, clientFormatNames, type Framing } from '../formats/client-format.ts';
import type { Provider } from '../providers/provider.ts';
import type { RequestHeaders } from './headers.ts';
import { type PathMatch, PathTable, type PathValues } from './path-table.ts';
import { type ChatRow, isChat, isStored, type RouteRow, routeRows, type StoredRow } from './routes.ts';

export type Route = ChatRoute | ModelsRoute | StoredRoute | { readonly kind: 'model'; readonly id: string };

interface ModelsRoute {
  readonly kind: 'models';
  readonly query: URLSearchParams;
}

export interface StoredRoute {
  readonly kind: 'stored';
  readonly action: StoredRow['operation'];
  /** Not checked yet. */
  readonly id: string;
  readonly query: URLSearchParams;
}

export interface ChatRoute {
  readonly kind: 'chat';
  readonly format: ClientFormatName;
  /** Only the request's tokens are counted; no model is called. */
  readonly counts?: true;
  /** The response is a compaction of the conversation. */
  readonly compacts?: true;
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

const table = new PathTable(routeRows);

/** The target of a request, looked up in the table once. */
export interface FoundTarget {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly found: PathMatch | undefined;
}

/** @param target of the request, as received */
export function findTarget(target: string): FoundTarget {
  const path = pathOf(target);
  return { path, query: queryOf(target), found: table.find(path) };
}

/**
 * @param providers those with a route of their own, by path segment (name or alias)
 * @throws GatewayError route_not_found, method_not_allowed, invalid_request (undecodable model id)
 */
export function matchRoute(
  method: string,
  { found, query }: FoundTarget,
  providers: ReadonlyMap<string, Provider>,
): Route {
  if (found === undefined || !hasProvider(found, providers)) throw new GatewayError('route_not_found');
  if (query.has('key')) throw keyInQuery();
  const row = found.rows.get(method);
  if (row === undefined) throw methodNotAllowed(found);
  return routeOf(row, { values: found.values, query, providers });
}

const everyFormat: ReadonlySet<ClientFormatName> = new Set(clientFormatNames);

/**
 * The format of a path's clients. The list of models has one path for several formats, whose SDKs mark their requests
 * with a header. Without one it is the list of chat completions, which clients of Responses read too.
 * @param served the formats that the proxy serves; marks of others mean nothing
 */
export function clientFormatOf(
  { path, found }: FoundTarget,
  headers: RequestHeaders,
  served: ReadonlySet<ClientFormatName> = everyFormat,
): ClientFormatName {
  const format = found?.row.format;
  if (format === undefined) return path.startsWith('/v1beta/') ? 'generate_content' : 'chat_completions';
  if (format !== 'marked') return format;
  if (served.has('messages') && headers.get('anthropic-version') !== undefined) return 'messages';
  if (served.has('generate_content') && headers.get('x-goog-api-client') !== undefined) return 'generate_content';
  return served.has('responses') && !served.has('chat_completions') ? 'responses' : 'chat_completions';
}

export type RouteForm = 'chat' | 'provider chat' | 'models' | 'model' | 'stored' | 'none';

/** The form of a path, for forward mode, where the existing providers are unknown. */
export function routeForm(target: string): RouteForm {
  const found = table.find(pathOf(target));
  if (found === undefined) return 'none';
  if (isStored(found.row)) return 'stored';
  if (!isChat(found.row)) return found.row.operation;
  return found.values.provider === undefined ? 'chat' : 'provider chat';
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

function methodNotAllowed({ rows }: PathMatch): GatewayError {
  const allow = [...rows.keys()].join(', ');
  return new GatewayError('method_not_allowed', { allow, message: `this route takes ${allow} only` });
}

/** Whether the provider in the path exists, and has an endpoint in its address if the path has one. */
function hasProvider({ values }: PathMatch, providers: ReadonlyMap<string, Provider>): boolean {
  if (values.provider === undefined) return true;
  const provider = providers.get(values.provider);
  return provider !== undefined && takesEndpoint(provider) === (values.endpoint !== undefined);
}

function takesEndpoint({ defaultBaseUrl }: Provider): boolean {
  return defaultBaseUrl.includes('{endpoint}');
}

interface Matched {
  readonly values: PathValues;
  readonly query: URLSearchParams;
  readonly providers: ReadonlyMap<string, Provider>;
}

/** @throws GatewayError invalid_request */
function routeOf(row: RouteRow, { values, query, providers }: Matched): Route {
  const { model, provider, endpoint, id } = values;
  if (isStored(row)) return { kind: 'stored', action: row.operation, id: decoded(id ?? ''), query };
  if (!isChat(row)) {
    return row.operation === 'models' ? { kind: 'models', query } : { kind: 'model', id: decoded(model ?? '') };
  }
  const route = chatRoutes.get(row) ?? chatRoute(row);
  if (model === undefined && provider === undefined) return route;
  return {
    ...route,
    ...(provider !== undefined && { provider: providers.get(provider), endpoint }),
    ...(model !== undefined && { model: modelName(row.format, model) }),
    ...(row.framing === 'alt' && { framing: query.get('alt') === 'sse' ? 'sse' : 'json_array' }),
  };
}

/** A route without a name in its path is the same for every request. */
const chatRoutes = new Map(routeRows.filter(isChat).map((row) => [row, chatRoute(row)]));

function chatRoute({ format, home, operation, stream }: ChatRow): ChatRoute {
  return {
    kind: 'chat',
    format,
    home,
    provider: undefined,
    endpoint: undefined,
    ...(stream !== undefined && { stream }),
    ...(operation === 'count' && { counts: true }),
    ...(operation === 'compact' && { compacts: true }),
  };
}

/** @throws GatewayError invalid_request */
function modelName(format: ClientFormatName, encodedName: string): string {
  const name = decoded(encodedName);
  return format === 'generate_content' ? name.replace(/^models\//, '') : name;
}

/** @throws GatewayError invalid_request */
function decoded(encodedName: string): string {
  try {
    return decodeURIComponent(encodedName);
  } catch {
    throw new GatewayError('invalid_request', {
      message: 'the id in the path is not valid percent-encoding',
    });
  }
}
