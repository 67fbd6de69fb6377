// A stream whose bytes are written differently for the client as they arrive.
import type { StreamResult, StreamSink } from '../upstream/attempt.ts';
import { PassedStream } from '../upstream/passed-stream.ts';

export class RewrittenStream extends PassedStream {
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
    super(source);
    this.#rewrite = rewrite;
    this.#failure = failure;
  }

  protected into(sink: StreamSink): StreamSink {
    return {
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
    };
  }
}
