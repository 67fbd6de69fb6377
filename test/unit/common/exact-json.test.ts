import { describe, expect, it } from 'vitest';
import { exactNumbersMax, JsonText, parseExactJson, writeJson } from '../../../common/exact-json.ts';
import { atMost, ExactNumber, isNumber, isWhole, plainNumber, wholeDigits } from '../../../common/exact-number.ts';
import { isObject, parseJson } from '../../../common/json.ts';
import { Random } from '../../support/access/random.ts';
import { numbersOf, randomNumber, suiteNumbers } from '../../support/json-numbers.ts';
import { roundsOf } from '../../support/seed.ts';

const again = (text: string) => JSON.stringify(parseExactJson(text));

describe('JSON read exactly', () => {
  it.each(suiteNumbers)('keeps every number as it was written: %s', (number) => {
    expect(again(number)).toBe(number);
    expect(again(`[${number},{"a":${number}}]`)).toBe(`[${number},{"a":${number}}]`);
  });

  it('keeps every number as it was written, over random numbers', () => {
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(2500); round++) {
      const text = `{"a":[${randomNumber(random)},"x"],"b":${randomNumber(random)}}`;
      expect(again(text), `seed ${seed}`).toBe(text);
      expect(numbersOf(String(again(text)))).toEqual(numbersOf(text));
    }
  });

  it.each([
    '0',
    '1',
    '-1',
    '0.7',
    '123456789012345',
    '9007199254740991',
    '1e+21',
    '1e-7',
    '5e-324',
    '1.7976931348623157e+308',
  ])('contains a plain number when JavaScript writes it the same way: %s', (number) => {
    expect(parseExactJson(number)).toBe(Number(number));
  });

  it.each(['-0', '1.0', '1e3', '1E+21', '0.0000001', '9007199254740993', '1e400', '0.1000'])(
    'contains an exact number when JavaScript writes it in another way: %s',
    (number) => {
      expect(parseExactJson(number)).toEqual(new ExactNumber(number));
    },
  );

  it.each([
    '',
    '1.',
    '01',
    '-',
    '+1',
    '.5',
    '1e',
    '0x1',
    '1.0.0',
    '1-2',
    '[1.0',
    '{1.0:2}',
    '{"a":1.0,}',
    '"1.0',
    'NaN',
    '1e5x',
  ])('is undefined for a text that is not JSON: %j', (text) => {
    expect(parseExactJson(text)).toBeUndefined();
    expect(parseJson(text)).toBeUndefined();
  });

  it('leaves strings that look like numbers unchanged', () => {
    const text = '{"1.0":"1.0","\\"1e3":"\\\\","a\\\\":[1.0,"\\"",2.0],"":""}';
    expect(again(text)).toBe(text);
  });

  it('keeps the last of repeated names, at the position of the first, and names such as __proto__', () => {
    expect(again('{"a":1.0,"b":2.0,"a":3.0}')).toBe('{"a":3.0,"b":2.0}');
    const text = '{"__proto__":1.0,"a":{"__proto__":{"b":2.0},"constructor":3.0}}';
    expect(again(text)).toBe(text);
    expect(({} as Record<string, unknown>).b).toBeUndefined();
  });

  it('puts names that are whole numbers first, like every object of JavaScript', () => {
    expect(again('{"b":1.0,"1":2.0,"a":1,"0":1}')).toBe(
      JSON.stringify(JSON.parse('{"b":1,"1":2,"a":1,"0":1}')).replace('"1":2', '"1":2.0').replace('"b":1', '"b":1.0'),
    );
  });

  it('needs no stack, however deep the text is', () => {
    const depth = 200_000;
    expect(parseExactJson(`${'['.repeat(depth)}1.0${']'.repeat(depth)}`)).toBeDefined();
  });

  it('is undefined when the text has more exact numbers than the maximum', () => {
    const text = (count: number) => `[${'1.0,'.repeat(count - 1)}1.0]`;
    expect(parseExactJson(text(exactNumbersMax))).toBeDefined();
    expect(parseExactJson(text(exactNumbersMax + 1))).toBeUndefined();
  });
});

describe('an exact number', () => {
  const exact = (source: string) => new ExactNumber(source);

  it('is not an object, and converts to a plain number', () => {
    expect(isObject(exact('1.0'))).toBe(false);
    expect(isNumber(exact('1.0'))).toBe(true);
    expect([plainNumber(exact('1e3')), plainNumber(7), plainNumber('7')]).toEqual([1000, 7, undefined]);
  });

  it('is compared and computed with as the nearest double, and printed as it was written', () => {
    expect(exact('4e3') > exact('3.0e3')).toBe(true);
    expect(Math.max(Number(exact('2.0')), 1)).toBe(2);
    expect(`${exact('4e3')} ${String(exact('-0'))}`).toBe('4e3 -0');
  });

  it.each([
    ['1.0', true],
    ['4e3', true],
    ['12.50e1', true],
    ['12.5e0', false],
    ['-0', true],
    ['0.000e-99', true],
    ['4000.0000000000000000001', false],
    ['1e-400', false],
    ['1e400', true],
    ['1230e-1', true],
    ['1230e-2', false],
  ])('%s is whole: %s', (source, expected) => {
    expect(isWhole(exact(source))).toBe(expected);
  });

  it.each([
    ['-1.50e3', '-1500'],
    ['0e99', '0'],
    ['1e63', `1${'0'.repeat(63)}`],
    ['1e64', undefined],
    ['1e999999999999', undefined],
    ['0.5', undefined],
    ['1230e-1', '123'],
  ])('%s has the digits %s', (source, expected) => {
    expect(wholeDigits(exact(source), 64)).toBe(expected);
  });

  it('stays unchanged unless it is too large', () => {
    const one = exact('1.0');
    expect(atMost(one, 1)).toBe(one);
    expect(atMost(exact('1.1e0'), 1)).toBe(1);
  });
});

describe('a JSON text', () => {
  const text = ' {"n": 1.0,\n"n": 12345678901234567890, "2": "\\u0061", "1": []} ';

  it('is spliced into a body unchanged', () => {
    const { splice } = JsonText.ofObject(text) ?? JsonText.emptyObject;
    expect(writeJson({ a: splice, b: ['"', splice], c: 'x' })).toBe(`{"a":${text},"b":["\\"",${text}],"c":"x"}`);
  });

  it('outside a splice is serialized as its value', () => {
    expect(JSON.stringify({ a: JsonText.ofObject('{"n": 1.0}') })).toBe('{"a":{"n":1.0}}');
  });

  it.each(['', '[]', '1.0', 'null', '{', '{"a":1}x'])('must be an object: %j is refused', (other) => {
    expect(JsonText.ofObject(other)).toBeUndefined();
  });

  it('has lone surrogates escaped, because UTF-8 cannot encode them', () => {
    const written = writeJson([JsonText.ofObject('{"a":"\ud83d","b":"😀\udc00"}')?.splice]);
    expect(written).toBe('[{"a":"\\ud83d","b":"😀\\udc00"}]');
    expect(Buffer.from(written).toString()).toBe(written);
  });

  it('keeps strings, backslashes and quotes at its end', () => {
    for (const inner of ['{}', '{"a":"\\\\"}', '{"\\"":"\\u0022"}', '{"a":"\\\\\\""}'])
      expect(writeJson([JsonText.ofObject(inner)?.splice, 'x\\'])).toBe(`[${inner},"x\\\\"]`);
  });
});
