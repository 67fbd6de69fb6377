// The request as one of two attempts at a time sees it. The request itself notes only what happens to the attempt that
// was sent last, because its time limits are about one attempt; what happens to the other one is noted here.
import type { AttemptContext } from '../upstream/attempt-context.ts';
import type { Received } from '../upstream/attempt-result.ts';
import type { ImageContext } from '../upstream/images.ts';

interface Abortable {
  abort(error: Error): void;
}

export class ContenderContext implements AttemptContext, ImageContext {
  readonly #request: AttemptContext & ImageContext;
  readonly #monotonic: () => number;
  #abortable: Abortable | undefined;
  #ended: Error | undefined;
  /** The request waits for it. */
  isCurrent = false;
  /** Undefined: nothing was sent. */
  received: Received | undefined;
  /** Monotonic times. */
  sentAt = 0;
  firstByteAt: number | undefined;
  lastByteAt: number | undefined;
  /** Called when it is sent. */
  onSent: () => void = () => undefined;

  constructor(request: AttemptContext & ImageContext, monotonic: () => number) {
    this.#request = request;
    this.#monotonic = monotonic;
  }

  get owner() {
    return this.#request.owner;
  }

  get aborted(): Error | undefined {
    return this.#ended ?? this.#request.aborted;
  }

  /** @throws the error that ended it, or that aborted the request */
  attemptStarted(attempt: Received): void {
    // It was ended when its images were there, and before it was sent.
    if (this.#ended !== undefined) throw this.#ended;
    this.#request.attemptStarted(attempt);
    this.received = attempt;
    this.sentAt = this.#monotonic();
    this.onSent();
  }

  attemptFailed(): void {
    // The chain decides what follows.
  }

  buffer(bytes: number): void {
    this.#request.buffer(bytes);
  }

  progress(): void {
    this.lastByteAt = this.#monotonic();
    this.firstByteAt ??= this.lastByteAt;
    if (this.isCurrent) this.#request.progress();
  }

  onAbort(abortable: Abortable): void {
    this.#abortable = abortable;
  }

  /** Ends the attempt. */
  abort(error: Error): void {
    this.#ended ??= error;
    this.#abortable?.abort(error);
  }
}
