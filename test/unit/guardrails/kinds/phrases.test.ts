// Phrases: a corpus of disguises, and the checks that are refused.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { InvalidCheckError } from '../../../../guardrails/invalid-check.ts';
import { lookAlikes } from '../../../../guardrails/kinds/look-alikes.ts';
import { compilePhrases } from '../../../../guardrails/kinds/phrases.ts';
import { skeletonOf } from '../../../../guardrails/kinds/skeleton.ts';
import { isWithinWord } from '../../../../guardrails/kinds/word-boundaries.ts';
import type { Inspected, Matcher } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../support/seed.ts';
import { phrasesCases } from '../phrases.corpus.ts';

function inspect(matcher: Matcher, raw: string, isEnd = true): Inspected {
  return matcher.inspect({ raw, folded: fold(raw), isEnd }, 0, 512);
}

function compiled(phrases: readonly string[], withinWords = false): Matcher {
  return compilePhrases({ kind: 'words', phrases, withinWords });
}

describe('the corpus of phrases', () => {
  it('has at least 150 cases, a quarter of them without a match', () => {
    const empty = phrasesCases.filter(({ spans }) => spans.length === 0);
    console.log(`${phrasesCases.length} cases, ${empty.length} of them with nothing to find`);
    expect(phrasesCases.length).toBeGreaterThanOrEqual(150);
    expect(empty.length).toBeGreaterThanOrEqual(phrasesCases.length / 4);
  });

  for (const { what, phrases, withinWords, text, spans } of phrasesCases)
    it(`${what}: ${JSON.stringify(text).slice(0, 60)}`, () => {
      const { findings } = inspect(compiled(phrases, withinWords), text);
      expect(findings.map(({ start, end }) => [start, end])).toEqual(spans);
    });
});

describe('a check of phrases', () => {
  const refused = (phrases: readonly string[]) => () => compiled(phrases);

  it('is refused without phrases, and with more than 10,000', () => {
    expect(refused([])).toThrow(expect.objectContaining({ field: 'phrases' }));
    const phrases = Array.from({ length: 10_001 }, (_, index) => `phrase ${index}`);
    expect(refused(phrases)).toThrow(InvalidCheckError);
    expect(refused(phrases.slice(0, 10_000))).not.toThrow();
  });

  it('is refused with a phrase that is too long or invisible', () => {
    for (const phrase of ['', ' ', '\t\n', '\u200b', '\u0301', ' \u00ad ', 'x'.repeat(201), '\ud800'])
      expect(refused(['fine', phrase]), JSON.stringify(phrase)).toThrow(
        expect.objectContaining({ field: 'phrases[1]' }),
      );
    expect(refused(['x'.repeat(200), '😀'.repeat(200)])).not.toThrow();
  });

  it('counts the same phrase once', () => {
    const { findings } = inspect(compiled(['Bad', 'bad', 'bаd', ' bad ']), 'bad');
    expect(findings).toEqual([{ start: 0, end: 3, label: 'WORD' }]);
  });
});

describe('look-alike characters', () => {
  it('end words as the letters do that they look like', () => {
    for (const [other, letter] of lookAlikes)
      for (const neighbour of ['a', 'я', '1', ' ', '傻', 'か'])
        expect(isWithinWord(neighbour.charCodeAt(0), other.charCodeAt(0)), `${other} ${neighbour}`).toBe(
          isWithinWord(neighbour.charCodeAt(0), letter.charCodeAt(0)),
        );
  });

  it('fold to themselves, are lower case, one unit long, and never ASCII', () => {
    for (const other of lookAlikes.keys()) {
      expect(fold(other).text, other).toBe(other);
      expect(other.toLowerCase(), other).toBe(other);
      expect(other.length, other).toBe(1);
      expect(other.charCodeAt(0), other).toBeGreaterThan(0x7f);
    }
  });

  it('map to the same letters however often a text is mapped', () => {
    for (const [other, letter] of lookAlikes) expect(skeletonOf(skeletonOf(other))).toBe(letter);
  });
});

describe('the decided part of a text', () => {
  const words = compiled(['bad word', 'bad', 'worse']);

  it('extends up to where a phrase may begin', () => {
    const decided = (text: string) => inspect(words, text, false).decided;
    expect(decided('all is well')).toBe(11);
    expect(decided('all is w')).toBe(7);
    expect(decided('all is  wor')).toBe(8);
    expect(decided('xbad')).toBe(4);
    expect(decided('a bad')).toBe(2);
    expect(decided('a bad\u200b\u0301')).toBe(2);
    expect(decided('a bad   ')).toBe(2);
    expect(decided('a bad   x')).toBe(9);
    expect(decided('a bad w')).toBe(2);
    expect(decided('a bad w.')).toBe(8);
  });

  it('is at most a window behind the end, and a word then ends there', () => {
    const text = `a bad${'\u200b'.repeat(600)}`;
    expect(inspect(words, text, false)).toEqual({
      findings: [{ start: 2, end: 37, label: 'WORD' }],
      decided: text.length,
    });
    expect(inspect(words, `a bad wor${'\u200b'.repeat(600)}`, false).findings).toEqual([
      { start: 2, end: 5, label: 'WORD' },
    ]);
  });

  it('contains a match longer than the window only when the text is complete', () => {
    const text = `a bad${' '.repeat(600)}word `;
    expect(inspect(words, text, true).findings).toEqual([{ start: 2, end: 609, label: 'WORD' }]);
    expect(inspect(words, text, false).findings).toEqual([{ start: 2, end: 5, label: 'WORD' }]);
  });
});

describe('random phrases', () => {
  const seed = startingSeed();

  /** Finds the longest phrase at each position, by trying every phrase. */
  function expected(text: string, phrases: readonly string[], withinWords: boolean): string[] {
    const found: string[] = [];
    for (let at = 0; at < text.length; ) {
      const longest = phrases
        .map((phrase) => new RegExp(phrase.replaceAll(' ', ' +'), 'y'))
        .map((phrase) => {
          phrase.lastIndex = at;
          return phrase.exec(text)?.[0] ?? '';
        })
        .filter((match) => withinWords || !/[abcd]/.test((text[at - 1] ?? '') + (text[at + match.length] ?? '')))
        .reduce((longest, match) => (match.length > longest.length ? match : longest), '');
      if (longest !== '') found.push(`${at} ${longest}`);
      at += Math.max(1, longest.length);
    }
    return found;
  }

  it(`are found as by trying each at every position (seed ${seed})`, () => {
    const random = new Random(seed);
    const some = (length: number, letters: string) => Array.from({ length }, () => random.pick([...letters])).join('');
    for (let round = 0; round < roundsOf(2000); round++) {
      const phrases = Array.from({ length: 1 + random.below(12) }, () => some(1 + random.below(5), 'abc '))
        .map((phrase) => phrase.trim().replace(/ +/g, ' '))
        .filter((phrase) => phrase !== '');
      const text = some(random.below(60), 'abcd  ');
      const withinWords = random.chance(0.5);
      if (phrases.length === 0) continue;
      const { findings } = inspect(compiled(phrases, withinWords), text);
      const found = findings.map(({ start, end }) => `${start} ${text.slice(start, end)}`);
      expect(found, JSON.stringify({ round, phrases, text, withinWords })).toEqual(
        expected(text, phrases, withinWords),
      );
    }
  });
});
