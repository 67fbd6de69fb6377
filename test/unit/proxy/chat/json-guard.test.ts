import { describe, expect, it } from 'vitest';
import { JsonGuard } from '../../../../proxy/chat/json-guard.ts';

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
  ])('%s over the limit: %s, however it is cut', (text, expected) => {
    for (let cut = 1; cut <= text.length; cut++) expect([cut, refuses(text, cut)]).toEqual([cut, expected]);
  });
});
