import { describe, expect, it } from 'vitest';
import { functionNames } from '../../../../../proxy/formats/generate-content/names.ts';

describe('names of functions for the search-company vendor', () => {
  it.each([
    ['good ones stay', ['boil', '_x', 'A-1'], ['boil', '_x', 'A-1']],
    ['a digit or hyphen first', ['1st', '-x'], ['_1st', '_-x']],
    ['one that another has', ['1st', '_1st'], ['_1st_2', '_1st']],
    ['whatever their order', ['_1st', '1st'], ['_1st', '_1st_2']],
    ['as long as allowed', [`1${'x'.repeat(63)}`], [`_1${'x'.repeat(62)}`]],
    [
      'two that differ at their end',
      [`1${'x'.repeat(63)}`, `1${'x'.repeat(62)}y`],
      [`_1${'x'.repeat(62)}`, `_1${'x'.repeat(60)}_2`],
    ],
  ])('are mapped both ways: %s', (_what, given, expected) => {
    const names = functionNames(given);
    expect(given.map(names.toVendor)).toEqual(expected);
    expect(expected.map(names.toCaller)).toEqual(given);
  });

  it('from a history become valid, and unknown names come back unchanged', () => {
    const names = functionNames([]);
    expect(['a b', 'é', '', 'x'.repeat(90)].map(names.toVendor)).toEqual(['a_b', '_', '_', 'x'.repeat(64)]);
    expect(names.toCaller('unknown-name')).toBe('unknown-name');
  });
});
