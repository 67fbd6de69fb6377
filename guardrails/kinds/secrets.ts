// Secrets: keys, tokens and passwords, by their forms (secrets/forms.ts). Literals are looked for first, so that a text without
// them is read once; held against the folded text, so that nothing invisible hides a key.
import type { SecretsCheck } from '../definition.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../matcher.ts';
import { candidatesOf } from './secrets/candidates.ts';
import { continuationAt } from './secrets/continuation.ts';

/**
 * What is longer than a window: of a private key its first line is found, then its body as another finding; a token of RFC 7519
 * so with its head. In a stream up to 16,384 characters of such a body are held until it ends.
 */
export function compileSecrets(_check: SecretsCheck): Matcher {
  // Of the beginnings of all secrets, mixed; of prose 20.
  return { inspect, cost: 400, likelyCost: 30 };
}

function inspect(text: InspectedText, from: number, window: number): Inspected {
  const { folded, raw, isEnd } = text;
  const findings: Finding[] = [];
  let at = folded.foldedAt(from);
  const found = (start: number, end: number, label: string, anchor = start) => {
    const by = anchor < start ? { anchor: folded.rawAt(anchor) } : undefined;
    findings.push({ start: folded.rawAt(start), end: folded.rawEnd(end), label, ...by });
    at = end;
  };
  const candidates = candidatesOf(text, at, window).values();
  for (let next = candidates.next(); ; ) {
    const goesOn = continuationAt(folded.text, at, isEnd);
    if (goesOn?.isOpen) return { findings, decided: Math.max(from, folded.rawAt(at)) };
    if (goesOn !== undefined) found(at, goesOn.end, goesOn.label);
    while (!next.done && next.value.anchor < at) next = candidates.next();
    if (next.done) return { findings, decided: raw.length };
    const { start, end, label, anchor } = next.value;
    if (end === undefined) return { findings, decided: Math.max(from, folded.rawAt(anchor)) };
    found(start, end, label, anchor);
  }
}
