// JSON that the gateway passes through, parsed so that JSON.stringify writes every number as it was written. If a name
// occurs twice in an object, the last one counts, as in JSON.parse. Text that already is JSON is spliced in unchanged.
import { randomBytes } from 'node:crypto';
import { ExactNumber } from './exact-number.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import { isDigit, numberEnd, stringEnd, tokenAt } from './json-tokens.ts';

/**
 * Maximum of numbers in a text that JavaScript would write in another way. A text with more is not parsed, because each
 * of them takes as much memory as several plain ones.
 */
export const exactNumbersMax = 1_000_000;

/** The number of ExactNumbers in texts that belong together. */
export interface ExactCount {
  numbers: number;
}

/**
 * Like parseJson, but with an ExactNumber for each number that JavaScript would write in another way. Most texts have
 * none; one pass over the text determines that.
 * @param count counter that the texts parsed before this one have already increased
 * @returns undefined for text that is not JSON, or that has more such numbers than `exactNumbersMax`
 */
export function parseExactJson(text: string, count: ExactCount = { numbers: 0 }): unknown {
  const pieces = markedPieces(text);
  if (pieces === undefined) return parseJson(text);
  count.numbers += (pieces.length - 1) / piecesOfNumber;
  // Marks turn numbers into strings, so they could make valid JSON of an invalid text.
  if (count.numbers > exactNumbersMax || parseJson(text) === undefined) return undefined;
  return withoutMarks(parseJson(pieces.join('')));
}

/** How many pieces a marked number adds to a text. */
const piecesOfNumber = 5;
const piecesMax = exactNumbersMax * piecesOfNumber + 1;

/** Known only to this process, so that no text can contain it. */
const mark = randomBytes(9).toString('base64url');

/**
 * The text in pieces, with a marked string in place of each number that must be preserved; undefined if there is none.
 */
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

/** Doubles represent every whole number with this many digits exactly. */
const wholeMax = 15;

/** Whether JavaScript writes the number at this position exactly as the text does. */
function isPlain(text: string, start: number, end: number): boolean {
  if (end - start <= wholeMax && isDigit(text.charCodeAt(start))) {
    let at = start + 1;
    while (at < end && isDigit(text.charCodeAt(at))) at++;
    if (at === end) return true;
  }
  return isPlainNumber(text.slice(start, end));
}

/** Whether JavaScript writes the number exactly as `source`. */
export function isPlainNumber(source: string): boolean {
  return String(Number(source)) === source;
}

type Holder = unknown[] | JsonObject;

/** Modifies the value in place; no other code has a reference to it. Needs no stack, however deep the value is. */
function withoutMarks(value: unknown): unknown {
  const root = [value];
  const open: Holder[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    if (Array.isArray(holder)) unmarkItems(holder, open);
    else unmarkMembers(holder, open);
  }
  return root[0];
}

/** @param open receives the containers inside */
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
    // It is already an own property, so even one named `__proto__` stays one.
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

/** The text of a JSON object, preserved character by character: numbers, repeated names, white space. */
export class JsonText {
  static readonly emptyObject = new JsonText('{}');
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Undefined for text that is not an object. */
  static ofObject(text: string): JsonText | undefined {
    return isObject(parseJson(text)) ? new JsonText(text) : undefined;
  }

  /**
   * The string that represents this text in a body; `writeJson` replaces it with the text. It is a string because a
   * body with a `toJSON` takes JSON.stringify twice as long.
   */
  get splice(): string {
    return mark + this.text;
  }

  toJSON(): unknown {
    return parseExactJson(this.text);
  }
}

/** Like JSON.stringify, but inserts the text of each JsonText whose `splice` is in the value, unchanged. */
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

/** The text that a `splice` represents; undefined for any other string. */
export function splicedText(value: string): string | undefined {
  return value.startsWith(mark) ? value.slice(mark.length) : undefined;
}

/**
 * Escapes unpaired surrogates, because UTF-8 cannot encode them. They only occur inside strings, where an escape is
 * valid.
 */
export function inUtf8(text: string): string {
  return text.isWellFormed()
    ? text
    : text.replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}
