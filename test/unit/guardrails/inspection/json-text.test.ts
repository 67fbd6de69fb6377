import { describe, expect, it } from 'vitest';
import { mapJsonText } from '../../../../guardrails/inspection/json-text.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf } from '../../../support/seed.ts';

const shouting = (text: string) => mapJsonText(text, (part) => part.toUpperCase());
const seen = (text: string) => {
  const parts: string[] = [];
  mapJsonText(text, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
};

describe('JSON text', () => {
  it('is inspected string by string, name by name and number by number, unescaped', () => {
    expect(seen('{"a\\u0062": ["x\\ny", -1.5e3, true, null, ""], "": {"c": "\\"q\\""}}')).toEqual([
      ...['ab', 'x\ny', '-1.5e3', '-1500', '', '', 'c', '"q"'],
    ]);
  });

  it('keeps every character that is not replaced', () => {
    const text = ' {"keep": "\\u0041",\n "n": 12345678901234567890, "n": 1.0, "low": "x" } ';
    expect(mapJsonText(text, (part) => (part === 'x' ? 'put "in"\n' : part))).toBe(
      ' {"keep": "\\u0041",\n "n": 12345678901234567890, "n": 1.0, "low": "put \\"in\\"\\n" } ',
    );
    expect(mapJsonText(text, (part) => part)).toBe(text);
  });

  it('gets a string where a number is replaced', () => {
    expect(mapJsonText('[12, 3]', (part) => (part === '12' ? '[N]' : part))).toBe('["[N]", 3]');
  });

  it.each([
    ['4111111111111111.0', ['4111111111111111.0', '4111111111111111']],
    ['4.111111111111111e15', ['4.111111111111111e15', '4111111111111111']],
    ['1.234567890123456789E18', ['1.234567890123456789E18', '1234567890123456789']],
    // A double cannot represent this fraction.
    ['4111111111111111.05', ['4111111111111111.05', '4111111111111111']],
    ['12345678901234567890', ['12345678901234567890']],
    // An exponent can stand for any number of digits.
    ['1e400', ['1e400']],
    ['1e999999999', ['1e999999999']],
    ['1e63', ['1e63', `1${'0'.repeat(63)}`]],
    ['1.0', ['1.0']],
    ['-0', ['-0']],
    ['0.25', ['0.25']],
  ])('shows a whole number with all its digits too: %s', (number, spellings) => {
    expect(seen(`[${number}]`)).toEqual(spellings);
  });

  it('gets a string where any spelling of a number is replaced', () => {
    const put = (part: string) => part.replace('4111111111111111', '[CARD]');
    expect(mapJsonText('[4.111111111111111e15, 4111111111111111.0, 1.0]', put)).toBe('["[CARD]", "[CARD].0", 1.0]');
  });

  it.each(['', '{', '{"a": "b', '{"a": 1}}', 'plain text', "{'a': 1}", '{"a": "b\nc"}'])(
    'that is not JSON is one text: %j',
    (text) => {
      expect(seen(text)).toEqual([text]);
    },
  );

  it.each(['"a"', '1', 'true', '[]', '{}'])('can be any JSON value: %j', (text) => {
    expect(JSON.parse(shouting(text) || 'null')).toBeDefined();
  });

  it('stays JSON, with everything else unchanged, over random values', () => {
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(500); round++) {
      const value = anyValue(random, 4);
      const text = JSON.stringify(value, undefined, random.below(3));
      expect(JSON.parse(shouting(text)), `seed ${seed}, ${text}`).toEqual(shouted(value));
    }
  });
});

const letters = ['a', 'B', '"', '\\', '\n', ' ', '{', '}', '[', ',', ':', '7', 'é', '\u2028', '😀', '\ud800'];

function anyText(random: Random): string {
  return Array.from({ length: random.below(8) }, () => letters[random.below(letters.length)]).join('');
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind < 2) return anyText(random);
  if (kind === 2) return random.below(1000);
  if (kind === 3) return random.chance(0.5);
  const inner = Array.from({ length: random.below(4) }, () => anyValue(random, depth - 1));
  return kind === 4 ? inner : Object.fromEntries(inner.map((one, index) => [`${anyText(random)}${index}`, one]));
}

function shouted(value: unknown): unknown {
  if (typeof value === 'string') return value.toUpperCase();
  if (Array.isArray(value)) return value.map(shouted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toUpperCase(), shouted(one)]));
}
