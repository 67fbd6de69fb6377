// Reads a body in chunks (RFC 9112, section 7.1). Of a response, extensions of chunks are ignored, as the RFC demands, and
// trailers are dropped; in a request both are refused, because programs on its way have read them differently.
import { ProtocolError } from './errors.ts';
import { plainSizeLine, sizeLine } from './grammar.ts';
import { checkTrailer } from './response-head.ts';

const lineBytesMax = 4096;
const lineFeed = 0x0a;

export class ChunkedDecoder {
  #expects: 'size' | 'data' | 'end of data' | 'trailer' = 'size';
  /** Bytes of the chunk that are still to come. */
  #rest = 0;
  #line = '';
  #trailerBytes = 0;
  readonly #isStrict: boolean;
  isDone = false;

  /** @param isStrict refuses extensions and trailers */
  constructor(isStrict = false) {
    this.#isStrict = isStrict;
  }

  /**
   * Reads until the end of the bytes, of the body, or of one piece of data.
   * @returns how far it read, and the piece
   * @throws ProtocolError
   */
  read(bytes: Buffer, from: number): { readonly at: number; readonly data: Buffer | undefined } {
    let at = from;
    while (at < bytes.length && !this.isDone) {
      if (this.#expects === 'data') {
        const end = Math.min(bytes.length, at + this.#rest);
        this.#rest -= end - at;
        if (this.#rest === 0) this.#expects = 'end of data';
        return { at: end, data: bytes.subarray(at, end) };
      }
      at = this.#readLine(bytes, at);
    }
    return { at, data: undefined };
  }

  #readLine(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(lineFeed, from);
    const end = found === -1 ? bytes.length : found + 1;
    this.#line += bytes.toString('latin1', from, Math.min(end, from + lineBytesMax + 1));
    if (this.#line.length > lineBytesMax) throw new ProtocolError('a line between chunks is too long');
    if (this.#expects === 'end of data' && !'\r\n'.startsWith(this.#line)) throw notEnded();
    if (found === -1) return end;
    if (!this.#line.endsWith('\r\n')) throw new ProtocolError('a line between chunks does not end with CR and LF');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    this.#take(line);
    return end;
  }

  #take(line: string): void {
    if (this.#expects === 'end of data') this.#expects = 'size';
    else if (this.#expects === 'trailer') this.#takeTrailer(line);
    else {
      const size = (this.#isStrict ? plainSizeLine : sizeLine).exec(line)?.[1];
      if (size === undefined) throw new ProtocolError('the size of a chunk is not valid');
      this.#rest = Number.parseInt(size, 16);
      this.#expects = this.#rest === 0 ? 'trailer' : 'data';
    }
  }

  #takeTrailer(line: string): void {
    if (line === '') {
      this.isDone = true;
      return;
    }
    if (this.#isStrict) throw new ProtocolError('a request has trailers');
    checkTrailer(line);
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > 4 * lineBytesMax) throw new ProtocolError('the trailers are too long');
  }
}

function notEnded(): ProtocolError {
  return new ProtocolError('a chunk is longer than its size');
}
