// Secrets: keys, tokens and passwords, by their forms (secrets/known-forms.ts). Literals are searched first, so that a
// text without them is read only once. Matched against the folded text, so that invisible characters cannot hide a key.
import type { SecretForm, SecretsCheck } from '../definition.ts';
import { contextMax } from '../fold.ts';
import { InvalidCheckError } from '../invalid-check.ts';
import type { Finding, Inspected, InspectedText } from '../matcher.ts';
import type { ReadMatcher, TwoInspections } from '../read-twice.ts';
import { candidatesOf } from './secrets/candidates.ts';
import { type Form, InvalidFormError, writtenForm } from './secrets/form.ts';
import { continuationMax, continuations, forms } from './secrets/known-forms.ts';
import type { LiteralPosition } from './secrets/literals.ts';
import { type IndexOfForms, indexOf, positionsInWritten } from './secrets/literals.ts';

/**
 * Secrets longer than a window: of a private key the first line is found, then its body as a second match; of an RFC
 * 7519 token likewise its head. A stream holds back up to 16,384 characters of such a body until it ends.
 * @throws InvalidCheckError
 */
export function compileSecrets({ forms: own = [] }: SecretsCheck): ReadMatcher {
  if (own.length > formsMax) throw new InvalidCheckError('forms', `at most ${formsMax} forms`);
  const ofOperator = own.map(formOfOperator);
  const index = own.length === 0 ? shipped : indexOf([...ofOperator, ...forms]);
  return {
    inspect: (text, from, window) => inspect(index, { text, from, window }, positionsOf(index, text, from)),
    inspectTwice: (text, from, window) => inspectTwice(index, { text, from, window }),
    // Measured on heads of RFC 7519 tokens, each inside the previous one (`eyJ-`); prose costs 10.
    cost: 1_000 + costOf(ofOperator),
    likelyCost: 30,
  };
}

const shipped = indexOf(forms);
const formsMax = 50;
/**
 * Minimum length of the text that all secrets of a form share. With less, every second word would have to be examined.
 */
const literalMin = 3;

function formOfOperator({ label, form }: SecretForm, index: number): Form {
  if (!/^[A-Z][A-Z0-9_]{0,39}$/.test(label))
    throw new InvalidCheckError(`forms[${index}].label`, 'must match ^[A-Z][A-Z0-9_]{0,39}$');
  try {
    return writtenForm(label, form, literalMin);
  } catch (error) {
    if (!(error instanceof InvalidFormError)) throw error;
    throw new InvalidCheckError(`forms[${index}].form`, error.message);
  }
}

/** The cost for a text of overlapping anchors: every form whose anchor matches is tried at each character. */
function costOf(own: readonly Form[]): number {
  const [anchors, costs] = [own.map(({ anchors: [anchor = ''] }) => anchor), own.map(costOfTry)];
  const atOnce = anchors.map((found) =>
    costs.reduce((sum, cost, index) => sum + (found.startsWith(anchors[index] ?? '') ? cost : 0), 0),
  );
  return Math.max(0, ...atOnce);
}

/** Nanoseconds, as measured. */
function costOfTry({ length = 0 }: Form): number {
  return 100 + 4 * length;
}

interface Enabled {
  readonly text: InspectedText;
  readonly from: number;
  readonly window: number;
}

function positionsOf({ literals }: IndexOfForms, { folded }: InspectedText, from: number) {
  return literals.positionsIn(folded.text, folded.foldedAt(from));
}

/** Inspects the decoded and the written text; literals are searched only once. */
function inspectTwice(index: IndexOfForms, requested: Enabled): TwoInspections {
  const { text, from } = requested;
  const { folded } = text;
  const { written, escapes } = folded;
  const asWritten = { ...requested, text: { ...text, folded: written } };
  const positions = positionsOf(index, text, from);
  const writtenPositions =
    escapes === undefined
      ? positionsOf(index, asWritten.text, from)
      : positionsInWritten(index.literals, {
          written: written.text,
          readLength: folded.text.length,
          read: positions,
          runs: escapes,
          from: written.foldedAt(from),
        });
  return { read: inspect(index, requested, positions), written: inspect(index, asWritten, writtenPositions) };
}

function inspect(
  index: IndexOfForms,
  { text, from, window }: Enabled,
  positions: readonly LiteralPosition[],
): Inspected {
  const { folded, raw, isEnd } = text;
  const findings: Finding[] = [];
  let at = folded.foldedAt(from);
  const found = (start: number, end: number, label: string, anchor = start) => {
    const by = anchor < start ? { anchor: folded.rawAt(anchor) } : undefined;
    findings.push({ start: folded.rawAt(start), end: folded.rawEnd(end), label, ...by });
    at = end;
  };
  const candidates = candidatesOf({ index, text, from: at, positions, window });
  for (let turn = 0; ; ) {
    const continues = continuationAt(folded.text, at, isEnd);
    if (continues?.isOpen) return { findings, decided: Math.max(from, folded.rawAt(at)) };
    if (continues !== undefined) found(at, continues.end, continues.label);
    while ((candidates[turn]?.anchor ?? at) < at) turn++;
    const next = candidates[turn];
    if (next === undefined) return { findings, decided: raw.length };
    const { start, end, label, anchor } = next;
    if (end === undefined) {
      // A later candidate may have begun before this one and must be found again, so the decided part ends before all
      // of them.
      const first = candidates
        .slice(turn)
        .reduce((least, one) => (one.anchor < at ? least : Math.min(least, one.anchor)), anchor);
      return { findings, decided: Math.max(from, folded.rawAt(first)) };
    }
    found(start, end, label, anchor);
  }
}

/**
 * The part of a secret that continues after a match: the body of a private key, or the claims of a token. It depends
 * only on the text before, so that no state is kept between pieces.
 */
interface Continued {
  readonly end: number;
  readonly label: string;
  /** Whether later text may belong to it. */
  readonly isOpen: boolean;
}

/** @param isEnd whether no text follows */
function continuationAt(text: string, at: number, isEnd: boolean): Continued | undefined {
  const last = text.charAt(at - 1);
  if (last === '' || !continuations.some(({ last: own }) => own.includes(last))) return undefined;
  const before = text.slice(Math.max(0, at - contextMax), at);
  const to = Math.min(text.length, at + continuationMax);
  const isWhole = isEnd || to < text.length;
  for (const continuation of continuations) {
    if (!continuation.last.includes(last) || !continuation.before.test(before)) continue;
    const { label, expression, open } = continuation;
    const rest = text.slice(at, to);
    expression.lastIndex = 0;
    const matched = expression.exec(rest)?.[0].length ?? 0;
    open.lastIndex = matched;
    if (!isWhole && !endsWithDashes(rest, matched) && open.test(rest)) return { end: at, label, isOpen: true };
    if (matched > 0) return { end: at + matched, label, isOpen: false };
  }
  return undefined;
}

function endsWithDashes(text: string, end: number): boolean {
  return end > 0 && text.startsWith('-----', end - 5);
}
