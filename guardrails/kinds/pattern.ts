// Operators' regular expressions, matched against the unchanged text and, if it has escapes (`\n`, `%40`), also against
// the decoded text. All patterns of a guardrail are matched at once, in linear time. If matches overlap, the one that
// begins first is found; if they begin together, the one of the earlier pattern. RE2 determines its length.
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
 * A match that depends on the text after it (`\b`, `$`) counts as long as the text that it looks at. A match longer
 * than the window is found whole if the text is complete. Otherwise the part of it that is a match of its own and fits
 * into the window is found.
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

  /** Searches the text as written. */
  function readingOfWritten(text: InspectedText, from: number, window: number): Reading {
    const { raw, isEnd, isPart } = text;
    const reached = (at: number) => (isPart ? at : inReach(raw, at, window));
    return {
      searches: searchesOf(text, from, window),
      decidedFrom: (at) => (isEnd ? raw.length : pending.pendingFrom(raw, reached(at))),
    };
  }

  function searchesOf({ raw, isEnd, isPart }: Omit<InspectedText, 'folded'>, from: number, window: number) {
    // A part is searched like a whole text: matches that are still pending begin after the decided part and are
    // ignored.
    const searched = { raw, isEnd: isEnd || isPart === true, window };
    return expressions
      .foundIn(raw.slice(Math.max(0, from - 1)))
      .map((index) => new Search(expressions, index, searched));
  }

  /** Searches the text with its escapes decoded; all positions refer to the raw text. */
  function readingOf(text: InspectedText, from: number, window: number): Reading {
    const { raw, isEnd, isPart } = text;
    const read = text.folded.unfolded;
    const longestSpan = isEnd || isPart ? Number.POSITIVE_INFINITY : window;
    const reached = (at: number) => read.foldedAt(isPart ? at : inReach(raw, at, window));
    return {
      searches: searchesOfRead(text, read, from, window).map((search) => ({
        next: (at) => rawSpan(search, read, at, longestSpan),
      })),
      decidedFrom: (at) => (isEnd ? raw.length : Math.max(at, read.rawAt(pending.pendingFrom(read.text, reached(at))))),
    };
  }

  /**
   * If no match can be longer than the window, only the text near escapes is searched: matches elsewhere are the same
   * as in the written text.
   */
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
  /** @param at no match begins before this */
  decidedFrom(at: number): number;
}

function both(written: Reading, read: Reading): Reading {
  return {
    searches: [...written.searches, ...read.searches],
    decidedFrom: (at) => Math.min(written.decidedFrom(at), read.decidedFrom(at)),
  };
}

/** @param longest maximum length in the raw text, where escapes are longer than their decoded characters */
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
    // A pending match that began inside this one cannot become a match any more.
    if (decided < at) decided = reading.decidedFrom(at);
  }
}

/**
 * The earliest position at which a match of at most one window may still be pending; an earlier one would be longer.
 */
function inReach(raw: string, from: number, window: number): number {
  const least = raw.length - window + 1;
  if (least <= from) return from;
  const code = raw.charCodeAt(least);
  return code >= 0xdc00 && code <= 0xdfff ? least + 1 : least;
}
