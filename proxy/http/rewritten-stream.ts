// A stream whose bytes are written differently for the client as they arrive.
import type { StreamResult, StreamSink } from '../upstream/attempt.ts';

export class RewrittenStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;
  readonly #rewrite: (bytes: Buffer) => Buffer;
  readonly #failure: () => Error | undefined;

  /**
   * @param rewrite returns the bytes for the client, empty if there are none yet
   * @param failure why the stream failed, if it has ended properly and is no response for the client
   */
  constructor(
    source: StreamResult,
    rewrite: (bytes: Buffer) => Buffer,
    failure: () => Error | undefined = () => undefined,
  ) {
    this.headers = source.headers;
    this.#source = source;
    this.#rewrite = rewrite;
    this.#failure = failure;
  }

  flowTo(sink: StreamSink): void {
    this.#source.flowTo({
      write: (bytes) => {
        const written = this.#rewrite(bytes);
        if (written.length > 0) sink.write(written);
      },
      end: () => {
        const failure = this.#failure();
        if (failure === undefined) sink.end();
        else sink.fail(failure);
      },
      fail: (error) => sink.fail(error),
    });
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    this.#source.resume();
  }

  abort(error: Error): void {
    this.#source.abort(error);
  }
}
