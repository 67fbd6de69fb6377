// A backslash in text that is no JSON may be one: `C:\next` names a file, and `Dear\nMs` is two lines. Nobody can tell, so such text
// is read both ways, and what either way finds is found; what overlaps is one finding.
import { type EscapeBounds, escapeBounds } from './escapes.ts';
import type { Finding, Inspected, InspectedText, Matcher } from './matcher.ts';

export interface TwoInspections {
  readonly read: Inspected;
  readonly written: Inspected;
}

/** Held against folded text. */
export interface ReadMatcher extends Matcher {
  /** Of those that know of the second reading by the first one. What it gives is what `inspect` gives of each. */
  inspectTwice?(text: InspectedText, from: number, window: number): TwoInspections;
  /** Of those that need not be asked twice of every text. */
  readonly asWritten?: {
    /** Whether it may find more in a text as it is written than in what that says. */
    mayFind(written: string): boolean;
    /** Whether it counts: told from the finding alone, so that pieces give what the whole gives. */
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

/** Where all escapes have been passed, and are kept as context alone. */
function theSameTwice(read: Inspected): TwoInspections {
  return { read, written: read };
}

function oneAfterTheOther(matcher: Matcher): NonNullable<ReadMatcher['inspectTwice']> {
  return (text, from, window) => ({
    read: matcher.inspect(text, from, window),
    written: matcher.inspect({ ...text, folded: text.folded.written }, from, window),
  });
}

/** Half of an escape that stays would break the text around it. */
export function whole<Of extends Pick<Finding, 'start' | 'end'>>(finding: Of, bounds: EscapeBounds): Of {
  return { ...finding, start: bounds.startAt(finding.start), end: bounds.endAt(finding.end) };
}

function withoutAnchor({ start, end, label }: Finding): Finding {
  return { start, end, label };
}

/** None overlaps another; none is longer than two windows because of it. */
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
 * What goes on behind what is decided may be joined with more, and what one reading has found where the other has not decided yet is
 * looked for again, by its anchor too.
 */
function settled(findings: readonly Finding[], decided: number): number {
  let until = decided;
  for (const finding of findings.toReversed()) {
    if (finding.end <= until) break;
    until = Math.min(until, anchorOf(finding));
  }
  return until;
}
