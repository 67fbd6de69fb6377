// Random texts with escapes of JSON, URLs and HTML at all distances from each other and from the values that matchers
// find: before, inside and behind a value, complete and cut off.
import type { Random } from '../../support/access/random.ts';
import { corpus } from './personal-data.corpus.ts';
import { labelledTexts } from './secrets.corpus.ts';
import { disguisedText } from './window.texts.ts';

export const phrases = ['blue heron', 'next', 'back\\slash', 'tangerine', 'a b', 'é', '%20 off', 'no&amp;so'];

/**
 * Patterns of checks: bounded and unbounded ones, with context before and behind a match, and with literal escapes.
 */
export const patternSets: readonly (readonly string[])[] = [
  ['\\bTCK-\\d{6}\\b', '(?i)project[ -](aurora|borealis)'],
  ['ab{3}|a', '[^a]b'],
  ['(?m)^x.{0,3}y$', '\\n[a-z]{1,3}'],
  ['"[^"]{0,8}"', '%20|%4'],
  ['\\\\n', '\\\\u00[0-9a-f]{2}'],
  ['(?s).{3}@', '@\\b'],
  ['\u{1f600}.', '[^\\x00-\\x7f]{1,2}', '\\Bb'],
  ['\\A..', '.\\z', '(?i)ſ.?'],
  ['[a-z]{2,9} [a-z]{2,9}'],
  ['.*@', 'TCK'],
  ['\\bval\\w+', '<[a-z]+>.*?</[a-z]+>'],
  ['[0-9]{4}-?[0-9]{2}', '(?:\\s|&nbsp;)b'],
];

const escapes = [
  ...['\\n', '\\t', '\\r', '\\b', '\\f', '\\/', '\\"', '\\\\"', '\\\\n', '\\\\\\\\n', '\\u0041', '\\u00e9', '\\u000a'],
  ...['\\u200b', '\\ud83d\\ude00', '\\\\ud83d\\\\ude00', '\\ud83d', '\\ude00', '\\u0301', '\\u00a0', '\\uff21'],
  ...['&amp;', '&lt;', '&quot;', '&#64;', '&#x20;', '&nbsp;', '&shy;', '&zwj;', '&#8203;', '&#0;', '&#128512;'],
  ...['%20', '%40', '%0A', '%2F', '%5C', '%C3%A9', '%E2%80%8B', '%F0%9F%98%80', '%c3%28', '%26amp;', '%5Cn'],
];
const broken = [
  '\\',
  '%',
  '&',
  '%2',
  '%C3',
  '%E2%80',
  '\\u00',
  '\\ud83d\\',
  '&am',
  '&#',
  '&#x',
  '\\\\',
  '\\x41',
  '%zz',
];
const plain = [
  ...['a', 'b', 'ab', 'abbb', ' ', '  ', '\n', '.', '-', '@', '"', 'x1y', 'xy', '7', '2031-07', 'TCK-', 'TCK-123456'],
  ...[
    'next',
    'blue',
    'heron',
    'blue heron',
    'Project-Aurora',
    'project',
    'borealis',
    'tangerine',
    '\u{1f600}',
    'é',
    '://',
  ],
  ...[
    'token',
    'password=',
    '"secret": "',
    'api_key: ',
    'ghp_',
    'AKIA',
    'sk-',
    'eyJ',
    '-----BEGIN',
    '+49 30',
    '4111 1111',
  ],
  ...['\ud83d', '\ude00', '\u0301', '\u200b', 'ß', 'Ａ', '١'],
];
const prose =
  'Dear Ms Quartz, on 14 July 2031 our 3 engineers moved the amber box of version 1.2.30 to the yard; the invoice of 1,250.00 EUR, ' +
  'number 2031-0714, is due at 12:30: we shall ask whether it was paid and who is to bring the box back from the yard. ';
const values = [...labelledTexts(), ...corpus].map(({ text }) => text);

export function escapedText(random: Random): string {
  let text = '';
  const valueShare = random.pick([0.1, 0.3, 0.8]);
  for (let parts = random.below(random.chance(0.2) ? 40 : 8); parts >= 0; parts--)
    text += random.chance(valueShare) ? valueAt(random) : partAt(random);
  return random.chance(0.1) ? JSON.stringify(text) : text;
}

function partAt(random: Random): string {
  const kind = random.next();
  if (kind < 0.35) return random.pick(escapes);
  if (kind < 0.65) return random.pick(plain);
  if (kind < 0.7) return random.pick(broken);
  if (kind < 0.8) return random.chance(0.1) ? disguisedText(random) : random.pick(phrases);
  return prose.slice(random.below(90), 90 + random.below(prose.length - 90));
}

function valueAt(random: Random): string {
  const value = written(random.pick(values), random);
  return random.chance(0.8) ? value : value.slice(random.below(value.length), 1 + random.below(value.length));
}

/** Writes the value with some of its characters escaped, or all characters of one kind. */
function written(value: string, random: Random): string {
  const share = random.pick([0, 0, 0.01, 0.05, 0.3]);
  const way = random.next();
  if (way < 0.1) return JSON.stringify(value).slice(1, -1);
  if (way < 0.2) return encodeURIComponent(value.toWellFormed());
  return [...value].map((character) => (random.chance(share) ? escaped(character, random) : character)).join('');
}

function escaped(character: string, random: Random): string {
  const code = character.codePointAt(0) ?? 0;
  const kind = random.below(4);
  if (kind === 0) return `&#${code};`;
  if (kind === 1) return encodeURIComponent(character.toWellFormed());
  if (kind === 2) return random.pick(escapes);
  return character.length === 1 ? `\\u${code.toString(16).padStart(4, '0')}` : character;
}
