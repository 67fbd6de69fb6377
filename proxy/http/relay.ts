// Gives a provider's answer to the caller. Committed with the first byte: from then on a failure is an error event and an
// aborted connection, so that a cut answer never looks complete. A slow reader slows the provider down, not the memory.
import type { IncomingHttpHeaders } from 'node:http';
import type { AttemptResult, CompleteResult, StreamResult } from '../upstream/attempt.ts';
import { ClientGone, type Exchange } from './exchange.ts';
import { headerValue } from './headers.ts';
import { commonHeaders, envelope, recordError, send } from './respond.ts';

/** Resolves when the answer is written; a failure after commit is told inside the stream and recorded. */
export function relay(exchange: Exchange, result: AttemptResult): Promise<void> | void {
  return result.kind === 'complete' ? relayComplete(exchange, result) : relayStream(exchange, result);
}

function relayComplete(exchange: Exchange, result: CompleteResult): void {
  exchange.record.status = 200;
  exchange.record.usage = result.usage;
  send(exchange, 200, result.body, upstreamHeaders(result.headers));
}

async function relayStream(exchange: Exchange, result: StreamResult): Promise<void> {
  const { response, record } = exchange;
  record.status = 200;
  response.writeHead(200, [
    'content-type',
    'text/event-stream; charset=utf-8',
    'cache-control',
    'no-cache',
    // Ingress proxies that buffer by default would hold tokens back.
    'x-accel-buffering',
    'no',
    ...commonHeaders(exchange),
    ...upstreamHeaders(result.headers),
  ]);
  response.on('drain', () => {
    if (exchange.waiting !== 'reader') return;
    exchange.waitFor('event');
    result.resume();
  });
  try {
    await flow(exchange, result);
    response.end();
  } catch (error) {
    abortStream(exchange, error);
  } finally {
    record.usage = result.usage();
  }
}

function flow(exchange: Exchange, result: StreamResult): Promise<void> {
  const { response } = exchange;
  return new Promise((resolve, reject) => {
    exchange.throwIfAborted();
    result.flowTo({
      write: (bytes) => {
        if (response.write(bytes) || exchange.waiting === 'reader') return;
        result.pause();
        exchange.waitFor('reader');
      },
      end: resolve,
      fail: reject,
    });
  });
}

function abortStream(exchange: Exchange, error: unknown): void {
  const answer = recordError(exchange, error);
  const { response } = exchange;
  if (error instanceof ClientGone) return void response.destroy();
  // Without the end of the chunked body the client knows that the stream was cut.
  response.write(`data: ${envelope(answer)}\n\n`, () => response.destroy());
}

/** What passes of a provider's response headers: limits and identity of the request, under names that say whose they are. */
function upstreamHeaders(headers: IncomingHttpHeaders): string[] {
  const passed: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    if (name === 'openai-processing-ms') passed.push(name, headerValue(value));
    else if (name === 'x-request-id' || name === 'request-id')
      passed.push('x-svc-upstream-request-id', headerValue(value));
    else if (name.includes('-ratelimit-'))
      passed.push(`x-svc-upstream-${name.replace(/^x-/, '')}`, headerValue(value));
  }
  return passed;
}
