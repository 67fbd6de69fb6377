// node:http with its limits set, for connections that are not the engine's.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { announcedIdleMs } from '../../common/idle-connections.ts';
import type { InboundRequest, InboundResponse } from './inbound.ts';
import { malformedCode, type RefusalOptions, refuse } from './refused-connection.ts';

export interface NodeHttpOptions extends RefusalOptions {
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
}

export type Serve = (request: InboundRequest, response: InboundResponse, expectsContinue: boolean) => void;

const headersCheckMs = 1000;
/** The time for which an idle connection really is kept. */
export const keptIdleMs = 75_000;

/** The traffic listener gives connections to it, and it never listens. */
export function openNodeHttp(options: NodeHttpOptions, serve: Serve): Server {
  const { headerBytesMax, headersTimeoutMs } = options;
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersCheckMs,
    // The watchdog limits the time for bodies and responses.
    requestTimeout: 0,
    // Announced to clients, so that none sends a request at the instant at which a drain closes its idle connection.
    keepAliveTimeout: announcedIdleMs,
    keepAliveTimeoutBuffer: keptIdleMs - announcedIdleMs,
    requireHostHeader: false,
    insecureHTTPParser: false,
  });
  const serveWith = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    serve(request, response, expectsContinue);
  server.on('request', serveWith(false));
  server.on('checkContinue', serveWith(true));
  // No other expectation can be met. It is ignored, as RFC 9110 allows.
  server.on('checkExpectation', serveWith(false));
  server.on('connect', (_request, socket) => refuse(socket as Socket, 'method_not_allowed', options));
  server.on('clientError', (error, socket) => refuse(socket as Socket, malformedCode(error), options));
  return server;
}
