// The time limits of a route's target: they shorten those of the settings, and end an attempt before they end a request.
import { describe, expect, it } from 'vitest';
import type { AttemptTimes } from '../../../../proxy/call.ts';
import type { Exchange, Waiting } from '../../../../proxy/http/exchange.ts';
import { isAttemptOverdue, isUnconnected, overdue, type TimeLimits } from '../../../../proxy/http/watchdog.ts';

const limits: TimeLimits = {
  ...{ bodyGraceMs: 1000, bodyRateMin: 1, firstByteMs: 5000, idleMs: 5000, readerMs: 5000 },
  ...{ readOnMs: 5000, totalMs: 60_000 },
};

interface Played {
  readonly waiting: Waiting;
  readonly times?: Partial<AttemptTimes>;
  readonly streamed?: boolean;
  /** Since the attempt began, and since something came. */
  readonly triedMs: number;
  readonly waitedMs?: number;
  /** The attempt has a response. */
  readonly responded?: boolean;
  /** Another attempt may follow on its stream. */
  readonly recovers?: boolean;
  readonly isReadOn?: boolean;
}

function outcome(played: Played) {
  const { waiting, times, streamed = true, triedMs, waitedMs = triedMs, responded = false } = played;
  const now = 100_000;
  const exchange = {
    ...{ waiting, times, waitingSince: now - waitedMs, attemptAt: now - triedMs, isTrying: !responded },
    ...{ startedAt: now - triedMs, isReadOn: played.isReadOn === true, aborted: undefined, readerMs: 0 },
    ...{ record: { streamed }, recovering: played.recovers ? {} : undefined },
    response: { headersSent: responded },
  } as unknown as Exchange;
  if (overdue(exchange, limits, now) !== undefined) return 'request';
  return isAttemptOverdue(exchange, limits, now) ? 'attempt' : 'nothing';
}

describe('the time of a target for a connection', () => {
  const isOver = (
    triedMs: number,
    { isConnected = false, isTrying = true, times = { connectMs: 200 } as object } = {},
  ) => isUnconnected({ times, isTrying, attempt: { isConnected }, attemptAt: 1000 } as never, 1000 + triedMs);

  it('ends while no connection has taken the request', () => {
    expect([isOver(200), isOver(201)]).toEqual([false, true]);
    expect(isOver(201, { isConnected: true })).toBe(false);
    expect(isOver(201, { isTrying: false })).toBe(false);
    expect(isOver(90_000, { times: {} })).toBe(false);
  });
});

describe('a time limit of a target ends', () => {
  it.each<[string, Played, string]>([
    ['the attempt, without a first token', { waiting: 'head', times: { firstTokenMs: 200 }, triedMs: 201 }, 'attempt'],
    ['nothing before it', { waiting: 'head', times: { firstTokenMs: 200 }, triedMs: 200 }, 'nothing'],
    [
      'the attempt, after a head without a token',
      { waiting: 'event', times: { firstTokenMs: 200 }, triedMs: 201, waitedMs: 1 },
      'attempt',
    ],
    [
      'nothing, once there is one',
      { waiting: 'event', times: { firstTokenMs: 200 }, triedMs: 201, waitedMs: 1, responded: true },
      'nothing',
    ],
    [
      'nothing of a whole response, which has no first token',
      { waiting: 'head', times: { firstTokenMs: 200 }, streamed: false, triedMs: 201 },
      'nothing',
    ],
    [
      'a stream that pauses',
      { waiting: 'event', times: { betweenTokensMs: 300 }, triedMs: 900, waitedMs: 301, responded: true },
      'request',
    ],
    ['an attempt as a whole', { waiting: 'head', times: { wholeMs: 400 }, streamed: false, triedMs: 401 }, 'attempt'],
    [
      'a stream as a whole',
      { waiting: 'event', times: { wholeMs: 400 }, triedMs: 401, waitedMs: 1, responded: true },
      'request',
    ],
    [
      'the attempt of a stream that pauses, if another one may follow',
      {
        waiting: 'event',
        times: { betweenTokensMs: 300 },
        triedMs: 900,
        waitedMs: 301,
        responded: true,
        recovers: true,
      },
      'attempt',
    ],
    [
      'the attempt of a stream as a whole, if another one may follow',
      { waiting: 'event', times: { wholeMs: 400 }, triedMs: 401, waitedMs: 1, responded: true, recovers: true },
      'attempt',
    ],
    [
      'a stream that pauses and has no caller any more',
      {
        ...{ waiting: 'event', times: { betweenTokensMs: 300 }, triedMs: 900, waitedMs: 301, responded: true },
        ...{ recovers: true, isReadOn: true },
      },
      'request',
    ],
    [
      'nothing later than the settings do',
      { waiting: 'head', times: { firstTokenMs: 9000 }, triedMs: 5001 },
      'attempt',
    ],
    ['nothing without one', { waiting: 'head', triedMs: 5000 }, 'nothing'],
  ])('%s', (_name, played, expected) => {
    expect(outcome(played)).toBe(expected);
  });
});
