import { describe, expect, it } from 'vitest';
import { OrdinalRanges, rangesMax } from '../../../../control-plane/ledger/ordinals.ts';
import { Random } from '../../../support/access/random.ts';
import { startingSeed } from '../../../support/seed.ts';

describe('ranges of ordinals', () => {
  it.each<[string, readonly number[], readonly (readonly [number, number])[]]>([
    ['one', [5], [[5, 5]]],
    ['one twice', [5, 5], [[5, 5]]],
    ['those that follow', [1, 2, 3], [[1, 3]]],
    ['those that come backwards', [3, 2, 1], [[1, 3]]],
    ['what closes a gap', [1, 3, 2], [[1, 3]]],
    [
      'a gap',
      [1, 3],
      [
        [1, 1],
        [3, 3],
      ],
    ],
    ['what lies in a range', [1, 2, 3, 2], [[1, 3]]],
  ])('contain %s', (_, ordinals, ranges) => {
    const found = new OrdinalRanges();
    for (const ordinal of ordinals) found.add(ordinal);
    expect(found.toJSON()).toEqual(ranges);
  });

  it('contain the same ordinals as a set', () => {
    const seed = startingSeed();
    const random = new Random(seed);
    const set = new Set<number>();
    let ranges = new OrdinalRanges();
    for (let step = 0; step < 2_000; step++) {
      const ordinal = 1 + random.below(500);
      expect(ranges.has(ordinal), `seed ${seed}`).toBe(set.has(ordinal));
      ranges.add(ordinal);
      set.add(ordinal);
      if (step % 100 === 0) ranges = new OrdinalRanges(JSON.parse(JSON.stringify(ranges)));
    }
    for (let ordinal = 0; ordinal < 502; ordinal++) expect(ranges.has(ordinal)).toBe(set.has(ordinal));
  });

  it('are bounded in number, and keep the highest', () => {
    const ranges = new OrdinalRanges();
    for (let ordinal = 1; ordinal <= 2 * (rangesMax + 5); ordinal += 2) ranges.add(ordinal);
    const kept = ranges.toJSON();
    expect(kept).toHaveLength(rangesMax);
    expect(kept.at(-1)).toEqual([2 * rangesMax + 9, 2 * rangesMax + 9]);
  });
});
