// JSON that passes through: read so that JSON.stringify writes every number as it was written. Of names that stand twice in an object
// the last counts, as for JSON.parse. Text that is JSON already is spliced in as it is.
import { randomBytes } from 'node:crypto';
import { ExactNumber } from './exact-number.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { isDigit, numberEnd, stringEnd, tokenAt } from './json-tokens.ts';

/** A text with more numbers that JavaScript would write in another way is not read: each takes the room of several plain ones. */
export const exactNumbersMax = 1_000_000;

/** How many ExactNumbers there are, of texts that belong together. */
export interface ExactCount {
  numbers: number;
}

/**
 * As parseJson, with an ExactNumber for each number that JavaScript would write in another way. Most texts have none: finding that
 * out is one pass over them.
 * @param count of the texts that were read before it: it counts on
 * @returns undefined for what is no JSON, or has more of them than `exactNumbersMax`
 */
export function parseExactJson(text: string, count: ExactCount = { numbers: 0 }): unknown {
  const pieces = markedPieces(text);
  if (pieces === undefined) return parseJson(text);
  count.numbers += (pieces.length - 1) / piecesOfNumber;
  // Marks make strings of numbers, and so could make JSON of what is none.
  if (count.numbers > exactNumbersMax || parseJson(text) === undefined) return undefined;
  return withoutMarks(parseJson(pieces.join('')));
}

/** What a marked number adds to the pieces of a text. */
const piecesOfNumber = 5;
const piecesMax = exactNumbersMax * piecesOfNumber + 1;

/** Known to this process alone, so that no text can have it in it. */
const mark = randomBytes(9).toString('base64url');

/** The text, in pieces, with a marked string in place of each number that is to be kept; undefined where there is none. */
function markedPieces(text: string): readonly string[] | undefined {
  let pieces: string[] | undefined;
  let taken = 0;
  for (let at = 0; at < text.length && (pieces?.length ?? 0) <= piecesMax; ) {
    const kind = tokenAt(text, at);
    if (kind === undefined) at++;
    else if (kind === 'string') at = stringEnd(text, at);
    else {
      const end = numberEnd(text, at);
      if (!isPlain(text, at, end)) {
        pieces ??= [];
        pieces.push(text.slice(taken, at), '"', mark, text.slice(at, end), '"');
        taken = end;
      }
      at = end;
    }
  }
  if (pieces === undefined) return undefined;
  pieces.push(text.slice(taken));
  return pieces;
}

/** No double rounds a whole number of so many digits. */
const wholeMax = 15;

/** Whether JavaScript writes the number that stands here as it stands here. */
function isPlain(text: string, start: number, end: number): boolean {
  if (end - start <= wholeMax && isDigit(text.charCodeAt(start))) {
    let at = start + 1;
    while (at < end && isDigit(text.charCodeAt(at))) at++;
    if (at === end) return true;
  }
  return isPlainNumber(text.slice(start, end));
}

/** Whether JavaScript writes the number as it is written here. */
export function isPlainNumber(source: string): boolean {
  return String(Number(source)) === source;
}

type Holder = unknown[] | JsonObject;

/** Changes the value, which is nobody else's. However deep it is, it takes no stack. */
function withoutMarks(value: unknown): unknown {
  const root = [value];
  const open: Holder[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    if (Array.isArray(holder)) unmarkItems(holder, open);
    else unmarkMembers(holder, open);
  }
  return root[0];
}

/** @param open takes what is inside */
function unmarkItems(items: unknown[], open: Holder[]): void {
  for (let index = 0; index < items.length; index++) {
    const one = items[index];
    if (isMarked(one)) items[index] = unmarked(one);
    else if (isHolder(one)) open.push(one);
  }
}

function unmarkMembers(object: JsonObject, open: Holder[]): void {
  for (const name of Object.keys(object)) {
    const one = object[name];
    // It is an own property already, so even one of the name `__proto__` stays one.
    if (isMarked(one)) object[name] = unmarked(one);
    else if (isHolder(one)) open.push(one);
  }
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(mark);
}

function unmarked(text: string): ExactNumber {
  return new ExactNumber(text.slice(mark.length));
}

/** The text of a JSON object, whose every letter stays: numbers, names that stand twice, white space. */
export class JsonText {
  static readonly emptyObject = new JsonText('{}');
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Undefined for what is no object. */
  static ofObject(text: string): JsonText | undefined {
    return isObject(parseJson(text)) ? new JsonText(text) : undefined;
  }

  /**
   * What a body has in its place: `writeJson` splices the text in there. A string, because JSON.stringify takes twice as long over a
   * body with a `toJSON` in it.
   */
  get splice(): string {
    return mark + this.text;
  }

  toJSON(): unknown {
    return parseExactJson(this.text);
  }
}

/** As JSON.stringify, with the text of each JsonText that has a `splice` in the value, as it is. */
export function writeJson(value: unknown): string {
  const written = JSON.stringify(value);
  let at = written.indexOf(`"${mark}`);
  if (at === -1) return written;
  let spliced = '';
  let taken = 0;
  for (; at !== -1; at = written.indexOf(`"${mark}`, taken)) {
    const end = stringEnd(written, at);
    const text: string = JSON.parse(written.slice(at, end));
    spliced += written.slice(taken, at) + inUtf8(text.slice(mark.length));
    taken = end;
  }
  return spliced + written.slice(taken);
}

/** The text that a `splice` puts in its place; undefined for any other string. */
export function splicedText(value: string): string | undefined {
  return value.startsWith(mark) ? value.slice(mark.length) : undefined;
}

/** Half of a surrogate pair stands in a string, where it may be escaped; UTF-8 has no letter for it. */
export function inUtf8(text: string): string {
  return text.isWellFormed()
    ? text
    : text.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
