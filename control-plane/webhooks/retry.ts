// When a delivery that failed is tried again: soon, then ever less often, until three days after it was written.
const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

export const givenUpAfterMs = 72 * hourMs;

/** Between one try and the next; the last holds for all that follow. */
const delaysMs = [
  ...[5 * secondMs, 30 * secondMs],
  ...[2 * minuteMs, 10 * minuteMs, 30 * minuteMs],
  ...[hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs, 24 * hourMs],
];

/** A receiver may ask for more time than the schedule gives it, up to this. */
const retryAfterMaxMs = hourMs;

export interface FailedTry {
  /** Tries so far: at least 1. */
  readonly attempts: number;
  readonly createdAt: number;
  /** By the same clock as createdAt. */
  readonly now: number;
  readonly retryAfterMs: number | undefined;
}

/** @returns when to try again; undefined: never */
export function nextAttempt({ attempts, createdAt, now, retryAfterMs = 0 }: FailedTry): number | undefined {
  const scheduled = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const next = now + Math.max(scheduled, Math.min(retryAfterMs, retryAfterMaxMs));
  return next > createdAt + givenUpAfterMs ? undefined : next;
}

/** `retry-after`, RFC 9110: seconds or a date. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now;
  return Number.isNaN(ms) || ms < 0 ? undefined : ms;
}
