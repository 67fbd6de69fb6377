// How long to wait before a retry, in every spelling that vendors use. Pure: the clock is a parameter.
import type { IncomingHttpHeaders } from 'node:http';
import { inMilliseconds, inSeconds, latestReset, one } from './reset-times.ts';

const secondsMax = 86_400;

/**
 * @param now milliseconds since 1970, for spellings that are a date
 * @param reported seconds from the body
 * @returns whole seconds, at most a day
 */
export function retryAfter(headers: IncomingHttpHeaders, now: number, reported?: number): number | undefined {
  const seconds =
    inMilliseconds(one(headers['retry-after-ms'])) ??
    inSeconds(one(headers['retry-after']), now) ??
    reported ??
    latestReset(headers, now);
  if (seconds === undefined || Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(0, Math.ceil(seconds)), secondsMax);
}
