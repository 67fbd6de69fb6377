// Small helpers of the injector: nesting of JSON, paths of JSON Patch, text in messages.
import { describe, expect, it } from 'vitest';
import { addition } from '../../../injector/json-patch.ts';
import { isTooDeep } from '../../../injector/review.ts';
import { cut, shown } from '../../../injector/shown.ts';

describe('the nesting of JSON', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['[[{"a":[]}]]', 4],
    ['[1,2],[3]', 1],
    ['{"a":"[[[["}', 1],
    ['{"a":"\\"[[[["}', 1],
    ['["\\\\",[1]]', 2],
    ['"[[[', 0],
    ['"\\', 0],
    [']]]][[[', 0],
  ])('of %s is %i', (json, depth) => {
    expect(isTooDeep(json, depth)).toBe(false);
    if (depth > 0) expect(isTooDeep(json, depth - 1)).toBe(true);
  });
});

describe('a path of JSON Patch', () => {
  it('escapes the characters that have a meaning in a path', () => {
    expect(addition(['metadata', 'annotations', 'a.io/b~1c'], 'x')).toEqual({
      ...{ op: 'add', value: 'x' },
      path: '/metadata/annotations/a.io~1b~01c',
    });
  });

  it('accepts indexes, and the end of a list', () => {
    expect(addition(['spec', 'containers', 0, 'env', '-'], 1).path).toBe('/spec/containers/0/env/-');
  });
});

describe('text in a message', () => {
  it('is quoted, on one line and without control characters for a terminal', () => {
    expect(shown('a"b\r\n\u001b[31mc\u2028d\u202ee\ud800f')).toBe('"a\\"b [31mc d e f"');
  });

  it('is cut at its maximum length, never within a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef');
    expect(cut('abcdefg', 6)).toBe('abcde…');
    expect(cut('abcd💥fg', 6).isWellFormed()).toBe(true);
    expect(cut('abcd💥fg', 6).length).toBeLessThanOrEqual(6);
  });
});
