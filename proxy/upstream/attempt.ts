// One attempt at a provider: sends the request and collects a complete response, or buffers a stream's head until its
// first event and then hands the stream over. An earlier failure is the attempt's outcome; a later one goes to the
// sink. A response without a reader is released, not cancelled: its usage may still be read (readOn), or it is given
// up.
import type { IncomingHttpHeaders } from 'node:http';
import { ByteStore } from '../../common/byte-store.ts';
import { isInBackground } from '../call.ts';
import type { GiveUpReason, ResponseEnd } from '../conversation/response-end.ts';
import { textTokensMax } from '../conversation/text-tokens.ts';
import type { Usage } from '../conversation/usage.ts';
import { GatewayError, isUpstreamTimeout, overloaded } from '../errors.ts';
import { largeBytes } from '../formats/chat-completions/read-request.ts';
import { completionTokensMax } from '../formats/chat-completions/text-meter.ts';
import { type CompleteResponse, type StreamReader, type VendorError, VendorFailure } from '../formats/format.ts';
import { buildRequest, formatOf, type ProviderCall, passesResponse, type Target } from '../providers/provider.ts';
import type { AttemptContext, AttemptDeps } from './attempt-context.ts';
import type { AttemptResult, CompleteResult, Received, StreamResult, StreamSink } from './attempt-result.ts';
import { outgoing } from './outgoing.ts';
import { type FailureResponse, providerFailure } from './provider-failure.ts';
import { responseModel, withoutKey } from './provider-text.ts';
import { ownHeaders, passedHeaders } from './response-headers.ts';
import type { BuiltRequest, ReadResponse } from './translation-job.ts';
import type { TransportError, UpstreamConnection, UpstreamReceiver } from './transport.ts';

export type { AttemptContext, AttemptDeps, AttemptResult, CompleteResult, Received, StreamResult, StreamSink };

/** No more of an error is read: its status is enough. */
const errorBytesMax = 1024 * 1024;
/** Time for the connection to end after the stream's end marker. After it, the connection is not reused. */
const endGraceMs = 1000;

export class Attempt implements UpstreamReceiver, StreamResult, Received {
  readonly kind = 'stream';
  readonly #call: ProviderCall;
  readonly #format: ReturnType<typeof formatOf>;
  readonly #deps: AttemptDeps;
  readonly #context: AttemptContext;
  readonly #fresh: boolean;
  readonly #outcome = Promise.withResolvers<AttemptResult>();
  #connection: UpstreamConnection | undefined;
  #status = 0;
  #head: IncomingHttpHeaders = {};
  headers: readonly string[] = [];
  #ownHeaders: string[] = [];
  readonly #body = new ByteStore();
  #reader: StreamReader | undefined;
  #pendingBytes: Buffer[] = [];
  #sink: StreamSink | undefined;
  #conclusion: (() => void) | undefined;
  #settled = false;
  /** The response has no reader, so the rest of it is read only for its usage. */
  #released = false;
  #over: PromiseWithResolvers<void> | undefined;
  #whenOver: (() => void) | undefined;
  ending: ResponseEnd = 'open';
  /** A whole response. */
  #response: (CompleteResponse & Partial<ReadResponse>) | undefined;
  #endTimer: NodeJS.Timeout | undefined;

  /** @param fresh the request needs a new connection */
  constructor(call: ProviderCall, deps: AttemptDeps, context: AttemptContext, { fresh = false } = {}) {
    this.#call = call;
    this.#fresh = fresh;
    this.#format = formatOf(call);
    this.#deps = deps;
    this.#context = context;
  }

  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult> {
    const { translation } = this.#deps;
    const request =
      translation?.isLarge(this.#call) === true
        ? translation.build(this.#call, this.#requested)
        : buildRequest(this.#call);
    if (request instanceof Promise)
      request.then((built) => this.#send(built)).catch((error: unknown) => this.#fail(error));
    else this.#send(request);
    return this.#outcome.promise;
  }

  /**
   * Aborts the attempt from outside. A provider that took too long is cancelled. If the caller has left, or may not
   * have the response, the response is released, and then readOn() or giveUp() must be called. A request that was never
   * sent costs nothing.
   */
  abort(error: Error): void {
    if (this.ending !== 'open') return;
    if (this.#connection?.begun !== true) this.#cancel('unused');
    else if (isUpstreamTimeout(error)) this.#cancel('timed_out');
    else this.#released = true;
    this.#fail(error);
  }

  readOn(): Promise<void> {
    this.#released = true;
    this.#pendingBytes = [];
    if (this.ending !== 'open') return Promise.resolve();
    this.#over ??= Promise.withResolvers();
    this.#connection?.resume();
    return this.#over.promise;
  }

  giveUp(reason: GiveUpReason): void {
    if (this.ending === 'open') this.#cancel(reason);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#context.progress();
    this.#status = status;
    this.#head = headers;
    if (!this.#isSuccess) return;
    this.headers = passedHeaders(headers, this.#call.target.credential).concat(this.#ownHeaders);
    // A header that occurs twice is a list.
    const type = String(headers['content-type'] ?? '');
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      this.#break('the response is compressed although no encoding was requested');
    } else if (this.#call.request.stream && !type.startsWith(this.#format.streamType)) {
      this.#break(`a stream was requested, not ${withoutKey(type, this.#call.target.credential).slice(0, 60)}`);
    } else if (this.#call.request.stream) {
      this.#reader = this.#format.openStream(this.#call, headers, this.#deps.limits);
    }
  }

  onData(chunk: Buffer): void {
    if (this.#reader?.complete === true) return;
    this.#context.progress();
    try {
      if (this.#reader === undefined) this.#collect(chunk);
      else this.#read(this.#reader, chunk);
    } catch (error) {
      this.#cancel('not_read');
      this.#fail(error);
    }
  }

  onEnd(): void {
    clearTimeout(this.#endTimer);
    if (this.#reader?.complete === true) return;
    try {
      if (!this.#isSuccess) throw this.#failure();
      if (this.#reader === undefined) this.#complete(this.#body.bytes);
      else this.#endStream(this.#reader);
    } catch (error) {
      this.#notRead(error);
    }
  }

  onError(error: TransportError): void {
    clearTimeout(this.#endTimer);
    if (this.#reader?.complete === true) return;
    const code = this.#status === 0 && error.kind !== 'protocol' ? 'upstream_unreachable' : 'upstream_protocol_error';
    const isUnreached = error.kind === 'connect' || error.kind === 'forbidden' || !error.begun || error.wasIdle;
    this.#end(isUnreached ? 'unused' : 'reset');
    this.#fail(error.kind === 'overloaded' ? overloaded(error) : new GatewayError(code, { cause: error }));
  }

  get target(): Target {
    return this.#call.target;
  }

  get head(): IncomingHttpHeaders {
    return this.#head;
  }

  /** @param done called once, when the response has ended or was given up */
  whenOver(done: () => void): void {
    if (this.ending === 'open') this.#whenOver = done;
    else done();
  }

  get isConnected(): boolean {
    return this.#connection?.begun === true;
  }

  get isSent(): boolean {
    return this.#connection !== undefined;
  }

  get received(): Received {
    return this;
  }

  usage(): Usage | undefined {
    return this.#reader === undefined ? this.#response?.usage : this.#reader.usage;
  }

  get usageIsComplete(): boolean {
    const isReported = this.#reader === undefined ? this.#response?.usage !== undefined : this.#reader.usageIsComplete;
    // No provider generates text for free: if there is text and no output tokens are counted, the count is incomplete.
    return isReported && (this.usage()?.completionTokens !== 0 || this.textTokens() === 0);
  }

  model(): string | undefined {
    return responseModel((this.#reader ?? this.#response)?.model, this.#call.target.credential);
  }

  responseId(): string | undefined {
    return (this.#reader ?? this.#response)?.responseId;
  }

  textTokens(): number {
    if (this.#reader !== undefined) return this.#reader.textTokens;
    if (this.#response !== undefined) return this.#response.textTokens ?? completionTokensMax(this.#response.body);
    if (!this.#isSuccess) return 0;
    // A part of a body is not JSON, so its punctuation counts as text too. A token has at least one byte, and counting
    // a long text is slow.
    const { bytes } = this.#body;
    return bytes.length > largeBytes ? bytes.length : textTokensMax(bytes.toString());
  }

  get leavesOut(): boolean {
    return this.#call.leftOut !== undefined;
  }

  get isNative(): boolean {
    return passesResponse(this.#call);
  }

  get stops(): boolean {
    const { request, target } = this.#call;
    return request.stream && target.provider.streamStops.value && !isInBackground(this.#call);
  }

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    for (const bytes of this.#pendingBytes) sink.write(bytes);
    this.#pendingBytes = [];
    this.#conclusion?.();
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  #send(request: BuiltRequest): void {
    // The attempt was aborted while the request was being signed.
    if (this.#settled) return;
    this.#context.attemptStarted(this);
    this.#ownHeaders = ownHeaders(request, this.#call);
    this.#connection = this.#deps.transport.send(outgoing(request, this.#fresh), this, this.#context.owner);
  }

  get #requested() {
    return { owner: this.#context.owner, isLeft: () => this.#settled };
  }

  get #isSuccess(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #collect(chunk: Buffer): void {
    this.#context.buffer(chunk.length);
    this.#body.push(chunk);
    const { responseBytesMax } = this.#deps.limits;
    if (this.#isSuccess && this.#body.length > responseBytesMax) {
      this.#break(`the response is larger than ${responseBytesMax} bytes`);
    } else if (!this.#isSuccess && this.#body.length > errorBytesMax) {
      this.#cancel('unused');
      this.#fail(this.#failure());
    }
  }

  #complete(body: Buffer): void {
    const { translation } = this.#deps;
    const response = { head: this.#head, body };
    if (translation?.isLarge(this.#call, body.length) !== true) {
      this.#completed(this.#format.readResponse(this.#call, response));
      return;
    }
    const requested = { owner: this.#context.owner, isLeft: () => this.ending !== 'open' };
    translation.read(this.#call, response, requested).then(
      (read) => this.#completed(read),
      (error: unknown) => this.#notRead(error),
    );
  }

  #notRead(error: unknown): void {
    this.#end(error instanceof VendorFailure ? 'unused' : 'not_read');
    this.#fail(error);
  }

  #completed(response: CompleteResponse & Partial<ReadResponse>): void {
    // The response was given up while a worker read it.
    if (this.ending !== 'open') return;
    this.#response = response;
    this.#settled = true;
    const { isNative, headers } = this;
    this.#outcome.resolve({ kind: 'complete', headers, body: this.#response.body, isNative });
    this.#end('whole');
  }

  /** The provider's error response. */
  #failure(): Error {
    this.#end('unused');
    const body = this.#body.bytes;
    const vendor = this.#format.readError(this.#status, body, this.#head);
    return this.#vendorFailure(vendor, this.isNative ? { status: this.#status, body } : undefined);
  }

  /** @param native the vendor's error response, if the client reads the vendor's format */
  #vendorFailure(vendor: VendorError, native?: FailureResponse['native']): Error {
    return providerFailure(vendor, { head: this.#head, native }, this.#call, this.#deps.now());
  }

  #read(reader: StreamReader, chunk: Buffer): void {
    const bytes = reader.push(chunk);
    if (bytes.length > 0) this.#forward(bytes);
    if (reader.complete) this.#finish();
    if (reader.failure !== undefined) this.#failInside(reader, reader.failure);
  }

  /** An error instead of a stream is a refusal. Output before an error inside a stream was used. */
  #failInside(reader: StreamReader, failure: VendorError): void {
    const hasBegun = reader.usage !== undefined || reader.textTokens > 0;
    this.#cancel(hasBegun ? 'cut' : 'unused');
    this.#fail(this.#vendorFailure(failure));
  }

  /** For a vendor without an end marker, the end of the connection is one, if everything required has arrived. */
  #endStream(reader: StreamReader): void {
    const bytes = reader.end();
    if (reader.failure !== undefined) {
      this.#failInside(reader, reader.failure);
      return;
    }
    if (!reader.complete) {
      this.#break('the stream ended before its end marker', 'cut');
      return;
    }
    if (bytes.length > 0) this.#forward(bytes);
    this.#conclude((sink) => sink.end());
    this.#end('whole');
  }

  #forward(bytes: Buffer): void {
    if (this.#released) return;
    if (this.#sink !== undefined) {
      this.#sink.write(bytes);
      return;
    }
    this.#pendingBytes.push(bytes);
    if (this.#settled) return;
    this.#settled = true;
    this.#outcome.resolve(this);
  }

  /** The end marker has arrived, so the caller has everything. The provider's end of the connection may follow. */
  #finish(): void {
    this.#conclude((sink) => sink.end());
    this.#end('whole');
    this.#connection?.resume();
    this.#endTimer = setTimeout(() => this.#connection?.cancel(), endGraceMs).unref();
  }

  #break(why: string, ending: ResponseEnd = 'not_read'): void {
    this.#cancel(ending);
    this.#fail(new GatewayError('upstream_protocol_error', { cause: new Error(why) }));
  }

  #cancel(ending: ResponseEnd): void {
    this.#connection?.cancel();
    this.#end(ending);
  }

  /** Effective once: the first ending counts. */
  #end(ending: ResponseEnd): void {
    if (this.ending !== 'open') return;
    this.ending = ending;
    this.#over?.resolve();
    this.#whenOver?.();
  }

  #fail(cause: unknown): void {
    const error = cause instanceof VendorFailure ? this.#vendorFailure(cause.vendor) : asError(cause);
    if (this.#settled) {
      this.#conclude((sink) => sink.fail(error));
      return;
    }
    this.#settled = true;
    this.#outcome.reject(error);
  }

  /** Reports the end to the sink, once; later if the stream is not flowing yet. */
  #conclude(deliver: (sink: StreamSink) => void): void {
    if (this.#conclusion !== undefined) return;
    this.#conclusion = () => {
      if (this.#sink !== undefined) deliver(this.#sink);
    };
    this.#conclusion();
  }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
