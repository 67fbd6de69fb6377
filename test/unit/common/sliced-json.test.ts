// JSON that is read and written in steps gives the same result as at once: over random texts with hostile shapes, with
// random steps.
import { describe, expect, it } from 'vitest';
import { JsonText, parseExactJson, writeJson } from '../../../common/exact-json.ts';
import { parseJson } from '../../../common/json.ts';
import { readJsonInSteps, type SlicedReading } from '../../../common/sliced-json-reader.ts';
import { writeJsonInSteps } from '../../../common/sliced-json-writer.ts';
import { Random } from '../../support/access/random.ts';
import { randomNumber, suiteNumbers } from '../../support/json-numbers.ts';
import { roundsOf } from '../../support/seed.ts';

function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const read = (text: string | Buffer, reading: SlicedReading = {}) =>
  finish(readJsonInSteps(Buffer.from(text), reading));
const written = (value: unknown, stepLength?: number) => finish(writeJsonInSteps(value, stepLength)).toString();

const randomSteps = (random: Random): SlicedReading => ({
  runBytes: random.below(40) + 1,
  pieceBytes: random.below(40) + 16,
});

/** Units of text that are easily split at a wrong position. */
const bits = [
  'a',
  'é',
  '€',
  '😀',
  '\\"',
  '\\\\',
  '\\n',
  '\\u0041',
  '\\ud83d',
  '\\ude00',
  '\\/',
  ',',
  '[',
  '}',
  ':',
  ' ',
];

class Texts {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  value(depth = 0): string {
    const kind = this.#random.below(depth > 6 ? 4 : 8);
    if (kind === 0) return randomNumber(this.#random);
    if (kind === 1) return this.#pick(['true', 'false', 'null', '0', '-0', '[]', '{}', '[ ]', '{\n}']);
    if (kind <= 3) return this.string();
    const items = Array.from({ length: this.#random.below(6) }, () => this.value(depth + 1));
    if (kind <= 5) return `[${this.#space()}${items.join(`${this.#space()},${this.#space()}`)}${this.#space()}]`;
    const members = items.map((item) => `${this.#space()}${this.#name()}${this.#space()}:${this.#space()}${item}`);
    return `{${members.join(`${this.#space()},`)}${this.#space()}}`;
  }

  string(): string {
    const length = this.#pick([0, 1, 3, 10, 60]);
    return `"${Array.from({ length }, () => this.#pick(bits)).join('')}"`;
  }

  /** Returns the text, mostly with a mistake in it. */
  broken(text: string): string {
    const at = this.#random.below(text.length + 1);
    const wrong = this.#pick([',', '[', ']', '{', '}', '"', ':', '\\', '1', 'n', ' ', '\u0000', ',,', '""']);
    return this.#random.below(2) === 0
      ? text.slice(0, at) + wrong + text.slice(at)
      : text.slice(0, at) + text.slice(at + 1 + this.#random.below(3));
  }

  #name(): string {
    if (this.#random.below(3) === 0) return this.string();
    return this.#pick(['"a"', '"b"', '"1"', '""', '"__proto__"', '"toString"']);
  }

  #space(): string {
    const kind = this.#random.below(30);
    return kind > 6
      ? ''
      : kind === 0
        ? ' '.repeat(1000 + this.#random.below(200))
        : this.#pick([' ', '\n', '\t\r', '  ']);
  }

  #pick<T>(of: readonly T[]): T {
    return of[this.#random.below(of.length)] as T;
  }
}

/** Shows names in their order and which of them are own properties; `toEqual` ignores both. */
const shown = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));

describe('JSON in steps', () => {
  it('reads the same value as reading at once, over random texts and steps', () => {
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    const texts = new Texts(random);
    for (let round = 0; round < roundsOf(800); round++) {
      const text = texts.value().toWellFormed();
      const at = `seed ${seed}: ${text.slice(0, 2000)}`;
      const steps = randomSteps(random);
      expect(shown(read(text, steps)), at).toBe(shown(parseJson(text)));
      expect(shown(read(text, { ...steps, exact: true })), at).toBe(shown(parseExactJson(text)));
    }
  });

  it('refuses a text exactly when reading at once refuses it, over random mistakes', {
    timeout: 60_000,
  }, () => {
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    const texts = new Texts(random);
    let refused = 0;
    const rounds = roundsOf(2000);
    for (let round = 0; round < rounds; round++) {
      const text = texts.broken(texts.value()).toWellFormed();
      const expected = parseJson(text);
      if (expected === undefined) refused++;
      expect(shown(read(text, randomSteps(random))), `seed ${seed}: ${text.slice(0, 2000)}`).toBe(shown(expected));
    }
    expect(refused).toBeGreaterThan(rounds / 4);
  });

  it('writes the same text as writing at once, over random values and steps', () => {
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    const texts = new Texts(random);
    for (let round = 0; round < roundsOf(1000); round++) {
      const value = {
        read: parseExactJson(texts.value()),
        none: undefined,
        list: [undefined, parseExactJson(texts.value())],
      };
      expect(written(value, random.below(60) + 1), `seed ${seed}`).toBe(writeJson(value));
    }
  });

  it('splices texts in unchanged, also with lone surrogates', () => {
    const text = `{"a" : 1.0, "b":"${'\ud83d😀\udc00x'.repeat(50)}"}`;
    const value = {
      input: JsonText.ofObject(text)?.splice,
      own: JsonText.ofObject('{"z":1.50}'),
      long: '\udc00😀'.repeat(99),
    };
    for (let step = 1; step < 40; step++) expect(written(value, step)).toBe(Buffer.from(writeJson(value)).toString());
  });

  it.each([...suiteNumbers, '-', '01', '1.', '.5', '+1', '1e', 'NaN', '0x1', '- 1'])(
    'accepts the same numbers as JSON.parse: %s',
    (number) => {
      for (const text of [number, `[${number}]`, `{"a":${number}}`, ` ${number} `, `[[1,${number}],2]`]) {
        for (const runBytes of [1, 2, 3, 7, 1000])
          expect(shown(read(text, { runBytes, pieceBytes: 16, exact: true })), text).toBe(shown(parseExactJson(text)));
      }
    },
  );

  // The cases of a public suite of JSON parsers, rewritten from their facts: structure, strings, white space.
  it.each([
    ...[
      '',
      ' ',
      '[',
      ']',
      '{',
      '}',
      '[]]',
      '[[]',
      '{}}',
      '[}',
      '{]',
      '[1}',
      '{"a":1]',
      '[1,]',
      '[,1]',
      '[,]',
      '[1,,2]',
      '{,}',
      '{"a":1,}',
    ],
    ...[
      '{"a":1,,"b":2}',
      '{"a"}',
      '{"a":}',
      '{:1}',
      '{1:1}',
      '{a:1}',
      "{'a':1}",
      '{"a" "b":1}',
      '{"a":1 "b":2}',
      '[1 2]',
      '["a" "b"]',
      '["a":1]',
    ],
    ...[
      '[1]x',
      'x[1]',
      '[1][2]',
      '1 2',
      '1,2',
      '{"a":1}{"b":2}',
      '[1]\u0000',
      '\ufeff[1]',
      '[\u000b1]',
      '[\u00a01]',
      '[1]\f',
      'nul',
      'nulll',
      'True',
      'tru',
    ],
    ...[
      '"',
      '"a',
      '"\\',
      '"\\"',
      '"\\u12"',
      '"\\u123g"',
      '"\\x41"',
      '"\\a"',
      '"\t"',
      '"\n"',
      '"\u0000"',
      '"\u007f"',
      '"\\ud800"',
      '"\\ud83d\\ude00"',
      '"\\udc00\\ud800"',
    ],
    ...[
      '{"__proto__":{"a":1},"b":[]}',
      '{"a":1,"a":{"b":2},"a":3}',
      '{"2":1,"1":2,"a":3}',
      '[[[[[[[]]]]]]]',
      '{"a":{"a":{"a":{}}}}',
      '[null,true,false]',
    ],
    ...[
      '/* a */[1]',
      '[1]//',
      '[1,//\n2]',
      '[{},[],{"a":[{}]}]',
      '{"":""}',
      '[""]',
      '"\\\\"',
      '"\\\\\\""',
      '[1e5,-0,0.0]',
    ],
  ])('accepts %j exactly when JSON.parse does, whatever the steps', (text) => {
    for (let runBytes = 1; runBytes < 24; runBytes++) {
      expect(shown(read(text, { runBytes, pieceBytes: 16 }))).toBe(shown(parseJson(text)));
    }
  });

  it('reads less than one run in each step, whatever the text contains', () => {
    const many = 1_000_000;
    const steps = (text: string) => {
      const reading = readJsonInSteps(Buffer.from(text), { runBytes: 1000, pieceBytes: 1000 });
      let count = 0;
      while (reading.next().done !== true) count++;
      return count;
    };
    for (const text of [
      `["${'x'.repeat(many)}"]`,
      `["${'\\"'.repeat(many / 2)}"]`,
      `[${' '.repeat(many)}1]`,
      `[${'1,'.repeat(many / 2)}1]`,
    ])
      expect(steps(text)).toBeGreaterThan(many / 3000);
  });

  it('refuses more than a thousand levels, more than its bound, and numbers that are not valid', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(deep(900), { runBytes: 10 })).toBeDefined();
    expect(read(deep(100_000), { runBytes: 10 })).toBeUndefined();
    expect(read('[1,[2,3]]', { structuralMax: 4 })).toEqual([1, [2, 3]]);
    expect(read('[1,[2,3]]', { structuralMax: 3 })).toBeUndefined();
    expect(read(`[${'1'.repeat(1_000_000)}]`, { exact: true })).toBeUndefined();
  });
});
