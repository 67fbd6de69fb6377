// Placeholders in an answer become again what they stand for. Taken as "[EMAIL_1]" is what models make of it: any letter case and
// width, blanks, hyphens or nothing but a backslash of Markdown where they should not be, brackets of East Asia: "[email 1]",
// "\[EMAIL\_1\]", "[ Email-1 ]", "【EMAIL_1】". Marks of bold, code or a link around it stay. Without its brackets it is none.
import { fold } from '../fold.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';

/** Units that may be added within the brackets. */
const addedMax = 16;

/** @param values what each placeholder of this request stands for */
export function restoreMatcher(values: ReadonlyMap<string, string>): Matcher {
  const lengthMax = Math.max(0, ...[...values.keys()].map((key) => key.length)) + addedMax;
  return {
    cost: 20,
    inspect: (text, from, window) => inspect(text, from, values, Math.min(lengthMax, window)),
  };
}

/** @param found as the matcher of these values found it */
export function restored(found: string, values: ReadonlyMap<string, string>): string {
  return values.get(canonical(fold(found).text)) ?? found;
}

/** All that a text holds and that would be taken for a placeholder, as it is made: "[EMAIL_1]". */
export function placeholdersIn(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const text of texts) for (const [one] of fold(text).text.matchAll(written)) found.add(canonical(one));
  return found;
}

// What stands within cannot open another one: every unit is looked at once.
const within = '[A-Za-z0-9_ \\u00a0\\\\-]';
// As many backslashes as Markdown in JSON has: half of an escape left behind would break it.
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
