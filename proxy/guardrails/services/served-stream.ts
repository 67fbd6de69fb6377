// Passes a stream, after the guardrails on its text, through services to the caller. It is handed over with the first
// bytes that may be sent. During a call of a service the provider continues until enough is held back, then it waits.
// Services that only observe do not delay the stream: they are called when the caller has all of it.
import type { Background } from '../../../common/background.ts';
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Placeholders } from '../../../guardrails/placeholders.ts';
import { SseSplitter } from '../../formats/sse.ts';
import type { StreamResult, StreamSink } from '../../upstream/attempt.ts';
import type { InspectContext } from '../guardrail.ts';
import type { ServiceGuard } from '../service.ts';
import { askServices } from './ask-services.ts';
import { ResponseWindows } from './response-windows.ts';
import { WholeResponse } from './whole-response.ts';

export interface ServedStreamDeps {
  readonly services: readonly ServiceGuard[];
  /** New placeholders for a text of the response. */
  placeholders(): Placeholders;
  /** In UTF-16 units: a longer response is not observed. */
  readonly observedMax: number;
  readonly background: Background;
}

export type ServedContext = Pick<InspectContext, 'onAbort' | 'buffer'>;

/** In UTF-16 units: if more waits for a service, the provider waits too. */
const withheldMax = 256 * 1024;

/** Resolves when the first bytes may be sent. @throws GatewayError guardrail_blocked if none may */
export function serveStream(
  source: StreamResult,
  deps: ServedStreamDeps,
  context: ServedContext,
): Promise<StreamResult> {
  const served = new ServedStream(source, deps, context);
  context.onAbort(served);
  return served.start();
}

class ServedStream implements StreamResult, StreamSink {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  readonly #source: StreamResult;
  readonly #deps: ServedStreamDeps;
  readonly #context: ServedContext;
  readonly #holding: readonly ServiceGuard[];
  /** Undefined: nothing is held back. */
  readonly #windows: ResponseWindows | undefined;
  /** For services that observe; undefined if there are none, or if the response is too long. */
  #observed: WholeResponse | undefined;
  readonly #events = new SseSplitter(Number.POSITIVE_INFINITY);
  readonly #handedOver = Promise.withResolvers<StreamResult>();
  readonly #requesting = new AbortController();
  #isHandedOver = false;
  #isRequesting = false;
  #isPaused = false;
  #hasEnded = false;
  #buffered = 0;
  #withheld: Buffer[] = [];
  #sink: StreamSink | undefined;
  #ending: ((sink: StreamSink) => void) | undefined;

  constructor(source: StreamResult, deps: ServedStreamDeps, context: ServedContext) {
    const { services, placeholders } = deps;
    this.#source = source;
    this.headers = source.headers;
    this.#deps = deps;
    this.#context = context;
    this.#holding = services.filter(({ delaysResponse }) => delaysResponse);
    this.#windows =
      this.#holding.length === 0 ? undefined : new ResponseWindows({ services: this.#holding, placeholders });
    this.#observed = this.#holding.length === services.length ? undefined : new WholeResponse();
  }

  start(): Promise<StreamResult> {
    this.#source.flowTo(this);
    return this.#handedOver.promise;
  }

  write(bytes: Buffer): void {
    if (this.#ending !== undefined) return;
    if (this.#windows === undefined) this.#send(bytes);
    try {
      for (const event of this.#events.push(bytes)) this.#take(event);
      this.#work();
      this.#account(this.#windows?.withheld ?? 0);
      if (this.#isFull) this.#source.pause();
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    if (this.#ending !== undefined) return;
    this.#hasEnded = true;
    this.#windows?.end();
    this.#work();
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
    if (!this.#isFull) this.#source.resume();
  }

  abort(error: Error): void {
    this.#fail(error);
  }

  get #isFull(): boolean {
    return this.#isRequesting && (this.#windows?.withheld ?? 0) > withheldMax;
  }

  #take(event: Buffer): void {
    const data = eventData(event);
    if (data === undefined) {
      if (this.#isHandedOver && this.#windows !== undefined) this.#send(event);
      return;
    }
    const chunk = data === endMark ? undefined : parseExactJson(data);
    if (!isObject(chunk)) return;
    if (this.#windows === undefined) this.#observe(chunk);
    else this.#windows.add(chunk);
  }

  /** Calls the services that are due, one batch at a time, and sends what they have released. */
  #work(): void {
    const windows = this.#windows;
    if (this.#isRequesting || this.#ending !== undefined) return;
    this.#forward();
    if (windows?.isDue === true) {
      this.#isRequesting = true;
      windows.inspect(this.#requesting.signal).then(
        () => this.#requested(),
        (error: unknown) => this.#refused(error),
      );
      return;
    }
    if (this.#hasEnded) this.#finish();
  }

  #requested(): void {
    this.#isRequesting = false;
    try {
      this.#work();
      if (!this.#isFull && !this.#isPaused && !this.#hasEnded) this.#source.resume();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Text that was released before is still sent. */
  #refused(error: unknown): void {
    if (this.#ending === undefined) this.#forward();
    this.#fail(error);
  }

  /** Accounts memory for text that is held back. @throws GatewayError overloaded */
  #account(withheld: number): void {
    if (withheld <= this.#buffered) return;
    const more = withheld - this.#buffered;
    this.#buffered = withheld;
    this.#context.buffer(more);
  }

  #forward(): void {
    if (this.#windows === undefined) return;
    for (const chunk of this.#windows.takeOut()) {
      this.#observe(chunk);
      this.#send(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
    }
  }

  #observe(chunk: JsonObject): void {
    this.#observed?.add(chunk);
    if (this.#observed !== undefined && this.#observed.length > this.#deps.observedMax) this.#observed = undefined;
  }

  #send(bytes: Buffer): void {
    if (this.#sink === undefined) this.#withheld.push(bytes);
    else this.#sink.write(bytes);
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    this.#handedOver.resolve(this);
  }

  #finish(): void {
    if (this.#ending !== undefined) return;
    for (const service of this.#holding) service.ended();
    if (this.#windows !== undefined) this.#send(done);
    this.#conclude((sink) => sink.end());
    // The stream has no bytes.
    if (!this.#isHandedOver) this.#handedOver.resolve(this);
  }

  /** Ends the stream with an error, once, and aborts the provider's stream. */
  #fail(cause: unknown): void {
    if (this.#ending !== undefined) return;
    const error = cause instanceof Error ? cause : new Error(String(cause));
    this.#conclude((sink) => sink.fail(error));
    this.#source.abort(error);
    this.#requesting.abort(error);
    if (!this.#isHandedOver) this.#handedOver.reject(error);
  }

  #conclude(deliver: (sink: StreamSink) => void): void {
    this.#ending = deliver;
    if (this.#sink !== undefined) deliver(this.#sink);
    if (!this.#isHandedOver || this.#observed === undefined) return;
    // Services observe the part that the caller has received, however the stream ended.
    const observing = this.#deps.services.filter(({ delaysResponse }) => !delaysResponse);
    const pending = askServices(observing, this.#observed.texts(), new AbortController().signal);
    this.#deps.background(
      'guardrails after an answer',
      pending.then(() => undefined),
    );
  }
}

const endMark = '[DONE]';
const done = Buffer.from(`data: ${endMark}\n\n`);
