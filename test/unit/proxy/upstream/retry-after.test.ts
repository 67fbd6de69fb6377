import { describe, expect, it } from 'vitest';
import { retryAfter } from '../../../../proxy/upstream/retry-after.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('the time to wait before another try', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '1.2' }, 2],
    [{ 'retry-after-ms': '1500' }, 2],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, 86_400],
    [{ 'retry-after-ms': '', 'retry-after': '3' }, 3],
    [{ 'retry-after-ms': 'Infinity' }, undefined],
    [{ 'retry-after': '6m0s' }, 360],
    [{ 'retry-after': '37s' }, 37],
    [{ 'retry-after': '1h2m3.5s' }, 3724],
    [{ 'retry-after': '20ms' }, 1],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }, 90],
    [{ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '1m30s' }, undefined],
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '2',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '8',
      },
      8,
    ],
    [
      {
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-20T12:00:12Z',
      },
      12,
    ],
    [{}, undefined],
  ])('is read from the headers: %j', (headers, seconds) => {
    expect(retryAfter(headers, now)).toBe(seconds);
  });

  it('is read from the body when no header has it', () => {
    expect(retryAfter({}, now, 37)).toBe(37);
    expect(retryAfter({ 'retry-after': '5' }, now, 37)).toBe(5);
  });
});
