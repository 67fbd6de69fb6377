// The body of a caller's request as it goes on: nothing is read before somebody takes it, nothing is read ahead of them, and
// where it is no longer wanted what still comes is discarded. The request itself is never destroyed: it has to be answered.
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
    // Nothing is sent before the first bytes of the body are here: how long that may take is judged on this side.
    this.#exchange.waitFor('body');
    if (expectsContinue) response.writeContinue();
    request.on('data', this.#onData).once('end', this.#onEnd);
    // A broken connection is told by the response's close as well; without a listener here it would be uncaught.
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
