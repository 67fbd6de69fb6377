// A backslash in text that is no JSON may be one: `C:\next` names a file, and `Dear\nMs` is two lines. Nobody can tell, so such text
// is read both ways, and what either way finds is found; what overlaps is one finding.
import { type EscapeBounds, escapeBounds } from './escapes.ts';
import type { Finding, Inspected, InspectedText, Matcher } from './matcher.ts';

/** @param matcher held against folded text */
export function readTwice(matcher: Matcher): Matcher {
  const inspect = (text: InspectedText, from: number, window: number): Inspected => {
    const read = matcher.inspect(text, from, window);
    const { written } = text.folded;
    if (written === text.folded) return read;
    const asWritten = matcher.inspect({ ...text, folded: written }, from, window);
    const bounds = escapeBounds(text.raw);
    const findings = [...read.findings, ...asWritten.findings.map((finding) => whole(finding, bounds))];
    const decided = Math.min(read.decided, asWritten.decided);
    if (text.isEnd) return { findings: joined(findings, window), decided };
    return settled(joined(findings, window), Math.max(from, bounds.startAt(decided)));
  };
  return { ...matcher, inspect };
}

/** Half of an escape that stays would break the text around it. */
export function whole<Of extends Pick<Finding, 'start' | 'end'>>(finding: Of, bounds: EscapeBounds): Of {
  return { ...finding, start: bounds.startAt(finding.start), end: bounds.endAt(finding.end) };
}

/** None overlaps another; none is longer than two windows because of it. */
function joined(findings: readonly Finding[], window: number): readonly Finding[] {
  const all: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (last === undefined || finding.start >= last.end) all.push(finding);
    else if (finding.end > last.end && finding.end - last.start <= 2 * window)
      all[all.length - 1] = { ...last, end: finding.end };
    else if (finding.end > last.end) all.push({ ...finding, start: last.end });
  }
  return all;
}

/** What goes on behind what is decided may be joined with more. */
function settled(findings: readonly Finding[], decided: number): Inspected {
  const open = findings.find(({ start, end }) => start < decided && end > decided);
  const until = open?.start ?? decided;
  return { findings: findings.filter(({ start }) => start < until), decided: until };
}
