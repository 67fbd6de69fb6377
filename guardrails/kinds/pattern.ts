// Regular expressions of operators, held against the text as it is, and where it has escapes (`\n`, `%40`) also against what they
// say: all of one guardrail at once, in linear time. Of matches that overlap the one that begins first is found, then the one of the
// earlier pattern; its length is what RE2 gives it.
import type { PatternCheck } from '../definition.ts';
import { type EscapeBounds, escapeBounds } from '../escapes.ts';
import { type Folded, fold, readEscapes } from '../fold.ts';
import { costMax, type Finding, type Inspected, type InspectedText, type Matcher } from '../matcher.ts';
import { whole } from '../read-twice.ts';
import { compileExpressions, type Span } from './pattern/expressions.ts';
import { PendingSearch } from './pattern/program.ts';
import { Search } from './pattern/search.ts';

/**
 * A match that depends on what stands behind it (`\b`, `$`) is as long as what it looks at. One that is longer than the window is
 * found whole where the text is there to its end; otherwise as much of it as is a match by itself and fits into the window.
 * @throws InvalidCheckError
 */
export function compilePattern(check: PatternCheck): Matcher {
  const expressions = compileExpressions(check.patterns);
  const pending = new PendingSearch(expressions.program);
  const inspect = (text: InspectedText, from: number, window: number): Inspected => {
    const written = searchesOf(text, from, window);
    if (text.folded.written === text.folded) return collect([written], from);
    const read = readingOf(text, from, window);
    const bounds = escapeBounds(text.raw);
    const { findings, decided } = collect([written, read], from, bounds);
    return { findings, decided: text.isEnd ? decided : Math.max(from, bounds.startAt(decided)) };
  };
  return { inspect, cost: measuredCost(inspect, check.patterns) };

  /** Of the text as it is written. */
  function searchesOf({ raw, isEnd }: InspectedText, from: number, window: number): Reading {
    return {
      searches: expressions
        .foundIn(raw.slice(Math.max(0, from - 1)))
        .map((index) => new Search(expressions, index, { raw, isEnd, window })),
      decidedFrom: (at) => (isEnd ? raw.length : pending.pendingFrom(raw, inReach(raw, at, window))),
    };
  }

  /** Of the text as its escapes are read; all places are those of the raw one. */
  function readingOf(text: InspectedText, from: number, window: number): Reading {
    const read = readEscapes(text.raw);
    const inside = { ...text, raw: read.text };
    const { searches } = searchesOf(inside, read.foldedAt(from), window);
    const least = Math.max(0, text.raw.length - window + 1);
    return {
      searches: searches.map((search) => ({
        next: (at) => rawSpan(search, read, at, text.isEnd ? Number.POSITIVE_INFINITY : window),
      })),
      decidedFrom: (at) => {
        if (text.isEnd) return text.raw.length;
        const begin = inReach(read.text, read.foldedAt(Math.max(at, least)), read.text.length + 1);
        return Math.max(at, read.rawAt(pending.pendingFrom(read.text, begin)));
      },
    };
  }
}

interface Reading {
  readonly searches: readonly Pick<Search, 'next'>[];
  /** @param at nothing begins before */
  decidedFrom(at: number): number;
}

/** @param longest in the raw text, where escapes are longer than what they say */
function rawSpan(search: Pick<Search, 'next'>, read: Folded, at: number, longest: number): Span | undefined {
  for (let from = read.foldedAt(at); ; ) {
    const found = search.next(from);
    if (found === undefined) return undefined;
    const span = { start: read.rawAt(found.start), end: read.rawAt(found.end) };
    if (span.end - span.start <= longest) return span;
    from = found.end;
  }
}

function collect(
  readings: readonly Reading[],
  from: number,
  bounds: EscapeBounds | undefined = undefined,
): Inspected {
  const searches = readings.flatMap((reading) => reading.searches);
  const decidedFrom = (at: number) => Math.min(...readings.map((reading) => reading.decidedFrom(at)));
  const findings: Finding[] = [];
  let at = from;
  let decided = decidedFrom(at);
  for (;;) {
    let first: Span | undefined;
    for (const search of searches) {
      const span = search.next(at);
      if (span !== undefined && (first === undefined || span.start < first.start)) first = span;
    }
    if (first === undefined || first.start >= decided) return { findings, decided };
    const found = bounds === undefined ? first : whole(first, bounds);
    findings.push({ ...found, start: Math.max(at, found.start), label: 'PATTERN' });
    at = Math.max(found.end, at);
    // What had begun within the finding is no match any more.
    if (decided < at) decided = decidedFrom(at);
  }
}

/** What begins before is longer than the window. */
function inReach(raw: string, from: number, window: number): number {
  const least = raw.length - window + 1;
  if (least <= from) return from;
  const code = raw.charCodeAt(least);
  return code >= 0xdc00 && code <= 0xdfff ? least + 1 : least;
}

/**
 * Measured, for it is told from no expression: `a.{400}b` costs a thousand times what a list of names does, and `.*?z|a` as much
 * where a stands after a. Stops at what is too slow.
 */
function measuredCost(inspect: Matcher['inspect'], patterns: readonly string[]): number {
  let most = costMin;
  let costliest = plainText;
  for (const raw of [plainText, ...likelyTexts(patterns)]) {
    const cost = leastCost(inspect, raw, most);
    if (cost <= most) continue;
    most = cost;
    costliest = raw;
    if (most > costMax) return most;
  }
  // An expression may have more states than are kept, and meets them only in a longer text: `(.*a){20}` costs ten times as much then.
  return most > slow ? most : Math.max(most, leastCost(inspect, repeated(costliest, longerLength), most));
}

/** Nanoseconds for a character. Again where it seems to take long: the machine has other work, and at first nothing is compiled. */
function leastCost(inspect: Matcher['inspect'], raw: string, enough: number): number {
  const text = { raw, folded: fold(raw), isEnd: true };
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && least > enough; tries++) {
    const start = performance.now();
    inspect(text, 0, raw.length);
    least = Math.min(least, ((performance.now() - start) * 1e6) / raw.length);
    // A pause of the machine is not that long.
    if (least > 10 * costMax) break;
  }
  return least;
}

/** Of what the expressions are made of, and what most expressions match. */
function likelyTexts(patterns: readonly string[]): readonly string[] {
  const own = [...new Set(patterns.join('').match(/[\p{L}\p{N}]/gu))];
  const some = own.filter((_, index) => index % Math.ceil(own.length / likelyMax) === 0);
  return ['a', '0', ' ', ...some, own.join('')]
    .filter((text) => text !== '')
    .map((text) => repeated(text, likelyLength));
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const costMin = 20;
const likelyMax = 4;
const likelyLength = 512;
const longerLength = 4096;
/** What costs more is never inspected where others wait, but for short texts. */
const slow = 5_000;
const triesMax = 3;
const plainText = `Dear Ms Quartz, on 14 July 2031 our 3 engineers moved (at last!) the box "J-5" of version 1.2.30 from
eu-west-1 to the yard; have a look: https://example.com/a?b=1&c=%20, or ask <x_y@example.com>. $7 = 6.50 EUR; #done.`;
