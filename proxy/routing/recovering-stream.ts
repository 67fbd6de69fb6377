// A stream of chat completions that survives its provider: when it breaks off, another attempt follows if what the caller
// has allows it, and the caller reads one well-formed stream. Output guardrails and the writer of the client's format come
// after it, so they see one stream too.
//
// Who can make this wrong on purpose?
// - A vendor that cuts every stream: three attempts, the retry budget and the money of the request are the limits.
// - A tenant with prompts that break a vendor's stream: these are failures of its own organization, see health.ts.
// - A vendor that begins a call and cuts: nothing follows on a piece of a call.
import type { Target } from '../providers/provider.ts';
import type { AttemptResult, StreamResult, StreamSink } from '../upstream/attempt-result.ts';
import type { RecoveringChain } from './chain.ts';
import { FollowingChunks } from './following-chunks.ts';
import { failedAttempt } from './outcomes.ts';
import { PassedParts } from './passed-parts.ts';
import type { RecoveryResult } from './results.ts';

/** The request whose stream it is. */
export interface RecoveryContext {
  /** The error that aborted the request. */
  readonly aborted: Error | undefined;
  /** Set from the first byte of the stream on: the time limits of its provider end the attempt, not the request. */
  recovering: Recovering | undefined;
  /** The latest attempt has a response. */
  responded(): void;
  /** Its caller reads the rest of an earlier attempt's stream. */
  recovered(how: Recovered): void;
  /** Ends an attempt that has no response yet. */
  abortAttempt(error: Error): void;
  /** Accounts memory. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  onAbort(abortable: { abort(error: Error): void }): void;
}

export interface Recovering {
  /** Ends the attempt: another one may follow. */
  abort(error: Error): void;
  /** The attempt that follows, until it has a response or there is none; undefined: none is made. */
  readonly following: Promise<void> | undefined;
}

export type Recovered = Extract<RecoveryResult, 'restarted' | 'continued'>;

export interface RecoveryParts {
  readonly chain: RecoveringChain;
  readonly context: RecoveryContext;
  /** Reasoning that the caller has may begin anew. */
  readonly repeatsReasoning: boolean;
  /** Absent: text that the caller has is never continued. */
  readonly continuation?: Continuation | undefined;
  streamBroke(result: RecoveryResult): void;
}

export interface Continuation {
  /** In UTF-16 units: a longer text is not continued. */
  readonly textMax: number;
  /**
   * From now on, attempts request the rest of this text, which has no blanks at its end.
   * @returns whether a target may get what follows; undefined: none may
   */
  from(text: string): ((target: Target) => boolean) | undefined;
}

/** In UTF-16 units: a text of blanks alone is no reason not to start again. */
const blanksMax = 256;

interface Plan {
  readonly how: Recovered;
  /** Blanks that the caller has and that the next attempt does not continue. */
  readonly blanks: string;
  isFit(target: Target): boolean;
}

export class RecoveringStream implements StreamResult, StreamSink {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #parts: RecoveryParts;
  readonly #passed: PassedParts;
  #source: StreamResult;
  #sink: StreamSink | undefined;
  /** Undefined: the chunks are those of the first attempt. */
  #chunks: FollowingChunks | undefined;
  #outputTokens = 0;
  #isContinued = false;
  #isPaused = false;
  /** The recovery that waits until the caller reads again. */
  #delayed: (() => void) | undefined;
  /** Nothing follows any more. */
  #isOver = false;
  following: Promise<void> | undefined;

  constructor(source: StreamResult, parts: RecoveryParts) {
    this.#source = source;
    this.headers = source.headers;
    this.#parts = parts;
    const { continuation, context } = parts;
    this.#passed = new PassedParts(continuation?.textMax ?? blanksMax, (bytes) => context.buffer(bytes));
    context.onAbort(this);
    const stream = this;
    context.recovering = {
      abort: (error) => this.#source.abort(error),
      get following() {
        return stream.following;
      },
    };
  }

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    this.#source.flowTo(this);
  }

  write(bytes: Buffer): void {
    if (this.#isOver) return;
    const written = this.#chunks === undefined ? bytes : this.#chunks.push(bytes);
    if (written.length === 0) return;
    this.#passed.push(written);
    try {
      this.#sink?.write(written);
    } catch (error) {
      // The gateway itself cannot write it: another attempt would not help.
      this.#passed.stage = 'final';
      throw error;
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.end();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    const plan = this.#planAfter(error);
    if (plan === undefined) this.#fail(error);
    else if (this.#isPaused) this.#delayed = () => this.#follow(plan, error);
    else this.#follow(plan, error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    const delayed = this.#delayed;
    this.#delayed = undefined;
    if (delayed === undefined) this.#source.resume();
    else delayed();
  }

  /** The caller reads no more of it. */
  abort(error: Error): void {
    if (this.#isOver) return;
    // First: the attempt fails with this error too, and nothing may follow on that.
    this.#fail(error);
    if (this.following === undefined) this.#source.abort(error);
    else this.#parts.context.abortAttempt(error);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(error);
  }

  /** Undefined: the caller gets the error. */
  #planAfter(error: Error): Plan | undefined {
    const { context, streamBroke } = this.#parts;
    if (context.aborted !== undefined || !failedAttempt(error).next) return undefined;
    const plan = this.#plan();
    if (plan === undefined) streamBroke('final');
    return plan;
  }

  #plan(): Plan | undefined {
    const { stage, text } = this.#passed;
    switch (stage) {
      case 'head':
        return restart('');
      case 'reasoning':
        return this.#parts.repeatsReasoning ? restart('') : undefined;
      case 'text':
        return text === undefined || this.#isContinued ? undefined : this.#continued(text);
      case 'final':
        return undefined;
    }
  }

  #continued(text: string): Plan | undefined {
    const beginning = text.trimEnd();
    if (beginning === '') return restart(text);
    const isFit = this.#parts.continuation?.from(beginning);
    return isFit && { how: 'continued', blanks: text.slice(beginning.length), isFit };
  }

  /** @param error that the caller gets if no attempt follows */
  #follow(plan: Plan, error: Error): void {
    this.following = this.#attempt(plan, error).finally(() => {
      this.following = undefined;
    });
  }

  async #attempt(plan: Plan, error: Error): Promise<void> {
    const { chain, context, streamBroke } = this.#parts;
    this.#countOutput();
    try {
      const result = await chain.recover(error, (target) => !this.#isOver && plan.isFit(target));
      streamBroke(plan.how);
      context.responded();
      if (!this.#isOver) this.#pass(result, plan);
    } catch {
      streamBroke('failed');
      this.#fail(context.aborted ?? error);
    }
  }

  /** Output that the caller does not have is no part of the usage that it sees. */
  #countOutput(): void {
    const { received } = this.#parts.chain;
    if (received === undefined || this.#passed.stage === 'head') return;
    this.#outputTokens += Math.max(received.usage()?.completionTokens ?? 0, received.textTokens());
  }

  #pass(result: AttemptResult, { how, blanks }: Plan): void {
    if (result.kind !== 'stream') throw new Error('a whole response follows on a stream');
    this.#isContinued ||= how === 'continued';
    this.#source = result;
    this.#chunks = new FollowingChunks({ head: this.#passed.head, blanks, outputTokens: this.#outputTokens });
    // The attempt had taken this.
    this.#parts.context.onAbort(this);
    this.#parts.context.recovered(how);
    result.flowTo(this);
    if (this.#isPaused) result.pause();
  }
}

function restart(blanks: string): Plan {
  return { how: 'restarted', blanks, isFit: () => true };
}
