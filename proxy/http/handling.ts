// Around every request path: what is thrown is answered once, and a request is recorded once, when its response is truly
// finished.
import type { Abortable, Exchange } from './exchange.ts';
import { recordError, respondError } from './respond.ts';
import type { Watchdog } from './watchdog.ts';

export type Handler = (exchange: Exchange) => Promise<void>;

export interface HandlingDeps {
  readonly watchdog: Watchdog;
  /** Called once for every request, when its response is truly finished. */
  record(exchange: Exchange): void;
}

export function handling(deps: HandlingDeps, answer: Handler): Handler {
  return async (exchange) => {
    deps.watchdog.watch(exchange);
    try {
      await answer(exchange);
    } catch (error) {
      respondError(exchange, error);
    }
    // What is written is not yet taken: the client may still stall or leave.
    exchange.onAbort(reader);
    exchange.waitFor('reader');
    await exchange.closed;
    exchange.ticket?.[Symbol.dispose]();
    deps.watchdog.unwatch(exchange);
    deps.record(exchange);
  };
}

/** One for all requests: see Exchange.onAbort. */
const reader: Abortable = {
  abort(error, exchange) {
    if (exchange.record.errorSource === undefined) recordError(exchange, error);
    exchange.response.destroy();
  },
};
