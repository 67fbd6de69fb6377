// The result of an attempt: facts about the provider's response at any time, and the response itself, whole or as a
// stream.
import type { GiveUpReason, ResponseEnd } from '../conversation/response-end.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Target } from '../providers/provider.ts';

/** Facts about a provider's response, available at any time. */
export interface Received {
  readonly target: Target;
  readonly ending: ResponseEnd;
  /** Whether a connection took the request. */
  readonly isConnected: boolean;
  /** The usage reported so far: complete, or a lower bound. */
  usage(): Usage | undefined;
  readonly usageIsComplete: boolean;
  /** The vendor's id of the response, if its format has stored responses and the client gets the vendor's own bytes. */
  responseId(): string | undefined;
  /** The responding model, if the provider named it: printable, of at most 256 characters, without a credential. */
  model(): string | undefined;
  /** The most tokens that the received part of the response can consist of. */
  textTokens(): number;
  /** Whether the provider got the request without reasoning that it could not read. */
  readonly leavesOut: boolean;
  /** Whether its provider stops generating when this response is cancelled. */
  readonly stops: boolean;
  /** Reads the rest of the response and keeps nothing of it. Resolves when the response has ended or was given up. */
  readOn(): Promise<void>;
  /** Cancels a response that has not ended. */
  giveUp(reason: GiveUpReason): void;
}

export interface CompleteResult {
  readonly kind: 'complete';
  /** Headers of the provider that are passed on, as alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** It has the client's format; otherwise it is a chat completion. */
  readonly isNative?: boolean;
}

export interface StreamResult {
  readonly kind: 'stream';
  /** Headers of the provider that are passed on, as alternating names and values. */
  readonly headers: readonly string[];
  /** It has the client's format; otherwise its events are chunks of chat completions. */
  readonly isNative?: boolean;
  /** Starts the flow: buffered bytes first, then new ones. */
  flowTo(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  /** The caller reads no more of it. The sink gets this error unless the stream is complete. */
  abort(error: Error): void;
}

export type AttemptResult = CompleteResult | StreamResult;

/** The destination of a committed stream. Nothing follows `end` or `fail`. */
export interface StreamSink {
  write(bytes: Buffer): void;
  end(): void;
  fail(error: Error): void;
}
