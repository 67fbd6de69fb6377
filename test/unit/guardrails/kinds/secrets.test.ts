// Secrets: the labelled corpus with its minimum scores, and cases beyond the corpus: pieces, invisible characters,
// matches longer than a window.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../guardrails/fold.ts';
import { compileSecrets } from '../../../../guardrails/kinds/secrets.ts';
import type { Finding } from '../../../../guardrails/matcher.ts';
import { Random } from '../../../support/access/random.ts';
import { cut, findInPieces, findWhole } from '../../../support/guardrails/matching.ts';
import { roundsOf } from '../../../support/seed.ts';
import { labelledTexts } from '../secrets.corpus.ts';

const matcher = compileSecrets({ kind: 'secrets' });
const texts = labelledTexts();

const inWhole = (raw: string, window = 512) => findWhole(matcher, raw, window);
const inPieces = (pieces: readonly string[], window = 512) => findInPieces(matcher, pieces, window);

/** Joins adjacent matches of one label, such as the lines of a key. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const all: Finding[] = [];
  for (const finding of findings) {
    const last = all.at(-1);
    if (last?.end === finding.start && last.label === finding.label) all.splice(-1, 1, { ...last, end: finding.end });
    else all.push(finding);
  }
  return all;
}

const written = ({ start, end, label }: Finding) => `${start}-${end} ${label}`;

describe('the corpus of secrets', () => {
  it('is large, and half of its texts contain no secret', () => {
    console.log(
      `${texts.length} texts, ${texts.filter(({ spans }) => spans.length === 0).length} of them without a secret`,
    );
    expect(texts.length).toBeGreaterThanOrEqual(500);
  });

  it('is matched by span with a precision and a recall of at least 0.98', () => {
    let expected = 0;
    let found = 0;
    let right = 0;
    const wrong: string[] = [];
    for (const { what, text, spans } of texts) {
      const wanted = spans.map(written);
      const got = merged(inWhole(text)).map(written);
      expected += wanted.length;
      found += got.length;
      right += got.filter((span) => wanted.includes(span)).length;
      if (got.join() !== wanted.join()) wrong.push(`${what}: ${wanted.join()} | ${got.join()} | ${text.slice(0, 200)}`);
    }
    console.log(
      `precision ${(right / found).toFixed(4)}, recall ${(right / expected).toFixed(4)} of ${expected} secrets`,
    );
    for (const line of wrong.slice(0, 20)) console.log(line);
    expect(right / found).toBeGreaterThanOrEqual(0.98);
    expect(right / expected).toBeGreaterThanOrEqual(0.98);
  });
});

describe('secrets in pieces of text', () => {
  it('give the same matches for pieces of one unit as the whole text, for every short text of the corpus', () => {
    for (const { text } of texts.filter(({ text }) => text.length < 300)) {
      expect(inPieces(text.split('')), text).toEqual(inWhole(text));
    }
  });

  it('give the same matches for pieces of any size as the whole text, for concatenated texts', () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    console.log(`seed ${seed}`);
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(150); round++) {
      const parts = Array.from({ length: 4 }, () => random.pick(texts).text);
      const text = parts.join(random.pick([' ', '\n']));
      const pieces = cut(text, random.pick([12, 12, 700]), random);
      expect(inPieces(pieces), `round ${round}`).toEqual(inWhole(text));
    }
  });
});

describe('secrets beyond the corpus', () => {
  const github = `${'gh'}p_${'q7Xw2Lk9Zp4Rt6Yv'.repeat(3).slice(0, 36)}`;
  const begin = `-----${'BEGIN'} PRIVATE KEY-----`;
  const end = `-----${'END'} PRIVATE KEY-----`;
  const line = 'q7Xw2Lk9Zp4Rt6Yv'.repeat(4);
  const found = (raw: string, window?: number) =>
    inWhole(raw, window).map(({ start, end: to, label }) => [label, raw.slice(start, to)]);

  it('invisible characters do not hide a secret, wherever they are', () => {
    for (const hidden of ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u0301']) {
      const raw = `key: ${github.split('').join(hidden)} ok`;
      expect(found(raw)).toEqual([['GITHUB_TOKEN', github.split('').join(hidden)]]);
    }
    const wide = github.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    expect(found(`(${wide})`)).toEqual([['GITHUB_TOKEN', wide]]);
  });

  it('the first line of a private key is matched without its end', () => {
    expect(found(`It begins with ${begin} and then comes base64.`)).toEqual([['PRIVATE_KEY', begin]]);
    expect(found(`${begin}\n${line}\n${line}\nand so on.`)).toEqual([
      ['PRIVATE_KEY', begin],
      ['PRIVATE_KEY', `\n${line}\n${line}`],
    ]);
  });

  it('no part of a private key is released before its end, however long it is', () => {
    const body = `\n${`${line}\n`.repeat(100)}${end}`;
    const raw = `x ${begin}${body} y`;
    let withheld = Number.POSITIVE_INFINITY;
    for (let at = 100; at < raw.length - 3; at += 50) {
      withheld = matcher.inspect(
        { raw: raw.slice(0, at), folded: fold(raw.slice(0, at)), isEnd: false },
        0,
        512,
      ).decided;
      expect(withheld).toBe(2 + begin.length);
    }
    expect(found(raw)).toEqual([
      ['PRIVATE_KEY', begin],
      ['PRIVATE_KEY', body],
    ]);
  });

  it('an unfinished private key is delayed up to 16,384 characters', () => {
    const raw = `${begin}\n${`${line}\n`.repeat(300)}`;
    const { findings, decided } = matcher.inspect({ raw, folded: fold(raw), isEnd: false }, 0, 512);
    const [first, body] = findings.map(({ start, end: to }) => to - start);
    expect(first).toBe(begin.length);
    expect(body).toBeGreaterThan(16_384 - line.length);
    expect(decided).toBeGreaterThan(raw.length - 512);
  });

  it('a token longer than the window is matched in two parts', () => {
    const head = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
    const rest = `${Buffer.from(`{"sub":"${line.repeat(3)}"}`).toString('base64url')}.${line}`;
    expect(found(`${head}.${rest} ok`, 128)).toEqual([
      ['JWT', `${head}.`],
      ['JWT', rest],
    ]);
    expect(inPieces([...`${head}.${rest} ok`.split('')], 128)).toHaveLength(2);
  });

  it('a secret is matched behind an escaped line break in source and JSON', () => {
    expect(found(`"text": "key:\\n${github}\\nbye"`)).toEqual([['GITHUB_TOKEN', github]]);
  });

  it('base64 is not decoded', () => {
    expect(found(Buffer.from(`the key is ${github}`).toString('base64'))).toEqual([]);
  });

  it('prose is delayed by its last word at most', () => {
    const raw = 'Anyone who reads this has little to do';
    expect(matcher.inspect({ raw, folded: fold(raw), isEnd: false }, 0, 512).decided).toBe(raw.lastIndexOf(' ') + 1);
  });
});
