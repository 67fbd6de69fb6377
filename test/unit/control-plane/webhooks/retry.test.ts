import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../../../control-plane/webhooks/attempt.ts';
import { givenUpAfterMs, nextAttempt } from '../../../../control-plane/webhooks/deliveries.ts';

const created = 1_800_000_000_000;
const second = 1000;
const hour = 3_600_000;

describe('the next attempt of a webhook delivery', () => {
  it('comes after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, then daily, for three days in all', () => {
    const waits: number[] = [];
    let now = created;
    for (let attempts = 1; ; attempts++) {
      const next = nextAttempt({ attempts, createdAt: created, now, retryAfterMs: undefined });
      if (next === undefined) break;
      waits.push((next - now) / second);
      now = next;
    }
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 86_400]);
    expect(now - created).toBeLessThanOrEqual(givenUpAfterMs);
  });

  it('comes no later than three days after creation', () => {
    const last = { attempts: 1, createdAt: created, retryAfterMs: undefined };
    expect(nextAttempt({ ...last, now: created + givenUpAfterMs - 5000 })).toBe(created + givenUpAfterMs);
    expect(nextAttempt({ ...last, now: created + givenUpAfterMs - 4999 })).toBeUndefined();
  });

  it.each([
    ['requests a shorter wait than the schedule', 1 * second, 5 * second],
    ['requests a longer wait than the schedule', 90 * second, 90 * second],
    ['requests a wait of an hour', hour, hour],
    ['requests a wait of more than an hour, for an hour', 5 * hour, hour],
  ])('follows a receiver that %s', (_what, retryAfterMs, wait) => {
    expect(nextAttempt({ attempts: 1, createdAt: created, now: created, retryAfterMs })).toBe(created + wait);
  });
});

describe('the header retry-after', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [new Date(created + 60_000).toUTCString(), 60_000],
  ])('%j is read', (value, ms) => {
    expect(readRetryAfter(value, created)).toBe(ms);
  });

  it.each([undefined, '', 'soon', '-1', '1.5.2', '99999999999', new Date(created - 60_000).toUTCString()])(
    '%j is ignored',
    (value) => {
      expect(readRetryAfter(value, created)).toBeUndefined();
    },
  );
});
