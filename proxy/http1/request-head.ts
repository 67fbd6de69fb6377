// Reads the head of a request in the plain form, in one pass. Whatever is not in it is another parser's: nothing here
// interprets it.
import { lengthForm } from './grammar.ts';

export interface PlainHead {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  /** Alternating names and values, as received, one character for each byte. */
  readonly rawHeaders: readonly string[];
  /** Bytes of the body; 0: there is none. */
  readonly body: number | 'chunked';
  readonly persists: boolean;
  readonly expectsContinue: boolean;
  /** Bytes of the head, with the empty line at its end. */
  readonly length: number;
}

/** `more`: it may become one of the others. `other`: node:http's. `http2`: it is the preface of HTTP/2. */
export type HeadReading = PlainHead | 'more' | 'other' | 'http2';

/** What a client of HTTP/2 sends first (RFC 9113, section 3.4). */
export const http2Preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

const headEnd = Buffer.from('\r\n\r\n');
const lineFeed = 0x0a;
const beginnings = ['GET /', 'POST /', http2Preface];
const versionEnd = ' HTTP/1.1\r\n';
const fieldsMax = 256;
/** Strings of a longer head are copied: each part of a string keeps all of it in memory. */
const sharedBytesMax = 2048;

const isToken = 1;
const isValue = 2;
const isTarget = 4;
/** By byte. A target is of visible ASCII without `#`, which not every program leaves in it. */
const kinds = Uint8Array.from({ length: 256 }, (_none, byte) => {
  const character = String.fromCharCode(byte);
  const token = /[!#$%&'*+.^`|~\w-]/.test(character) ? isToken : 0;
  const value = /[\t\x20-\x7e\x80-\xff]/.test(character) ? isValue : 0;
  return token | value | (/[\x21\x22\x24-\x7e]/.test(character) ? isTarget : 0);
});

/**
 * @param bytes from the first one of the request
 * @param bytesMax a longer head is not plain
 * @param known so many bytes were given before and were the start of a head
 */
export function readHead(bytes: Buffer, bytesMax: number, known = 0): HeadReading {
  const end = bytes.indexOf(headEnd, Math.max(0, known - headEnd.length + 1));
  if (end === -1) return readBeginning(bytes, bytesMax, known);
  if (end + headEnd.length > bytesMax) return 'other';
  const text = bytes.toString('latin1', 0, end + 2);
  if (text.startsWith('PRI')) return readPreface(bytes);
  return new HeadParser(text, end > sharedBytesMax ? bytes : undefined).parse() ?? 'other';
}

function readPreface(bytes: Buffer): HeadReading {
  const text = bytes.toString('latin1', 0, http2Preface.length);
  if (text === http2Preface) return 'http2';
  return http2Preface.startsWith(text) ? 'more' : 'other';
}

/** What can no longer become a plain head is known at once, because the rest of it may never come. */
function readBeginning(bytes: Buffer, bytesMax: number, known: number): HeadReading {
  if (bytes.length >= bytesMax) return 'other';
  const start = bytes.toString('latin1', 0, http2Preface.length);
  if (!beginnings.some((beginning) => beginning.startsWith(start) || start.startsWith(beginning))) return 'other';
  for (let at = bytes.indexOf(lineFeed, known); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at - 1] !== 0x0d) return 'other';
  }
  return 'more';
}

class HeadParser {
  readonly #text: string;
  readonly #bytes: Buffer | undefined;
  #at = 0;
  readonly #raw: string[] = [];
  #hosts = 0;
  #length: number | undefined;
  #isChunked = false;
  #connection: string | undefined;
  #expectsContinue = false;

  /**
   * @param text of the head: whole lines
   * @param bytes of the same text, from which strings are copied
   */
  constructor(text: string, bytes: Buffer | undefined) {
    this.#text = text;
    this.#bytes = bytes;
  }

  /** @returns undefined if it is not plain */
  parse(): PlainHead | undefined {
    const text = this.#text;
    const method = text.startsWith('POST /') ? 'POST' : text.startsWith('GET /') ? 'GET' : undefined;
    if (method === undefined) return undefined;
    const from = method.length + 1;
    const end = this.#while(isTarget, from);
    if (!text.startsWith(versionEnd, end)) return undefined;
    const target = this.#part(from, end);
    this.#at = end + versionEnd.length;
    while (this.#at < text.length) {
      if (!this.#readField()) return undefined;
    }
    if (this.#hosts !== 1 || (this.#isChunked && this.#length !== undefined)) return undefined;
    return {
      method,
      target,
      rawHeaders: this.#raw,
      body: this.#isChunked ? 'chunked' : (this.#length ?? 0),
      persists: this.#connection !== 'close',
      expectsContinue: this.#expectsContinue,
      length: text.length + 2,
    };
  }

  /** @returns false if the line is not in the plain form */
  #readField(): boolean {
    const text = this.#text;
    const start = this.#at;
    const colon = this.#while(isToken, start);
    if (colon === start || text.charCodeAt(colon) !== 0x3a || this.#raw.length === 2 * fieldsMax) return false;
    let from = colon + 1;
    while (isBlank(text.charCodeAt(from))) from++;
    const line = this.#while(isValue, from);
    if (text.charCodeAt(line) !== 0x0d || text.charCodeAt(line + 1) !== lineFeed) return false;
    let end = line;
    while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
    const name = this.#part(start, colon);
    const value = this.#part(from, end);
    this.#raw.push(name, value);
    this.#at = line + 2;
    // Programs have read a padded length or coding as another word.
    const isPadded = end !== line || from > colon + 2 || text.charCodeAt(colon + 1) === 0x09;
    return this.#note(name, value, isPadded);
  }

  /** Only names of a few lengths mean anything for the end of the request or of the connection. */
  #note(name: string, value: string, isPadded: boolean): boolean {
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'host') this.#hosts++;
        return true;
      case 6:
        return name.toLowerCase() !== 'expect' || this.#noteExpectation(value);
      case 7:
        return name.toLowerCase() !== 'upgrade';
      case 10:
        return name.toLowerCase() !== 'connection' || this.#noteConnection(value);
      case 14:
        return name.toLowerCase() !== 'content-length' || (!isPadded && this.#noteLength(value));
      case 16:
        // Some programs take it for Connection.
        return name.toLowerCase() !== 'proxy-connection';
      case 17:
        return name.toLowerCase() !== 'transfer-encoding' || (!isPadded && this.#noteCoding(value));
      default:
        return true;
    }
  }

  #noteExpectation(value: string): boolean {
    const isFirst = !this.#expectsContinue;
    this.#expectsContinue = true;
    return isFirst && value.toLowerCase() === '100-continue';
  }

  #noteConnection(value: string): boolean {
    if (this.#connection !== undefined) return false;
    this.#connection = value.toLowerCase();
    return this.#connection === 'close' || this.#connection === 'keep-alive';
  }

  #noteLength(value: string): boolean {
    if (this.#length !== undefined || !lengthForm.test(value)) return false;
    this.#length = Number(value);
    return true;
  }

  #noteCoding(value: string): boolean {
    const isFirst = !this.#isChunked;
    this.#isChunked = true;
    return isFirst && value.toLowerCase() === 'chunked';
  }

  #while(kind: number, from: number): number {
    const text = this.#text;
    let at = from;
    while (at < text.length && ((kinds[text.charCodeAt(at)] ?? 0) & kind) !== 0) at++;
    return at;
  }

  #part(from: number, to: number): string {
    return this.#bytes?.toString('latin1', from, to) ?? this.#text.slice(from, to);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
