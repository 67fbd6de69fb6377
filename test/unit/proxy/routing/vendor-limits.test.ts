import { describe, expect, it } from 'vitest';
import { exhaustedForMs } from '../../../../proxy/routing/vendor-limits.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

describe('how long a vendor has nothing left', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['no headers', {}, undefined],
    ['requests left', { 'x-ratelimit-remaining-requests': '9999', 'x-ratelimit-reset-requests': '6ms' }, undefined],
    ['no requests left', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '8.64s' }, 8640],
    ['no tokens left', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' }, 120],
    ['a reset in seconds', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '2' }, 2000],
    [
      'tokens left but no requests',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '7',
        'x-ratelimit-reset-tokens': '30s',
      },
      1000,
    ],
    [
      'neither, with the later of two resets',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '30s',
      },
      30_000,
    ],
    [
      'a reset after more than a minute',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' },
      60_000,
    ],
    ['a reset that is over', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '0s' }, undefined],
    ['no reset time', { 'x-ratelimit-remaining-tokens': '0' }, undefined],
    [
      'a reset time that is none',
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': 'soon' },
      undefined,
    ],
    [
      'an amount that Azure does not know',
      { 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '9' },
      undefined,
    ],
    [
      'no input tokens left',
      {
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-11-20T12:00:01Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-20T12:00:12Z',
      },
      12_000,
    ],
    [
      'no output tokens left, by a clock that is behind',
      {
        'anthropic-ratelimit-output-tokens-remaining': '0',
        'anthropic-ratelimit-output-tokens-reset': '2026-11-20T11:59:12Z',
      },
      undefined,
    ],
    [
      'no tokens left of the priority tier',
      {
        'anthropic-priority-input-tokens-remaining': '0',
        'anthropic-priority-input-tokens-reset': '2026-11-20T12:00:12Z',
      },
      undefined,
    ],
  ])('is read from the headers: %s', (_name, headers, ms) => {
    expect(exhaustedForMs(headers, now)).toBe(ms);
  });

  it.each(['requests', 'tokens', 'input-tokens', 'output-tokens'])('is read for each of Anthropic: %s', (limit) => {
    const headers = {
      [`anthropic-ratelimit-${limit}-remaining`]: '0',
      [`anthropic-ratelimit-${limit}-reset`]: '2026-11-20T12:00:05Z',
    };
    expect(exhaustedForMs(headers, now)).toBe(5000);
  });
});
