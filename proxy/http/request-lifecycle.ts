// Wraps every request path: a thrown error becomes one response, and a request is recorded once, when its response is
// truly finished.
import { GatewayError, overloaded } from '../errors.ts';
import type { Abortable, Exchange } from './exchange.ts';
import type { RequestHeaders } from './headers.ts';
import { isLeaving, recordError, respondError } from './respond.ts';
import type { Watchdog } from './watchdog.ts';

export type Handler = (exchange: Exchange) => Promise<void>;

export interface LifecycleDeps {
  readonly watchdog: Watchdog;
  /** Called once for every request, when its response is truly finished. */
  record(exchange: Exchange): void;
}

export function withLifecycle(deps: LifecycleDeps, respond: Handler): Handler {
  return async (exchange) => {
    deps.watchdog.watch(exchange);
    try {
      expectServable(exchange);
      await respond(exchange);
    } catch (error) {
      respondError(exchange, error);
    }
    // The response is written but not yet read: the client may still stall or leave.
    exchange.onAbort(reader);
    exchange.waitFor('reader');
    await exchange.closed;
    exchange.ticket?.[Symbol.dispose]();
    deps.watchdog.unwatch(exchange);
    deps.record(exchange);
  };
}

/**
 * Refuses requests that no route or key can make valid. All servers on the way must agree where a request ends and
 * which host it is for: it needs exactly one `Host` (RFC 9112, section 3.2), and HTTP/1.0 has no chunks (section 6.1).
 * @throws GatewayError overloaded, upgrade_not_supported, invalid_request
 */
function expectServable({ isRefused, request, headers }: Exchange): void {
  if (isRefused) throw overloaded();
  // At once, on every path: coding agents try WebSocket first, and only after this status do they use HTTP.
  if (isWebSocket(headers)) throw new GatewayError('upgrade_not_supported', { headers: ['upgrade', 'HTTP/1.1'] });
  if (headers.hosts !== 1)
    throw new GatewayError('invalid_request', { message: 'a request needs one Host header, and no more' });
  if (request.httpVersionMinor === 0 && headers.get('transfer-encoding') !== undefined)
    throw new GatewayError('invalid_request', { message: 'Transfer-Encoding needs HTTP/1.1' });
}

function isWebSocket(headers: RequestHeaders): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket';
}

/** One object for all requests, see Exchange.onAbort. */
const reader: Abortable = {
  abort(error, exchange) {
    // The total time may end in the tick in which the response leaves. The response is still sent; a caller that reads
    // nothing is cut.
    if (isLeaving(exchange.response)) return;
    if (exchange.record.errorSource === undefined) recordError(exchange, error);
    exchange.response.destroy();
  },
};
