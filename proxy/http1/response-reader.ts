// Reads one response after another from the bytes of a connection. It never reads beyond the end of a response.
import { ChunkedDecoder } from './chunked.ts';
import { ClosedError, ProtocolError } from './errors.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

/** Called in this order: head, data…, end. */
export interface ResponseHandler {
  onHead(head: ResponseHead): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
}

/** Responses with a status below 200 come before the one that counts; so many are skipped. */
const interimMax = 8;
const headEnd = Buffer.from('\r\n\r\n');

export class ResponseReader {
  readonly #headBytesMax: number;
  #handler: ResponseHandler | undefined;
  #method = 'GET';
  /** The start of a head that has not arrived whole. */
  #head: Buffer | undefined;
  #interim = 0;
  /** The body that is being read. */
  #body: ChunkedDecoder | 'bytes' | undefined;
  /** Bytes of it that are still to come; infinite if it ends with the connection. */
  #rest = 0;
  /** The last response allows another one on this connection. */
  persists = true;
  keptMs: number | undefined;
  /** No byte is read while it is set. */
  isPaused = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
  }

  /** Whether a response is expected or being read. */
  get isBusy(): boolean {
    return this.#handler !== undefined;
  }

  /** A request with this method has been written. */
  expect(method: string, handler: ResponseHandler): void {
    this.#method = method;
    this.#handler = handler;
    this.#interim = 0;
  }

  /**
   * @returns how far it read: less than to the end if it was paused, or if bytes follow the end of the response
   * @throws ProtocolError; what the handler throws
   */
  read(bytes: Buffer, from = 0): number {
    let at = from;
    while (at < bytes.length && !this.isPaused) {
      const handler = this.#handler;
      if (handler === undefined) break;
      at = this.#body === undefined ? this.#readHead(bytes, at, handler) : this.#readBody(bytes, at, handler);
    }
    return at;
  }

  /** The other end has closed its direction. @throws ClosedError, if the response is not complete by that */
  end(): void {
    const handler = this.#handler;
    if (handler === undefined) return;
    if (this.#body !== 'bytes' || this.#rest !== Number.POSITIVE_INFINITY) throw new ClosedError();
    this.#complete(handler);
  }

  #readHead(bytes: Buffer, from: number, handler: ResponseHandler): number {
    const known = this.#head?.length ?? 0;
    const window = from === 0 && known === 0 ? bytes : Buffer.concat([this.#head ?? empty, bytes.subarray(from)]);
    // The end may have begun in an earlier piece.
    const end = window.indexOf(headEnd, Math.max(0, known - headEnd.length + 1));
    if (end > this.#headBytesMax || (end === -1 && window.length > this.#headBytesMax)) {
      throw new ProtocolError('the head of the response is too long');
    }
    if (end === -1) {
      // A piece of a large read would keep all of it in memory.
      this.#head = Buffer.from(window);
      checkStart(window);
      return bytes.length;
    }
    this.#head = undefined;
    const head = parseResponseHead(window.toString('latin1', 0, end), this.#method);
    this.#start(head, handler);
    return from + end + headEnd.length - known;
  }

  #start(head: ResponseHead, handler: ResponseHandler): void {
    if (head.status < 200) {
      if (head.status === 101) throw new Error('the connection was switched to another protocol');
      if (++this.#interim > interimMax) throw new ProtocolError('too many interim responses');
      return;
    }
    this.persists = head.persists;
    this.keptMs = head.keptMs;
    const { framing } = head;
    if (framing === 'chunked') this.#body = new ChunkedDecoder();
    else if (framing !== 'none') {
      this.#body = 'bytes';
      this.#rest = framing === 'close' ? Number.POSITIVE_INFINITY : framing;
    }
    handler.onHead(head);
    if (framing === 'none') this.#complete(handler);
  }

  #readBody(bytes: Buffer, from: number, handler: ResponseHandler): number {
    if (this.#body instanceof ChunkedDecoder) {
      const { at, data } = this.#body.read(bytes, from);
      if (data !== undefined) handler.onData(data);
      else if (this.#body?.isDone) this.#complete(handler);
      return at;
    }
    const end = Math.min(bytes.length, from + this.#rest);
    this.#rest -= end - from;
    handler.onData(from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end));
    if (this.#rest === 0) this.#complete(handler);
    return end;
  }

  #complete(handler: ResponseHandler): void {
    this.#body = undefined;
    this.#handler = undefined;
    handler.onEnd();
  }
}

const empty = Buffer.alloc(0);

const version = 'HTTP/1.';

/** What cannot become a head is refused at once, because its other end may never come. @throws ProtocolError */
function checkStart(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  const start = text.slice(0, version.length);
  if (!version.startsWith(start)) throw new ProtocolError('the response is not HTTP/1');
  if (/(?:^|[^\r])\n/.test(text)) throw new ProtocolError('a line of the head does not end with CR and LF');
}
