// A stream whose beginning is retained until it contains something of the response: text, reasoning or a call. The
// heads of streams come early and say nothing, and after a head was passed on, no other stream can take its place.
import type { Received, StreamResult, StreamSink } from '../upstream/attempt-result.ts';

/** A vendor may send events without content for as long as it likes. */
const retainedBytesMax = 64 * 1024;

export class UntilContent implements StreamResult, StreamSink {
  readonly kind = 'stream';
  readonly #source: StreamResult;
  readonly #received: Pick<Received, 'textTokens'>;
  readonly #begun = Promise.withResolvers<StreamResult>();
  #retained: Buffer[] = [];
  #bytes = 0;
  #isPassed = false;
  #sink: StreamSink | undefined;
  #conclusion: ((sink: StreamSink) => void) | undefined;

  constructor(source: StreamResult, received: Pick<Received, 'textTokens'>) {
    this.#source = source;
    this.#received = received;
  }

  /** Resolves with this stream once it has content, or has ended. @throws what it failed with before */
  begun(): Promise<StreamResult> {
    this.#source.flowTo(this);
    return this.#begun.promise;
  }

  /** Retains no more of it. */
  pass(): void {
    this.#isPassed = true;
    this.#begun.resolve(this);
  }

  get headers(): readonly string[] {
    return this.#source.headers;
  }

  get isNative(): boolean {
    return this.#source.isNative === true;
  }

  write(bytes: Buffer): void {
    if (this.#sink !== undefined) {
      this.#sink.write(bytes);
      return;
    }
    this.#retained.push(bytes);
    this.#bytes += bytes.length;
    if (!this.#isPassed && (this.#bytes > retainedBytesMax || this.#received.textTokens() > 0)) this.pass();
  }

  end(): void {
    this.pass();
    this.#conclude((sink) => sink.end());
  }

  fail(error: Error): void {
    if (this.#isPassed) this.#conclude((sink) => sink.fail(error));
    else this.#begun.reject(error);
  }

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    for (const bytes of this.#retained.splice(0)) sink.write(bytes);
    this.#conclusion?.(sink);
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

  /** Later if the stream does not flow yet. */
  #conclude(deliver: (sink: StreamSink) => void): void {
    this.#conclusion = deliver;
    if (this.#sink !== undefined) deliver(this.#sink);
  }
}
