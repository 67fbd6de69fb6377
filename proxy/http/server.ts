// A traffic listener: node:http with its limits set, in plain text or with TLS. It passes every accepted request to the
// request path, and responds to invalid HTTP with the same error envelope.
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Callers } from '../../common/callers.ts';
import type { Clock } from '../../common/clock.ts';
import { announcedIdleMs, closeIdle, type IdleConnections } from '../../common/idle-connections.ts';
import { listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import { errorCode } from '../../common/system-errors.ts';
import type { TlsMaterial, TlsSource } from '../../common/tls.ts';
import { type ErrorCode, errorTable, GatewayError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { crossOrigin } from './cross-origin.ts';
import { Exchange } from './exchange.ts';
import type { Handler } from './request-lifecycle.ts';
import { envelope } from './respond.ts';

export interface TrafficServerOptions {
  readonly address: ListenAddress;
  /** Absent for plain text. */
  readonly tls?: ListenerTls | undefined;
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
  readonly clock: Clock;
  /** For this listener alone: it knows the callers' addresses. */
  readonly callers: Callers;
  readonly handler: Handler;
  /** The console's origin, whose playground may read responses. Absent: no page of another origin may. */
  readonly consoleOrigin?: string | undefined;
  /** The connections of all listeners. Default: they are not counted. */
  readonly connections?: Connections;
  /** The unfinished requests, at any time. */
  open(): Iterable<Exchange>;
  /** Input that never became a request; only its error is known. */
  onMalformed(code: ErrorCode): void;
  /** The request path itself threw: a defect. */
  onDefect(error: unknown): void;
}

export interface ListenerTls {
  /** If it contains authorities, callers need a certificate signed by one of them. */
  readonly source: TlsSource;
  /** A connection whose TLS handshake failed. The reason is a code; the address is undefined if the peer has gone. */
  onRefused(reason: string, address: string | undefined): void;
}

export interface TrafficServer {
  readonly port: number;
  /**
   * Stops listening. A connection ends with the next response that can announce it. Idle ones end after this time, which
   * begins anew with the end of each response that could not announce it. Resolves when all are closed.
   * @param latestMs from now: idle connections end then at the latest
   */
  drain(idleMs: number, latestMs: number): Promise<void>;
  /** Cuts every connection. */
  destroy(): void;
}

const headersCheckMs = 1000;
/** Time for the peer to read the last response. */
const lingerMs = 1000;
/** The time for which an idle connection really is kept. */
const keptIdleMs = 75_000;

/** @throws ListenError */
export async function startTrafficServer(options: TrafficServerOptions): Promise<TrafficServer> {
  const server = openServer(options);
  const { callers } = options;
  let draining = false;
  /** Connections that end after a request that they already have. */
  const ending = new WeakSet<Socket>();
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const { socket } = request;
    // A request behind the last one: its response could not be sent.
    const isTooLate = draining && ending.has(socket);
    if (draining) {
      ending.add(socket);
      response.shouldKeepAlive = false;
    }
    const exchange = new Exchange(request, response, {
      address: callers.addressOf(socket, () => forwardedFor(request)),
      expectsContinue,
      isRefused: startedOn(socket, response, options.connections) || isTooLate,
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
  // Last, so that other listeners for connections get them after their header was read.
  callers.expectHeaders(server);
  const { consoleOrigin } = options;
  if (consoleOrigin === undefined) server.on('request', (request, response) => serve(request, response, false));
  else {
    const isPreflight = crossOrigin(consoleOrigin);
    server.on('request', (request, response) => {
      if (!isPreflight(request, response)) serve(request, response, false);
    });
  }
  server.on('checkContinue', (request, response) => serve(request, response, true));
  // No other expectation can be met. It is ignored, as RFC 9110 allows.
  server.on('checkExpectation', (request, response) => serve(request, response, false));
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'method_not_allowed', options));
  server.on('clientError', (error, socket) => onClientError(error, socket as Socket, options));
  await listen(server, options.address, options.tls === undefined ? 'GATEWAY_LISTEN' : 'GATEWAY_TLS_LISTEN');
  return {
    port: (server.address() as AddressInfo).port,
    drain: (idleMs, latestMs) => {
      draining = true;
      const idle = { ms: idleMs, latestMs, from: performance.now() };
      for (const { request, response } of options.open()) {
        // Its caller is to keep the connection, and may send another request on it.
        if (response.headersSent) {
          response.once('close', () => {
            idle.from = performance.now();
          });
          continue;
        }
        ending.add(request.socket);
        response.shouldKeepAlive = false;
      }
      return drain(server, idle, options);
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

/** Refuses a connection for which there is no room and which has sent no request. */
function refuseSilent(socket: Socket, options: TrafficServerOptions): void {
  // Within TLS no response can be sent here.
  if (options.tls === undefined) refuse(socket, 'overloaded', options);
  else socket.destroy();
}

/** If the header occurs several times, node:http joins its values. */
function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-for'];
  return Array.isArray(value) ? value.join(', ') : value;
}

function openServer({ tls, headerBytesMax, headersTimeoutMs }: TrafficServerOptions): Server {
  const options: ServerOptions = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersCheckMs,
    // The watchdog limits the time for bodies and responses.
    requestTimeout: 0,
    // Announced to clients, so that none sends a request at the instant at which a drain closes its idle connection.
    keepAliveTimeout: announcedIdleMs,
    keepAliveTimeoutBuffer: keptIdleMs - announcedIdleMs,
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
  // For new connections; open ones keep their certificate.
  server.on(
    'close',
    source.onChange((material) => server.setSecureContext(secureContext(material))),
  );
  return server;
}

/** Connections that completed the TLS handshake. */
const handshaken = new WeakSet<TLSSocket>();

function secureContext({ cert, key, ca }: TlsMaterial) {
  return { cert, key, ca, minVersion: 'TLSv1.2' } as const;
}

function onClientError(error: Error, socket: Socket, options: TrafficServerOptions): void {
  // No peer can read a response yet: it used plain HTTP on this port, or its certificate is missing or not trusted.
  if (socket instanceof TLSSocket && !handshaken.has(socket)) {
    // A problem with its certificate is reported as a code.
    const address = socket.remoteAddress === undefined ? undefined : options.callers.peerOf(socket);
    options.tls?.onRefused(String(socket.authorizationError ?? errorCode(error)), address);
    return void socket.destroy();
  }
  refuse(socket, malformedCode(error), options);
}

function drain(server: Server, idle: IdleConnections, options: TrafficServerOptions): Promise<void> {
  const { open, headersTimeoutMs } = options;
  return closeIdle(server, idle, (elapsedMs) => {
    // The remaining connections have sent half a head. A closed server no longer limits their time.
    if (elapsedMs > headersTimeoutMs && [...open()].length === 0) server.closeAllConnections();
  });
}

function malformedCode(error: Error): ErrorCode {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_INVALID_METHOD' && isRequestLine(error) ? 'method_not_allowed' : 'invalid_request';
}

/** Whether the input looks like a request line. A TLS handshake or another protocol on the wrong port does not. */
function isRequestLine(error: Error): boolean {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r?\n/.test(packet.toString('latin1', 0, 4096));
}

/** Sends an error response on a socket without a parsed request, if that is still possible. */
function refuse(socket: Socket, code: ErrorCode, options: TrafficServerOptions): void {
  // A connection that was reset, or is in the middle of a response, cannot get an error response.
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
    `x-svc-error-code: ${code}`,
    ...(code === 'method_not_allowed' ? ['allow: GET, POST'] : []),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The peer could keep its end open forever.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
