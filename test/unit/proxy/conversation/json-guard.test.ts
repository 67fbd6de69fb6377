import { describe, expect, it } from 'vitest';
import { JsonGuard } from '../../../../proxy/conversation/json-guard.ts';
import { Random } from '../../../support/access/random.ts';
import { randomNumber } from '../../../support/json-numbers.ts';
import { roundsOf } from '../../../support/seed.ts';

const limits = { jsonDepthMax: 3, jsonStructuralMax: 10 };
const refuses = (text: string, cut = text.length) => {
  const guard = new JsonGuard(limits);
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += cut) guard.push(bytes.subarray(at, at + cut));
    return false;
  } catch {
    return true;
  }
};

describe('the guard of a body’s JSON structure', () => {
  it.each([
    ['[[[]]]', false],
    ['[[[[', true],
    ['{"a":{"b":{"c":1}}}', false],
    ['{"a":{"b":{"c":[]}}}', true],
    ['[1,2,3,4,5,6,7,8,9]', false],
    ['[1,2,3,4,5,6,7,8,9,10]', true],
    ['"[[[[[[[["', false],
    ['"\\"[[[["', false],
    ['"\\\\"[[[[', true],
    ['"a,b:c{d}e,f,g,h,i,j,k"', false],
    [`"${'a'.repeat(100)}\\"[[[["[]`, false],
    [`"${'a'.repeat(100)}\\\\"[[[[`, true],
    [`"${'\\"'.repeat(50)}[[[["`, false],
    [`"${'\\\\'.repeat(50)}"[[[[`, true],
  ])('%s exceeds the limits of structure: %s, however it is cut', (text, expected) => {
    for (let cut = 1; cut <= text.length; cut++) expect([cut, refuses(text, cut)]).toEqual([cut, expected]);
  });
});

describe('the guard of a body’s JSON numbers', () => {
  const arePlain = (text: string, cut = text.length) => {
    const guard = new JsonGuard({ jsonDepthMax: 1000, jsonStructuralMax: 1000 });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += cut) guard.push(bytes.subarray(at, at + cut));
    return guard.numbersArePlain;
  };

  it.each([
    ['{"a":1,"b":[0.7,-12,123456789012345],"c":"1.0 and 1e3"}', true],
    ['{"a":"\\"1.0","b":true,"c":false,"d":null}', true],
    ['{"a":1.0}', false],
    ['{"a":"1.0","b":1.0}', false],
    ['[1,-0]', false],
    ['[9007199254740993]', false],
    ['[1e3,1]', false],
    ['[0.10]', false],
  ])('the numbers of %s are plain: %s', (text, expected) => {
    expect(arePlain(text)).toBe(expected);
    // A number that is cut could have any form.
    if (!expected) for (let cut = 1; cut < text.length; cut++) expect([cut, arePlain(text, cut)]).toEqual([cut, false]);
  });

  it('random numbers at random cuts are reported as plain only if all are', () => {
    const random = new Random(20_261_122);
    let plain = 0;
    for (let round = 0; round < roundsOf(3000); round++) {
      const source = random.chance(0.5) ? String(random.below(1000) / 10) : randomNumber(random);
      const text = `{"a":["x",${source}],"b":"1.0"}`;
      const isPlain = arePlain(text, 1 + random.below(30));
      if (isPlain) expect(JSON.stringify(JSON.parse(text))).toBe(text);
      if (isPlain) plain++;
      expect(arePlain(text)).toBe(JSON.stringify(JSON.parse(text)) === text);
    }
    expect(plain).toBeGreaterThan(roundsOf(3000) / 10);
  });
});

describe('the guard compared with the JSON parser', () => {
  it('counts the same structure in random JSON at random cuts', () => {
    const random = new Random(20_261_120);
    for (let round = 0; round < roundsOf(300); round++) {
      const text = JSON.stringify(randomValue(random, 0));
      const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
      const structural = outside.replace(/[^[\]{},:]/g, '').length;
      const passes = (max: number) => {
        const guard = new JsonGuard({ jsonDepthMax: 1000, jsonStructuralMax: max });
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) {
          const end = at + 1 + random.below(90);
          guard.push(bytes.subarray(at, end));
          at = end;
        }
      };
      passes(structural);
      if (structural > 0) expect(() => passes(structural - 1), text).toThrow(/structural/);
    }
  });
});

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 4 ? 2 : 4);
  const text = () => Array.from({ length: random.below(80) }, () => random.pick([...'ab"\\[]{},:é\n'])).join('');
  if (kind === 0) return text();
  if (kind === 1) return random.below(1e6);
  const values = Array.from({ length: random.below(5) }, () => randomValue(random, depth + 1));
  return kind === 2 ? values : Object.fromEntries(values.map((value) => [text(), value]));
}
