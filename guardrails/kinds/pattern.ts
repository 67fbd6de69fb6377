// Regular expressions of operators, held against the text as it is: all of one guardrail at once, in linear time. Of matches that
// overlap the one that begins first is found, then the one of the earlier pattern; its length is what RE2 gives it.
import type { PatternCheck } from '../definition.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';
import { costsOf } from './pattern/cost.ts';
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
    const { raw, isPart } = text;
    // In a part as in a whole: what would be pending is not taken, for it begins behind what is decided.
    const isEnd = text.isEnd || isPart === true;
    const reached = (at: number) => (isPart ? at : inReach(raw, at, window));
    const decided = (at: number) => (text.isEnd ? raw.length : pending.pendingFrom(raw, reached(at)));
    const searches = expressions
      .foundIn(raw.slice(Math.max(0, from - 1)))
      .map((index) => new Search(expressions, index, { raw, isEnd, window }));
    return collect(searches, from, decided);
  };
  return { inspect, ...costsOf(expressions, check.patterns) };
}

function collect(searches: readonly Search[], from: number, decidedFrom: (at: number) => number): Inspected {
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
    findings.push({ ...first, label: 'PATTERN' });
    at = first.end;
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
