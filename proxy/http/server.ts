// A traffic listener: the engine of HTTP/1.1 with its limits, in plain text or with TLS, and node:http and node:http2 for
// the connections that are not the engine's. It passes every accepted request to the request path, and responds to
// invalid HTTP with the same error envelope.
import type { AddressInfo, Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import type { Callers } from '../../common/callers.ts';
import type { Clock } from '../../common/clock.ts';
import { announcedIdleMs, closeIdle, type IdleConnections } from '../../common/idle-connections.ts';
import { listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import { errorCode } from '../../common/system-errors.ts';
import type { TlsMaterial, TlsSource } from '../../common/tls.ts';
import { EngineServer } from '../http1/server.ts';
import type { Connections } from './connections.ts';
import { crossOrigin } from './cross-origin.ts';
import { Exchange } from './exchange.ts';
import { Http2Sessions } from './http2.ts';
import { type InboundResponse, joinedValues } from './inbound.ts';
import { keptIdleMs, openNodeHttp, type Serve } from './node-http.ts';
import { type RefusalOptions, refuse } from './refused-connection.ts';
import type { Handler } from './request-lifecycle.ts';

export interface TrafficServerOptions extends RefusalOptions {
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

/** Every connection of one listener, whichever server has it. */
interface Servers {
  readonly engine: EngineServer;
  readonly http2: Http2Sessions;
}

/** @throws ListenError */
export async function startTrafficServer(options: TrafficServerOptions): Promise<TrafficServer> {
  const { callers } = options;
  let draining = false;
  /** Connections that end after a request that they already have. */
  const ending = new WeakSet<Socket>();
  const isPreflight = options.consoleOrigin === undefined ? undefined : crossOrigin(options.consoleOrigin);
  const serve: Serve = (request, response, expectsContinue) => {
    if (isPreflight?.(request, response) === true) return;
    const { socket } = request;
    // A request behind the last one: its response could not be sent.
    const isTooLate = draining && response.socket !== null && ending.has(socket);
    if (draining) {
      ending.add(socket);
      response.shouldKeepAlive = false;
    }
    const exchange = new Exchange(request, response, {
      address: callers.addressOf(socket, () => joinedValues(request, 'x-forwarded-for')),
      expectsContinue,
      isRefused: startedOn(socket, response, options.connections) || isTooLate,
      monotonic: options.clock.monotonic,
    });
    options.handler(exchange).catch((error: unknown) => {
      options.onDefect(error);
      response.destroy();
    });
  };
  const servers = openServers(options, serve);
  const { listener } = servers.engine;
  listener.prependListener('connection', (socket: Socket) =>
    options.connections?.accept(socket, {
      address: socket.remoteAddress === undefined ? undefined : callers.peerOf(socket),
      announce: () => refuseSilent(socket, options),
    }),
  );
  // Last, so that other listeners for connections get them after their header was read.
  callers.expectHeaders(listener);
  await listen(listener, options.address, options.tls === undefined ? 'GATEWAY_LISTEN' : 'GATEWAY_TLS_LISTEN');
  return {
    port: (listener.address() as AddressInfo).port,
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
      return drain(servers, idle, options);
    },
    destroy: () => closeAll(servers),
  };
}

/** @returns whether the connection is refused */
function startedOn(socket: Socket, response: InboundResponse, connections: Connections | undefined): boolean {
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

function openServers(options: TrafficServerOptions, serve: Serve): Servers {
  const { tls, headerBytesMax, headersTimeoutMs } = options;
  const http2 = new Http2Sessions({
    ...{ headerBytesMax, headersTimeoutMs, keepAliveMs: keptIdleMs, onRequest: serve },
    onMalformed: options.onMalformed,
  });
  const engine = new EngineServer({
    tls: tls && {
      ...secureContext(tls.source.current),
      requestCert: tls.source.current.ca !== undefined,
      rejectUnauthorized: tls.source.current.ca !== undefined,
      handshakeTimeout: headersTimeoutMs,
    },
    headBytesMax: headerBytesMax,
    headTimeoutMs: headersTimeoutMs,
    keepAliveSeconds: Math.floor(announcedIdleMs / 1000),
    keepAliveMs: keptIdleMs,
    http: openNodeHttp(options, serve),
    onHttp2: (socket) => http2.accept(socket),
    onRequest: serve,
    onFault: (socket, fault) => refuse(socket, fault === 'timeout' ? 'request_timeout' : 'invalid_request', options),
  });
  const { listener } = engine;
  listener.once('close', () => http2.close());
  if (tls !== undefined && listener instanceof TlsServer) watchTls(listener, tls, options.callers);
  return { engine, http2 };
}

function watchTls(listener: TlsServer, { source, onRefused }: ListenerTls, callers: Callers): void {
  // It used plain HTTP on this port, or its certificate is missing or not trusted: no peer can read a response.
  listener.on('tlsClientError', (error, socket: TLSSocket) => {
    // A problem with its certificate is reported as a code.
    const address = socket.remoteAddress === undefined ? undefined : callers.peerOf(socket);
    onRefused(String(socket.authorizationError ?? errorCode(error)), address);
    socket.destroy();
  });
  // For new connections; open ones keep their certificate.
  const stop = source.onChange((material) => listener.setSecureContext(secureContext(material)));
  listener.once('close', stop);
}

function secureContext({ cert, key, ca }: TlsMaterial) {
  return { cert, key, ca, minVersion: 'TLSv1.2' } as const;
}

function drain(servers: Servers, idle: IdleConnections, options: TrafficServerOptions): Promise<void> {
  const { open, headersTimeoutMs } = options;
  const { engine, http2 } = servers;
  const closer = {
    closeIdleConnections: () => {
      engine.closeIdleConnections();
      http2.closeIdleConnections();
    },
  };
  return closeIdle(engine.listener, closer, idle, (elapsedMs) => {
    // The remaining connections have sent half a head.
    if (elapsedMs > headersTimeoutMs && [...open()].length === 0) closeAll(servers);
  });
}

function closeAll({ engine, http2 }: Servers): void {
  engine.closeAllConnections();
  http2.closeAllConnections();
}
