// Gives the egress gateway's answer to the caller as it is: status, headers, bytes, at the pace of the slower end. An answer
// that is cut short there is cut short here, so that it never looks complete.
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { linger, mustLinger, recordError } from '../http/respond.ts';
import { TransportError } from '../upstream/transport.ts';
import type { EgressCall } from './egress-call.ts';
import { egressFailure } from './failures.ts';
import { returnedHeaders } from './headers.ts';
import { ErrorResponseReader, noteResponse } from './response-summary.ts';

/** Resolves when the answer is written or cut. */
export async function relay(exchange: Exchange, call: EgressCall): Promise<void> {
  const { response } = exchange;
  noteResponse(exchange.record, call);
  // Answered before the body was read: what still comes of it is not waited for.
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

/** What came is sent, but no end: with a length it is too short, in chunks the last one is missing, and HTTP/1.0 knows only a reset. */
function cut({ request, response }: Exchange): void {
  if (response.socket === null) response.destroy();
  else if (request.httpVersionMinor === 0) response.socket.resetAndDestroy();
  else response.socket.destroySoon();
}
