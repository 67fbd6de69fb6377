// Text as people and models read it: compatibility forms, accents and invisible characters are taken off, digits of all scripts are
// those of ASCII, and escapes of JSON, URLs and HTML are the character that they stand for; letter by letter and free of context, so
// that a text may come in pieces: what its pieces fold to, one after another, is what the whole folds to. Letter case stays.
// Positions lead back to the text as it is.
import { characterLength, codePointIn, wholeCharacters } from './characters.ts';
import { EscapeRuns } from './escape-runs.ts';
import { type Escape, escapesOf, mayBeEscape } from './escapes.ts';
import { foldedCharacter, foldedUnit, notSingle } from './folded-characters.ts';
import { contextMax } from './matcher.ts';

export interface Folded {
  readonly text: string;
  /**
   * Where in the raw text the character begins that a unit of the folded one comes of; -1 where that has been dropped. Of a pair that
   * comes of a pair each half has its own place.
   * @param at 0 to the length of `text`, which leads to the raw length
   */
  rawAt(at: number): number;
  /**
   * Where in the raw text the character ends that the unit before `at` comes of, and with it what folds to nothing behind it:
   * accents go where their letter goes. No more of that than {@link unseenMax}, so that nothing becomes longer than a window by
   * what is not seen behind it.
   * @param at 1 to the length of `text`
   */
  rawEnd(at: number): number;
  /** The first unit of the folded text that begins at or after a place in the raw one. */
  foldedAt(raw: number): number;
  /** The same text with its escapes as they are written: `C:\\next` is no line end. The very same where it has none. */
  readonly written: Folded;
}

/** UTF-16 units that fold to nothing and go with the character before them: more than a letter of any language has. */
export const unseenMax = 32;

/** Plain ASCII folds to itself. A piece of a text must not begin or end within a surrogate pair or an escape. */
export function fold(raw: string): FoldedText {
  const written = foldWritten(raw);
  const escapes = escapesIn(raw);
  return escapes.length === 0 ? written : withoutEscapes(written, escapes);
}

/** Its escapes alone are read: letter case, width and accents stay as they are. */
export function readEscapes(raw: string): Folded {
  const same = new FoldedText(raw, raw, undefined);
  const escapes = escapesIn(raw);
  return escapes.length === 0 ? same : withRuns(same, escapes, (read) => read);
}

function escapesIn(raw: string): readonly Escape[] {
  return mayBeEscape.test(raw) ? [...escapesOf(raw)] : none;
}

const none: readonly Escape[] = [];

/** @param written folds to itself, but for its escapes */
function withRuns(
  written: FoldedText,
  escapes: readonly Escape[],
  folded: (read: string) => string,
): FoldedText {
  const { raw } = written;
  const edges: number[] = [];
  let text = '';
  let at = 0;
  for (const { start, end, read } of escapes) {
    text += raw.slice(at, start);
    const begin = text.length;
    text += folded(read);
    edges.push(begin, text.length, start, end);
    at = end;
  }
  return new FoldedText(raw, text + raw.slice(at), undefined, { written, runs: new EscapeRuns(edges) });
}

/** The longest that one character folds to. */
const longestFold = 18;

function withoutEscapes(written: FoldedText, escapes: readonly Escape[]): FoldedText {
  if (written.isSame) return withRuns(written, escapes, foldedRead);
  const { raw } = written;
  const starts = new Int32Array(written.text.length + longestFold * escapes.length);
  let text = '';
  const keep = (from: number, to: number) => {
    const [first, last] = [written.foldedAt(from), written.foldedAt(to)];
    for (let at = first; at < last; at++) starts[text.length + at - first] = written.rawAt(at);
    text += written.text.slice(first, last);
  };
  let at = 0;
  for (const { start, end, read } of escapes) {
    keep(at, start);
    const folded = foldedRead(read);
    starts.fill(start, text.length, text.length + folded.length);
    text += folded;
    at = end;
  }
  keep(at, raw.length);
  return new FoldedText(raw, text, starts.slice(0, text.length), { written });
}

function foldedRead(read: string): string {
  return read === '\n' || read === ' ' || read === '"' ? read : foldWritten(read).text;
}

/** With escapes as they are written. */
export function foldWritten(raw: string): FoldedText {
  if (plain.test(raw)) return new FoldedText(raw, raw, undefined);
  const { length, isSame, isLevel } = measure(raw);
  if (isSame) return new FoldedText(raw, raw, undefined);
  const units = new Uint16Array(length);
  const starts = isLevel ? undefined : new Int32Array(length);
  let at = 0;
  for (let i = 0; i < raw.length; i++) {
    const single = foldedUnit(raw.charCodeAt(i));
    if (single !== notSingle) {
      if (starts !== undefined) starts[at] = i;
      units[at++] = single;
      continue;
    }
    const code = codePointIn(raw, i);
    const folded = foldedCharacter(code);
    const size = code > 0xffff ? 2 : 1;
    const step = folded.length === size ? 1 : 0;
    for (let unit = 0; unit < folded.length; unit++) {
      if (starts !== undefined) starts[at] = i + unit * step;
      units[at++] = folded.charCodeAt(unit);
    }
    i += size - 1;
  }
  return new FoldedText(raw, Buffer.from(units.buffer).toString('utf16le'), starts);
}

/** Never changes: what is put together or cut off is another one. */
export class FoldedText implements Folded {
  readonly raw: string;
  readonly text: string;
  /** Of each unit, where its character begins in the raw text; undefined where no character but those of escapes has another place. */
  readonly #starts: Int32Array | undefined;
  /** Of escapes, where the positions of all other characters follow from theirs. */
  readonly #runs: EscapeRuns | undefined;
  readonly #written: FoldedText | undefined;

  /** @param written where escapes are read as something else */
  constructor(
    raw: string,
    text: string,
    starts: Int32Array | undefined,
    {
      written,
      runs,
    }: { readonly written?: FoldedText | undefined; readonly runs?: EscapeRuns | undefined } = {},
  ) {
    this.raw = raw;
    this.text = text;
    this.#starts = starts;
    this.#runs = runs;
    this.#written = written;
  }

  /** The very same text, so far as its escapes are not read. */
  get isSame(): boolean {
    return this.text === this.raw;
  }

  get written(): FoldedText {
    return this.#written ?? this;
  }

  rawAt(at: number): number {
    if (this.#runs !== undefined) return this.#runs.rawAt(at);
    return this.#starts === undefined ? at : (this.#starts[at] ?? this.raw.length);
  }

  rawEnd(at: number): number {
    if (this.#hasSamePlaces) return at;
    const start = this.rawAt(at - 1);
    let next = at;
    while (this.rawAt(next) === start) next++;
    const end = start + characterLength(this.raw, start);
    return Math.min(this.rawAt(next), wholeCharacters(this.raw, end + unseenMax));
  }

  foldedAt(raw: number): number {
    if (this.#hasSamePlaces) return raw;
    let low = 0;
    for (let high = this.text.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.rawAt(middle) < raw) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param piece what follows, folded */
  with(piece: FoldedText): FoldedText {
    const raw = this.raw + piece.raw;
    const text = this.text + piece.text;
    const hasEscapes = this.#written !== undefined || piece.#written !== undefined;
    const written = hasEscapes ? this.written.with(piece.written) : undefined;
    if (this.#starts === undefined && piece.#starts === undefined) {
      const hasRuns = this.#runs !== undefined || piece.#runs !== undefined;
      const runs = hasRuns
        ? (this.#runs ?? noRuns).with(piece.#runs, this.text.length, this.raw.length)
        : undefined;
      return new FoldedText(raw, text, undefined, { written, runs });
    }
    const starts = new Int32Array(text.length);
    for (let at = 0; at < this.text.length; at++) starts[at] = this.rawAt(at);
    for (let at = 0; at < piece.text.length; at++) {
      starts[this.text.length + at] = this.raw.length + piece.rawAt(at);
    }
    return new FoldedText(raw, text, starts, { written });
  }

  /**
   * Of the folded text before it, as much as matchers may look at stays, even where it comes of raw text that goes.
   * @param dropped raw units from the beginning, whole characters
   */
  from(dropped: number): FoldedText {
    const first = this.foldedAt(dropped);
    const context = wholeCharacters(this.text, Math.max(0, this.foldedAt(dropped + contextMax) - contextMax));
    const kept = Math.min(first, context);
    const text = this.text.slice(kept);
    const raw = this.raw.slice(dropped);
    const starts = this.#starts?.slice(kept).map((start) => Math.max(-1, start - dropped));
    const isLevel =
      starts === undefined || (text.length === raw.length && starts.every((start, at) => start === at));
    const written = this.#written?.from(dropped);
    const runs = this.#runs?.from(kept, dropped);
    // As they were before the first escape, once the last one has gone.
    if (written?.text === text) return written;
    return new FoldedText(raw, text, isLevel ? undefined : starts, { written, runs });
  }

  get #hasSamePlaces(): boolean {
    return this.#starts === undefined && this.#runs === undefined;
  }
}

const noRuns = new EscapeRuns([]);
const plain = /^[\n\x20-\x7e]*$/;

interface Measured {
  /** Of the folded text. */
  readonly length: number;
  /** Nothing is to be folded. */
  readonly isSame: boolean;
  /** Every character keeps its length. */
  readonly isLevel: boolean;
}

function measure(raw: string): Measured {
  let length = 0;
  let isSame = true;
  let isLevel = true;
  for (let i = 0; i < raw.length; i++, length++) {
    const unit = raw.charCodeAt(i);
    const single = foldedUnit(unit);
    if (single === unit) continue;
    if (single !== notSingle) {
      isSame = false;
      continue;
    }
    const code = codePointIn(raw, i);
    const folded = foldedCharacter(code);
    const size = code > 0xffff ? 2 : 1;
    isSame &&= folded === raw.slice(i, i + size);
    isLevel &&= folded.length === size;
    length += folded.length - 1;
    i += size - 1;
  }
  return { length, isSame, isLevel };
}
