import { describe, expect, it } from 'vitest';
import { rotated, spread, spreads } from '../../bench/stats.ts';

describe('spread', () => {
  it('is the middle value of an odd number of values', () => {
    expect(spread([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
  });

  it('is the mean of the middle two of an even number of values', () => {
    expect(spread([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
  });
});

describe('spreads', () => {
  it('computes the spread of each field separately', () => {
    expect(
      spreads([
        { a: 1, b: 9 },
        { a: 3, b: 7 },
      ]),
    ).toEqual({ a: { median: 2, min: 1, max: 3 }, b: { median: 8, min: 7, max: 9 } });
  });
});

describe('rotated', () => {
  it('puts each element first once', () => {
    expect([0, 1, 2, 3].map((by) => rotated(['a', 'b', 'c'], by).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
  });
});
