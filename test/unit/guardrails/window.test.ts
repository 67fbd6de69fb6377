import { describe, expect, it } from 'vitest';
import { fold } from '../../../guardrails/fold.ts';
import { compileCheck } from '../../../guardrails/index.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { Random } from '../../support/access/random.ts';
import { angles, digits, marks, nothing } from './window.matchers.ts';
import { type Case, cut, through } from './window.pieces.ts';
import { disguisedText } from './window.texts.ts';

// GATEWAY_WINDOW_SEED repeats the text that a failure names.
const given = process.env.GATEWAY_WINDOW_SEED;
const firstSeed = given === undefined ? Math.floor(Math.random() * 1_000_000_000) : Number(given);
const texts = given === undefined ? 1500 : 1;
const seeds = Array.from({ length: texts }, (_, index) => firstSeed + index);

const phrases = ['bad', 'bad word', 'word up', 'a b', 'straße', 'か', '傻瓜', '가', 'über-cool', 'ad'];
const matchers: Readonly<Record<string, Matcher>> = {
  angles,
  digits,
  marks,
  nothing,
  words: compileCheck({ kind: 'words', phrases, withinWords: false }),
  'words within words': compileCheck({ kind: 'words', phrases, withinWords: true }),
};
const names = Object.keys(matchers);

/** Longer findings are promised nothing. */
function fits(cases: readonly Case[], text: string, window: number): boolean {
  const inspected = { raw: text, folded: fold(text), isEnd: true };
  return cases.every(({ matcher }) =>
    matcher.inspect(inspected, 0, window).findings.every(({ start, end }) => end - start <= window),
  );
}

describe(`A text in pieces (seeds from ${firstSeed})`, () => {
  for (const name of names) {
    it(`gives what the whole gives where it is held against ${name}`, () => {
      let compared = 0;
      for (const seed of seeds) compared += comparePieces(seed, (random) => [caseOf(name, random)]) ? 1 : 0;
      expect(compared).toBeGreaterThan(texts / 2);
    });
  }

  it('gives what the whole gives where several find what overlaps', () => {
    let compared = 0;
    const several = (random: Random) =>
      Array.from({ length: 2 + random.below(4) }, () => caseOf(random.pick(names), random));
    for (const seed of seeds) compared += comparePieces(seed, several) ? 1 : 0;
    expect(compared).toBeGreaterThan(texts / 2);
  });

  it('never lets out any of what blocks', () => {
    let blocked = 0;
    for (const seed of seeds) {
      const random = new Random(seed);
      const text = disguisedText(random);
      const window = 20 + random.below(100);
      const asked: Case = { ...caseOf(random.pick(names), random), action: 'block' };
      if (!fits([asked], text, window)) continue;
      const [first] = asked.matcher.inspect(
        { raw: text, folded: fold(text), isEnd: true },
        0,
        window,
      ).findings;
      const { left, blockedBy } = through([asked], cut(text, 9, random), window);
      expect(text.startsWith(left), `seed ${seed}`).toBe(true);
      expect(left.length, `seed ${seed}`).toBeLessThanOrEqual(first?.start ?? text.length);
      expect(blockedBy, `seed ${seed}`).toBe(first && asked.name);
      if (first !== undefined) blocked++;
    }
    expect(blocked).toBeGreaterThan(texts / 10);
  });
});

function caseOf(name: string, random: Random): Case {
  const matcher = matchers[name] ?? nothing;
  return { name, matcher, action: random.pick(['block', 'keep', 'redact', 'redact'] as const) };
}

/** @returns false where something is longer than the window */
function comparePieces(seed: number, makeCases: (random: Random) => readonly Case[]): boolean {
  const random = new Random(seed);
  const text = disguisedText(random);
  const window = 20 + random.below(100);
  const cases = makeCases(random);
  if (!fits(cases, text, window)) return false;
  const whole = through(cases, [text], window);
  const pieces = cut(text, random.pick([1, 4, 30, 200]), random);
  const inPieces = through(cases, pieces, window);
  const what = `seed ${seed}, window ${window}, pieces ${JSON.stringify(pieces)}`;
  expect(inPieces.blockedBy, what).toBe(whole.blockedBy);
  expect(inPieces.found, what).toEqual(whole.found);
  if (whole.blockedBy === undefined) expect(inPieces.left, what).toBe(whole.left);
  else expect(unblocked(cases, text, window).startsWith(inPieces.left), what).toBe(true);
  return true;
}

/** How much leaves before a block depends on the pieces: it begins what would leave were the block a replacement. */
function unblocked(cases: readonly Case[], text: string, window: number): string {
  return through(
    cases.map((one) => (one.action === 'block' ? { ...one, action: 'redact' } : one)),
    [text],
    window,
  ).left;
}
