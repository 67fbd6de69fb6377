// Operators' regular expressions: which are refused, what they match, and that pieces give the same result as the whole
// text.
import { describe, expect, it, vi } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { InvalidCheckError } from '../../../../guardrails/invalid-check.ts';
import { compileExpressions } from '../../../../guardrails/kinds/pattern/expressions.ts';
import { compilePattern } from '../../../../guardrails/kinds/pattern.ts';
import { costMax, type Matcher } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { cut, findInPieces, findWhole } from '../../../support/guardrails/matching.ts';
import { positionsOf, roundsOf } from '../../../support/seed.ts';

const compile = (...patterns: readonly string[]) => compilePattern({ kind: 'pattern', patterns });

const inWhole = (matcher: Matcher, raw: string) => findWhole(matcher, raw, 32);
const foundIn = (matcher: Matcher, raw: string) => inWhole(matcher, raw).map(({ start, end }) => raw.slice(start, end));

const inPieces = (matcher: Matcher, pieces: readonly string[]) => findInPieces(matcher, pieces, 32);

function refusal(...patterns: readonly string[]): InvalidCheckError {
  try {
    compile(...patterns);
  } catch (error) {
    if (error instanceof InvalidCheckError) return error;
    throw error;
  }
  throw new Error('is not refused');
}

describe('a refused pattern', () => {
  it.each([
    ['a(b', 'missing closing )'],
    ['a**', 'invalid nested repetition operator'],
    ['(?<=a)b', 'invalid'],
    ['(?<!a)b', 'invalid'],
    ['a(?=b)', 'invalid or unsupported Perl syntax'],
    ['(a)\\1', 'invalid escape sequence'],
    ['(?>a)b', 'invalid or unsupported Perl syntax'],
    ['a{1001}', 'invalid repeat count'],
    ['(a{1000}){1000}', 'invalid repeat count'],
    ['', 'matches the empty text'],
    ['a*', 'matches the empty text'],
    ['a|b?', 'matches the empty text'],
    ['^', 'matches the empty text'],
    ['\\b', 'matches the empty text'],
    ['(?m)^$', 'matches the empty text'],
    ['a{1000}', 'too large'],
    [`(${'a'.repeat(980)}){1000}`, 'too large'],
  ])('%s: %s', (pattern, reason) => {
    const error = refusal('fine', pattern);
    expect(error.field).toBe('patterns[1]');
    expect(error.message).toContain(reason);
  });

  it('is the one too many when patterns are too large only together', () => {
    expect(refusal(...Array.from({ length: 12 }, () => 'a{900}b')).field).toBe('patterns[11]');
  });

  it('is never one of a size that people write', () => {
    expect(() => compile(...Array.from({ length: 100 }, (_, i) => `(?i)\\bname-${i}[a-z]{2,20}\\b`))).not.toThrow();
  });
});

describe('the cost of a pattern', () => {
  const list = Array.from({ length: 100 }, (_, i) => `(?i)\\bname-${i}[a-z]{2,20}\\b`);

  it.each([
    ['a name', ['\\bTCK-\\d{6}\\b']],
    ['an address', ['[a-z0-9._]+@[a-z0-9.]+\\.[a-z]{2,}']],
    ['what catches fire elsewhere', ['(a+)+$']],
    ['a hundred names', list],
    ['a word with something behind it', ['\\bpassword\\b.{0,100}secret']],
  ])('is small for %s', (_, patterns) => {
    expect(compile(...patterns).cost).toBeLessThan(costMax / 10);
  });

  it.each([
    ['what keeps hundreds of beginnings open', 'a.{400}b'],
    ['what reads on for each match', '.*?z|a'],
    ['what reads on for each of a hundred letters', 'a.{100}b'],
  ])('is more than is accepted for %s', (_, pattern) => {
    expect(compile(pattern).cost).toBeGreaterThan(costMax);
  });

  it('is the same each time and uses no clock, and is smaller in prose than in a text of its own letters', () => {
    const now = vi.spyOn(performance, 'now').mockImplementation(() => {
      throw new Error('the clock was read');
    });
    const [first, second] = [compile('(.*a){20}'), compile('(.*a){20}')];
    now.mockRestore();
    expect([first.cost, first.likelyCost]).toEqual([second.cost, second.likelyCost]);
    expect(first.cost).toBeGreaterThan(1_000);
    expect(first.likelyCost).toBeLessThan(first.cost / 10);
  });
});

describe('a match of a pattern', () => {
  it('is the leftmost one, then that of the earlier pattern, and as long as in RE2', () => {
    expect(foundIn(compile('bcd', 'abc?', 'ab'), 'xabcdx')).toEqual(['abc']);
    expect(foundIn(compile('ab', 'abc'), 'abcabc')).toEqual(['ab', 'ab']);
    expect(foundIn(compile('a|ab', 'c+?', 'd+'), 'abccdd')).toEqual(['a', 'c', 'c', 'dd']);
  });

  it('compares the raw text: neither folded nor in another case', () => {
    const matcher = compile('secret');
    expect(foundIn(matcher, 'SECRET ｓｅｃｒｅｔ se\u200bcret secret')).toEqual(['secret']);
    expect(foundIn(compile('(?i)secret'), 'SeCreT')).toEqual(['SeCreT']);
  });

  it('consists of code points, not of halves of surrogate pairs', () => {
    expect(foundIn(compile('😀.'), '😀😁')).toEqual(['😀😁']);
    expect(foundIn(compile('[^a]'), 'a😀a')).toEqual(['😀']);
  });

  it('may be longer than the window when the text is complete', () => {
    const text = `x BEGIN ${'y'.repeat(500)} END END`;
    expect(foundIn(compile('(?s)BEGIN.*END'), text)).toEqual([text.slice(2)]);
  });

  it('always has the label PATTERN', () => {
    expect(inWhole(compile('b'), 'abc')).toEqual([{ start: 1, end: 2, label: 'PATTERN' }]);
  });
});

describe('the longest match', () => {
  it.each([
    ['ab{3}|a', 4],
    ['(?i)project[ -](aurora|borealis)', 16],
    ['(?:a|bc){2,3}', 6],
    ['a.', 3],
    ['\u{1f600}?[^a]b?', 5],
    ['\\bx\\b$', 1],
    ['a*', Number.POSITIVE_INFINITY],
    ['ba+', Number.POSITIVE_INFINITY],
    ['(?:a?){3}b', 4],
    ['(?:a?b)*c', Number.POSITIVE_INFINITY],
    ['a{900}', 900],
  ])('of %s is %d', (pattern, length) => {
    // Expressions that can match the empty text are not valid checks, but can be parts of one.
    expect(compileExpressions([`q${pattern}`]).longest).toBe(length + 1);
  });

  it('of several patterns is that of the longest', () => {
    expect(compileExpressions(['abc', 'de', '[xy]{5}']).longest).toBe(5);
  });
});

describe('patterns in pieces of text', () => {
  const units = (text: string) => text.split('');

  it.each([
    ['^a', 'aaa ^a', ['a']],
    ['(?m)^a', `aaa${'-'.repeat(60)}\naa`, ['a', 'a']],
    ['a$', `a a ${'-'.repeat(60)} a`, ['a']],
    ['\\ba\\b', `a ab ba a.a${'-'.repeat(60)}a`, ['a', 'a', 'a', 'a']],
    ['a\\B', 'a ab ba', ['a']],
    ['[😀-😂]+', '😀😁😂!😀', ['😀😁😂', '😀']],
  ])('match %s correctly at every boundary of %j', (pattern, text, expected) => {
    const matcher = compile(pattern);
    expect(foundIn(matcher, text)).toEqual(expected);
    expect(inPieces(matcher, units(text))).toEqual(inWhole(matcher, text));
  });

  it('give the same matches as in the whole text, whatever the text and wherever it is cut', () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    console.log(`seed ${seed}`);
    const random = new Random(seed);
    const matchers = [
      compile('ab+c', 'b{2,5}', '\\bca\\b'),
      compile('a[^c]{0,20}c', '^b', 'c$'),
      compile('(?m)^a+$', 'b(?:ab)*', 'c\\B.'),
      compile('a|ab|abc+', '\\Bb\\b'),
      compile('c.{3,9}?a', 'bb'),
      compile('(?s)a.{10}', '(?s)c.{31}'),
    ];
    for (let round = 0; round < roundsOf(3_000); round++) {
      const text = Array.from({ length: random.below(120) }, () => random.pick('aabbcc \n😀-'.split(''))).join('');
      const matcher = matchers[round % matchers.length] ?? compile('a');
      const whole = inWhole(matcher, text);
      if (whole.some(({ start, end }) => end - start > 32)) continue;
      const pieces = cut(text, random.pick([2, 40]), random);
      expect(inPieces(matcher, pieces), JSON.stringify({ pieces, round })).toEqual(whole);
    }
  });

  it('delay nothing when no match can have begun', () => {
    const raw = 'The quick brown fox';
    const { decided } = compile('SECRET-\\d+').inspect({ raw, folded: fold(raw), isEnd: false }, 0, 512);
    expect(decided).toBe(raw.length);
  });

  it('delay text only from where a match may have begun', () => {
    const raw = 'The key is SECRET-1';
    const { decided, findings } = compile('SECRET-\\d+').inspect({ raw, folded: fold(raw), isEnd: false }, 0, 512);
    expect([findings, decided]).toEqual([[], 11]);
  });

  it('give the same match as in the whole text, however much text arrives at once', () => {
    const matcher = compile('ab{3}|a', 'x.$|x\\b');
    for (const before of positionsOf(0, 200)) {
      const text = `${'.'.repeat(before)}abbb${'.'.repeat(200)}x!`;
      expect(inPieces(matcher, [text, 'x']), `${before}`).toEqual(inWhole(matcher, `${text}x`));
    }
  });

  it('cut a match that is longer than the window into parts that fit', () => {
    const matcher = compile('a+', 'x[^y]*y');
    const lengths = (text: string) => inPieces(matcher, units(text)).map(({ start, end }) => end - start);
    expect(lengths('a'.repeat(70))).toEqual([32, 32, 6]);
    expect(lengths(`x${'b'.repeat(40)}y aa`)).toEqual([2]);
  });
});
