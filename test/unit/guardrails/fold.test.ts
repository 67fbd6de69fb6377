// Folded text, its mapping back to the raw text, and that pieces fold to the same as the whole text.
import { describe, expect, it } from 'vitest';
import { contextMax, type FoldedText, fold } from '../../../guardrails/fold.ts';
import { Random } from '../../support/access/random.ts';
import { positionsOf, roundsOf, startingSeed } from '../../support/seed.ts';
import { disguisedText } from './window.texts.ts';

const seed = startingSeed();

/** Reads everything that a folded text offers. */
function readingOf(folded: FoldedText, rawLength: number) {
  const locations = Array.from({ length: folded.text.length + 1 }, (_, at) => at);
  return {
    text: folded.text,
    rawAt: locations.map((at) => folded.rawAt(at)),
    rawEnd: locations.slice(1).map((at) => folded.rawEnd(at)),
    foldedAt: Array.from({ length: rawLength + 1 }, (_, raw) => folded.foldedAt(raw)),
  };
}

describe('folding', () => {
  it.each([
    ['ASCII', 'Bad wo-rd_1!\n~', 'Bad wo-rd_1!\n~'],
    ['blanks, one for one', 'a\t\u00a0\u2003\u3000\u2800b', 'a     b'],
    ['line ends, one for one', 'a\r\nb\v\f\u0085\u2028\u2029c', 'a\n\nb\n\n\n\n\nc'],
    ['accents', 'éÀü e\u0301\u0316\u20dd', 'eAu e'],
    ['invisible characters', 'a\u200b\u00ad\ufeff\u2060\ufe0f\u{e0041}\u202e\u0000\u001b\u0640b', 'ab'],
    ['width', 'Ａｂ１！ｶ', 'Ab1!カ'],
    ['other shapes', '𝐀𝒷①ªﬁ㎏½Ⅳ🅰🅐', 'Ab1afikg1\u20442IVAA'],
    ['letters that are two', 'ßẞæǼœ', 'ssSSaeAEoe'],
    ['Hangul, as its letters', '각', '\u1100\u1161\u11a8'],
    ['voicing marks of kana, kept', 'がﾊﾟ', 'か\u3099ハ\u309a'],
    ['vowels of India and Thailand, kept', 'दि ดี', 'दि ดี'],
    ['what has no other form', '傻 я ω 😀 \ud800', '傻 я ω 😀 \ud800'],
  ])('%s', (_what, raw, expected) => {
    expect(fold(raw).text).toBe(expected);
  });

  it.each([
    ['invisible characters', 'a\\u007f\\u200b\\u0000b&#8203;c', 'abc'],
    ['letters in other shapes', '\\uff41%EF%BD%82&#119836;', 'abc'],
  ])('folds %s behind escapes too', (_what, raw, expected) => {
    expect(fold(raw).text).toBe(expected);
  });

  it('maps back to where characters begin and end, including invisible characters behind them', () => {
    const folded = fold('\u200bße\u0301\u200b𝐛');
    expect(readingOf(folded, 8)).toEqual({
      text: 'sseb',
      rawAt: [1, 1, 2, 5, 7],
      rawEnd: [2, 2, 5, 7],
      foldedAt: [0, 0, 2, 3, 3, 3, 4, 4, 4],
    });
  });

  it('keeps positions when each character keeps its length', () => {
    const folded = fold('Grüße'.replace('ß', 'é'));
    expect(readingOf(folded, 5)).toEqual(readingOf(fold('Gruee'), 5));
  });

  it('maps an empty text to an empty text', () => {
    expect(readingOf(fold(''), 0)).toEqual({ text: '', rawAt: [0], rawEnd: [], foldedAt: [0] });
    expect(readingOf(fold('\u200b'), 1)).toEqual({ text: '', rawAt: [1], rawEnd: [], foldedAt: [0, 0] });
  });

  it('is idempotent: a folded text folds to itself', () => {
    for (const code of positionsOf(1, 0x110000)) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const { text } = fold(String.fromCodePoint(code));
      if (fold(text).text !== text) expect(`U+${code.toString(16)} ${text}`).toBe(fold(text).text);
    }
  });
});

describe(`folded text in pieces (seed ${seed})`, () => {
  const random = new Random(seed);
  const texts = Array.from({ length: roundsOf(300) }, () => [...disguisedText(random)]);

  it('is the same as folding the whole text', () => {
    for (const characters of texts) {
      const raw = characters.join('');
      let folded = fold('');
      for (let at = 0; at < characters.length; ) {
        const size = 1 + random.below(8);
        folded = folded.with(fold(characters.slice(at, at + size).join('')));
        at += size;
      }
      // Halves of surrogate pairs that are apart may join where pieces join.
      if (raw.isWellFormed()) expect(readingOf(folded, raw.length)).toEqual(readingOf(fold(raw), raw.length));
    }
  });

  it('is the same after the text before it is dropped, and keeps its context', () => {
    for (const characters of texts) {
      const raw = characters.join('');
      const dropped = characters.slice(0, random.below(characters.length + 1)).join('').length;
      const whole = fold(raw);
      const rest = whole.from(dropped);
      const first = whole.foldedAt(dropped);
      const kept = rest.text.length - (whole.text.length - first);
      expect(rest.text).toBe(whole.text.slice(first - kept));
      for (let at = first; at <= whole.text.length; at++)
        expect(rest.rawAt(at - first + kept)).toBe(whole.rawAt(at) - dropped);
      for (let at = 0; at < kept; at++) expect(rest.rawAt(at)).toBe(-1);
      expect(rest.foldedAt(0)).toBe(kept);
      if (dropped + contextMax > raw.length) continue;
      const context = Math.min(contextMax, whole.foldedAt(dropped + contextMax));
      expect(rest.foldedAt(contextMax)).toBeGreaterThanOrEqual(context);
    }
  });
});
