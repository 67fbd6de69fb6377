// Operators' regular expressions: what is refused, what is found, and that pieces give what the whole gives.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { InvalidCheckError } from '../../../../guardrails/invalid-check.ts';
import { compilePattern } from '../../../../guardrails/kinds/pattern.ts';
import type { Finding, Matcher } from '../../../../guardrails/matcher.ts';

const compile = (...patterns: readonly string[]) => compilePattern({ kind: 'pattern', patterns });

function findWhole(matcher: Matcher, raw: string, window = 32): readonly Finding[] {
  return matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, window).findings;
}

const foundIn = (matcher: Matcher, raw: string) =>
  findWhole(matcher, raw).map(({ start, end }) => raw.slice(start, end));

/** As a stream does it, forgetting what is not needed but for 32 units of context. */
function findInPieces(matcher: Matcher, pieces: readonly string[], window = 32): readonly Finding[] {
  const found: Finding[] = [];
  let raw = '';
  let from = 0;
  let dropped = 0;
  for (const [index, piece] of pieces.entries()) {
    raw += piece;
    const isEnd = index === pieces.length - 1;
    const { findings, decided } = matcher.inspect({ raw, folded: fold(raw), isEnd }, from, window);
    expect(decided).toBeGreaterThanOrEqual(from);
    expect(decided).toBeGreaterThan(raw.length - window);
    for (const { start, end, label } of findings) {
      expect(start).toBeGreaterThanOrEqual(from);
      expect(start).toBeLessThan(decided);
      from = end;
      found.push({ start: start + dropped, end: end + dropped, label });
    }
    from = Math.max(from, decided);
    const drop = Math.max(0, from - 32);
    raw = raw.slice(drop);
    from -= drop;
    dropped += drop;
  }
  return found;
}

function refusal(...patterns: readonly string[]): InvalidCheckError {
  try {
    compile(...patterns);
  } catch (error) {
    if (error instanceof InvalidCheckError) return error;
    throw error;
  }
  throw new Error('is not refused');
}

describe('what is refused', () => {
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

  it('patterns that are too large only together, at the one that is too many', () => {
    expect(refusal(...Array.from({ length: 12 }, () => 'a{900}b')).field).toBe('patterns[11]');
  });

  it('nothing of a size that people write', () => {
    expect(() =>
      compile(...Array.from({ length: 100 }, (_, i) => `(?i)\\bname-${i}[a-z]{2,20}\\b`)),
    ).not.toThrow();
  });
});

describe('what is found', () => {
  it('the leftmost match, then that of the earlier pattern, each as long as RE2 has it', () => {
    expect(foundIn(compile('bcd', 'abc?', 'ab'), 'xabcdx')).toEqual(['abc']);
    expect(foundIn(compile('ab', 'abc'), 'abcabc')).toEqual(['ab', 'ab']);
    expect(foundIn(compile('a|ab', 'c+?', 'd+'), 'abccdd')).toEqual(['a', 'c', 'c', 'dd']);
  });

  it('the text as it is: neither folded nor in another case', () => {
    const matcher = compile('secret');
    expect(foundIn(matcher, 'SECRET ｓｅｃｒｅｔ se\u200bcret secret')).toEqual(['secret']);
    expect(foundIn(compile('(?i)secret'), 'SeCreT')).toEqual(['SeCreT']);
  });

  it('code points, not halves of them', () => {
    expect(foundIn(compile('😀.'), '😀😁')).toEqual(['😀😁']);
    expect(foundIn(compile('[^a]'), 'a😀a')).toEqual(['😀']);
  });

  it('matches longer than the window, where the text is there to its end', () => {
    const text = `x BEGIN ${'y'.repeat(500)} END END`;
    expect(foundIn(compile('(?s)BEGIN.*END'), text)).toEqual([text.slice(2)]);
  });

  it('each with the label PATTERN', () => {
    expect(findWhole(compile('b'), 'abc')).toEqual([{ start: 1, end: 2, label: 'PATTERN' }]);
  });
});

describe('pieces', () => {
  const units = (text: string) => text.split('');

  it.each([
    ['^a', 'aaa ^a', ['a']],
    ['(?m)^a', `aaa${'-'.repeat(60)}\naa`, ['a', 'a']],
    ['a$', `a a ${'-'.repeat(60)} a`, ['a']],
    ['\\ba\\b', `a ab ba a.a${'-'.repeat(60)}a`, ['a', 'a', 'a', 'a']],
    ['a\\B', 'a ab ba', ['a']],
    ['[😀-😂]+', '😀😁😂!😀', ['😀😁😂', '😀']],
  ])('%s is right at every boundary of %j', (pattern, text, expected) => {
    const matcher = compile(pattern);
    expect(foundIn(matcher, text)).toEqual(expected);
    expect(findInPieces(matcher, [...units(text), ''])).toEqual(findWhole(matcher, text));
  });

  it('give what the whole gives, whatever the text and wherever it is cut', () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    console.log(`seed ${seed}`);
    const random = randomOf(seed);
    const matchers = [
      compile('ab+c', 'b{2,5}', '\\bca\\b'),
      compile('a[^c]{0,20}c', '^b', 'c$'),
      compile('(?m)^a+$', 'b(?:ab)*', 'c\\B.'),
      compile('a|ab|abc+', '\\Bb\\b'),
      compile('c.{3,9}?a', 'bb'),
      compile('(?s)a.{10}', '(?s)c.{31}'),
    ];
    for (let round = 0; round < 3_000; round++) {
      const text = Array.from({ length: random(120) }, () => 'aabbcc \n😀-'[random(11)]).join('');
      const matcher = matchers[round % matchers.length] ?? compile('a');
      const whole = findWhole(matcher, text);
      if (whole.some(({ start, end }) => end - start > 32)) continue;
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const length = 1 + random(random(2) === 0 ? 2 : 40);
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      expect(findInPieces(matcher, [...pieces, '']), JSON.stringify({ pieces, round })).toEqual(whole);
    }
  });

  it('hold nothing back where nothing can have begun', () => {
    const raw = 'The quick brown fox';
    const { decided } = compile('SECRET-\\d+').inspect({ raw, folded: fold(raw), isEnd: false }, 0, 512);
    expect(decided).toBe(raw.length);
  });

  it('hold back only from where a match may have begun', () => {
    const raw = 'The key is SECRET-1';
    const { decided, findings } = compile('SECRET-\\d+').inspect(
      { raw, folded: fold(raw), isEnd: false },
      0,
      512,
    );
    expect([findings, decided]).toEqual([[], 11]);
  });

  it('cut a match that is longer than the window into what fits', () => {
    const matcher = compile('a+', 'x[^y]*y');
    const lengths = (text: string) =>
      findInPieces(matcher, [...units(text), '']).map(({ start, end }) => end - start);
    expect(lengths('a'.repeat(70))).toEqual([32, 32, 6]);
    expect(lengths(`x${'b'.repeat(40)}y aa`)).toEqual([2]);
  });
});

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
