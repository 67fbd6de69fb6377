// A request that the engine has read. Its body is decoded as it arrives, and flows to a reader that can pause it; what
// nobody reads waits here, and then in the connection.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { ChunkedDecoder } from './chunked.ts';
import type { PlainHead } from './request-head.ts';

/** Of a body that nobody reads; one read of the connection may exceed it. */
const waitingBytesMax = 64 * 1024;
/** What each piece takes beside its bytes: a body may come in chunks of one byte. */
const pieceBytes = 128;

/** Events: `data` with bytes, `end`. A body that is cut has no end: the response's `close` reports it. */
export class InboundRequest extends EventEmitter {
  readonly method: PlainHead['method'];
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly httpVersionMinor = 1;
  readonly socket: Socket;
  /** All of the body has arrived. */
  complete: boolean;
  /** Bytes that are still to come, if there is a length. */
  #rest: number;
  readonly #chunks: ChunkedDecoder | undefined;
  /** Decoded, and not read from this index on: moving what follows would take longer the more there is. */
  #waiting: Buffer[] = [];
  #read = 0;
  #waitingBytes = 0;
  #isFlowing = false;
  #isPaused = false;
  #isScheduled = false;
  #hasEnded = false;

  constructor({ method, target, rawHeaders, body }: PlainHead, socket: Socket) {
    super();
    this.method = method;
    this.url = target;
    this.rawHeaders = rawHeaders;
    this.socket = socket;
    this.#chunks = body === 'chunked' ? new ChunkedDecoder(true) : undefined;
    this.#rest = body === 'chunked' ? 0 : body;
    this.complete = body === 0;
  }

  /**
   * Takes bytes from the connection.
   * @returns how many of them are the body's
   * @throws ProtocolError
   */
  push(bytes: Buffer): number {
    const at = this.#chunks === undefined ? this.#pushBytes(bytes) : this.#pushChunks(bytes, this.#chunks);
    if (this.#isFlowing) this.#flow();
    else if (!this.complete && this.#waitingBytes >= waitingBytesMax) this.socket.pause();
    return at;
  }

  override on(event: string, listener: (bytes: Buffer) => void): this {
    super.on(event, listener);
    if (event === 'data' && !this.#isPaused) this.resume();
    return this;
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): this {
    this.#isPaused = true;
    this.#isFlowing = false;
    return this;
  }

  /** In the next tick, so that its caller can first add listeners. Without one for data, the body is discarded. */
  resume(): this {
    this.#isPaused = false;
    if (this.#isScheduled || this.#isFlowing) return this;
    this.#isScheduled = true;
    process.nextTick(flow, this);
    return this;
  }

  /** The response is complete: nobody reads the rest. */
  discard(): void {
    this.removeAllListeners();
    this.resume();
  }

  /** See `resume`. */
  flowNow(): void {
    this.#isScheduled = false;
    if (this.#isPaused) return;
    this.#isFlowing = true;
    this.#flow();
    if (this.#isFlowing && !this.complete) this.socket.resume();
  }

  #pushBytes(bytes: Buffer): number {
    const taken = Math.min(bytes.length, this.#rest);
    this.#rest -= taken;
    this.complete = this.#rest === 0;
    this.#add(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    return taken;
  }

  #pushChunks(bytes: Buffer, chunks: ChunkedDecoder): number {
    let at = 0;
    while (at < bytes.length && !chunks.isDone) {
      const read = chunks.read(bytes, at);
      at = read.at;
      if (read.data !== undefined) this.#add(read.data);
    }
    this.complete = chunks.isDone;
    return at;
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length + pieceBytes;
  }

  #flow(): void {
    while (this.#isFlowing && this.#read < this.#waiting.length) {
      const bytes = this.#waiting[this.#read++] ?? empty;
      this.#waitingBytes -= bytes.length + pieceBytes;
      this.emit('data', bytes);
    }
    if (this.#read < this.#waiting.length) return;
    this.#waiting = [];
    this.#read = 0;
    if (!this.#isFlowing || !this.complete || this.#hasEnded) return;
    this.#hasEnded = true;
    this.emit('end');
  }
}

const empty = Buffer.alloc(0);

function flow(request: InboundRequest): void {
  request.flowNow();
}
