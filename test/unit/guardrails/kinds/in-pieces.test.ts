// All kinds on the texts of their corpora, cut into pieces as by a stream: pieces give the same result as the whole
// text.
import { expect, it } from 'vitest';
import { compileCheck } from '../../../../guardrails/index.ts';
import type { Matcher } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { positionsOf, roundsOf, startingSeed } from '../../../support/seed.ts';
import { corpus } from '../personal-data.corpus.ts';
import { phrasesCases } from '../phrases.corpus.ts';
import { labelledTexts } from '../secrets.corpus.ts';
import { type Case, compare, cut, fits, through } from '../window.pieces.ts';
import { disguisedText } from '../window.texts.ts';

// GATEWAY_WINDOW_SEED repeats the text that a failure names.
const given = process.env.GATEWAY_WINDOW_SEED;
const firstSeed = given === undefined ? startingSeed() : Number(given);
const rounds = given === undefined ? roundsOf(200) : 1;

const phrases = [...new Set(phrasesCases.flatMap((one) => one.phrases))];
const matchers: Readonly<Record<string, Matcher>> = {
  words: compileCheck({ kind: 'words', phrases, withinWords: false }),
  'words within words': compileCheck({ kind: 'words', phrases, withinWords: true }),
  pattern: compileCheck({
    kind: 'pattern',
    patterns: ['[0-9]{4}-?[0-9]{2}', '\\bval\\w+', '<[a-z]+>.*?</[a-z]+>'],
  }),
  'personal data': compileCheck({
    kind: 'personal_data',
    types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
    countries: ['US', 'DE'],
    restore: false,
  }),
  secrets: compileCheck({ kind: 'secrets' }),
};
const texts = [corpus, labelledTexts(), phrasesCases].map((labelled) => labelled.map(({ text }) => text));

for (const names of [...Object.keys(matchers).map((name) => [name]), Object.keys(matchers)])
  it(`pieces give the same result as the whole text for ${names.join(', ')} (seeds from ${firstSeed})`, () => {
    let compared = 0;
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) compared += comparePieces(seed, names) ? 1 : 0;
    expect(compared).toBeGreaterThanOrEqual(given === undefined ? rounds / 2 : 0);
  });

it('invisible characters behind a match release no part of it, however many they are', () => {
  const values = {
    words: 'kill',
    pattern: '2031-07',
    'personal data': 'jane.doe@example.com',
    secrets: ['ghp', 'a8Kd93LmQz71xYtR5vBn20PwEs64HcJgUiF1'].join('_'),
  };
  for (const [name, value] of Object.entries(values))
    for (const unseen of ['\u200b', '\u0301', '\u00ad', ' '])
      for (const most of [1, 9, 2000]) {
        const cases: Case[] = [{ ...caseOf(name, new Random(1)), action: 'redact' }];
        const pieces = cut(`it is ${value}${unseen.repeat(700)} so`, most, new Random(1));
        const { left, found } = through(cases, pieces, 512);
        expect(found[0], `${name}, ${JSON.stringify(unseen)}, ${most}`).toHaveLength(1);
        expect(left).toMatch(/^it is \[/);
      }
});

it('a secret in pieces is found when the two readings of an escape complete it at different times', () => {
  const text = 'connect&#32;to&#32;mongodb&#43;srv://app:XBOfa4qnbXyV&#64;db.internal:1234/main&#32;now';
  const cases: Case[] = [{ ...caseOf('secrets', new Random(1)), action: 'redact' }];
  for (const at of positionsOf(1, text.length)) {
    const pieces = [text.slice(0, at), ...cut(text.slice(at), 12, new Random(at))];
    compare({ cases, text, window: 200, pieces }, `cut at ${at}`);
  }
  expect(through(cases, [text], 200).found[0]).toEqual(['CONNECTION_PASSWORD']);
});

it('a secret keeps its form when an unfinished match begins within its name', () => {
  const key = ['SharedAccessKeyName=all;SharedAccessKey', 'rRFZGdhkkPOvfJT1Gm4I8T8h906qZpf7u2K/esQaeBu='].join('=');
  const text = `"Endpoint=sb://acme.example.net/;${key}\\t<img src=\\"data:image/png;base64,${'iVBORw0KGgo1'.repeat(60)}"`;
  const cases: Case[] = [{ ...caseOf('secrets', new Random(1)), action: 'redact' }];
  compare({ cases, text, window: 512, pieces: [...text] }, 'by characters');
  expect(through(cases, [...text], 512).found[0]).toEqual(['AZURE_ACCOUNT_KEY']);
});

const inJson = (text: string) => JSON.stringify({ text });
/** The ways in which tool results, record files, URLs and web pages contain text; half of an escape may be anywhere. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  inJson,
  (text) => inJson(inJson(text)),
  (text) => inJson(text).slice(3, -5),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => text.replace(/[@+ ]/g, (unit) => `&#${unit.charCodeAt(0)};`),
  (text) => text.replace(/[ .]/g, '\\'),
];

/** @returns false when a match is longer than the window */
function comparePieces(seed: number, names: readonly string[]): boolean {
  const random = new Random(seed);
  const plain = Array.from({ length: 1 + random.below(4) }, () =>
    random.chance(0.2) ? disguisedText(random) : random.pick(random.pick(texts)),
  ).join(random.pick([' ', '\n', '\t', ', ']));
  const text = random.pick(writings)(plain);
  const window = random.pick([512, 512, 200]);
  const cases = names.map((name) => caseOf(name, random));
  if (!fits(cases, text, window)) return false;
  compare({ cases, text, window, pieces: cut(text, random.pick([1, 4, 30, 200]), random) }, `seed ${seed}`);
  return true;
}

function caseOf(name: string, random: Random): Case {
  const matcher = matchers[name];
  if (matcher === undefined) throw new Error(name);
  return { name, matcher, action: random.pick(['block', 'keep', 'redact', 'redact', 'redact'] as const) };
}
