// What the caller gets of a response, collected up to a length: the beginning of a whole body, or the texts of a stream.
import type { StreamedText, TextReader } from '../formats/streamed-texts.ts';
import type { BoundedText } from './request-text.ts';

/** Pictures, signatures, texts that only the vendor can read. */
const encodedRun = /[A-Za-z0-9+/_-]{256,}={0,2}/g;

/** @param body in the client's format */
export function bodyText(body: Buffer, bytesMax: number): BoundedText {
  const isCut = body.length > bytesMax;
  const text = (isCut ? body.subarray(0, bytesMax) : body).toString();
  return { text: text.replace(encodedRun, ({ length }) => `[${length} encoded characters]`), isCut };
}

interface Text {
  readonly kind: StreamedText['kind'];
  readonly index: string;
  name?: string;
  text: string;
}

export class StreamTexts {
  readonly #reader: TextReader;
  readonly #lengthMax: number;
  readonly #texts = new Map<string, Text>();
  /** Of all texts, in UTF-16 units. */
  length = 0;
  isCut = false;

  constructor(reader: TextReader, lengthMax: number) {
    this.#reader = reader;
    this.#lengthMax = lengthMax;
  }

  push(bytes: Buffer): void {
    if (this.isCut) return;
    try {
      for (const piece of this.#reader.push(bytes)) this.#add(piece);
    } catch {
      // A capture must not fail a response that its caller can read.
      this.isCut = true;
    }
  }

  /** @param clean changes each whole text */
  list(clean: (text: string) => string): BoundedText {
    const texts = [...this.#texts.values()].map((one) => ({ ...one, text: clean(one.text) }));
    return { text: JSON.stringify(texts), isCut: this.isCut };
  }

  #add({ kind, index, name, text }: StreamedText): void {
    const key = `${kind} ${index}`;
    const known = this.#texts.get(key) ?? { kind, index, text: '' };
    const piece = text.slice(0, Math.max(0, this.#lengthMax - this.length));
    if (piece.length < text.length || this.#texts.size >= textsMax) this.isCut = true;
    if (this.#texts.size >= textsMax && !this.#texts.has(key)) return;
    known.text += piece;
    if (name !== undefined) known.name ??= name.slice(0, nameLengthMax);
    this.length += piece.length + (this.#texts.has(key) ? 0 : overhead);
    this.#texts.set(key, known);
  }
}

const textsMax = 1000;
const nameLengthMax = 256;
/** Of a text in the list. */
const overhead = 64;
