// A stream whose bytes are written differently for the client as they arrive.
import type { StreamResult, StreamSink } from '../upstream/attempt.ts';

export class RewrittenStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;
  readonly #rewrite: (bytes: Buffer) => Buffer;

  /** @param rewrite returns the bytes for the client, empty if there are none yet */
  constructor(source: StreamResult, rewrite: (bytes: Buffer) => Buffer) {
    this.headers = source.headers;
    this.#source = source;
    this.#rewrite = rewrite;
  }

  flowTo(sink: StreamSink): void {
    this.#source.flowTo({
      write: (bytes) => {
        const written = this.#rewrite(bytes);
        if (written.length > 0) sink.write(written);
      },
      end: () => sink.end(),
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
