// Places of a text where a secret stands, or, in a text that goes on, where one may have begun. Every place is looked at for no more
// characters than its form has, so all take linear time.
import { contextMax, type InspectedText } from '../../matcher.ts';
import type { Form } from './form.ts';
import { assignment, forms, names } from './forms.ts';

/** In the folded text. */
export interface Candidate {
  /** Where that begins by which it was found: of an assignment its name, otherwise what is found. */
  readonly anchor: number;
  readonly start: number;
  /** Undefined: what follows the text decides. */
  readonly end: number | undefined;
  readonly label: string;
}

/**
 * In the order of their starts; of the same one first what is undecided, then what has a form of its own. They may overlap.
 * @param from in the folded text
 */
export function candidatesOf(text: InspectedText, from: number, window: number): readonly Candidate[] {
  const search = new CandidateSearch(text, from, window);
  search.findForms();
  search.findAssignments();
  if (!text.isEnd) search.findBegun();
  const place = ({ start, end }: Candidate) => (end === undefined ? start - 0.5 : start);
  return search.found.sort((a, b) => place(a) - place(b));
}

class CandidateSearch {
  readonly found: Candidate[] = [];
  readonly #text: string;
  readonly #isEnd: boolean;
  readonly #from: number;
  readonly #window: number;
  /** What begins before and is open is longer than the window. */
  readonly #reach: number;

  constructor({ folded, raw, isEnd, isPart }: InspectedText, from: number, window: number) {
    this.#text = folded.text;
    this.#isEnd = isEnd;
    this.#from = from;
    this.#window = window;
    this.#reach = isPart ? from : folded.foldedAt(Math.max(0, raw.length - window + 1));
  }

  findForms(): void {
    for (const { at, anchor } of occurrences(anchors, this.#text, this.#from)) {
      for (const form of formsByAnchor.get(anchor) ?? []) {
        const begin = this.#beginOf(form, at);
        if (begin !== undefined && begin >= this.#from) this.#addForm(form, begin);
      }
    }
  }

  findAssignments(): void {
    for (const { at, anchor } of occurrences(namesExpression, this.#text, this.#from)) {
      const nameEnd = at + anchor.length;
      if (this.#isOpen(assignment.open, nameEnd)) this.#addOpen(assignment.label, at);
      const span = this.#match(assignment.expression, nameEnd);
      if (span === undefined || !assignment.verify(this.#text.slice(span.start, span.end), anchor)) continue;
      this.found.push({ ...span, anchor: at, label: assignment.label });
    }
  }

  /** At the end of a text that goes on: what may become an anchor, or stand before one. */
  findBegun(): void {
    const { length } = this.#text;
    for (let at = Math.max(this.#from, length - anchorMax); at < length; at++) {
      const end = this.#text.slice(at);
      if ((anchorBeginnings.has(end) && this.#isBoundary(at)) || nameBeginnings.has(end.toLowerCase())) {
        this.#addOpen('', at);
      }
    }
    const context = Math.max(0, length - contextMax);
    const end = this.#text.slice(context);
    for (const { before } of forms) {
      const at = before === undefined ? -1 : end.search(before.open);
      if (at >= 0) this.#addOpen('', Math.max(this.#from, context + at));
    }
  }

  #addForm(form: Form, begin: number): void {
    if (this.#isOpen(form.open, begin)) {
      if (begin >= this.#reach) this.#addOpen(form.label, begin);
      else this.#addSpan(form, begin, form.lead ?? form.expression);
      return;
    }
    const whole = this.#match(form.expression, begin);
    if (whole === undefined) return;
    const isLong = form.lead !== undefined && whole.end - begin >= this.#window;
    this.#addSpan(form, begin, isLong ? form.lead : form.expression);
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

  #beginOf({ before }: Form, at: number): number | undefined {
    if (before === undefined) return this.#isBoundary(at) ? at : undefined;
    const context = Math.max(0, at - contextMax);
    const begin = this.#text.slice(context, at).search(before.expression);
    return begin < 0 ? undefined : context + begin;
  }

  /** No letter or digit stands before; but in source and JSON `\n` may. */
  #isBoundary(at: number): boolean {
    return at === 0 || !wordBefore.test(this.#text.slice(Math.max(0, at - 2), at));
  }
}

const wordBefore = /(?:^|[^\\])[nrt]$|[A-Za-mo-qsu-z0-9_]$/;

function* occurrences(expression: RegExp, text: string, from: number) {
  expression.lastIndex = from;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    yield { at: match.index, anchor: match[0] };
    expression.lastIndex = match.index + 1;
  }
}

const allAnchors = [...new Set(forms.flatMap((form) => form.anchors))].sort((a, b) => b.length - a.length);
const anchorMax = Math.max(...[...allAnchors, ...names].map(({ length }) => length));
/** The longest first: of those that stand at one place all others are beginnings of it. */
const anchors = alternatives(allAnchors, 'g');
const namesExpression = alternatives(names, 'gi');
const formsByAnchor = new Map(
  allAnchors.map((anchor) => [
    anchor,
    forms.filter((form) => form.anchors.some((own) => anchor.startsWith(own))),
  ]),
);
const anchorBeginnings = beginningsOf(
  forms.filter(({ before }) => before === undefined).flatMap((form) => form.anchors),
);
const nameBeginnings = beginningsOf(names);

function alternatives(texts: readonly string[], flags: string): RegExp {
  return new RegExp(texts.map((text) => RegExp.escape(text)).join('|'), flags);
}

function beginningsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => Array.from(text, (_, length) => text.slice(0, length)).slice(1)));
}
