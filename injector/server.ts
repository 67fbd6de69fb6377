// The HTTPS listener for the API server: POST /inject, with a review as request and response. Bytes, time and
// connections are bounded; the log contains only names and the outcome of a review.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../common/clock.ts';
import { listen } from '../common/listen.ts';
import type { Logger } from '../common/logger.ts';
import type { ListenAddress } from '../common/settings.ts';
import type { TlsMaterial, TlsSource } from '../common/tls.ts';
import { type ReviewRequest, type ReviewSettings, review, UnreadableReview } from './review.ts';
import { injectorSettings } from './settings.ts';
import type { ReviewMetrics, ReviewOutcome } from './telemetry/metrics.ts';

export interface ReviewServer {
  readonly port: number;
  /** Refuses new connections; reviews in progress may finish within the grace, then their connections are closed. */
  close(graceMs: number): Promise<void>;
}

export interface ReviewServerOptions {
  readonly address: ListenAddress;
  readonly tls: TlsSource;
  /** For a whole request to arrive. */
  readonly requestTimeoutMs?: number;
}

export interface ReviewServerDeps {
  /** Called for each review, because authorities, the image and namespaces change. */
  settings(): ReviewSettings;
  readonly metrics: ReviewMetrics;
  readonly log: Logger;
  readonly clock: Clock;
}

/** The API server's own limit of a request. */
const bodyBytesMax = 3 * 1024 ** 2;
/** For all reviews that are arriving. Every client that reaches the port can send some. */
const arrivingBytesMax = 32 * 1024 ** 2;
/** As long as the API server waits (timeoutSeconds of the webhook). */
const requestTimeoutMs = 5000;
/** Longer than API servers keep idle connections (90 s), so that none closes just as a review is sent on it. */
const keepAliveMs = 120_000;
const connectionsMax = 1024;
const headerBytesMax = 16 * 1024;

/** @throws ListenError */
export async function startReviewServer(
  { address, tls, requestTimeoutMs: timeoutMs = requestTimeoutMs }: ReviewServerOptions,
  deps: ReviewServerDeps,
): Promise<ReviewServer> {
  const server = createServer({
    ...contextOf(tls.current),
    requestTimeout: timeoutMs,
    headersTimeout: timeoutMs,
    handshakeTimeout: timeoutMs,
    connectionsCheckingInterval: Math.min(timeoutMs, 1000),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
  });
  server.maxConnections = connectionsMax;
  const stop = tls.onChange((fresh) => server.setSecureContext(contextOf(fresh)));
  server.on('close', stop);
  const state: ServerState = { ...deps, arrivingBytes: 0, isOpen: () => server.listening };
  server.on('request', (request, response) => void serve(state, request, response));
  await listen(server, address, injectorSettings.listen.name);
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs) => closeWithin(server, graceMs),
  };
}

function contextOf({ cert, key }: TlsMaterial) {
  return { cert, key, minVersion: 'TLSv1.2' as const };
}

interface ServerState extends ReviewServerDeps {
  arrivingBytes: number;
  isOpen(): boolean;
}

async function closeWithin(server: Server, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Never rejects. */
async function serve(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = state.clock.monotonic();
  const outcome = await respond(state, request, response).catch((error: unknown) => fail(state, response, error));
  if (outcome !== undefined) state.metrics.reviewed(outcome, (state.clock.monotonic() - started) / 1000);
}

/** @returns undefined if the client closed the connection */
async function respond(
  state: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ReviewOutcome | undefined> {
  const reviewValue = accept(request);
  const body = await readBody(state, request);
  if (body === undefined) return undefined;
  const { response: result, about } = review(body, state.settings(), reviewValue);
  state.log.info(about, 'review');
  send(state, response, { status: 200, body: result });
  return about.outcome;
}

/** By path, as in deploy/overlays/sidecar/injector/webhooks.yaml. */
const askings: Readonly<Record<string, ReviewRequest>> = {
  '/inject': 'ordinary',
  '/inject/unknown-word': 'for a namespace with an unknown word',
};

/** @throws UnreadableReview for anything but an API server's request */
function accept({ method, url = '', headers }: IncomingMessage): ReviewRequest {
  // The API server adds ?timeout=….
  const [path = ''] = url.split('?', 1);
  const reviewValue = Object.hasOwn(askings, path) ? askings[path] : undefined;
  if (reviewValue === undefined) throw new UnreadableReview('there is only POST /inject', 404);
  if (method !== 'POST') throw new UnreadableReview('reviews are sent with POST', 405);
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
  if (!isJson || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new UnreadableReview('reviews are application/json, not encoded', 415);
  }
  return reviewValue;
}

/**
 * @returns undefined if the connection ended before the body
 * @throws UnreadableReview
 */
async function readBody(state: ServerState, request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving the loop early must not close the connection, because the response follows.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      state.arrivingBytes += chunk.length;
      if (bytes > bodyBytesMax) throw new UnreadableReview(`the body is larger than ${bodyBytesMax} bytes`, 413);
      if (state.arrivingBytes > arrivingBytesMax) throw new UnreadableReview('too many reviews at a time', 503);
      chunks.push(chunk);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof UnreadableReview) throw error;
    if (!request.complete) return undefined;
    throw new UnreadableReview('the body is not UTF-8');
  } finally {
    state.arrivingBytes -= bytes;
  }
}

function fail(state: ServerState, response: ServerResponse, error: unknown): ReviewOutcome {
  const isKnown = error instanceof UnreadableReview;
  if (isKnown) state.log.warn({ status: error.status, message: error.message }, 'no review');
  else state.log.error({ err: error }, 'a review failed');
  const status = isKnown ? error.status : 500;
  if (status === 405) response.setHeader('allow', 'POST');
  if (!response.req.complete) {
    response.setHeader('connection', 'close');
    // Reads and discards the rest, because otherwise the connection is reset before the client has read the response.
    response.req.resume();
  }
  const message = isKnown ? error.message : 'the review failed in the injector';
  send(state, response, { status, body: { message } });
  return 'unreadable';
}

interface ReviewResponse {
  readonly status: number;
  readonly body: object;
}

function send(state: ServerState, response: ServerResponse, { status, body }: ReviewResponse): void {
  if (response.destroyed) return;
  // Otherwise the drain would wait for a connection that is kept alive for the next review.
  if (!state.isOpen()) response.setHeader('connection', 'close');
  const bytes = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(bytes);
}
