import { describe, expect, it } from 'vitest';
import { JsonGuard } from '../../../../proxy/chat/json-guard.ts';
import { Random } from '../../../support/access/random.ts';

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

describe('the structure of a body while it arrives', () => {
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
  ])('%s over the limit: %s, however it is cut', (text, expected) => {
    for (let cut = 1; cut <= text.length; cut++) expect([cut, refuses(text, cut)]).toEqual([cut, expected]);
  });
});

describe('against the parser', () => {
  it('finds the same structure in random JSON at random cuts', () => {
    const random = new Random(20_261_120);
    for (let round = 0; round < 300; round++) {
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
  const text = () =>
    Array.from({ length: random.below(80) }, () => random.pick([...'ab"\\[]{},:é\n'])).join('');
  if (kind === 0) return text();
  if (kind === 1) return random.below(1e6);
  const values = Array.from({ length: random.below(5) }, () => randomValue(random, depth + 1));
  return kind === 2 ? values : Object.fromEntries(values.map((value) => [text(), value]));
}
