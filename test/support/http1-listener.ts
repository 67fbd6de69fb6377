// The engine's listener, and node:http alone as the traffic listener used it before: both respond to each request with
// what they saw of it.
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect } from 'node:net';
import type { InboundRequest, InboundResponse } from '../../proxy/http/inbound.ts';
import { openNodeHttp, type Serve } from '../../proxy/http/node-http.ts';
import { refuse } from '../../proxy/http/refused-connection.ts';
import { EngineServer } from '../../proxy/http1/server.ts';

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Responds when the whole body was read. */
export const echo: Serve = (request, response, expectsContinue) => {
  const seen: Buffer[] = [];
  if (expectsContinue) response.writeContinue();
  request.on('data', (bytes) => seen.push(bytes));
  request.once('end', () => respondJson(response, seenOf(request, Buffer.concat(seen))));
  request.once('error', () => undefined);
};

function seenOf({ method = '', url = '', rawHeaders }: InboundRequest, body: Buffer): SeenRequest {
  return { method, target: url, headers: rawHeaders, body: body.toString('latin1') };
}

export function respondJson(response: InboundResponse, value: object, headers: readonly string[] = []): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, ['content-length', String(body.length), ...headers]);
  response.end(body);
}

export interface TestListener {
  readonly port: number;
  close(): Promise<void>;
}

const limits = { headerBytesMax: 16_384, headersTimeoutMs: 1000 };
const refusal = { open: () => [], onMalformed: () => undefined };

export interface EngineListener extends TestListener {
  /** Connections that were given to node:http or to HTTP/2. */
  readonly handedOver: { readonly http: number; readonly http2: number };
}

export async function startEngine(serve: Serve = echo, keepAliveMs = 75_000): Promise<EngineListener> {
  const http = openNodeHttp({ ...limits, ...refusal }, serve);
  const handedOver = { http: 0, http2: 0 };
  http.on('connection', () => handedOver.http++);
  const engine = new EngineServer({
    ...{
      headBytesMax: limits.headerBytesMax,
      headTimeoutMs: limits.headersTimeoutMs,
      keepAliveSeconds: 5,
      keepAliveMs,
    },
    http,
    onHttp2: (socket) => {
      handedOver.http2++;
      socket.destroy();
    },
    onRequest: serve,
    onFault: (socket, fault) => refuse(socket, fault === 'timeout' ? 'request_timeout' : 'invalid_request', refusal),
  });
  const port = await listenOn(engine.listener);
  return {
    ...{ port, handedOver },
    close: () => {
      engine.closeAllConnections();
      return closed(engine.listener);
    },
  };
}

export async function startNodeHttp(serve: Serve = echo): Promise<TestListener> {
  const server = openNodeHttp({ ...limits, ...refusal }, serve);
  const port = await listenOn(server);
  return {
    port,
    close: () => {
      server.closeAllConnections();
      return closed(server);
    },
  };
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Without what differs from one second to the next. */
export function withoutDates(text: string): string {
  return text.replaceAll(/^Date: .*$/gm, 'Date: -');
}

export interface Played {
  /** All bytes that came back, as Latin-1. */
  readonly text: string;
  /** The other end closed before this one had ended. */
  readonly wasClosed: boolean;
}

export interface PlayOptions {
  readonly quietMs?: number;
  /** Each piece is sent when something has come back for the one before. */
  readonly inTurn?: boolean;
}

/**
 * Sends the pieces on one connection, each in a tick of its own. When nothing has come back for a moment, this end is
 * closed, for a server that waits for more.
 */
export async function play(
  port: number,
  pieces: readonly (string | Buffer)[],
  { quietMs = 150, inTurn = false }: PlayOptions = {},
): Promise<Played> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let text = '';
  let wasClosed = true;
  const end = () => {
    wasClosed = false;
    socket.end();
  };
  let timer = setTimeout(end, 5 * quietMs);
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    clearTimeout(timer);
    timer = setTimeout(end, quietMs);
  });
  socket.on('error', () => undefined).on('end', () => socket.end());
  const close = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await sendPieces(socket, pieces, inTurn ? () => once(socket, 'data') : nextTick);
  await close;
  clearTimeout(timer);
  return { text, wasClosed };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

async function sendPieces(
  socket: Socket,
  pieces: readonly (string | Buffer)[],
  wait: () => Promise<unknown>,
): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await wait();
    if (socket.destroyed || socket.writableEnded) return;
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  }
}
