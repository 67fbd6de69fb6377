// The body of a caller's request as a stream. Nothing is read before the stream is read, and nothing is read ahead of
// its reader. After the stream is destroyed, the rest is discarded. The request itself is never destroyed, because it
// needs a response.
import { Readable } from 'node:stream';
import type { Exchange } from '../http/exchange.ts';

export class CallerBody extends Readable {
  readonly #exchange: Exchange;
  #isTaken = false;

  constructor(exchange: Exchange) {
    super();
    this.#exchange = exchange;
  }

  override _read(): void {
    const { request } = this.#exchange;
    if (!this.#isTaken) this.#take();
    else if (request.isPaused()) request.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (this.#isTaken) {
      const { request } = this.#exchange;
      request.off('data', this.#onData).off('end', this.#onEnd);
      request.resume();
    }
    callback(error);
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

  readonly #onData = (chunk: Buffer): void => {
    const { request, record, waiting } = this.#exchange;
    record.requestBytes += chunk.length;
    if (waiting === 'body') this.#exchange.waitFor('head');
    if (!this.push(chunk)) request.pause();
  };

  readonly #onEnd = (): void => {
    if (this.#exchange.waiting === 'body') this.#exchange.waitFor('head');
    this.push(null);
  };
}
