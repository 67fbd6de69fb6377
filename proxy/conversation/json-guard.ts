// Limits the structure of a JSON text while it arrives, before it is parsed: its nesting depth, and its number of
// structural characters outside strings. One pass over the bytes is enough, so hostile bodies cost no more than their
// transfer. The pass also detects whether some number has to be read exactly.
import { isPlainNumber } from '../../common/exact-json.ts';
import { isDigit, isOfNumber } from '../../common/json-tokens.ts';
import { GatewayError } from '../errors.ts';

export interface JsonLimits {
  readonly jsonDepthMax: number;
  readonly jsonStructuralMax: number;
}

const quote = 0x22;
const backslash = 0x5c;
const nearBytes = 32;

/** Instead of a step: a number begins. */
const number = 2;

/** How a byte outside strings changes the depth. undefined: the byte is not structural and begins no number. */
const depthSteps: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if ('{['.includes(character)) return 1;
  if ('}]'.includes(character)) return -1;
  if (character === '-' || isDigit(byte)) return number;
  return ',:'.includes(character) ? 0 : undefined;
});

export class JsonGuard {
  readonly #limits: JsonLimits;
  #depth = 0;
  #structural = 0;
  #inString = false;
  #escaped = false;
  #numbersArePlain = true;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /**
   * Whether JavaScript would write all numbers so far exactly as they are written; false if some number was not
   * checked.
   */
  get numbersArePlain(): boolean {
    return this.#numbersArePlain;
  }

  /** Structural characters so far. */
  get structural(): number {
    return this.#structural;
  }

  /** @throws GatewayError invalid_request once a limit is exceeded */
  push(chunk: Buffer): void {
    const { jsonDepthMax, jsonStructuralMax } = this.#limits;
    for (let i = 0; i < chunk.length; ) {
      if (this.#inString) {
        i = this.#skipString(chunk, i);
        continue;
      }
      const byte = chunk[i++] ?? 0;
      if (byte === quote) this.#inString = true;
      const step = depthSteps[byte];
      if (step === undefined) continue;
      if (step === number) {
        i = this.#skipNumber(chunk, i - 1);
        continue;
      }
      this.#structural++;
      this.#depth += step;
      if (this.#depth > jsonDepthMax) this.#refuse(`nested deeper than ${jsonDepthMax} levels`);
    }
    if (this.#structural > jsonStructuralMax) {
      this.#refuse(`made of more than ${jsonStructuralMax} structural characters`);
    }
  }

  /**
   * Most of a body is inside strings. The first bytes of a string are checked one by one, for short strings and dense
   * escapes; in longer strings the guard searches for the quote.
   * @returns index after the quote that ends the string, or the end of the chunk
   */
  #skipString(chunk: Buffer, from: number): number {
    let i = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    while (i < chunk.length) {
      for (const near = Math.min(i + nearBytes, chunk.length); i < near; i++) {
        const byte = chunk[i];
        if (byte === backslash) i++;
        else if (byte === quote) return this.#endString(i);
      }
      if (i >= chunk.length) break;
      const found = chunk.indexOf(quote, i);
      const end = found === -1 ? chunk.length : found;
      const escaped = backslashesBefore(chunk, i, end) % 2 === 1;
      if (found === -1) this.#escaped = escaped;
      if (found === -1) return end;
      if (!escaped) return this.#endString(found);
      i = found + 1;
    }
    // A backslash at the very end escapes the first byte of the next chunk.
    this.#escaped = i > chunk.length;
    return chunk.length;
  }

  /** @returns index after the number, or the end of the chunk */
  #skipNumber(chunk: Buffer, start: number): number {
    let end = start + 1;
    while (end < chunk.length && isOfNumber(chunk[end] ?? 0)) end++;
    // A number that is split between chunks is not joined here: later code then checks all numbers again.
    if (end === chunk.length || (this.#numbersArePlain && !isPlain(chunk, start, end))) this.#numbersArePlain = false;
    return end;
  }

  #endString(at: number): number {
    this.#inString = false;
    return at + 1;
  }

  #refuse(how: string): never {
    throw new GatewayError('invalid_request', { message: `the body is ${how}` });
  }
}

/** A double represents every whole number of this many digits exactly. */
const wholeMax = 15;

function isPlain(chunk: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && isDigit(chunk[at] ?? 0)) at++;
  return (at === end && end - start <= wholeMax) || isPlainNumber(chunk.toString('latin1', start, end));
}

function backslashesBefore(chunk: Buffer, from: number, end: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === backslash) at--;
  return end - at;
}
