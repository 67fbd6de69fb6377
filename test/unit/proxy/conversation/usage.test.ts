import { describe, expect, it } from 'vitest';
import { servedTier } from '../../../../proxy/conversation/usage.ts';

describe('the service tier of a request', () => {
  it.each<[unknown, unknown, ReturnType<typeof servedTier>]>([
    ['priority', 'flex', 'priority'],
    ['PRIORITY', undefined, 'priority'],
    ['fast', undefined, 'priority'],
    ['default', 'priority', undefined],
    ['flex', undefined, 'flex'],
    ['batch', undefined, 'batch'],
    ['a new one', undefined, 'unknown'],
  ])('is the one that the vendor reports: %j for the requested %j is %s', (stated, requested, expected) => {
    expect(servedTier(stated, requested)).toBe(expected);
  });

  it.each<[unknown, ReturnType<typeof servedTier>]>([
    ['priority', 'priority'],
    ['fast', 'priority'],
    ['flex', undefined],
    ['batch', undefined],
    ['a new one', undefined],
    ['auto', undefined],
    [undefined, undefined],
    [4, undefined],
  ])('is the requested one if that costs more and the vendor reports none: %j is %s', (requested, expected) => {
    for (const stated of [undefined, null, '', 7]) expect(servedTier(stated, requested)).toBe(expected);
  });
});
