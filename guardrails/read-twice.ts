// In text that is not JSON, a backslash may be a plain character: `C:\next` is a file name, but `Dear\nMs` is two
// lines. The two cases cannot be distinguished, so such text is inspected both ways, decoded and as written. Matches of
// either way count, and overlapping ones are joined.
import { type EscapeBounds, escapeBounds } from './escapes.ts';
import type { Finding, Inspected, InspectedText, Matcher } from './matcher.ts';

export interface TwoInspections {
  readonly read: Inspected;
  readonly written: Inspected;
}

/** A matcher of folded text. */
export interface ReadMatcher extends Matcher {
  /** Optional: inspects both texts in one pass. The result equals `inspect` of each text. */
  inspectTwice?(text: InspectedText, from: number, window: number): TwoInspections;
  /** Optional: skips the second inspection for texts that do not need it. */
  readonly asWritten?: {
    /** Whether the written text may contain matches that the decoded text does not. */
    mayFind(written: string): boolean;
    /** Whether a match counts. Decided by the match alone, so that pieces give the same result as the whole. */
    counts(raw: string, finding: Finding): boolean;
  };
}

export function readTwice({ asWritten: more, inspectTwice, ...matcher }: ReadMatcher): Matcher {
  const inspectBoth = inspectTwice ?? oneAfterTheOther(matcher);
  const inspect = (text: InspectedText, from: number, window: number): Inspected => {
    const { written } = text.folded;
    if (written === text.folded || more?.mayFind(written.text) === false) {
      const read = matcher.inspect(text, from, window);
      return read.findings.length === 0 ? read : { ...read, findings: read.findings.map(withoutAnchor) };
    }
    const { read, written: asWritten } = text.folded.isWrittenFrom(from)
      ? theSameTwice(matcher.inspect(text, from, window))
      : inspectBoth(text, from, window);
    const bounds = escapeBounds(text.raw);
    const counted = asWritten.findings.filter((finding) => more?.counts(text.raw, finding) !== false);
    const all = [...read.findings, ...counted.map((finding) => whole(finding, bounds))];
    const findings = joined(all, window);
    if (text.isEnd) return { findings: findings.map(withoutAnchor), decided: text.raw.length };
    const decided = settled(findings, Math.min(read.decided, asWritten.decided));
    return {
      findings: findings.filter(({ start }) => start < decided).map(withoutAnchor),
      decided: Math.max(from, bounds.startAt(decided)),
    };
  };
  return { ...matcher, inspect };
}

/** All escapes have been passed and are only kept as context. */
function theSameTwice(read: Inspected): TwoInspections {
  return { read, written: read };
}

function oneAfterTheOther(matcher: Matcher): NonNullable<ReadMatcher['inspectTwice']> {
  return (text, from, window) => ({
    read: matcher.inspect(text, from, window),
    written: matcher.inspect({ ...text, folded: text.folded.written }, from, window),
  });
}

/** Extends a match to whole escapes. A remaining half of an escape would break the text around it. */
export function whole<Of extends Pick<Finding, 'start' | 'end'>>(finding: Of, bounds: EscapeBounds): Of {
  return { ...finding, start: bounds.startAt(finding.start), end: bounds.endAt(finding.end) };
}

function withoutAnchor({ start, end, label }: Finding): Finding {
  return { start, end, label };
}

/** Joins overlapping matches. The result has no overlaps, and joining makes no match longer than two windows. */
function joined(findings: readonly Finding[], window: number): readonly Finding[] {
  const all: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (last === undefined || finding.start >= last.end) all.push(finding);
    else if (finding.end > last.end && finding.end - last.start <= 2 * window)
      all[all.length - 1] = {
        ...last,
        end: finding.end,
        anchor: Math.min(anchorOf(last), anchorOf(finding)),
      };
    else if (finding.end > last.end) all.push({ ...finding, start: last.end, anchor: anchorOf(finding) });
  }
  return all;
}

function anchorOf({ start, anchor = start }: Finding): number {
  return anchor;
}

/**
 * Where the joined matches are settled. A match that extends beyond the decided part may be joined with more. A match
 * of one reading that the other has not decided yet is searched again, from its anchor on.
 */
function settled(findings: readonly Finding[], decided: number): number {
  let until = decided;
  for (const finding of findings.toReversed()) {
    if (finding.end <= until) break;
    until = Math.min(until, anchorOf(finding));
  }
  return until;
}
