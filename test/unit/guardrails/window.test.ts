import { describe, expect, it } from 'vitest';
import { fold } from '../../../guardrails/fold.ts';
import { compileCheck } from '../../../guardrails/index.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { type Guard, guardText, TextWindow } from '../../../guardrails/window.ts';
import { Random } from '../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../support/seed.ts';
import { angles, digits, marks, nothing } from './window.matchers.ts';
import { type Case, compare, cut, fits, through } from './window.pieces.ts';
import { disguisedText } from './window.texts.ts';

// GATEWAY_WINDOW_SEED repeats the text that a failure names.
const given = process.env.GATEWAY_WINDOW_SEED;
const firstSeed = given === undefined ? startingSeed() : Number(given);
const texts = given === undefined ? roundsOf(800) : 1;
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

describe(`a text in pieces (seeds from ${firstSeed})`, () => {
  for (const name of names) {
    it(`gives the same result as the whole text with the matcher ${name}`, () => {
      let compared = 0;
      for (const seed of seeds) compared += comparePieces(seed, (random) => [caseOf(name, random)]) ? 1 : 0;
      expect(compared).toBeGreaterThan(texts / 2);
    });
  }

  it('gives the same result as the whole text when several matchers find overlapping matches', () => {
    let compared = 0;
    const several = (random: Random) =>
      Array.from({ length: 2 + random.below(4) }, () => caseOf(random.pick(names), random));
    for (const seed of seeds) compared += comparePieces(seed, several) ? 1 : 0;
    expect(compared).toBeGreaterThan(texts / 2);
  });

  it('never releases any part of a match that blocks', () => {
    let blocked = 0;
    for (const seed of seeds) {
      const random = new Random(seed);
      const text = disguisedText(random);
      const window = 20 + random.below(100);
      const requested: Case = { ...caseOf(random.pick(names), random), action: 'block' };
      if (!fits([requested], text, window)) continue;
      const [first] = requested.matcher.inspect({ raw: text, folded: fold(text), isEnd: true }, 0, window).findings;
      const { left, blockedBy } = through([requested], cut(text, 9, random), window);
      expect(text.startsWith(left), `seed ${seed}`).toBe(true);
      expect(left.length, `seed ${seed}`).toBeLessThanOrEqual(first?.start ?? text.length);
      expect(blockedBy, `seed ${seed}`).toBe(first && requested.name);
      if (first !== undefined) blocked++;
    }
    expect(blocked).toBeGreaterThan(texts / 10);
  });
});

describe('a text window', () => {
  it('replaces overlapping matches by one replacement, that of the first match', () => {
    const cases: Case[] = [redacting('angles'), redacting('words'), redacting('digits')];
    expect(through(cases, ['a <12 bad> b'], 512).left).toBe('a [ANGLES of 0: <12 bad>] b');
    expect(through([redacting('digits'), redacting('words')], ['bad word'], 512).left).toBe('[DIGITS of 0: bad]');
    expect(through([redacting('words'), redacting('digits')], ['bad word'], 512).left).toBe('[WORD of 0: bad word]');
  });

  it('reports the guard with the first match in the text, then the first guard', () => {
    const blocking = (name: string): Case => ({ ...redacting(name), action: 'block' });
    const cases = [blocking('digits'), blocking('marks'), blocking('words')];
    for (const pieces of [['X 1 bad'], [...'X 1 bad']])
      expect(through(cases, pieces, 512)).toMatchObject({ blockedBy: 'marks', found: [[], ['MARK'], []] });
    for (const pieces of [['bad X'], [...'bad X']])
      expect(through(cases, pieces, 512)).toMatchObject({ blockedBy: 'digits', found: [['DIGITS'], [], []] });
  });

  it('does not delay text for a guard that keeps its matches, and reports the matches', () => {
    const found: string[] = [];
    const window = new TextWindow([{ matcher: digits, replacement: 'keep', found: (label) => found.push(label) }]);
    expect(window.push('12 and')).toBe('12 and');
    expect(window.withheld).toBe(0);
    expect(window.end(' 3')).toBe(' 3');
    expect(found).toEqual(['DIGITS', 'DIGITS']);
  });

  it('delays no more text than may still become a match', () => {
    const window = new TextWindow([guardOf('words')]);
    const released = ['Hello ', 'ba', 'r is a', ' bad', ' w', 'ar', ' bad', '. \ud83d', '\ude00'].map((piece) =>
      window.push(piece),
    );
    const expected = ['Hello ', '', 'bar is ', 'a ', '', '[WORD] war', ' ', '[WORD]. ', '\ud83d\ude00'];
    expect(released).toEqual(expected);
    expect(window.end()).toBe('');
  });

  it('delays less than a window, and keeps a few windows at most, whatever the text', () => {
    for (const text of ['bad ', '\u200b', '<', 'bad wor', ' ', 'e\u0301', '1', '\u{e0041}', 'bad\u200b'])
      for (const size of [1, 7, 300]) {
        let longest = 0;
        const spy: Matcher = {
          inspect: (inspected) => {
            longest = Math.max(longest, inspected.raw.length, inspected.folded.text.length);
            return { findings: [], decided: inspected.raw.length };
          },
          cost: 1,
        };
        const window = new TextWindow([...names.map(guardOf), { ...guardOf('nothing'), matcher: spy }], 64);
        const whole = text.repeat(2000).slice(0, 4000);
        for (let at = 0; at < whole.length; at += size) {
          window.push(whole.slice(at, at + size));
          expect(window.withheld, `${JSON.stringify(text)} by ${size}`).toBeLessThanOrEqual(64 + 1);
        }
        expect(longest, `${JSON.stringify(text)} by ${size}`).toBeLessThan(64 + 128 + 32 + size + 2);
      }
  });

  it('releases half of a surrogate pair only at the end of the text', () => {
    const text = 'bad \ud83d\ude00 <\ud83d\ude00> \ud83d\ude00\ud83d\ude00 \ud83d';
    const window = new TextWindow([guardOf('words'), guardOf('nothing')], 5);
    const released = text.split('').map((piece) => window.push(piece));
    for (const piece of released) expect(piece.isWellFormed()).toBe(true);
    expect(released.join('') + window.end()).toBe(text.replace('bad', '[WORD]'));
  });

  it('passes an empty text, and a text without guards', () => {
    expect(guardText([], 'bad \ud83d')).toBe('bad \ud83d');
    expect(guardText([guardOf('words')], '')).toBe('');
    const window = new TextWindow([]);
    expect([window.push(''), window.push('a'), window.end()]).toEqual(['', 'a', '']);
  });
});

function redacting(name: string): Case {
  return { name, matcher: matchers[name] ?? nothing, action: 'redact' };
}

function guardOf(name: string): Guard {
  return {
    matcher: matchers[name] ?? nothing,
    replacement: (_found, label) => `[${label}]`,
    found: () => undefined,
  };
}

function caseOf(name: string, random: Random): Case {
  const matcher = matchers[name] ?? nothing;
  return { name, matcher, action: random.pick(['block', 'keep', 'redact', 'redact'] as const) };
}

/** @returns false when a match is longer than the window */
function comparePieces(seed: number, makeCases: (random: Random) => readonly Case[]): boolean {
  const random = new Random(seed);
  const text = disguisedText(random);
  const window = 20 + random.below(100);
  const cases = makeCases(random);
  if (!fits(cases, text, window)) return false;
  compare({ cases, text, window, pieces: cut(text, random.pick([1, 4, 30, 200]), random) }, `seed ${seed}`);
  return true;
}
