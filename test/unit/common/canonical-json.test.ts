import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../common/canonical-json.ts';
import { parseExactJson, writeJson } from '../../../common/exact-json.ts';
import { Random } from '../../support/access/random.ts';
import { randomJson, shuffled } from '../../support/random-json.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';

describe('canonical JSON', () => {
  it('is the same for every order of the members, over random values, and only then', () => {
    const seed = startingSeed();
    const random = new Random(seed);
    const seen = new Map<string, string>();
    for (let round = 0; round < roundsOf(1000); round++) {
      const value = randomJson(random);
      const text = canonicalJson(value);
      expect(canonicalJson(shuffled(random, value)), `seed ${seed}, round ${round}`).toBe(text);
      // It means the value that it was written from.
      expect(canonicalJson(parseExactJson(text)), `seed ${seed}, round ${round}`).toBe(text);
      const sorted = writeJson(parseExactJson(text));
      expect(seen.get(text) ?? sorted).toBe(sorted);
      seen.set(text, sorted);
    }
    expect(seen.size).toBeGreaterThan(roundsOf(1000) / 2);
  });

  it.each([
    ['{"b":1,"a":[{"d":null,"c":true}]}', '{"a":[{"c":true,"d":null}],"b":1}'],
    ['{"x":1.0,"y":1e3,"z":12345678901234567890}', '{"x":1.0,"y":1e3,"z":12345678901234567890}'],
    ['{"\\u20ac":1,"\\r":2,"1":3}', '{"\\r":2,"1":3,"€":1}'],
    ['"a\\u0000b"', '"a\\u0000b"'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalJson(parseExactJson(text))).toBe(canonical);
  });

  it.each([
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['1', '1.0'],
    ['[[],1]', '[[1]]'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
  ])('of %s is not that of %s', (one, other) => {
    expect(canonicalJson(parseExactJson(one))).not.toBe(canonicalJson(parseExactJson(other)));
  });

  it('leaves out members without a value, as JSON.stringify does', () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
  });
});
