// Passes a provider's stream through guardrails to the caller. It is handed over with the first bytes that may be sent,
// and a slow reader pauses the provider as it does without guardrails. An earlier failure rejects; a later one goes to
// the sink.
import type { Background } from '../../../common/background.ts';
import { BlockedError } from '../../../guardrails/window.ts';
import { SseSplitter } from '../../formats/sse.ts';
import type { StreamResult, StreamSink } from '../../upstream/attempt.ts';
import type { InspectContext } from '../guardrail.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { guardedFailure } from '../response-guards.ts';
import { serveStream } from '../services/served-stream.ts';
import type { WithheldMax } from './chunk-guard.ts';
import { StreamInspection } from './stream-inspection.ts';

export interface StreamGuardDeps {
  /** Limit of calls, and of chunks that wait for text. Above it the failure rules apply. */
  readonly eventBytesMax: number;
  readonly background: Background;
}

/** The request of the response. */
export type StreamGuardContext = Pick<InspectContext, 'onAbort' | 'buffer'>;

/**
 * Resolves when the first bytes may be sent.
 * @throws GatewayError guardrail_blocked if none may, or the stream's error before that
 */
export function guardStream(
  source: StreamResult,
  guards: ResponseGuards,
  deps: StreamGuardDeps,
  context: StreamGuardContext,
): Promise<StreamResult> {
  const guarded = new GuardedStream(source, guards, deps, context);
  const { services, textMax: observedMax } = guards;
  if (services.length === 0) {
    context.onAbort(guarded);
    return guarded.start();
  }
  const { background } = deps;
  const placeholders = () => guards.placeholders();
  const served = serveStream(guarded, { services, placeholders, observedMax, background }, context);
  // The error reaches the services' stream as well.
  guarded.start().catch(() => undefined);
  return served;
}

/** Limit for the inspection of a call, which is done in one step. */
const callMsMax = 250;

function withheldMax(guards: ResponseGuards, { eventBytesMax }: StreamGuardDeps): WithheldMax {
  const nsPerUnit = guards.guards().reduce((sum, { matcher }) => sum + matcher.cost, 0);
  const calls = Math.min(guards.textMax, Math.ceil((callMsMax * 1e6) / Math.max(1, nsPerUnit)));
  return { calls, all: eventBytesMax };
}

/** Long texts and slow matchers must not delay other requests. */
const tickMs = 5;

class GuardedStream implements StreamResult, StreamSink {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;
  readonly #guards: ResponseGuards;
  readonly #context: StreamGuardContext;
  readonly #inspection: StreamInspection;
  /** The source's events are complete and within its own limits. */
  readonly #events = new SseSplitter(Number.POSITIVE_INFINITY);
  readonly #handedOver = Promise.withResolvers<StreamResult>();
  #isHandedOver = false;
  #buffered = 0;
  /** Received events that were not inspected yet. */
  #queue: Buffer[] = [];
  #isWaiting = false;
  #isPaused = false;
  /** The source has ended. */
  #hasEnded = false;
  /** Nothing more is inspected. */
  #isOver = false;
  #withheld: Buffer[] = [];
  #sink: StreamSink | undefined;
  #ending: ((sink: StreamSink) => void) | undefined;

  constructor(source: StreamResult, guards: ResponseGuards, deps: StreamGuardDeps, context: StreamGuardContext) {
    this.#source = source;
    this.headers = source.headers;
    this.#guards = guards;
    this.#context = context;
    this.#inspection = new StreamInspection(guards, withheldMax(guards, deps));
  }

  start(): Promise<StreamResult> {
    this.#source.flowTo(this);
    return this.#handedOver.promise;
  }

  write(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#queue.push(...this.#events.push(bytes));
    if (!this.#isWaiting) this.#work();
  }

  end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    if (!this.#isWaiting) this.#end();
  }

  fail(error: Error): void {
    this.#fail(error);
  }

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    for (const bytes of this.#withheld) sink.write(bytes);
    this.#withheld = [];
    this.#ending?.(sink);
  }

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isWaiting) this.#source.resume();
  }

  abort(error: Error): void {
    this.#fail(error);
  }

  /** Inspects received events, too briefly to delay other requests; the rest follows in a later tick. */
  #work(): void {
    const until = performance.now() + tickMs;
    try {
      while (this.#inspection.isBusy || this.#queue.length > 0) {
        if (performance.now() > until) {
          this.#workOn();
          break;
        }
        this.#inspection.take(this.#inspection.isBusy ? undefined : this.#queue.shift());
      }
      this.#account();
      this.#forward();
    } catch (error) {
      // Text that was decided before the failing event is still sent.
      this.#forward();
      this.#fail(error);
    }
  }

  #workOn(): void {
    this.#isWaiting = true;
    this.#source.pause();
    setImmediate(() => {
      this.#isWaiting = false;
      if (this.#isOver) return;
      this.#work();
      if (this.#isWaiting || this.#isOver) return;
      if (this.#hasEnded) this.#end();
      else if (!this.#isPaused) this.#source.resume();
    });
  }

  #end(): void {
    this.#isOver = true;
    try {
      this.#inspection.end();
      this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Accounts memory for text that is held back. @throws GatewayError overloaded */
  #account(): void {
    const { withheld } = this.#inspection;
    if (withheld <= this.#buffered) return;
    this.#context.buffer(withheld - this.#buffered);
    this.#buffered = withheld;
  }

  #forward(): void {
    const bytes = this.#inspection.takeOut();
    if (bytes === undefined) return;
    if (this.#sink === undefined) this.#withheld.push(bytes);
    else this.#sink.write(bytes);
    this.#handOver();
  }

  #handOver(): void {
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    this.#handedOver.resolve(this);
  }

  #finish(): void {
    if (this.#ending !== undefined) return;
    this.#forward();
    this.#conclude((sink) => sink.end());
  }

  /** Ends the stream with an error, once, and aborts the provider's stream. */
  #fail(cause: unknown): void {
    if (this.#ending !== undefined) return;
    const error = this.#errorOf(cause);
    this.#isOver = true;
    this.#queue = [];
    this.#conclude((sink) => sink.fail(error));
    this.#source.abort(error);
    if (!this.#isHandedOver) this.#handedOver.reject(error);
  }

  #errorOf(cause: unknown): Error {
    if (cause instanceof BlockedError) return this.#guards.refusal(cause);
    const left = guardedFailure(cause, this.#guards);
    return left instanceof Error ? left : new Error(String(left));
  }

  #conclude(deliver: (sink: StreamSink) => void): void {
    this.#ending = deliver;
    if (this.#sink !== undefined) deliver(this.#sink);
  }
}
