// The numbers of a JSON text in their written form, read by a separate tokenizer: the check of carried numbers must not
// use the tested code. Also random numbers in every form that RFC 8259 allows.
import type { Random } from './access/random.ts';

export interface FoundNumber {
  /** Names of members and indexes of items from the root: `tools/0/function/parameters/maximum`. */
  readonly path: string;
  readonly source: string;
}

const string = /"(?:[^"\\]|\\.)*"/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const other = /[\s,:{}[\]]|true|false|null/y;

/** @throws Error at text that is no JSON token */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const token = [string, number, other].map((form) => matchAt(form, text, at)).find((one) => one !== '');
    if (token === undefined) throw new Error(`no JSON at ${at}: ${text.slice(Math.max(0, at - 20), at + 20)}`);
    if (token.trim() !== '') tokens.push(token);
    at += token.length;
  }
  return tokens;
}

function matchAt(form: RegExp, text: string, at: number): string {
  form.lastIndex = at;
  return form.exec(text)?.[0] ?? '';
}

interface Level {
  readonly kind: '{' | '[';
  name: string;
  index: number;
}

/**
 * All numbers of a text in order, also of names that occur twice. A string with a JSON object, such as the arguments of
 * a call, is searched too.
 */
export function numbersOf(text: string, prefix = ''): FoundNumber[] {
  const found: FoundNumber[] = [];
  const levels: Level[] = [];
  const path = () =>
    [prefix, ...levels.map(({ kind, name, index }) => (kind === '{' ? name : String(index)))].join('/');
  const tokens = tokensOf(text);
  for (const [at, token] of tokens.entries()) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push({ kind: token, name: '', index: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level?.kind === '[') level.index++;
    else if (token.startsWith('"')) {
      const read: string = JSON.parse(token);
      if (level?.kind === '{' && tokens[at + 1] === ':') level.name = read;
      else found.push(...numbersInside(read, path()));
    } else if (/^[-0-9]/.test(token)) found.push({ path: path(), source: token });
  }
  return found;
}

function numbersInside(text: string, path: string): FoundNumber[] {
  if (!/^\s*\{/.test(text)) return [];
  try {
    return numbersOf(text, path);
  } catch {
    return [];
  }
}

/** Digits that do not begin with 0. */
function digits(random: Random, count: number): string {
  return Array.from({ length: count }, (_, at) => random.below(at === 0 ? 9 : 10) + (at === 0 ? 1 : 0)).join('');
}

const oneOf = [1, 2, 3, 8, 15, 16, 17, 18, 19, 20, 25, 40, 400];

/** A number in any RFC 8259 form, of any length; JavaScript would write few of them so. */
export function randomNumber(random: Random): string {
  if (random.chance(0.15)) return random.pick(oddNumbers);
  const sign = random.chance(0.3) ? '-' : '';
  const whole = random.chance(0.15)
    ? '0'
    : digits(random, random.chance(0.1) ? random.below(60) + 1 : random.pick(oneOf));
  const zeros = '0'.repeat(random.chance(0.3) ? random.below(4) : 0);
  const fraction = random.chance(0.4) ? `.${zeros}${random.below(10)}${digits(random, random.below(25))}${zeros}` : '';
  const power =
    random.pick(['', '+', '-']) + '0'.repeat(random.below(2)) + random.below(random.pick([4, 30, 400, 100_000]));
  const exponent = random.chance(0.3) ? random.pick(['e', 'E']) + power : '';
  return sign + whole + fraction + exponent;
}

/** A whole number within bounds, in any form. */
export function randomWhole(random: Random, min: number, max: number): string {
  const value = min + random.below(max - min + 1);
  switch (random.below(5)) {
    case 0:
      return `${value}.${'0'.repeat(1 + random.below(20))}`;
    case 1:
      return `${value}${random.pick(['e0', 'E0', 'e+00', 'e-0'])}`;
    case 2:
      return `${value}000${random.pick(['e-3', 'E-03'])}`;
    case 3:
      return value % 10 === 0 && value > 0 ? `${value / 10}${random.pick(['e1', 'E+1'])}` : String(value);
    default:
      return String(value);
  }
}

/** Above 0 and below 1, in any form. */
export function randomFraction(random: Random): string {
  const fraction = `0.${1 + random.below(9)}${random.chance(0.6) ? digits(random, 1 + random.below(30)) : ''}`;
  return fraction + random.pick(['', '', '0', '000', 'e0', 'E-1', 'e-0']);
}

/**
 * Numbers of the public suite nst/JSONTestSuite (`y_number*`, `i_number*`, `test_transform/number*`), and a few more.
 */
export const suiteNumbers: readonly string[] = [
  ...['123e65', '0e+1', '0e1', '4', `-0.${'0'.repeat(77)}1`, '20e1', '-0', '-123', '-1', '1E22', '1E-2', '1E+2'],
  ...['123e45', '123.456e78', '1e-2', '1e+2', '123', '123.456789', '-1.0e+28', '1.0e+28', '42', '-0.1'],
  ...['123.456e-789', `0.4e006699${'9'.repeat(100)}669`, '-1e+9999', '1.5e+9999', '-123123e100000'],
  ...['123123e100000', '123e-10000000', '-123123123123123123123123123123', '100000000000000000000'],
  '-237462374673276894279832749832423479823246327846',
  ...['-9223372036854775808', '-9223372036854775809', '9223372036854775807', '9223372036854775808', '1.0'],
  ...['1.000000000000000005', '1000000000000000', '10000000000000000999', '1E-999', '1e6'],
];

const oddNumbers: readonly string[] = [
  ...suiteNumbers,
  ...['0', '0.0', '-0.0', '0e0', '-0e-0', '1e400', '-1e400', '1e-400', '5.0', '1e3', '1e21', '1e-7', '0.0000001'],
  ...['9007199254740991', '9007199254740993', '1234567890123456789', '18446744073709551615', '0.1', '1.5'],
];
