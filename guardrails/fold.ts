// Folds text to what people and models read: compatibility forms, accents and invisible characters are removed, digits
// of all scripts become ASCII, and escapes of JSON, URLs and HTML become the characters that they stand for. Letter
// case stays. Folding is per character and context-free, so that a text may arrive in pieces: the folded pieces,
// joined, equal the folded whole. Positions map back to the raw text.
import { characterLength, codePointIn, wholeCharacters } from './characters.ts';
import { EscapeRuns } from './escape-runs.ts';
import { type Escape, escapesOf } from './escapes.ts';
import { foldedCharacter, foldedUnit, notSingle } from './folded-characters.ts';

export interface Folded {
  readonly text: string;
  /**
   * Maps a folded unit to the raw position at which its character begins; -1 if that was dropped. If a surrogate pair
   * folds to a pair, each half maps to its own position.
   * @param at 0 to the length of `text`, which maps to the raw length
   */
  rawAt(at: number): number;
  /**
   * Maps to the raw position at which the character of the unit before `at` ends, including characters after it that
   * fold to nothing: accents belong to their letter. At most {@link unseenMax} units of those, so that invisible text
   * cannot make a match longer than a window.
   * @param at 1 to the length of `text`
   */
  rawEnd(at: number): number;
  /** The first folded unit that begins at a raw position or after it. */
  foldedAt(raw: number): number;
  /**
   * The same text with escapes as written: in `C:\\next` there is no line end. The same object if there are no escapes.
   */
  readonly written: Folded;
  /** The raw text with only its escapes decoded; letter case, width and accents stay. */
  readonly unfolded: Folded;
  /** Whether the written text is identical from a raw position on, and also as far before it as matchers may look. */
  isWrittenFrom(raw: number): boolean;
  /** The differences to the written text; undefined if there are none, or if they are unknown. */
  readonly escapes: EscapeRuns | undefined;
}

/**
 * Maximum of UTF-16 units that fold to nothing and belong to the character before them. No letter of any language has
 * more.
 */
export const unseenMax = 32;

/**
 * UTF-16 units before a position, raw or folded, that a matcher may look at. A stream keeps no more of the text that it
 * has released.
 */
export const contextMax = 32;

/**
 * Folds a text; plain ASCII is unchanged. A piece of a text must not begin or end inside a surrogate pair or an escape.
 */
export function fold(raw: string): FoldedText {
  if (plainWithoutEscapes.test(raw)) return new FoldedText(raw, raw, undefined);
  const written = foldWritten(raw);
  const escapes = escapesOf(raw);
  return escapes.length === 0 ? written : withRuns(written, escapes, foldedRead);
}

function unfoldedOf(raw: string): FoldedText {
  const same = new FoldedText(raw, raw, undefined);
  const escapes = escapesOf(raw);
  return escapes.length === 0 ? same : withRuns(same, escapes, (read) => read);
}

function withRuns(written: FoldedText, escapes: readonly Escape[], foldedOf: (read: string) => string): FoldedText {
  const edges: number[] = [];
  // Joined once: a string that is extended step by step stays a chain of pieces, which is slow to read.
  const parts: string[] = [];
  let length = 0;
  let at = 0;
  let isUnfolded = written.isSame;
  for (const { start, end, read } of escapes) {
    const begin = written.foldedAt(start);
    const folded = foldedOf(read);
    parts.push(written.text.slice(at, begin), folded);
    length += begin - at;
    at = written.foldedAt(end);
    edges.push(length, length + folded.length, begin, at);
    length += folded.length;
    isUnfolded &&= folded === read;
  }
  parts.push(written.text.slice(at));
  const runs = new EscapeRuns(edges);
  return new FoldedText(written.raw, parts.join(''), undefined, { written, runs, isUnfolded });
}

function foldedRead(read: string): string {
  return isPlainUnit(read) ? read : foldWritten(read).text;
}

function isPlainUnit(read: string): boolean {
  const code = read.charCodeAt(0);
  return read.length === 1 && ((code >= 0x20 && code < 0x7f) || code === 0x0a);
}

/** Folds a text and leaves its escapes as written. */
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

interface ReadEscapes {
  readonly written: FoldedText;
  /** The differences between the text and the written one. */
  readonly runs: EscapeRuns;
  /** Whether the text differs from the raw text only in its escapes. */
  readonly isUnfolded: boolean;
}

/** Immutable: joining and cutting return a new object. */
export class FoldedText implements Folded {
  readonly raw: string;
  readonly text: string;
  /** The raw position of each unit's character; undefined if all positions are identical. */
  readonly #starts: Int32Array | undefined;
  /** Set if the text has escapes. Positions map to the written text, and from there to the raw one. */
  readonly #read: ReadEscapes | undefined;
  #unfolded: Folded | undefined;

  /** @param starts only for a text without escapes */
  constructor(raw: string, text: string, starts: Int32Array | undefined, read?: ReadEscapes) {
    this.raw = raw;
    this.text = text;
    this.#starts = starts;
    this.#read = read;
  }

  /** Whether the folded text equals the raw text. */
  get isSame(): boolean {
    return this.text === this.raw;
  }

  get written(): FoldedText {
    return this.#read === undefined ? this : this.#read.written;
  }

  get escapes(): EscapeRuns | undefined {
    return this.#read?.runs;
  }

  get unfolded(): Folded {
    if (this.#read?.isUnfolded) return this;
    this.#unfolded ??= unfoldedOf(this.raw);
    return this.#unfolded;
  }

  rawAt(at: number): number {
    if (this.#read === undefined) return this.#starts === undefined ? at : (this.#starts[at] ?? this.raw.length);
    const written = this.#read.runs.writtenAt(at);
    return written < 0 ? -1 : this.#read.written.rawAt(written);
  }

  rawEnd(at: number): number {
    if (this.#hasSamePositions) return at;
    const start = this.rawAt(at - 1);
    let next = at;
    while (this.rawAt(next) === start) next++;
    const end = start + characterLength(this.raw, start);
    return Math.min(this.rawAt(next), wholeCharacters(this.raw, end + unseenMax));
  }

  foldedAt(raw: number): number {
    if (this.#hasSamePositions) return raw;
    if (this.#read !== undefined) return this.#read.runs.readAt(this.#read.written.foldedAt(raw));
    let low = 0;
    for (let high = this.text.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.rawAt(middle) < raw) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isWrittenFrom(raw: number): boolean {
    if (this.#read === undefined) return true;
    const { runs, written } = this.#read;
    const least = raw - contextMax;
    return written.rawAt(runs.writtenEnd) <= least && runs.readEnd + contextMax <= this.foldedAt(raw);
  }

  /** @param piece the folded text that follows */
  with(piece: FoldedText): FoldedText {
    const raw = this.raw + piece.raw;
    // Most texts fold to themselves; they are joined only once.
    const text = this.isSame && piece.isSame ? raw : this.text + piece.text;
    if (this.#read !== undefined || piece.#read !== undefined) return this.#withRead(piece, raw, text);
    if (this.#hasSamePositions && piece.#hasSamePositions) return new FoldedText(raw, text, undefined);
    const starts = new Int32Array(text.length);
    for (let at = 0; at < this.text.length; at++) starts[at] = this.rawAt(at);
    for (let at = 0; at < piece.text.length; at++) {
      starts[this.text.length + at] = this.raw.length + piece.rawAt(at);
    }
    return new FoldedText(raw, text, starts);
  }

  #withRead(piece: FoldedText, raw: string, text: string): FoldedText {
    const { written } = this;
    const runs = this.escapes ?? noRuns;
    return new FoldedText(raw, text, undefined, {
      written: written.with(piece.written),
      runs: runs.with(piece.escapes, this.text.length, written.text.length),
      isUnfolded: this.#isUnfolded && piece.#isUnfolded,
    });
  }

  /** @param end end of the raw text that stays; not inside a surrogate pair or an escape */
  upTo(end: number): FoldedText {
    if (end === this.raw.length) return this;
    const raw = this.raw.slice(0, end);
    const length = this.foldedAt(end);
    if (this.#read !== undefined) {
      const written = this.written.upTo(end);
      const runs = this.escapes?.upTo(written.text.length);
      const text = this.text.slice(0, length);
      return runs === undefined ? written : new FoldedText(raw, text, undefined, { ...this.#read, written, runs });
    }
    const text = this.isSame ? raw : this.text.slice(0, length);
    return new FoldedText(raw, text, this.#starts?.slice(0, length));
  }

  /**
   * Removes the beginning. Keeps as much folded text before the cut as matchers may look at, even if its raw text is
   * removed.
   * @param dropped raw units to remove, whole characters
   */
  from(dropped: number): FoldedText {
    const first = this.foldedAt(dropped);
    const context = wholeCharacters(this.text, Math.max(0, this.foldedAt(dropped + contextMax) - contextMax));
    const kept = Math.min(first, context);
    const text = this.text.slice(kept);
    const raw = this.raw.slice(dropped);
    if (this.#read !== undefined) return this.#fromRead(raw, text, dropped, kept);
    if (this.#starts === undefined) return new FoldedText(raw, this.isSame ? raw : text, undefined);
    const starts = this.#starts.slice(kept).map((start) => Math.max(-1, start - dropped));
    const isLevel = text.length === raw.length && starts.every((start, at) => start === at);
    return new FoldedText(raw, text, isLevel ? undefined : starts);
  }

  #fromRead(raw: string, text: string, dropped: number, kept: number): FoldedText {
    const written = this.written.from(dropped);
    // After the last escape was removed, the texts are identical again.
    if (written.text === text) return written;
    const writtenKept = this.written.text.length - written.text.length;
    const runs = this.escapes?.from(kept, writtenKept) ?? noRuns;
    return new FoldedText(raw, text, undefined, { written, runs, isUnfolded: this.#isUnfolded });
  }

  get #isUnfolded(): boolean {
    return this.#read?.isUnfolded ?? this.isSame;
  }

  get #hasSamePositions(): boolean {
    return this.#starts === undefined && this.#read === undefined;
  }
}

const noRuns = new EscapeRuns([]);
const plain = /^[\n\x20-\x7e]*$/;
/** Contains no backslash, percent sign or ampersand. */
const plainWithoutEscapes = /^[\n\x20-\x24\x27-\x5b\x5d-\x7e]*$/;

interface Measured {
  /** Length of the folded text. */
  readonly length: number;
  /** Whether nothing has to be folded. */
  readonly isSame: boolean;
  /** Whether every character keeps its length. */
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
