import { describe, expect, it } from 'vitest';
import { servedTier } from '../../../../proxy/conversation/usage.ts';

describe('how a request was served', () => {
  it.each<[unknown, unknown, ReturnType<typeof servedTier>]>([
    ['priority', 'flex', 'priority'],
    ['PRIORITY', undefined, 'priority'],
    ['fast', undefined, 'priority'],
    ['default', 'priority', undefined],
    ['flex', undefined, 'flex'],
    ['batch', undefined, 'batch'],
    ['a new one', undefined, 'unknown'],
  ])('is what the vendor says: %j where %j was asked for is %s', (stated, requested, expected) => {
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
  ])(
    'is what was asked for only where that is dearer, if the vendor says nothing: %j is %s',
    (requested, expected) => {
      for (const stated of [undefined, null, '', 7]) expect(servedTier(stated, requested)).toBe(expected);
    },
  );
});
