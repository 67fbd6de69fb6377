// A traffic listener: node:http with its limits set, in plain text or with TLS; every accepted request handed to the request
// path, and what is not even HTTP answered in the same envelope.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Callers } from '../../common/callers.ts';
import type { Clock } from '../../common/clock.ts';
import { listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import { errorCode } from '../../common/system-errors.ts';
import type { TlsMaterial, TlsSource } from '../../common/tls.ts';
import { type ErrorCode, errorTable, GatewayError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import type { Handler } from './request-lifecycle.ts';
import { envelope } from './respond.ts';

export interface TrafficServerOptions {
  readonly address: ListenAddress;
  /** Absent: plain text. */
  readonly tls?: ListenerTls | undefined;
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
  readonly clock: Clock;
  /** Of this listener alone: it knows whose connections they are. */
  readonly callers: Callers;
  readonly handler: Handler;
  /** Those of all listeners. Default: they are not counted. */
  readonly connections?: Connections;
  /** The requests that are not finished, at any time. */
  open(): Iterable<Exchange>;
  /** Requests that never became one: only their error is known. */
  onMalformed(code: ErrorCode): void;
  /** The request path itself threw: a defect. */
  onDefect(error: unknown): void;
}

export interface ListenerTls {
  /** With authorities in it, callers need a certificate of theirs. */
  readonly source: TlsSource;
  /** A connection that did not come to TLS, and why, as a code; where it came from is not always known any more. */
  onRefused(reason: string, address: string | undefined): void;
}

export interface TrafficServer {
  readonly port: number;
  /** Stops listening and closes idle connections; the others end with their request. Resolves when all are gone. */
  drain(): Promise<void>;
  /** Cuts every connection. */
  destroy(): void;
}

const headersCheckMs = 1000;
/** For what was said last to be read. */
const lingerMs = 1000;
const drainSweepMs = 100;

/** @throws ListenError */
export async function startTrafficServer(options: TrafficServerOptions): Promise<TrafficServer> {
  const server = openServer(options);
  const { callers } = options;
  let draining = false;
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    if (draining) response.shouldKeepAlive = false;
    const exchange = new Exchange(request, response, {
      address: callers.addressOf(request.socket, () => forwardedFor(request)),
      expectsContinue,
      isRefused: startedOn(request.socket, response, options.connections),
      monotonic: options.clock.monotonic,
    });
    options.handler(exchange).catch((error: unknown) => {
      options.onDefect(error);
      response.destroy();
    });
  };
  server.on('connection', (socket) =>
    options.connections?.accept(socket, {
      address: socket.remoteAddress === undefined ? undefined : callers.peerOf(socket),
      announce: () => refuseSilent(socket, options),
    }),
  );
  // Last: all that listens for connections gets them when their header was read.
  callers.expectHeaders(server);
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // Any other expectation cannot be met; it is ignored, as RFC 9110 allows.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'method_not_allowed', options));
  server.on('clientError', (error, socket) => onClientError(error, socket as Socket, options));
  await listen(server, options.address, options.tls === undefined ? 'GATEWAY_LISTEN' : 'GATEWAY_TLS_LISTEN');
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => {
      draining = true;
      return drain(server, options);
    },
    destroy: () => server.closeAllConnections(),
  };
}

/** @returns whether the connection is refused */
function startedOn(socket: Socket, response: ServerResponse, connections: Connections | undefined): boolean {
  const connection = connections?.requestStarted(socket);
  if (connections === undefined || connection === undefined) return false;
  response.once('close', () => connections.requestEnded(connection));
  return connection.isRefused;
}

/** It was accepted, there is no room for it, and it has sent no request that could be answered. */
function refuseSilent(socket: Socket, options: TrafficServerOptions): void {
  // Within TLS it cannot be told.
  if (options.tls === undefined) refuse(socket, 'overloaded', options);
  else socket.destroy();
}

/** Where it came several times node:http has joined it. */
function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join(', ') : value;
}

function openServer({ tls, headerBytesMax, headersTimeoutMs }: TrafficServerOptions): Server {
  const options: ServerOptions = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersCheckMs,
    // The watchdog times bodies and answers.
    requestTimeout: 0,
    keepAliveTimeout: 75_000,
    requireHostHeader: false,
    noDelay: true,
    insecureHTTPParser: false,
  };
  if (tls === undefined) return createServer(options);
  const { source } = tls;
  const needsCertificate = source.current.ca !== undefined;
  const server = createSecureServer({
    ...options,
    ...secureContext(source.current),
    requestCert: needsCertificate,
    rejectUnauthorized: needsCertificate,
    handshakeTimeout: headersTimeoutMs,
  });
  server.on('secureConnection', (socket) => handshaken.add(socket));
  // Of connections to come; those that are open keep theirs.
  server.on(
    'close',
    source.onChange((material) => server.setSecureContext(secureContext(material))),
  );
  return server;
}

/** Connections that came to TLS. */
const handshaken = new WeakSet<TLSSocket>();

function secureContext({ cert, key, ca }: TlsMaterial) {
  return { cert, key, ca, minVersion: 'TLSv1.2' } as const;
}

function onClientError(error: Error, socket: Socket, options: TrafficServerOptions): void {
  // Nobody is there yet who could read an answer: plain HTTP on this port, a certificate that is missing or not believed.
  if (socket instanceof TLSSocket && !handshaken.has(socket)) {
    // What is wrong with its certificate comes as a code.
    const address = socket.remoteAddress === undefined ? undefined : options.callers.peerOf(socket);
    options.tls?.onRefused(String(socket.authorizationError ?? errorCode(error)), address);
    return void socket.destroy();
  }
  refuse(socket, malformedCode(error), options);
}

function drain(server: Server, { open, headersTimeoutMs }: TrafficServerOptions): Promise<void> {
  for (const { response } of open()) response.shouldKeepAlive = false;
  const from = performance.now();
  const sweep = setInterval(() => {
    // Where an answer's head was sent before, its connection is kept for another request that will not be taken.
    server.closeIdleConnections();
    // What is left now has sent half a head; a server that is closed no longer times it.
    if (performance.now() - from > headersTimeoutMs && [...open()].length === 0) server.closeAllConnections();
  }, drainSweepMs);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

function malformedCode(error: Error): ErrorCode {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_INVALID_METHOD' && isRequestLine(error) ? 'method_not_allowed' : 'invalid_request';
}

/** Whether what came at least looks like a request: a TLS handshake or a chat on the wrong port does not. */
function isRequestLine(error: Error): boolean {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r?\n/.test(packet.toString('latin1', 0, 4096));
}

/** Answers on a socket that has no parsed request, where that is still possible. */
function refuse(socket: Socket, code: ErrorCode, options: TrafficServerOptions): void {
  // A connection that was reset, or one in the middle of an answer, can be told nothing.
  const isResponding = [...options.open()].some(
    ({ request, response }) => request.socket === socket && response.headersSent,
  );
  if (!socket.writable || isResponding) return void socket.destroy();
  options.onMalformed(code);
  const message = code === 'invalid_request' ? 'the request is not valid HTTP/1.1' : errorTable[code].message;
  const { status } = new GatewayError(code);
  const body = envelope({ status, message, param: undefined, code });
  const head = [
    `HTTP/1.1 ${status} ${code.replaceAll('_', ' ')}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-svc-error-source: gateway',
    ...(code === 'method_not_allowed' ? ['allow: GET, POST'] : []),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The other side may keep its end open for as long as it likes.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
