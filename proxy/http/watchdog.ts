// Aborts requests that take too long, with one sweep over all requests instead of timers for each. Every time limit of
// a request on the traffic listener is here, except that for heads, which the engine and node:http enforce.
import type { Clock } from '../../common/clock.ts';
import { GatewayError } from '../errors.ts';
import { TransportError } from '../upstream/transport.ts';
import { ClientGone, type Exchange } from './exchange.ts';

export interface TimeLimits {
  /** After it, a body must have arrived at the minimum rate. */
  readonly bodyGraceMs: number;
  /** In bytes per second. */
  readonly bodyRateMin: number;
  /** Until the first byte of a streamed response. */
  readonly firstByteMs: number;
  /** Between two reads of a streamed response. */
  readonly idleMs: number;
  /** For a client that reads nothing. */
  readonly readerMs: number;
  /** For a provider's response without its caller, see ReadOn. */
  readonly readOnMs: number;
  /** For the whole request, from its head to the last byte that its client reads. */
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
  // A list in which each exchange knows its index, and not a Set: a Set with insertions and deletions allocates a new
  // table every few dozen requests, and each old table points to the next. One table in the garbage collector's old
  // generation would keep all later tables alive, and with them every finished request.
  const watched: Exchange[] = [];
  const sweep = setInterval(() => {
    const now = clock.monotonic();
    for (const exchange of watched) {
      const error = overdue(exchange, limits, now);
      if (error !== undefined) exchange.abort(error);
      else if (isUnconnected(exchange, now)) exchange.abortAttempt(noConnection());
      else if (isAttemptOverdue(exchange, limits, now))
        exchange.abortAttempt(upstreamTimeout('nothing to pass on came'));
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

/** The error that aborts this request now, if any. */
export function overdue(exchange: Exchange, limits: TimeLimits, now: number): Error | undefined {
  const waited = now - exchange.waitingSince;
  const { isReadOn } = exchange;
  const { readOnAt = now } = exchange.record;
  if (isReadOn && now - readOnAt > limits.readOnMs) return upstreamTimeout('it was read on for long enough');
  // Only once: an aborted request may still have to send its error response.
  const isOver = (exchange.aborted === undefined || isReadOn) && now - exchange.startedAt > limits.totalMs;
  switch (exchange.waiting) {
    case undefined:
      return undefined;
    case 'body': {
      const tooSlow = exchange.record.requestBytes / (waited / 1000) < limits.bodyRateMin;
      return isOver || (waited > limits.bodyGraceMs && tooSlow) ? new GatewayError('request_timeout') : undefined;
    }
    case 'reader':
      return isOver || waited > limits.readerMs ? new ClientGone('client_stalled') : undefined;
    case 'head':
      break;
    case 'event':
      if (isIdle(exchange, limits, now) && hasBegun(exchange)) return upstreamTimeout('nothing more came');
      if (isPastTime(exchange, now) && hasBegun(exchange)) return upstreamTimeout("the target's time is over");
      break;
  }
  if (!isOver) return undefined;
  // A caller that reads drop by drop is not waited for all the time, so the sum of its waits decides.
  const isSlowReader = exchange.readerMs > limits.totalMs / 2;
  return isSlowReader ? new ClientGone('client_stalled') : upstreamTimeout('the total time is over');
}

/**
 * No first byte of a stream, nothing after its head, or a time limit of the target. It ends the attempt, not the request:
 * the caller has nothing yet, or its stream may be recovered, so another target may respond.
 */
export function isAttemptOverdue(exchange: Exchange, limits: TimeLimits, now: number): boolean {
  const { times, isTrying, attemptAt, record, waiting } = exchange;
  if (isSilent(exchange, limits, now)) return true;
  if (waiting === 'event' && isPastTime(exchange, now) && !hasBegun(exchange)) return true;
  if (times === undefined || !isTrying) return false;
  const tried = now - attemptAt;
  const { firstTokenMs = Number.POSITIVE_INFINITY, wholeMs = Number.POSITIVE_INFINITY } = times;
  return tried > wholeMs || (record.streamed && tried > firstTokenMs);
}

/** The target's time for a connection is over. Nothing was sent, so nothing can have cost anything. */
export function isUnconnected({ times, isTrying, attempt, attemptAt }: Exchange, now: number): boolean {
  const connectMs = times?.connectMs;
  return connectMs !== undefined && isTrying && attempt?.isConnected === false && now - attemptAt > connectMs;
}

function isSilent(exchange: Exchange, limits: TimeLimits, now: number): boolean {
  const { waiting, waitingSince, record } = exchange;
  if (waiting === 'head') return record.streamed && now - waitingSince > limits.firstByteMs;
  return isIdle(exchange, limits, now) && !hasBegun(exchange);
}

function isIdle({ waiting, waitingSince, record, times }: Exchange, { idleMs }: TimeLimits, now: number): boolean {
  const ms = Math.min(idleMs, times?.betweenTokensMs ?? idleMs);
  return waiting === 'event' && record.streamed && now - waitingSince > ms;
}

/** The caller has a part of the response on which none may follow, or the response is read without its caller. */
function hasBegun({ response, recovering, isReadOn }: Exchange): boolean {
  return (response.headersSent && recovering === undefined) || isReadOn;
}

/** Of a target with a time limit, whose response has begun. */
function isPastTime({ isTrying, times, attemptAt }: Exchange, now: number): boolean {
  return !isTrying && times?.wholeMs !== undefined && now - attemptAt > times.wholeMs;
}

function noConnection(): GatewayError {
  const cause = new TransportError('connect', new Error("the target's time for a connection is over"), {
    begun: false,
  });
  return new GatewayError('upstream_unreachable', { cause });
}

function upstreamTimeout(why: string): GatewayError {
  return new GatewayError('upstream_timeout', { cause: new Error(why) });
}
