// Ends what takes too long: one sweep over all requests instead of timers for each. Every time limit of a request on the
// traffic listener stands here, but for that on headers, which node:http keeps.
import type { Clock } from '../../common/clock.ts';
import { GatewayError } from '../errors.ts';
import { ClientGone, type Exchange } from './exchange.ts';

export interface TimeLimits {
  /** From then on a body must have come at the minimum rate. */
  readonly bodyGraceMs: number;
  /** Bytes a second. */
  readonly bodyRateMin: number;
  /** To the first byte of a streamed answer. */
  readonly firstByteMs: number;
  /** Between two reads of a streamed answer. */
  readonly idleMs: number;
  /** A client that takes nothing. */
  readonly readerMs: number;
  /** Of a provider's response without its caller: see ReadOn. */
  readonly readOnMs: number;
  /** Of the whole request, from its head to the last byte that its client takes. */
  readonly totalMs: number;
}

export interface Watchdog {
  watch(exchange: Exchange): void;
  unwatch(exchange: Exchange): void;
  readonly watched: Iterable<Exchange>;
  close(): void;
}

const sweepMs = 250;

export function createWatchdog(limits: TimeLimits, clock: Clock): Watchdog {
  // A list in which each exchange knows its place, and no Set: a Set that is added to and deleted from makes itself a new table
  // every few dozen requests, and each old table points to the next; one that the collector has moved to the old generation then
  // keeps all later ones alive, and every finished request in them.
  const watched: Exchange[] = [];
  const sweep = setInterval(() => {
    const now = clock.monotonic();
    for (const exchange of watched) {
      const error = overdue(exchange, limits, now);
      if (error !== undefined) exchange.abort(error);
    }
  }, sweepMs);
  sweep.unref();
  return {
    watch: (exchange) => {
      exchange.watchedAt = watched.push(exchange) - 1;
    },
    unwatch: (exchange) => {
      if (watched[exchange.watchedAt] !== exchange) return;
      const last = watched.pop();
      if (last === undefined || last === exchange) return;
      watched[exchange.watchedAt] = last;
      last.watchedAt = exchange.watchedAt;
    },
    watched,
    close: () => clearInterval(sweep),
  };
}

/** The error that ends this request now, if any. */
export function overdue(exchange: Exchange, limits: TimeLimits, now: number): Error | undefined {
  const waited = now - exchange.waitingSince;
  const { isReadOn } = exchange;
  const { readOnAt = now } = exchange.record;
  if (isReadOn && now - readOnAt > limits.readOnMs) return upstreamTimeout('it was read on for long enough');
  // Once: what was ended for it may still have to be told so.
  const isOver = (exchange.aborted === undefined || isReadOn) && now - exchange.startedAt > limits.totalMs;
  switch (exchange.waiting) {
    case undefined:
      return undefined;
    case 'body': {
      const tooSlow = exchange.record.requestBytes / (waited / 1000) < limits.bodyRateMin;
      return isOver || (waited > limits.bodyGraceMs && tooSlow)
        ? new GatewayError('request_timeout')
        : undefined;
    }
    case 'reader':
      return isOver || waited > limits.readerMs ? new ClientGone('client_stalled') : undefined;
    case 'head':
      if (exchange.record.streamed && waited > limits.firstByteMs) return upstreamTimeout('no first byte');
      break;
    case 'event':
      if (exchange.record.streamed && waited > limits.idleMs) return upstreamTimeout('nothing more came');
      break;
  }
  if (!isOver) return undefined;
  // A caller that takes drop by drop is not waited for at every moment.
  const isSlowReader = exchange.readerMs > limits.totalMs / 2;
  return isSlowReader ? new ClientGone('client_stalled') : upstreamTimeout('the total time is over');
}

function upstreamTimeout(why: string): GatewayError {
  return new GatewayError('upstream_timeout', { cause: new Error(why) });
}
