// JSON with names that are written with escapes is read correctly, whatever was read before it.
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../common/exact-json.ts';
import { parseJson } from '../../../common/json.ts';
import { hasEscapedName, readNamesAsWritten } from '../../../common/json-names.ts';
import { readJsonInSteps } from '../../../common/sliced-json-reader.ts';
import { Random } from '../../support/access/random.ts';

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Texts that an attacker would send first, so that a member is missed. */
const lures = ['{"a":1,"\\\\":2}', '{"role":"user","\\\\u0063o":[]}', '{"role":"user","\\\\u0063o":"x","z":1}'];
const texts = [
  ['{"a":1,"\\u0078":2}', { a: 1, x: 2 }],
  ['{"role":"user","\\u0063ontent":"hidden"}', { role: 'user', content: 'hidden' }],
  [
    '{ "\\u0061" : { "b\\"" : [ 1, -2.5, true, null, "\\n\\u0041" ] }, "c":{} }',
    { a: { 'b"': [1, -2.5, true, null, '\nA'] }, c: {} },
  ],
  ['{"\\u005f_proto__":{"x":1},"a":[]}', JSON.parse('{"__proto__":{"x":1},"a":[]}')],
  ['{"\\u0061":1,"b":2,"a":3}', { a: 3, b: 2 }],
] as const;

describe.each(texts)('%s', (text, value) => {
  it.each([
    ['parseJson', parseJson],
    ['parseExactJson', parseExactJson],
    ['in steps', (one: string) => inSteps(one)],
  ] as const)('is parsed by %s', (_, parse) => {
    for (const lure of lures) parse(lure);
    expect(parse(text)).toEqual(value);
    expect(Object.getPrototypeOf(parse(text))).toBe(Object.prototype);
  });
});

function inSteps(text: string): unknown {
  const steps = readJsonInSteps(Buffer.from(text), { runBytes: 8 });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

it('a text with escapes that is not JSON is refused', () => {
  for (const text of ['{"\\u0061":}', '{"\\u0061":1', '{"\\u00g1":1}', '{"\\u0061" 1}', '{"\\u0061":01}'])
    expect(parseJson(text)).toBeUndefined();
});

it('an escaped name is recognized among escaped values', () => {
  for (const text of ['{"a":"b\\n:"}', '["\\"",":"]', '{"a":"\\\\"}', '"\\u0061"'])
    expect(hasEscapedName(text), text).toBe(false);
  for (const text of ['{"\\n":1}', '{"a":"\\n","\\\\" \n:1}', '{"a\\"":1}'])
    expect(hasEscapedName(text), text).toBe(true);
});

const letters = ['a', 'b', '"', '\\', '\n', '\ud83d', '\ude00', 'é', '中', '/', '\u0000', 'u', '0'];

it('thousands of random texts are parsed to the values from which they were written', () => {
  const seed = Date.now() % 1_000_000;
  const random = new Random(seed);
  const below = (n: number) => random.below(n);
  const value = (depth: number): unknown => {
    const kind = below(depth > 3 ? 3 : 5);
    if (kind === 0) return below(1000) - 500;
    if (kind === 1) return word();
    if (kind === 2) return random.pick([true, false, null]);
    if (kind === 3) return Array.from({ length: below(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: below(4) }, () => [word(), value(depth + 1)]));
  };
  const word = () => Array.from({ length: 1 + below(4) }, () => random.pick(letters)).join('');
  const write = (one: unknown): string => {
    if (Array.isArray(one)) return `[${one.map(write).join(', ')}]`;
    if (typeof one === 'string')
      return `"${[...one.split('')].map((c) => (below(2) === 0 || c < ' ' || c === '"' || c === '\\' ? escaped(c) : c)).join('')}"`;
    if (typeof one !== 'object' || one === null) return String(one);
    return `{${Object.entries(one)
      .map(([name, member]) => `${write(name)} :${write(member)}`)
      .join(',')}}`;
  };
  for (let n = 0; n < 20_000; n++) {
    const wanted = value(0);
    const text = write(wanted);
    expect(parseJson(text), `${text} (seed ${seed})`).toEqual(wanted);
    expect(readNamesAsWritten(text)).toEqual(wanted);
  }
});
