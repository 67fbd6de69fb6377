// Text as people read it: compatibility forms, accents and invisible characters are taken off, letter by letter and free of
// context, so that a text may come in pieces: what its pieces fold to, one after another, is what the whole folds to. Letter case
// stays. Positions lead back to the text as it is.
import { wholeCharacters } from './characters.ts';
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
   * Where in the raw text the character ends that the unit before `at` comes of, and with it all behind it that folds to nothing:
   * accents go where their letter goes.
   * @param at 1 to the length of `text`
   */
  rawEnd(at: number): number;
  /** The first unit of the folded text that begins at or after a place in the raw one. */
  foldedAt(raw: number): number;
}

/** Plain ASCII folds to itself. A piece of a text must not begin or end within a surrogate pair. */
export function fold(raw: string): FoldedText {
  if (plain.test(raw)) return new FoldedText(raw, raw.length, undefined);
  const { length, isSame, isLevel } = measure(raw);
  if (isSame) return new FoldedText(raw, raw.length, undefined);
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
  return new FoldedText(Buffer.from(units.buffer).toString('utf16le'), raw.length, starts);
}

/** Never changes: what is put together or cut off is another one. */
export class FoldedText implements Folded {
  readonly text: string;
  readonly #rawLength: number;
  /** Of each unit, where its character begins in the raw text; undefined where all positions are the same in both. */
  readonly #starts: Int32Array | undefined;

  constructor(text: string, rawLength: number, starts: Int32Array | undefined) {
    this.text = text;
    this.#rawLength = rawLength;
    this.#starts = starts;
  }

  rawAt(at: number): number {
    return this.#starts === undefined ? at : (this.#starts[at] ?? this.#rawLength);
  }

  rawEnd(at: number): number {
    if (this.#starts === undefined) return at;
    const start = this.rawAt(at - 1);
    let next = at;
    while (this.rawAt(next) === start) next++;
    return this.rawAt(next);
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
    const text = this.text + piece.text;
    const rawLength = this.#rawLength + piece.#rawLength;
    if (this.#starts === undefined && piece.#starts === undefined)
      return new FoldedText(text, rawLength, undefined);
    const starts = new Int32Array(text.length);
    for (let at = 0; at < this.text.length; at++) starts[at] = this.rawAt(at);
    for (let at = 0; at < piece.text.length; at++) {
      starts[this.text.length + at] = this.#rawLength + piece.rawAt(at);
    }
    return new FoldedText(text, rawLength, starts);
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
    const rawLength = this.#rawLength - dropped;
    const starts = this.#starts?.slice(kept).map((start) => Math.max(-1, start - dropped));
    const isLevel =
      starts === undefined || (text.length === rawLength && starts.every((start, at) => start === at));
    return new FoldedText(text, rawLength, isLevel ? undefined : starts);
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
