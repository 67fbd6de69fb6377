// Relays a provider's response to the caller. It is committed with the first byte: after that a failure becomes an
// error event and an aborted connection, so that a cut response never looks complete. A slow reader slows the provider
// down instead of filling memory.
import type { AttemptResult, CompleteResult, StreamResult } from '../upstream/attempt.ts';
import { ClientGone, type Exchange } from './exchange.ts';
import { headerValue } from './headers.ts';
import { commonHeaders, recordError, send } from './respond.ts';

/** Resolves when the response is written. A failure after the commit is reported inside the stream and recorded. */
export function relay(exchange: Exchange, result: AttemptResult): Promise<void> | void {
  return result.kind === 'complete' ? relayComplete(exchange, result) : relayStream(exchange, result);
}

function relayComplete(exchange: Exchange, result: CompleteResult): void {
  const { record } = exchange;
  record.status = 200;
  const cost = record.costText === undefined ? [] : ['x-svc-cost', record.costText];
  exchange.capture?.body(result.body);
  send(exchange, 200, result.body, [...cost, ...passed(result.headers)]);
}

async function relayStream(exchange: Exchange, result: StreamResult): Promise<void> {
  const { response, record } = exchange;
  record.status = 200;
  response.writeHead(200, [
    'content-type',
    contentType(exchange),
    'cache-control',
    'no-cache',
    // Without it, ingress proxies that buffer by default would delay tokens.
    'x-accel-buffering',
    'no',
    ...commonHeaders(exchange),
    ...passed(result.headers),
  ]);
  response.on('drain', () => {
    if (exchange.waiting !== 'reader') return;
    exchange.waitFor('event');
    result.resume();
  });
  const sent: Sent = { first: undefined, last: undefined, recoveredBy: undefined };
  try {
    await flow(exchange, result, sent);
    response.end();
  } catch (error) {
    abortStream(exchange, error, sent);
  }
}

/** The format's own, with the encoding of text. */
function contentType({ format: { translation }, client }: Exchange): string {
  if (client?.path.framing === 'json_array') return 'application/json';
  const type = translation?.streamType ?? 'text/event-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** Only the ends of a stream are kept. */
interface Sent {
  first: Buffer | undefined;
  last: Buffer | undefined;
  /** The attempt that followed on an earlier one's stream, once the comment about it was written. */
  recoveredBy: number | undefined;
}

function flow(exchange: Exchange, result: StreamResult, sent: Sent): Promise<void> {
  const { response } = exchange;
  return new Promise((resolve, reject) => {
    exchange.throwIfAborted();
    result.flowTo({
      write: (bytes) => {
        if (exchange.record.recoveredBy !== sent.recoveredBy) noteRecovery(exchange, sent);
        sent.first ??= bytes;
        sent.last = bytes;
        exchange.capture?.piece(bytes);
        if (response.write(bytes) || exchange.waiting === 'reader') return;
        result.pause();
        exchange.waitFor('reader');
      },
      end: resolve,
      fail: reject,
    });
  });
}

/** A comment between two events, which readers of server-sent events skip. */
function noteRecovery({ response, record, format }: Exchange, sent: Sent): void {
  sent.recoveredBy = record.recoveredBy;
  if (format.readsComments === true) response.write(`: svc-recovered attempts=${record.recoveredBy}\n\n`);
}

function abortStream(exchange: Exchange, error: unknown, sent: Sent): void {
  const result = recordError(exchange, error);
  const { response } = exchange;
  if (error instanceof ClientGone) return void response.destroy();
  // Without the last chunk of the chunked body, the client sees that the stream was cut.
  const stream = { ...sent, path: exchange.client?.path };
  response.write(exchange.format.writeStreamError({ ...result, requestId: exchange.id }, stream), () =>
    response.destroy(),
  );
}

/** Encodes the provider's headers like all other header values. */
function passed(headers: readonly string[]): string[] {
  return headers.map(headerValue);
}
