// What comes of an attempt: what is known of the provider's response at any time, and the response itself, whole or as a stream.
import type { GiveUpReason, ResponseEnd } from '../conversation/response-end.ts';
import type { Usage } from '../conversation/usage.ts';

/** What is known of a provider's response, at any time. */
export interface Received {
  readonly ending: ResponseEnd;
  /** As far as it was reported: all that the response used, or a lower bound. */
  usage(): Usage | undefined;
  readonly usageIsComplete: boolean;
  /** The model that answers, if it was named: printable, of at most 256 characters, without a credential. */
  model(): string | undefined;
  /** The most tokens that what has come of the response can be. */
  textTokens(): number;
  /** Whether its provider stops generating when this response is cancelled. */
  readonly stops: boolean;
  /** Reads what is still to come and keeps nothing of it. Resolves when the response has ended, or was given up. */
  readOn(): Promise<void>;
  /** Cancels what is still open. */
  giveUp(reason: GiveUpReason): void;
}

export interface CompleteResult {
  readonly kind: 'complete';
  /** What passes of the provider's, names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface StreamResult {
  readonly kind: 'stream';
  /** What passes of the provider's, names and values in turn. */
  readonly headers: readonly string[];
  /** Starts the flow: what is held first, then what comes. */
  flowTo(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  /** The caller takes no more of it; the sink gets this error, unless all had come. */
  abort(error: Error): void;
}

export type AttemptResult = CompleteResult | StreamResult;

/** Where a stream goes once it is committed. After `end` or `fail` nothing follows. */
export interface StreamSink {
  write(bytes: Buffer): void;
  end(): void;
  fail(error: Error): void;
}
