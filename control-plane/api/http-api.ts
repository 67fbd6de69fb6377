// The JSON API: operators' methods in the Connect protocol's unary form, POST /gateway.v1.<Service>/<Method>, with the
// same handlers as gRPC. It accepts bearer tokens only, so no page in a browser can act with a user's credentials. It
// does not serve Access. The console is in front of it, on paths of its own.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Callers } from '../../common/callers.ts';
import { capConnections } from '../../common/connection-cap.ts';
import { announcedIdleMs, closeIdle, type IdleConnections, stoppingIdleMs } from '../../common/idle-connections.ts';
import { listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import type { OccupiedShare } from '../../common/shares.ts';
import type { TlsSource } from '../../common/tls.ts';
import { decodeJson, JsonRequestError } from '../../proto/json/decode.ts';
import { toJson } from '../../proto/json/encode.ts';
import { contract, errorDetail, type MethodDefinition, services } from '../../proto/load.ts';
import type { Console } from '../console/console.ts';
import { sendOpenapi, wantsOpenapi } from '../openapi.ts';
import { type Credentials, readCredentials } from '../rpc/authentication.ts';
import { invalidRequest } from '../rpc/checked.ts';
import { CallError, callCodes, httpStatusOf } from '../rpc/errors.ts';
import { type Exchange, expectJson, readBody, single } from '../rpc/http-request.ts';
import { createInFlight, type InFlight, type RespondDeps, respond } from '../rpc/respond.ts';
import type { Download } from '../services/method.ts';
import type { Dispatcher } from './dispatch.ts';
import { isDownload, isMethodName, type MethodName, methodNamed } from './methods.ts';

export interface HttpApi {
  readonly port: number;
  /**
   * Accepts no more connections, lets calls finish within the grace, and cuts the rest. A connection ends with its next
   * response, an idle one after its time, but in time for the last calls.
   * @param idleMs how long idle connections live, because a request may be under way on each
   */
  close(graceMs: number, idleMs: number): Promise<void>;
}

export interface HttpApiDeps extends RespondDeps {
  readonly dispatcher: Dispatcher;
  /** In front of the methods; undefined: it is not served. */
  readonly console?: Console | undefined;
  /** Provisioning by issuers, on paths of its own as well. */
  readonly scim?: Console | undefined;
}

export interface HttpApiOptions {
  readonly address: ListenAddress;
  /** Undefined for plaintext. */
  readonly tls: TlsSource | undefined;
  /** For this listener only. */
  readonly callers: Callers;
  /** Shared with the other listeners. */
  readonly connections: OccupiedShare;
  /** Accepted host names besides loopback, in lower case. */
  readonly hosts: readonly string[];
  /** Within this time a whole request must arrive. */
  readonly requestTimeoutMs?: number;
}

const bodyBytesMax = 1024 * 1024;
/** Of callers without a credential. */
const openBodyBytesMax = 32 * 1024;
const requestTimeoutMs = 10_000;
const flushMs = 500;
/** A download is cut when its reader takes nothing for this long. */
const stallMs = 60_000;

const headersAlways = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Converts a method's messages to bytes and back. */
type Wire = Pick<
  MethodDefinition<object, object>,
  'requestSerialize' | 'requestDeserialize' | 'responseSerialize' | 'responseDeserialize'
>;

interface Route {
  readonly method: MethodName;
  readonly requestType: string;
  readonly responseType: string;
  readonly definition: Wire;
}

/** @throws ListenError */
export async function startHttpApi(options: HttpApiOptions, deps: HttpApiDeps): Promise<HttpApi> {
  const inFlight = createInFlight();
  const { callers } = options;
  const api: ApiDeps = { ...deps, callers, hosts: new Set([...loopbackNames, ...options.hosts]) };
  const timeoutMs = options.requestTimeoutMs ?? requestTimeoutMs;
  const server = createListener(options, {
    requestTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    connectionsCheckingInterval: Math.min(timeoutMs, 1000),
    keepAliveTimeout: announcedIdleMs,
    keepAliveTimeoutBuffer: stoppingIdleMs - announcedIdleMs,
  });
  server.maxConnections = options.connections.capacity;
  capConnections(server, options.connections, (socket) => callers.peerOf(socket));
  callers.expectHeaders(server);
  const open = new Set<ServerResponse>();
  let stopping = false;
  server.on('request', (request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    if (stopping) response.shouldKeepAlive = false;
    inFlight.add(serve(api, request, response));
  });
  await listen(server, options.address, 'GATEWAY_HTTP_LISTEN');
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs, idleMs) => {
      stopping = true;
      const latestMs = Math.max(0, graceMs - lastCallsMs);
      const idle = { ms: Math.min(idleMs, latestMs), latestMs, from: performance.now() };
      for (const response of open) announceEnd(response, idle);
      return closeAfter(server, { inFlight, graceMs, idle });
    },
  };
}

/** Idle connections end so long before the end of the grace: a call on one of them takes time as well. */
const lastCallsMs = 2_000;

function announceEnd(response: ServerResponse, idle: IdleConnections): void {
  if (!response.headersSent) {
    response.shouldKeepAlive = false;
    return;
  }
  // Its caller is to keep the connection, and may send another request on it.
  response.once('close', () => {
    idle.from = performance.now();
  });
}

type Listener = ReturnType<typeof createServer>;
type ListenerOptions = Parameters<typeof createServer>[0] & object;

function createListener({ tls }: HttpApiOptions, options: ListenerOptions): Listener {
  if (tls === undefined) return createServer(options);
  const { cert, key } = tls.current;
  const server = createSecureServer({ ...options, cert, key });
  const stop = tls.onChange((material) => server.setSecureContext({ cert: material.cert, key: material.key }));
  server.on('close', stop);
  return server;
}

interface Closing {
  readonly inFlight: InFlight;
  readonly graceMs: number;
  readonly idle: IdleConnections;
}

async function closeAfter(server: Listener, { inFlight, graceMs, idle }: Closing): Promise<void> {
  const closed = closeIdle(server, server, idle);
  const grace = new AbortController();
  const over = sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined);
  // A call whose caller has left may still change something.
  await Promise.all([inFlight.idle(graceMs), Promise.race([closed, over])]);
  grace.abort();
  server.closeIdleConnections();
  await Promise.race([closed, sleep(flushMs)]);
  server.closeAllConnections();
}

interface ApiDeps extends HttpApiDeps {
  readonly callers: Callers;
  readonly hosts: ReadonlySet<string>;
}

/** Never rejects. */
async function serve(api: ApiDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const forwardedFor = () => request.headersDistinct['x-forwarded-for']?.join(', ');
  const from = api.callers.addressOf(request.socket, forwardedFor) || 'unknown';
  const exchange: Exchange = { request, response, from };
  const page = api.console?.routeOf(request) ?? api.scim?.routeOf(request);
  const outcome = await respond(api, page?.name ?? routeOf(request)?.method ?? 'unknown', from, async () => {
    acceptHost(api, request);
    await (page === undefined ? call(api, exchange) : page.serve(exchange));
  });
  if ('value' in outcome) return;
  // Destroys the response, so that the client does not mistake a truncated body for a whole one.
  if (response.headersSent) return void response.destroy();
  if (!request.complete) {
    response.setHeader('connection', 'close');
    request.resume();
  }
  if (page === undefined) sendError(response, outcome.error, outcome.requestId);
  else page.refuse(response, outcome.error);
}

/** Sends the response, unless it throws. */
async function call(api: ApiDeps, { request, response, from }: Exchange): Promise<void> {
  if (wantsOpenapi(request)) return sendOpenapi(response, headersAlways);
  const route = accept(request);
  const credentials: Credentials = {
    authorization: single(request, 'authorization'),
    certificateProxy: undefined,
    from,
  };
  // Checks the token before the body: a request without a well-formed token gets little memory.
  const isOpen = methodNamed(route.method).audience === 'anyone';
  if (!isOpen) readCredentials(credentials);
  const body = decode(route.requestType, await readBody(request, isOpen ? openBodyBytesMax : bodyBytesMax));
  const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = route.definition;
  // Converts to the wire form and back, so that handlers get exactly what gRPC gives them.
  const message = requestDeserialize(requestSerialize(body));
  if (isDownload(route.method)) {
    return await sendDownload(response, await api.dispatcher.download(route.method, credentials, message));
  }
  const result = await api.dispatcher.call(route.method, credentials, message, signalOf(response));
  send(response, 200, toJson(route.responseType, responseDeserialize(responseSerialize(result))));
}

/** Aborted when the connection ends before the response. */
function signalOf(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => left.abort(new CallError('cancelled', 'the client left before the end')));
  return left.signal;
}

/** @throws CallError */
function decode(requestType: string, body: string): object {
  try {
    return decodeJson(requestType, body);
  } catch (error) {
    if (!(error instanceof JsonRequestError)) throw error;
    if (error.violations.length > 0) throw invalidRequest(error.violations);
    throw new CallError('invalid_request', `the body ${error.message}`);
  }
}

/** Stops a page of another host name from reaching this listener through an operator's browser. @throws CallError */
function acceptHost(api: ApiDeps, request: IncomingMessage): void {
  const host = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(single(request, 'host') ?? '')?.[1];
  if (host === undefined || !api.hosts.has(host.toLowerCase())) {
    throw new CallError('host_not_allowed', 'this name is not served here; GATEWAY_HTTP_HOSTS lists names');
  }
}

/** Checks everything that needs no credentials. @throws CallError */
function accept(request: IncomingMessage): Route {
  const route = routeOf(request);
  if (route === undefined) {
    throw new CallError('unknown_method', 'no such method; for example POST /gateway.v1.VirtualKeys/Create');
  }
  if (request.method !== 'POST') throw new CallError('method_not_allowed', 'methods are called with POST');
  expectJson(request);
  return route;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

const wires: Readonly<Record<string, Readonly<Record<string, Wire>>>> = services;

const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries(contract.nested.gateway.nested.v1.nested).flatMap(([service, descriptor]) =>
    'methods' in descriptor && service !== 'Access' ? routesOf(service, descriptor.methods) : [],
  ),
);

function routesOf(service: string, methods: object): [string, Route][] {
  const definitions = wires[service] ?? {};
  return Object.entries(methods).map(
    ([name, { requestType, responseType }]: [string, Pick<Route, 'requestType' | 'responseType'>]) => {
      const method = `${service}.${name}`;
      const definition = definitions[name];
      if (!isMethodName(method) || definition === undefined) throw new Error(`no definition of ${method}`);
      return [`/gateway.v1.${service}/${name}`, { method, requestType, responseType, definition }];
    },
  );
}

function routeOf(request: IncomingMessage): Route | undefined {
  return routes.get(request.url ?? '');
}

function sendError(response: ServerResponse, error: CallError, requestId: string): void {
  const { code, reason, message, violations } = error;
  if (reason === 'method_not_allowed') response.setHeader('allow', 'POST');
  if (reason === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer');
  if (error.retryAfter !== undefined) response.setHeader('retry-after', error.retryAfter);
  const detail = { reason, violations: [...violations], requestId };
  const value = errorDetail.serialize(detail).toString('base64').replace(/=+$/, '');
  send(response, httpStatusOf(reason), {
    code: callCodes[code].connect,
    message,
    details: [{ type: 'gateway.v1.ErrorDetail', value, debug: detail }],
  });
}

/** @throws CallError once the client has left, and any error of the chunks. The connection is cut then. */
async function sendDownload(
  response: ServerResponse,
  { contentType, filename, chunks, done }: Download,
): Promise<void> {
  try {
    response.writeHead(200, {
      'content-type': contentType,
      'content-disposition': `attachment; filename="${filename}"`,
      ...headersAlways,
    });
    response.setTimeout(stallMs, () => response.destroy());
    await pipeline(chunks, response);
  } catch (error) {
    if (!isPrematureClose(error)) throw error;
    throw new CallError('cancelled', 'the client left before the end');
  } finally {
    done?.();
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...headersAlways,
    })
    .end(bytes);
}
