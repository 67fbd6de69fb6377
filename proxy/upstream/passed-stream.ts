// A stream that is passed on in another form: its reader pauses, resumes and aborts the stream behind it.
import type { StreamResult, StreamSink } from './attempt-result.ts';

export abstract class PassedStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;

  constructor(source: StreamResult) {
    this.headers = source.headers;
    this.#source = source;
  }

  /** Where the bytes of the stream behind go. */
  protected abstract into(sink: StreamSink): StreamSink;

  flowTo(sink: StreamSink): void {
    this.#source.flowTo(this.into(sink));
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
