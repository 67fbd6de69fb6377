// Regular expressions of operators, held against the text as it is, and where it has escapes (`\n`, `%40`) also against what they
// say: all of one guardrail at once, in linear time. Of matches that overlap the one that begins first is found, then the one of the
// earlier pattern; its length is what RE2 gives it.
import type { PatternCheck } from '../definition.ts';
import { type EscapeBounds, escapeBounds } from '../escapes.ts';
import type { Folded } from '../fold.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';
import { whole } from '../read-twice.ts';
import { costsOf } from './pattern/cost.ts';
import { compileExpressions, type Span } from './pattern/expressions.ts';
import { Islands } from './pattern/islands.ts';
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
    const written = readingOfWritten(text, from, window);
    if (text.folded.isWrittenFrom(from)) return collect(written, from);
    const bounds = escapeBounds(text.raw);
    const { findings, decided } = collect(both(written, readingOf(text, from, window)), from, bounds);
    return { findings, decided: text.isEnd ? decided : Math.max(from, bounds.startAt(decided)) };
  };
  return { inspect, ...costsOf(expressions, check.patterns) };

  /** Of the text as it is written. */
  function readingOfWritten(text: InspectedText, from: number, window: number): Reading {
    const { raw, isEnd, isPart } = text;
    const reached = (at: number) => (isPart ? at : inReach(raw, at, window));
    return {
      searches: searchesOf(text, from, window),
      decidedFrom: (at) => (isEnd ? raw.length : pending.pendingFrom(raw, reached(at))),
    };
  }

  function searchesOf({ raw, isEnd, isPart }: Omit<InspectedText, 'folded'>, from: number, window: number) {
    // In a part as in a whole: what would be pending is not taken, for it begins behind what is decided.
    const searched = { raw, isEnd: isEnd || isPart === true, window };
    return expressions
      .foundIn(raw.slice(Math.max(0, from - 1)))
      .map((index) => new Search(expressions, index, searched));
  }

  /** Of the text as its escapes are read; all places are those of the raw one. */
  function readingOf(text: InspectedText, from: number, window: number): Reading {
    const { raw, isEnd, isPart } = text;
    const read = text.folded.unfolded;
    const longestSpan = isEnd || isPart ? Number.POSITIVE_INFINITY : window;
    const reached = (at: number) => read.foldedAt(isPart ? at : inReach(raw, at, window));
    return {
      searches: searchesOfRead(text, read, from, window).map((search) => ({
        next: (at) => rawSpan(search, read, at, longestSpan),
      })),
      decidedFrom: (at) =>
        isEnd ? raw.length : Math.max(at, read.rawAt(pending.pendingFrom(read.text, reached(at)))),
    };
  }

  /** Where no match is longer than the window, those near escapes: all others are those of the text as it is written. */
  function searchesOfRead(text: InspectedText, read: Folded, from: number, window: number) {
    const first = read.foldedAt(from);
    if (read.escapes === undefined || expressions.longest >= window)
      return searchesOf({ ...text, raw: read.text }, first, window);
    const islands = new Islands(read.text, read.escapes, first, { expressions, window });
    return islands.found().map((index) => islands.search(index));
  }
}

interface Reading {
  readonly searches: readonly Pick<Search, 'next'>[];
  /** @param at nothing begins before */
  decidedFrom(at: number): number;
}

function both(written: Reading, read: Reading): Reading {
  return {
    searches: [...written.searches, ...read.searches],
    decidedFrom: (at) => Math.min(written.decidedFrom(at), read.decidedFrom(at)),
  };
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

function collect(reading: Reading, from: number, bounds?: EscapeBounds): Inspected {
  const { searches } = reading;
  const findings: Finding[] = [];
  let at = from;
  let decided = reading.decidedFrom(at);
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
    if (decided < at) decided = reading.decidedFrom(at);
  }
}

/** What begins before is longer than the window. */
function inReach(raw: string, from: number, window: number): number {
  const least = raw.length - window + 1;
  if (least <= from) return from;
  const code = raw.charCodeAt(least);
  return code >= 0xdc00 && code <= 0xdfff ? least + 1 : least;
}
