// Members of a JSON object are replaced in its text: all other bytes stay.
import { describe, expect, it } from 'vitest';
import { type JsonObject, parseJson } from '../../../../common/json.ts';
import { passedBody, withMembers } from '../../../../proxy/formats/splice.ts';

const replace = (text: string, members: Record<string, string>) =>
  withMembers(Buffer.from(text), new Map(Object.entries(members)));

describe('withMembers', () => {
  it.each([
    ['{"model":"a","x":1}', '{"model":"b","x":1}'],
    ['{ "x" : 1e2 ,\n "model" : "a" }', '{ "x" : 1e2 ,\n "model" : "b" }'],
    ['{"x":{"model":"a"},"model":"a"}', '{"x":{"model":"a"},"model":"b"}'],
    [String.raw`{"x":"\"model\":\"a\"\\","model":"a"}`, String.raw`{"x":"\"model\":\"a\"\\","model":"b"}`],
    [String.raw`{"mod\u0065l":"a"}`, String.raw`{"mod\u0065l":"b"}`],
    ['{"model":"a","model":"c"}', '{"model":"b","model":"b"}'],
    ['{"model":null,"y":[1,{"a":"]}"}]}', '{"model":"b","y":[1,{"a":"]}"}]}'],
    ['{"model":[1,[2]] , "y":1}', '{"model":"b" , "y":1}'],
    ['{"y":1 }', '{"y":1 ,"model":"b"}'],
    ['{}', '{"model":"b"}'],
    ['{"é":"ü€😀","model":"a"}', '{"é":"ü€😀","model":"b"}'],
  ])('%s → %s', (text, expected) => {
    expect(replace(text, { model: '"b"' })).toBe(expected);
  });

  it('replaces several members, and parses to the same object with those changed', () => {
    const body = { a: [1, { b: '}' }], model: 'x', c: { model: 'y', d: '\\"' }, tools: [{}], e: null, f: true };
    for (const space of [undefined, 1, '\t']) {
      const text = replace(JSON.stringify(body, undefined, space), { model: '"z"', tools: '[]', added: '{"n":1}' });
      expect(parseJson(text)).toEqual({ ...body, model: 'z', tools: [], added: { n: 1 } });
    }
  });
});

describe('passedBody', () => {
  const passed = (text: string) =>
    passedBody({ bytes: Buffer.from(text), body: parseJson(text) as JsonObject }, new Map());

  it.each(['{"a":1, "b":[{"a":":"},{"a":{"x":"\\":"}}]}', '{}', '{ "é":":" }'])('is the text itself: %s', (text) => {
    expect(passed(text)).toBe(text);
  });

  it.each([
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"b":[{"x":"in","x":"out"}],"c":1.5}', '{"b":[{"x":"out"}],"c":1.5}'],
    [String.raw`{"a":1,"\u0061":2}`, '{"a":2}'],
  ])('of an object with a member twice has what was inspected: %s', (text, expected) => {
    expect(passed(text)).toBe(expected);
  });
});
