// Finds locations of secrets in a text and, in an incomplete text, locations where one may have begun. At each location
// only as many characters are examined as the form has, so the total is linear.
import { contextMax } from '../../fold.ts';
import type { InspectedText } from '../../matcher.ts';
import { assignment, isAssigned, optionBefore } from './assignment.ts';
import type { Form } from './form.ts';
import type { IndexOfForms, LiteralPosition } from './literals.ts';

/** Positions in the folded text. */
export interface Candidate {
  /** Begin of the text by which it was found: for an assignment its name, otherwise the match. */
  readonly anchor: number;
  readonly start: number;
  /** Undefined: later text decides. */
  readonly end: number | undefined;
  readonly label: string;
}

interface Searched {
  readonly index: IndexOfForms;
  readonly text: InspectedText;
  /** In the folded text. */
  readonly from: number;
  /** All literals from there on. */
  readonly positions: readonly LiteralPosition[];
  readonly window: number;
}

/**
 * Candidates in the order of their starts. For the same start, an undecided one comes first, then one with its own
 * form. They may overlap.
 */
export function candidatesOf(searched: Searched): readonly Candidate[] {
  const search = new CandidateSearch(searched);
  search.find();
  if (!searched.text.isEnd) search.findBegun();
  const position = ({ start, end }: Candidate) => (end === undefined ? start - 0.5 : start);
  return search.found.sort((a, b) => position(a) - position(b));
}

class CandidateSearch {
  readonly found: Candidate[] = [];
  readonly #index: IndexOfForms;
  readonly #text: string;
  readonly #isEnd: boolean;
  readonly #from: number;
  readonly #positions: readonly LiteralPosition[];
  readonly #window: number;
  /** An open candidate that begins before this is longer than the window. */
  readonly #reach: number;

  constructor({ index, text: { folded, raw, isEnd, isPart }, from, positions, window }: Searched) {
    this.#index = index;
    this.#text = folded.text;
    this.#isEnd = isEnd;
    this.#from = from;
    this.#positions = positions;
    this.#window = window;
    this.#reach = isPart ? from : folded.foldedAt(Math.max(0, raw.length - window + 1));
  }

  find(): void {
    const open = this.#isEnd ? this.#text.length + 1 : openFrom(this.#text);
    for (const { at, standing } of this.#positions) {
      if (standing.exact !== undefined) this.#addForms(standing.exact, at);
      const name = standing.folded;
      if (name === undefined) continue;
      // An open candidate takes precedence over complete ones with the same name.
      if (at + name.length >= open && at >= this.#reach) this.#addOpen(assignment.label, at);
      else this.#addAssigned(name, at);
    }
  }

  #addForms(anchor: string, at: number): void {
    for (const form of this.#index.formsAt(anchor)) {
      const begin = this.#beginOf(form, at);
      if (begin !== undefined && begin >= this.#from) this.#addForm(form, begin);
    }
  }

  #addAssigned(name: string, at: number): void {
    const before = this.#text.slice(Math.max(0, at - contextMax), at);
    const nameEnd = at + name.length;
    const value =
      this.#valueOf(assignment.expression, nameEnd) ??
      (optionBefore.test(before) ? this.#valueOf(assignment.flagExpression, nameEnd) : undefined);
    if (value === undefined) return;
    const { start, end, tail } = value;
    if (!isAssigned(this.#text.slice(start, end), { name, before, tail })) return;
    this.found.push({ start, end, anchor: at, label: assignment.label });
  }

  /** At the end of an incomplete text: text that may become an anchor or a lead. */
  findBegun(): void {
    const { literals, leading, leadingMax } = this.#index;
    const text = this.#text;
    const { length } = text;
    for (let at = Math.max(this.#from, length - literals.longest); at < length; at++) {
      const mayBegin =
        literals.mayBegin(text, at, 'folded') || (literals.mayBegin(text, at, 'exact') && this.#isBoundary(at));
      if (mayBegin) this.#addOpen('', at);
    }
    const earliest = Math.max(this.#from, length - leadingMax, this.#reach);
    let run = length;
    while (run > earliest && leading.has(text.charCodeAt(run - 1))) run--;
    if (run < length) this.#addOpen('', run);
  }

  #addForm(form: Form, begin: number): void {
    if (this.#isOpen(form.open, begin)) {
      if (begin >= this.#reach) this.#addOpen(form.label, begin);
      else this.#addSpan(form, begin, form.head ?? form.expression);
      return;
    }
    const whole = this.#match(form.expression, begin);
    if (whole === undefined) return;
    const isLong = form.head !== undefined && whole.end - begin >= this.#window;
    this.#addSpan(form, begin, isLong ? form.head : form.expression);
  }

  #addSpan(form: Form, begin: number, expression: RegExp | undefined): void {
    const span = expression && this.#match(expression, begin);
    if (span === undefined || form.verify?.(this.#text.slice(span.start, span.end)) === false) return;
    this.found.push({ ...span, anchor: begin, label: form.label });
  }

  #addOpen(label: string, at: number): void {
    if (at >= this.#reach) this.found.push({ anchor: at, start: at, end: undefined, label });
  }

  #isOpen(open: RegExp, at: number): boolean {
    open.lastIndex = at;
    return !this.#isEnd && open.test(this.#text);
  }

  #match(expression: RegExp, at: number): { readonly start: number; readonly end: number } | undefined {
    expression.lastIndex = at;
    const indices = expression.exec(this.#text)?.indices;
    const span = indices?.groups?.secret ?? indices?.[0];
    return span && { start: span[0], end: span[1] };
  }

  #valueOf(expression: RegExp, at: number) {
    expression.lastIndex = at;
    const match = expression.exec(this.#text);
    const span = match?.indices?.groups?.secret;
    return span && { start: span[0], end: span[1], tail: match.groups?.tail ?? '' };
  }

  #beginOf({ lead }: Form, at: number): number | undefined {
    if (lead === undefined) return this.#isBoundary(at) ? at : undefined;
    const { characters, boundary, min, max } = lead;
    let begin = at;
    while (begin > 0 && at - begin < max && characters.has(this.#text.charCodeAt(begin - 1))) begin--;
    const isCut = begin > 0 && boundary.has(this.#text.charCodeAt(begin - 1)) && !this.#isEscape(begin);
    return at - begin < min || isCut ? undefined : begin;
  }

  /** Whether no letter or digit precedes. In source code and JSON, `\n` may. */
  #isBoundary(at: number): boolean {
    return at === 0 || !isWord(this.#text.charCodeAt(at - 1)) || this.#isEscape(at);
  }

  /** `\n`, `\r` or `\t`, written as an escape. */
  #isEscape(at: number): boolean {
    return at > 1 && 'nrt'.includes(this.#text.charAt(at - 1)) && this.#text.charAt(at - 2) === '\\';
  }
}

function isWord(code: number): boolean {
  return (code >= 48 && code < 58) || ((code | 32) >= 97 && (code | 32) < 123) || code === 95;
}

/** Maximum of white space runs, and of units, between a name and the end of its value. */
const gapsMax = 4;
const assignmentMax = 420;

/** The earliest end of a name whose value later text may change: no syntax has more white space after the name. */
function openFrom(text: string): number {
  const earliest = Math.max(0, text.length - assignmentMax);
  let gaps = 0;
  let at = text.length;
  for (; at > earliest; at--) {
    if (!isBlank(text.charCodeAt(at - 1)) || (at < text.length && isBlank(text.charCodeAt(at)))) continue;
    gaps++;
    if (gaps > gapsMax) break;
  }
  return at;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0;
}
