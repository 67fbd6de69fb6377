// Texts with escapes are searched as written and unescaped. The second search covers only the parts near escapes; this
// test compares it with two searches of the whole text.
import { expect, it } from 'vitest';
import type { TextCheck } from '../../../guardrails/definition.ts';
import { escapesOf } from '../../../guardrails/escapes.ts';
import { type Folded, type FoldedText, fold } from '../../../guardrails/fold.ts';
import { compileCheck } from '../../../guardrails/index.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { scan } from '../../../guardrails/scan.ts';
import { Random } from '../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';
import { escapedText, patternSets, phrases } from './escaped.texts.ts';
import { cut, through } from './window.pieces.ts';

// GATEWAY_READINGS_SEED repeats the text that a failure names; GATEWAY_READINGS_CASES sets the number of texts.
const given = process.env.GATEWAY_READINGS_SEED;
const cases = given === undefined ? Number(process.env.GATEWAY_READINGS_CASES ?? roundsOf(300)) : 1;
const firstSeed = given === undefined ? startingSeed() : Number(given);

const checks: Readonly<Record<string, TextCheck>> = {
  words: { kind: 'words', phrases, withinWords: false },
  'words within words': { kind: 'words', phrases, withinWords: true },
  'personal data': {
    kind: 'personal_data',
    types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
    countries: ['US', 'DE'],
    restore: false,
  },
  secrets: { kind: 'secrets' },
  'secrets of an operator': {
    kind: 'secrets',
    forms: [
      { label: 'ACME', form: 'acme_{alnum:12-32}' },
      { label: 'BIRCH', form: '{hex:12}.b1.{alnum:14}' },
    ],
  },
  ...Object.fromEntries(patternSets.map((patterns) => [patterns.join(' or '), { kind: 'pattern', patterns }] as const)),
};
const matchers = Object.entries(checks).map(([name, check]) => ({ name, matcher: compileCheck(check) }));

it(`searching near escapes finds the same matches as two searches of the whole text (seeds from ${firstSeed})`, () => {
  let found = 0;
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) found += compareReadings(seed);
  console.log(`${cases} texts, ${found} findings`);
  expect(found).toBeGreaterThanOrEqual(given === undefined ? cases / 10 : 0);
}, 3_600_000);

/** @returns the number of matches */
function compareReadings(seed: number): number {
  const random = new Random(seed);
  const text = escapedText(random);
  const { name, matcher } = random.pick(matchers);
  const window = random.pick([512, 512, 200, 64, 40]);
  const lengthMax = random.pick(text.length < 200 ? [1, 4, 30] : [10, 30, 200, 3000]);
  const pieces = cut(text, lengthMax, random);
  const outcomes = [matcher, wholly(matcher)].map((one) => ({
    whole: one.inspect({ raw: text, folded: fold(text), isEnd: true }, 0, window).findings,
    parts: scan([{ ...one, cost: 1e9 }], [text], window).hits,
    stream: through([{ name, matcher: one, action: 'redact' }], pieces, window),
  }));
  const [near, all] = outcomes.map((outcome) => JSON.stringify(outcome));
  expect(near, `seed ${seed}, ${name}, window ${window}, ${JSON.stringify(text)}`).toBe(all);
  return outcomes[0]?.whole.length ?? 0;
}

/** Returns the same matcher for texts that do not report where their escapes are. */
function wholly(matcher: Matcher): Matcher {
  return {
    ...matcher,
    inspect: (text, from, window) =>
      matcher.inspect({ ...text, folded: withoutReading(text.folded, text.raw) }, from, window),
  };
}

function withoutReading(folded: Folded, raw: string): Folded {
  if (folded.written === folded) return folded;
  return {
    text: folded.text,
    rawAt: (at) => folded.rawAt(at),
    rawEnd: (at) => folded.rawEnd(at),
    foldedAt: (at) => folded.foldedAt(at),
    written: folded.written,
    get unfolded() {
      return unfolded(raw);
    },
    escapes: undefined,
    isWrittenFrom: () => false,
  };
}

/** Unescapes the text unit by unit. */
function unfolded(raw: string): Folded {
  const locations: number[] = [];
  let text = '';
  let at = 0;
  const keep = (to: number) => {
    for (; at < to; at++) {
      text += raw.charAt(at);
      locations.push(at);
    }
  };
  for (const { start, end, read } of escapesOf(raw)) {
    keep(start);
    text += read;
    for (let unit = 0; unit < read.length; unit++) locations.push(start);
    at = end;
  }
  keep(raw.length);
  const own: Folded = {
    text,
    rawAt: (location) => locations[location] ?? raw.length,
    rawEnd: () => {
      throw new Error('not requested');
    },
    foldedAt: (location) => {
      let first = locations.length;
      while (first > 0 && (locations[first - 1] ?? 0) >= location) first--;
      return first;
    },
    get written() {
      return own;
    },
    get unfolded() {
      return own;
    },
    escapes: undefined,
    isWrittenFrom: () => true,
  };
  return own;
}

it('a folded text that is cut is the same as its folded beginning', () => {
  const random = new Random(firstSeed);
  for (let round = 0; round < roundsOf(200); round++) {
    const raw = escapedText(random).toWellFormed();
    const whole = fold(raw);
    const cuts = Array.from({ length: 8 }, () => random.below(raw.length + 1));
    for (const end of [0, raw.length, ...cuts.filter((at) => isBetween(raw, at))])
      expect(readingOf(whole.upTo(end)), `${end} of ${JSON.stringify(raw)}`).toEqual(
        readingOf(fold(raw.slice(0, end))),
      );
  }
});

/**
 * Whether the position is neither within a character nor within an escape, of the whole text and of its beginning
 * alone.
 */
function isBetween(raw: string, at: number): boolean {
  if (!raw.slice(0, at).isWellFormed()) return false;
  const [whole, begun] = [escapesOf(raw), escapesOf(raw.slice(0, at))];
  return whole.filter(({ start }) => start < at).every(({ end }, index) => end === begun[index]?.end);
}

function readingOf(folded: FoldedText) {
  const locations = [...Array(folded.text.length + 1).keys()];
  return {
    raw: folded.raw,
    text: folded.text,
    written: folded.written.text,
    isRead: folded.written !== folded,
    rawAt: locations.map((at) => folded.rawAt(at)),
    rawEnd: locations.slice(1).map((at) => folded.rawEnd(at)),
    foldedAt: [...Array(folded.raw.length + 1).keys()].map((at) => folded.foldedAt(at)),
  };
}
