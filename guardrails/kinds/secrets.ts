// Secrets: keys, tokens and passwords, by their forms (secrets/known-forms.ts). Literals are looked for first, so that a text without
// them is read once; held against the folded text, so that nothing invisible hides a key.
import type { SecretForm, SecretsCheck } from '../definition.ts';
import { contextMax } from '../fold.ts';
import { InvalidCheckError } from '../invalid-check.ts';
import type { Finding, Inspected, InspectedText } from '../matcher.ts';
import type { ReadMatcher, TwoInspections } from '../read-twice.ts';
import { candidatesOf } from './secrets/candidates.ts';
import { type Form, InvalidFormError, writtenForm } from './secrets/form.ts';
import { continuationMax, continuations, forms } from './secrets/known-forms.ts';
import type { LiteralPlace } from './secrets/literals.ts';
import { type IndexOfForms, indexOf, placesInWritten } from './secrets/literals.ts';

/**
 * What is longer than a window: of a private key its first line is found, then its body as another finding; a token of RFC 7519
 * so with its head. In a stream up to 16,384 characters of such a body are held until it ends.
 * @throws InvalidCheckError
 */
export function compileSecrets({ forms: own = [] }: SecretsCheck): ReadMatcher {
  if (own.length > formsMax) throw new InvalidCheckError('forms', `at most ${formsMax} forms`);
  const ofOperator = own.map(formOfOperator);
  const index = own.length === 0 ? shipped : indexOf([...ofOperator, ...forms]);
  return {
    inspect: (text, from, window) => inspect(index, { text, from, window }, placesOf(index, text, from)),
    inspectTwice: (text, from, window) => inspectTwice(index, { text, from, window }),
    // Of heads of tokens of RFC 7519, each within the one before (`eyJ-`); of prose 10.
    cost: 1_000 + costOf(ofOperator),
    likelyCost: 30,
  };
}

const shipped = indexOf(forms);
const formsMax = 50;
/** Of the text that all secrets of a form have in common: with less, every second word would have to be looked at. */
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

/** Of a text in which a beginning follows the other: every form that begins so is tried at each of its characters. */
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

function placesOf({ literals }: IndexOfForms, { folded }: InspectedText, from: number) {
  return literals.placesIn(folded.text, folded.foldedAt(from));
}

/** The text as its escapes are read and as it is written: literals are looked for once. */
function inspectTwice(index: IndexOfForms, requested: Enabled): TwoInspections {
  const { text, from } = requested;
  const { folded } = text;
  const { written, escapes } = folded;
  const asWritten = { ...requested, text: { ...text, folded: written } };
  const places = placesOf(index, text, from);
  const writtenPlaces =
    escapes === undefined
      ? placesOf(index, asWritten.text, from)
      : placesInWritten(index.literals, {
          written: written.text,
          readLength: folded.text.length,
          read: places,
          runs: escapes,
          from: written.foldedAt(from),
        });
  return { read: inspect(index, requested, places), written: inspect(index, asWritten, writtenPlaces) };
}

function inspect(
  index: IndexOfForms,
  { text, from, window }: Enabled,
  places: readonly LiteralPlace[],
): Inspected {
  const { folded, raw, isEnd } = text;
  const findings: Finding[] = [];
  let at = folded.foldedAt(from);
  const found = (start: number, end: number, label: string, anchor = start) => {
    const by = anchor < start ? { anchor: folded.rawAt(anchor) } : undefined;
    findings.push({ start: folded.rawAt(start), end: folded.rawEnd(end), label, ...by });
    at = end;
  };
  const candidates = candidatesOf({ index, text, from: at, places, window });
  for (let turn = 0; ; ) {
    const goesOn = continuationAt(folded.text, at, isEnd);
    if (goesOn?.isOpen) return { findings, decided: Math.max(from, folded.rawAt(at)) };
    if (goesOn !== undefined) found(at, goesOn.end, goesOn.label);
    while ((candidates[turn]?.anchor ?? at) < at) turn++;
    const next = candidates[turn];
    if (next === undefined) return { findings, decided: raw.length };
    const { start, end, label, anchor } = next;
    if (end === undefined) {
      // What stands behind it may have begun before it, and is looked for again from there on.
      const first = candidates
        .slice(turn)
        .reduce((least, one) => (one.anchor < at ? least : Math.min(least, one.anchor)), anchor);
      return { findings, decided: Math.max(from, folded.rawAt(first)) };
    }
    found(start, end, label, anchor);
  }
}

/**
 * What belongs to a secret that has been found and goes on behind it: the body of a private key, of a token its claims. Told from what
 * stands before, so that nothing needs to be remembered of it from piece to piece.
 */
interface Continued {
  readonly end: number;
  readonly label: string;
  /** What follows the text may belong to it. */
  readonly isOpen: boolean;
}

/** @param isEnd nothing follows the text */
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
    if (!isWhole && !endsWithDashes(rest, matched) && open.test(rest))
      return { end: at, label, isOpen: true };
    if (matched > 0) return { end: at + matched, label, isOpen: false };
  }
  return undefined;
}

function endsWithDashes(text: string, end: number): boolean {
  return end > 0 && text.startsWith('-----', end - 5);
}
