// Random JSON with values that guardrails match, redacted both as in requests and complete responses and as in streams.
// JSON must stay JSON, and the result must be the same however the text is cut.
import assert from 'node:assert/strict';
import { parseJson } from '../../common/json.ts';
import { compileCheck } from '../../guardrails/index.ts';
import { locate, replace } from '../../guardrails/inspection/findings.ts';
import type { Matcher } from '../../guardrails/matcher.ts';
import { scan } from '../../guardrails/scan.ts';
import { TextWindow } from '../../guardrails/window.ts';
import { Random } from '../support/access/random.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

export interface Redacted {
  /** Texts in which something was replaced. */
  readonly texts: number;
  /** The number of replacements. */
  readonly findings: number;
}

const personalData = compileCheck({
  kind: 'personal_data',
  types: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address'],
  countries: ['US', 'DE'],
  restore: false,
});
const words = compileCheck({
  kind: 'words',
  phrases: ['blue heron', 'true', 'tangerine'],
  withinWords: false,
});
/** Patterns that can break JSON: across quotes and colons, into numbers, brackets and escapes. */
const patterns = compileCheck({
  kind: 'pattern',
  patterns: ['\\d{2}', '"note":\\s*"[a-z]', '\\w+@', '[a-z]"\\s*[,}]', '\\[[A-Za-z]', 'n[a-z]+', '-?\\d+\\.\\d'],
});
const guards: readonly (readonly Matcher[])[] = [[personalData], [words], [patterns], [personalData, words, patterns]];

/** @throws AssertionError that names the first case that is not JSON, or that differs in pieces */
export function fuzzRedactions({ seed, cases }: FuzzOptions): Redacted {
  let texts = 0;
  let findings = 0;
  for (let number = seed; number < seed + cases; number++) {
    const random = new Random(number);
    const text = JSON.stringify(document(random), null, random.pick([0, 1, '\t']));
    const matchers = guards[number % guards.length] ?? [];
    let replaced = 0;
    const whole = throughWindow(matchers, [text], () => replaced++);
    const parsed = `case ${number}: ${text} became ${whole}`;
    assert.notEqual(parseJson(whole), undefined, parsed);
    assert.equal(throughWindow(matchers, cut(text, random)), whole, `in pieces, ${parsed}`);
    assert.equal(classified(matchers, text), whole, `of a request, ${parsed}`);
    if (replaced > 0) texts++;
    findings += replaced;
  }
  return { texts, findings };
}

const put = (label: string) => `[${label}_1]`;

function throughWindow(matchers: readonly Matcher[], pieces: readonly string[], note = () => {}): string {
  const window = new TextWindow(
    matchers.map((matcher) => ({
      matcher,
      replacement: (_found: string, label: string) => put(label),
      found: note,
    })),
  );
  const left = pieces.slice(0, -1).map((piece) => window.push(piece));
  return left.join('') + window.end(pieces.at(-1));
}

function classified(matchers: readonly Matcher[], text: string): string {
  const texts = { slots: [{ text, isFixed: false, group: 1 }], joins: [] };
  const found = locate(texts, scan(matchers, [text], 512).hits);
  return replace(texts, found, ({ label }) => put(label))[0] ?? text;
}

function cut(text: string, random: Random): readonly string[] {
  const most = random.pick([1, 3, 20, 200]);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(at, at + 1 + random.below(most)));
  return pieces;
}

const values = [
  ...['4111 1111 1111 1111', '4111111111111111', 'DE89 3704 0044 0532 0130 00', '+49 30 23125456', '10.20.30.40'],
  ...['ada.lovelace@example.org', '219-09-9998', '٤١١١ ١١١١ ١١١١ ١١١١', 'blue heron', 'blue\theron', 'C:\\tangerine'],
];
const around = ['', ' ', '\n', '\t', '\r\n', '"', '\\', '{', '[', ']}', ': ', '😀', '\u0001', 'é', '[see', 'n'];

function document(random: Random): unknown {
  return random.chance(0.3) ? list(random, 0) : object(random, 0);
}

function value(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 5 : 8);
  if (kind < 2) return text(random);
  if (kind === 2) return random.pick([4111111111111111, 4930231254, -42, 0.125, 1e30, 12, 123456.75, -0.5]);
  if (kind === 3) return random.pick([true, false, null]);
  if (kind === 4) return JSON.stringify(random.chance(0.5) ? object(random, depth + 2) : text(random));
  return kind === 5 ? list(random, depth) : object(random, depth);
}

function list(random: Random, depth: number): unknown {
  return Array.from({ length: random.below(4) }, () => value(random, depth + 1));
}

function object(random: Random, depth: number): unknown {
  const names = ['note', 'card', 'blue heron', 'a"b', '10.20.30.40', 'x@example.org', ''];
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(names), value(random, depth + 1)]),
  );
}

function text(random: Random): string {
  return Array.from(
    { length: 1 + random.below(3) },
    () => random.pick(around) + random.pick(values) + random.pick(around),
  ).join('');
}
