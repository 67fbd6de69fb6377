// Finds placeholders in a response, to replace them by the original values. It accepts models' variations of
// "[EMAIL_1]": any letter case and width, blanks, hyphens or Markdown backslashes inside, and East Asian brackets:
// "[email 1]", "\[EMAIL\_1\]", "[ Email-1 ]", "【EMAIL_1】". Marks of bold, code or a link around it stay. Without its
// brackets it is not a placeholder.
import { fold } from '../fold.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';

/** Maximum of extra units inside the brackets. */
const addedMax = 16;

/** @param values the original value of each placeholder in this request */
export function restoreMatcher(values: ReadonlyMap<string, string>): Matcher {
  const lengthMax = Math.max(0, ...[...values.keys()].map((key) => key.length)) + addedMax;
  return {
    cost: 20,
    inspect: (text, from, window) => inspect(text, from, values, Math.min(lengthMax, window)),
  };
}

/** @param found a match of the matcher with the same values */
export function restored(found: string, values: ReadonlyMap<string, string>): string {
  return values.get(canonical(fold(found).text)) ?? found;
}

/** All texts that would be taken for a placeholder, in canonical form: "[EMAIL_1]". */
export function placeholdersIn(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of texts) for (const [one] of fold(text).text.matchAll(written)) found.add(canonical(one));
  return found;
}

// The inside cannot contain another opening bracket, so every unit is looked at once.
const within = '[A-Za-z0-9_ \\u00a0\\\\-]';
// As many backslashes as Markdown inside JSON has. Half of an escape left behind would break the JSON.
const written = new RegExp(`\\\\{0,8}[[【]${within}{3,256}[\\]】]`, 'g');
const beginning = new RegExp(`\\\\{0,8}(?:[[【]${within}{0,256})?$`);

function inspect(
  { raw, folded, isEnd }: InspectedText,
  from: number,
  values: ReadonlyMap<string, string>,
  lengthMax: number,
): Inspected {
  const { text } = folded;
  const findings: Finding[] = [];
  written.lastIndex = folded.foldedAt(from);
  for (let match = written.exec(text); match !== null; match = written.exec(text)) {
    const [found] = match;
    const name = canonical(found);
    const finding = {
      start: folded.rawAt(match.index),
      end: folded.rawEnd(match.index + found.length),
      label: name.slice(1, name.lastIndexOf('_')),
    };
    if (values.has(name) && finding.end - finding.start <= lengthMax) findings.push(finding);
  }
  if (isEnd) return { findings, decided: raw.length };
  const last = text.slice(-lengthMax);
  const open = folded.rawAt(text.length - last.length + last.search(beginning));
  return { findings, decided: Math.max(from, open, raw.length - lengthMax + 1) };
}

function canonical(found: string): string {
  const words = found
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
  return `[${words.join('_')}]`;
}
