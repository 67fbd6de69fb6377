// The body of a caller's request, as a stream for each try to send it. Nothing is read before the first stream is read,
// and nothing is read ahead of its reader. What was read is kept as long as the request may have to be sent again, up to
// a limit. The request itself is never destroyed, because it needs a response.
import { Readable } from 'node:stream';
import type { Exchange } from '../http/exchange.ts';

/** A larger body is sent once: most are below, and a sidecar is small. */
const keptBytesMax = 1024 * 1024;

export class CallerBody {
  readonly #exchange: Exchange;
  /** Undefined once it cannot, or need not, be sent again. */
  #kept: Buffer[] | undefined = [];
  #keptBytes = 0;
  #isTaken = false;
  #isEnded = false;
  #stream: BodyStream | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Whether all that was read is still here. */
  get isRepeatable(): boolean {
    return this.#kept !== undefined;
  }

  /** The whole body, from its start. The stream before must have been destroyed. */
  open(): Readable {
    if (this.#kept === undefined) throw new Error('the body cannot be sent again');
    const stream = new BodyStream(this, [...this.#kept]);
    this.#stream = stream;
    return stream;
  }

  /** It need not be sent again: nothing is kept, and what no stream reads is discarded. */
  release(): void {
    this.#kept = undefined;
    this.#discard();
  }

  /** The stream has delivered what was kept. */
  more(stream: BodyStream): void {
    if (stream !== this.#stream) return;
    const { request } = this.#exchange;
    if (this.#isEnded) stream.push(null);
    else if (!this.#isTaken) this.#take();
    else if (request.isPaused()) request.resume();
  }

  closed(stream: BodyStream): void {
    if (stream !== this.#stream) return;
    this.#stream = undefined;
    if (this.#kept === undefined) this.#discard();
    else if (this.#isTaken) this.#exchange.request.pause();
  }

  #discard(): void {
    if (!this.#isTaken || this.#stream !== undefined) return;
    const { request } = this.#exchange;
    request.off('data', this.#onData).off('end', this.#onEnd);
    request.resume();
  }

  #take(): void {
    const { request, response, expectsContinue } = this.#exchange;
    this.#isTaken = true;
    // Nothing is sent before the first bytes of the body arrive, so this proxy limits the wait for them.
    this.#exchange.waitFor('body');
    if (expectsContinue) response.writeContinue();
    request.on('data', this.#onData).once('end', this.#onEnd);
    // The response's close reports a broken connection too. Without a listener here the error would be uncaught.
    request.once('error', () => undefined);
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === undefined) return;
    this.#keptBytes += chunk.length;
    if (this.#keptBytes <= keptBytesMax && this.#hasRoom(chunk.length)) this.#kept.push(chunk);
    else this.#kept = undefined;
  }

  #hasRoom(bytes: number): boolean {
    try {
      this.#exchange.buffer(bytes);
      return true;
    } catch {
      return false;
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    const { request, record, waiting } = this.#exchange;
    record.requestBytes += chunk.length;
    if (waiting === 'body') this.#exchange.waitFor('head');
    this.#keep(chunk);
    if (this.#stream?.push(chunk) !== true) request.pause();
  };

  readonly #onEnd = (): void => {
    if (this.#exchange.waiting === 'body') this.#exchange.waitFor('head');
    this.#isEnded = true;
    this.#stream?.push(null);
  };
}

class BodyStream extends Readable {
  readonly #body: CallerBody;
  /** Not delivered yet. */
  readonly #kept: Buffer[];

  constructor(body: CallerBody, kept: Buffer[]) {
    super();
    this.#body = body;
    this.#kept = kept;
  }

  override _read(): void {
    for (let chunk = this.#kept.shift(); chunk !== undefined; chunk = this.#kept.shift()) {
      if (!this.push(chunk)) return;
    }
    this.#body.more(this);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#body.closed(this);
    callback(error);
  }
}
