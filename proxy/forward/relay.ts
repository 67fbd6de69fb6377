// Relays the egress gateway's response to the caller unchanged: status, headers and bytes, at the pace of the slower
// end. A response that the egress gateway cuts is cut here too, so that it never looks complete.
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { linger, mustLinger, recordError } from '../http/respond.ts';
import { TransportError } from '../upstream/transport.ts';
import type { EgressCall } from './egress-call.ts';
import { egressFailure } from './failures.ts';
import { returnedHeaders } from './headers.ts';
import { ErrorResponseReader, noteResponse } from './response-summary.ts';

/** Resolves when the response is written or cut. */
export async function relay(exchange: Exchange, call: EgressCall): Promise<void> {
  const { response } = exchange;
  noteResponse(exchange.record, call);
  // The response came before the whole body was read: the rest of the body is not waited for.
  const lingers = mustLinger(exchange);
  response.writeHead(call.status, responseHead(exchange, call, lingers));
  response.on('drain', () => {
    if (exchange.waiting !== 'reader') return;
    exchange.waitFor('event');
    call.resume();
  });
  try {
    await flow(exchange, call);
    if (lingers) linger(exchange);
    else response.end();
  } catch (error) {
    recordError(exchange, error instanceof TransportError ? egressFailure(error, true) : error);
    if (error instanceof ClientGone) response.destroy();
    else cut(exchange);
  }
}

function responseHead({ id }: Exchange, call: EgressCall, lingers: boolean): string[] {
  const headers = returnedHeaders(call.rawHeaders);
  if (call.headers['x-request-id'] === undefined) headers.push('x-request-id', id);
  if (lingers) headers.push('connection', 'close');
  return headers;
}

function flow(exchange: Exchange, call: EgressCall): Promise<void> {
  const { response, record } = exchange;
  const errorResponse = ErrorResponseReader.of(call);
  return new Promise((resolve, reject) => {
    exchange.throwIfAborted();
    call.flowTo({
      write: (bytes) => {
        errorResponse?.push(bytes);
        if (response.write(bytes) || exchange.waiting === 'reader') return;
        call.pause();
        exchange.waitFor('reader');
      },
      end: () => {
        record.errorCode = errorResponse?.code();
        resolve();
      },
      fail: reject,
    });
  });
}

/**
 * Sends what has been written, but no end: with a content length the body is too short, with chunks the last one is
 * missing, and for HTTP/1.0 only a reset shows the cut.
 */
function cut({ request, response }: Exchange): void {
  if (response.socket === null) response.destroy();
  else if (request.httpVersionMinor === 0) response.socket.resetAndDestroy();
  else response.socket.destroySoon();
}
