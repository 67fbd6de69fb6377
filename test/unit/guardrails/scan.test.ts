// A scan of whole texts in pieces finds the same matches as one pass, wherever pieces are cut and however long a match
// is.
import { describe, expect, it } from 'vitest';
import { fold } from '../../../guardrails/fold.ts';
import { compileCheck } from '../../../guardrails/index.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { type Hit, scan, TextScan } from '../../../guardrails/scan.ts';
import { Random } from '../../support/access/random.ts';
import { literally, throwing } from '../../support/guarded-requests.ts';
import { roundsOf } from '../../support/seed.ts';
import { corpus } from './personal-data.corpus.ts';
import { phrasesCases } from './phrases.corpus.ts';
import { labelledTexts } from './secrets.corpus.ts';
import { disguisedText } from './window.texts.ts';

const window = 512;
const phrases = [...new Set(phrasesCases.flatMap((one) => one.phrases)), 'blue heron'];
const types = ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'] as const;
const matchers: Readonly<Record<string, Matcher>> = {
  words: compileCheck({ kind: 'words', phrases, withinWords: false }),
  'words within words': compileCheck({ kind: 'words', phrases, withinWords: true }),
  pattern: compileCheck({
    kind: 'pattern',
    patterns: ['[0-9]{4}-?[0-9]{2}', '\\bval\\w+', '<[a-z]+>.*?</[a-z]+>', '(?s)BEGIN.*?END', 'ends$', '^begins'],
  }),
  'personal data': compileCheck({ kind: 'personal_data', types, countries: ['US', 'DE'], restore: false }),
  secrets: compileCheck({ kind: 'secrets' }),
};

/** Scans the text in the shortest possible pieces. */
function inPieces(matcher: Matcher, text: string): { readonly hits: readonly Hit[]; readonly pieces: number } {
  const costly = { ...matcher, cost: 1e9 };
  const scanning = new TextScan({ matchers: [costly], texts: [text], window });
  let pieces = 0;
  for (; !scanning.isDone; pieces++) scanning.step();
  return { hits: scanning.result().hits, pieces };
}

function whole(matcher: Matcher, raw: string): readonly Hit[] {
  const { findings } = matcher.inspect({ raw, folded: fold(raw), isEnd: true }, 0, window);
  return findings.map(({ start, end, label }) => ({ text: 0, matcher: 0, start, end, label }));
}

const texts = [corpus, labelledTexts(), phrasesCases].map((labelled) => labelled.map(({ text }) => text));
const writings: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ text }),
  (text) => JSON.stringify([JSON.stringify({ text })]),
  (text) => encodeURI(text.toWellFormed()),
  (text) => text.replaceAll('@', '&#64;').replaceAll('\n', '&#10;\\'),
];
const seed = Number(process.env.SEED ?? Date.now() % 1e9);

describe('a scan of a text in pieces', () => {
  it.each(Object.entries(matchers))(`finds the same matches as one pass: %s (SEED=${seed})`, (_, matcher) => {
    const random = new Random(seed);
    let found = 0;
    for (let round = 0; round < roundsOf(40); round++) {
      const parts = Array.from({ length: 30 }, () =>
        random.chance(0.1) ? disguisedText(random) : random.pick(random.pick(texts)),
      );
      const joined = parts.join(random.pick([' ', '\n', ', ']));
      const text = random.chance(0.5) ? joined : random.pick(writings)(joined);
      const { hits, pieces } = inPieces(matcher, text);
      expect(pieces).toBeGreaterThan(1);
      expect(hits, `round ${round}`).toEqual(whole(matcher, text));
      found += hits.length;
    }
    expect(found).toBeGreaterThan(0);
  });

  const filler = 'word '.repeat(200);
  it.each([
    ['words', `${filler}blue${'\u200b'.repeat(600)} heron ${filler}`],
    ['words', `${filler}blue${' '.repeat(3_000)}heron ${filler}`],
    ['words within words', `${filler}xblue${'\u00ad'.repeat(1_500)} heronx ${filler}`],
    ['personal data', `${filler}ada@exam${'\u200b'.repeat(700)}ple.org ${filler}`],
    ['pattern', `${filler}BEGIN ${filler.repeat(4)} END ${filler}`],
    ['pattern', `begins ${filler}begins ${filler} ends`],
    ['secrets', `${filler}${['-----BEGIN', 'PRIVATE KEY-----'].join(' ')}\n${'MIIabc/+'.repeat(150)}\n${filler}`],
  ])('finds matches longer than the window and than a piece: %s', (name, text) => {
    const matcher = matchers[name];
    if (matcher === undefined) throw new Error(name);
    const expected = whole(matcher, text);
    expect(expected.length).toBeGreaterThan(0);
    expect(inPieces(matcher, text).hits).toEqual(expected);
  });

  const long = 'word '.repeat(8_000);
  it.each([
    ['words', `${long}ｂｌｕｅ\u00a0ｈｅｒｏｎ`],
    ['words', `${long}bl\u200bue h\u0435ron and \ud835\udc1bl\u00fce heron ${long}`],
    ['words', `${long}blue\\nheron ${long}blue%20heron`],
    ['personal data', `${long}４１１１　１１１１　１１１１　１１１１ ${long}`],
    ['personal data', `${long}ada&#64;example&period;org`],
  ])('finds disguised matches in texts that are too long to be folded at once: %s', (name, text) => {
    const matcher = matchers[name];
    if (matcher === undefined) throw new Error(name);
    const expected = whole(matcher, text);
    expect(expected.length).toBeGreaterThan(0);
    expect(inPieces(matcher, text).hits).toEqual(expected);
    expect(scan([matcher], [text], window)).toEqual({ hits: expected, failed: [] });
  });

  it('inspects a match that never ends in linear time', () => {
    let seen = 0;
    const counting: Matcher = {
      cost: 1e9,
      inspect: ({ raw }, from) => {
        seen += raw.length - from;
        return { findings: [], decided: from };
      },
    };
    const text = 'x'.repeat(500_000);
    expect(inPieces(counting, text).pieces).toBeLessThan(20);
    expect(seen).toBeLessThan(3 * text.length);
  });

  it.each([
    ['two milliseconds', false, 1_250],
    ['five while they are quick', true, 3_125],
  ])('takes no longer for a piece than %s, by the cost of each matcher', (_, isQuick, longest) => {
    const lengths: number[] = [];
    const noting: Matcher = {
      cost: 1_600,
      inspect: ({ raw }, from) => {
        lengths.push(raw.length - from);
        return { findings: [], decided: raw.length };
      },
    };
    const scanning = new TextScan({ matchers: [noting], texts: ['x'.repeat(10_000)], window });
    scanning.isQuick = isQuick;
    while (!scanning.isDone) scanning.step();
    expect(Math.max(...lengths)).toBe(longest);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(10_000);
  });
});

describe('a scan of several texts', () => {
  it('orders its hits by text, then by matcher, whatever order they were found in', () => {
    const scanning = new TextScan({
      ...{ matchers: [literally(['A']), literally(['B'])], texts: ['AB', 'BA'], window, order: [1, 0] },
    });
    while (!scanning.isDone) scanning.step();
    const hits = scanning.result().hits.map(({ text, matcher, start }) => [text, matcher, start]);
    expect(hits).toEqual([
      [0, 0, 0],
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
    ]);
  });

  it('reports which matchers have not finished when it is stopped', () => {
    const scanning = new TextScan({
      ...{ matchers: [literally(['A']), literally(['B'])], texts: ['A', 'A'], window, order: [1, 0] },
    });
    for (let step = 0; step < 3; step++) scanning.step();
    expect(scanning.result()).toMatchObject({
      hits: [{ text: 0, matcher: 0 }],
      failed: [],
      unavailable: [0],
    });
  });

  it('continues with the other matchers when one throws', () => {
    const { hits, failed } = scan([throwing, literally(['A'])], ['A', 'A'], window);
    expect([hits.length, failed]).toEqual([2, [0]]);
  });
});
