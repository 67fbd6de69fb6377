// Members of a JSON object are replaced in its text: all other bytes stay.
import { describe, expect, it } from 'vitest';
import { type JsonObject, parseJson } from '../../../../common/json.ts';
import type { ClientRequest } from '../../../../proxy/formats/client-format.ts';
import { innerClient, passedBody, withMembers, withoutMembers } from '../../../../proxy/formats/splice.ts';

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
    ['{"y":1,"model":null}', '{"y":1,"model":"b"}'],
    ['{"model": 7 }', '{"model": "b" }'],
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

describe('withoutMembers', () => {
  it.each([
    ['{"model":"a","x":1}', '{"x":1}'],
    ['{"x":1,"model":"a"}', '{"x":1}'],
    ['{ "x" : 1e2 ,\n "model" : "a",\n "y":2 }', '{ "x" : 1e2,\n "y":2 }'],
    ['{ "model":"a",\n "x" : 1e2 , "y":2}', '{ "x" : 1e2 , "y":2}'],
    ['{ "model":"a", "max":1, "x":{"model":"a"}}', '{ "x":{"model":"a"}}'],
    ['{"model":"a" }', '{ }'],
    ['{"model":"a","max":[{"a":"}"}]}', '{}'],
    ['{}', '{}'],
    ['{"é":"ü€😀","model":"a"}', '{"é":"ü€😀"}'],
  ])('%s → %s', (text, expected) => {
    expect(withoutMembers(text, new Set(['model', 'max']))).toBe(expected);
  });
});

describe('innerClient', () => {
  const inside = (text: string, path: readonly string[]) => {
    const body = parseJson(text) as JsonObject;
    const client = { body, bytes: Buffer.from(text) } as Partial<ClientRequest> as ClientRequest;
    const inner = innerClient(client, path);
    return [inner.bytes?.toString(), inner.body];
  };

  it('is the object inside, with its bytes', () => {
    const text = '{"a": 1, "input" : {"converse": { "x":1e2 }, "y":2}}';
    const [bytes, body] = inside(text, ['input', 'converse']);
    expect(bytes).toBe('{ "x":1e2 }');
    expect(body).toEqual({ x: 100 });
  });

  it('is the client’s own request if there is none inside', () => {
    const text = '{"input":{"other":{}}}';
    expect(inside(text, ['input', 'converse'])).toEqual([text, parseJson(text)]);
  });

  it('has what was inspected, if a member is there twice', () => {
    const [bytes] = inside('{"input":{"x":"a"},"input":{"x":"b"}}', ['input']);
    expect(bytes).toBe('{"x":"b"}');
  });
});
