// Text as people and models read it: compatibility forms, accents and invisible characters are taken off, digits of all scripts are
// those of ASCII, and escapes of JSON, URLs and HTML are the character that they stand for; letter by letter and free of context, so
// that a text may come in pieces: what its pieces fold to, one after another, is what the whole folds to. Letter case stays.
// Positions lead back to the text as it is.
import { characterLength, wholeCharacters } from './characters.ts';
import { escapesOf, hasEscape } from './escapes.ts';
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
  return hasEscape(raw) ? withoutEscapes(raw, written) : written;
}

/** Its escapes alone are read: letter case, width and accents stay as they are. */
export function readEscapes(raw: string): Folded {
  let text = '';
  const starts: number[] = [];
  const keep = (from: number, to: number) => {
    for (let at = from; at < to; at++) starts.push(at);
    text += raw.slice(from, to);
  };
  let at = 0;
  for (const { start, end, read } of escapesOf(raw)) {
    keep(at, start);
    for (let unit = 0; unit < read.length; unit++) starts.push(start);
    text += read;
    at = end;
  }
  keep(at, raw.length);
  return new FoldedText(raw, text, at === 0 ? undefined : Int32Array.from(starts));
}

/** The longest that one character folds to. */
const longestFold = 18;

function withoutEscapes(raw: string, written: FoldedText): FoldedText {
  const escapes = [...escapesOf(raw)];
  const starts = new Int32Array(written.text.length + longestFold * escapes.length);
  let text = '';
  const keep = (from: number, to: number) => {
    const [first, last] = [written.foldedAt(from), written.foldedAt(to)];
    written.copyStarts(first, last, starts, text.length);
    text += written.text.slice(first, last);
  };
  let at = 0;
  for (const { start, end, read } of escapes) {
    keep(at, start);
    const folded = read === '\n' ? read : foldWritten(read).text;
    starts.fill(start, text.length, text.length + folded.length);
    text += folded;
    at = end;
  }
  keep(at, raw.length);
  return new FoldedText(raw, text, starts.slice(0, text.length), written);
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
    const code = raw.codePointAt(i) ?? 0;
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
  /** Of each unit, where its character begins in the raw text; undefined where all positions are the same in both. */
  readonly #starts: Int32Array | undefined;
  readonly #written: FoldedText | undefined;

  /** @param written where escapes are read as something else */
  constructor(raw: string, text: string, starts: Int32Array | undefined, written?: FoldedText) {
    this.raw = raw;
    this.text = text;
    this.#starts = starts;
    this.#written = written;
  }

  /** What {@link FoldedText.rawAt} says of each unit from one to before another. */
  copyStarts(from: number, to: number, into: Int32Array, offset: number): void {
    const starts = this.#starts;
    for (let at = from; at < to; at++)
      into[offset + at - from] = starts === undefined ? at : (starts[at] ?? 0);
  }

  get written(): FoldedText {
    return this.#written ?? this;
  }

  rawAt(at: number): number {
    return this.#starts === undefined ? at : (this.#starts[at] ?? this.raw.length);
  }

  rawEnd(at: number): number {
    if (this.#starts === undefined) return at;
    const start = this.rawAt(at - 1);
    let next = at;
    while (this.rawAt(next) === start) next++;
    const end = start + characterLength(this.raw, start);
    return Math.min(this.rawAt(next), wholeCharacters(this.raw, end + unseenMax));
  }

  foldedAt(raw: number): number {
    if (this.#starts === undefined) return raw;
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
    if (this.#starts === undefined && piece.#starts === undefined)
      return new FoldedText(raw, text, undefined);
    const starts = new Int32Array(text.length);
    for (let at = 0; at < this.text.length; at++) starts[at] = this.rawAt(at);
    for (let at = 0; at < piece.text.length; at++) {
      starts[this.text.length + at] = this.raw.length + piece.rawAt(at);
    }
    return new FoldedText(raw, text, starts, written);
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
    // As they were before the first escape, once the last one has gone.
    if (written?.text === text) return written;
    return new FoldedText(raw, text, isLevel ? undefined : starts, written);
  }
}

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
    const code = raw.codePointAt(i) ?? 0;
    const folded = foldedCharacter(code);
    const size = code > 0xffff ? 2 : 1;
    isSame &&= folded === raw.slice(i, i + size);
    isLevel &&= folded.length === size;
    length += folded.length - 1;
    i += size - 1;
  }
  return { length, isSame, isLevel };
}
