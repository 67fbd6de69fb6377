// One attempt at a provider: sends the request, collects a complete answer, or holds a stream's head until its first event
// and then hands the stream over. What goes wrong before that is the attempt's outcome; afterwards it goes to the sink.
import type { IncomingHttpHeaders } from 'node:http';
import { ByteStore } from '../../common/byte-store.ts';
import type { Usage } from '../chat/usage.ts';
import { GatewayError } from '../errors.ts';
import {
  type Credential,
  type ProviderCall,
  type StreamReader,
  type UpstreamRequest,
  type VendorError,
  VendorFailure,
} from '../providers/provider.ts';
import { passedHeaders } from './answer-headers.ts';
import { answeredModel } from './answered-model.ts';
import { holdsKey, withoutKey } from './key-echo.ts';
import { providerFailure } from './provider-failure.ts';
import type { Transport, TransportError, UpstreamConnection, UpstreamReceiver } from './transport.ts';

export interface AttemptLimits {
  readonly answerBytesMax: number;
  readonly eventBytesMax: number;
}

export interface AttemptDeps {
  readonly transport: Transport;
  readonly limits: AttemptLimits;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The request that the attempt works for. */
export interface AttemptContext {
  /** Called when the request is about to be sent: what cannot be built is no attempt. @throws what ended the request */
  attemptStarted(): void;
  /** Takes room for buffered bytes. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Bytes came from the provider. */
  progress(): void;
  /** The attempt fails before there is an answer to hand over: what had come of one by then. */
  received(told: Received): void;
}

/** What a provider has told so far. */
export interface Received {
  usage(): Usage | undefined;
  /** The model that answers, if it was named: printable, of at most 256 characters, without a credential. */
  model(): string | undefined;
  /** Bytes of text; rather too many than too few. */
  textBytes(): number;
}

export interface CompleteResult {
  readonly kind: 'complete';
  /** What passes of the provider's, names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
  /** Of the provider's answer, which holds its text. */
  readonly textBytes: number;
}

export interface StreamResult extends Received {
  readonly kind: 'stream';
  /** What passes of the provider's, names and values in turn. */
  readonly headers: readonly string[];
  /** Starts the flow: what is held first, then what comes. */
  flowTo(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  /** Cancels the provider; the sink is told this error, unless all had come. */
  abort(error: Error): void;
}

export type AttemptResult = CompleteResult | StreamResult;

/** Where a stream goes once it is committed. After `end` or `fail` nothing follows. */
export interface StreamSink {
  write(bytes: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Of an error no more is read: its status says what matters. */
const errorBytesMax = 1024 * 1024;
/** For the connection to end after the stream's end marker; then it is given up instead of used again. */
const endGraceMs = 1000;

export class Attempt implements UpstreamReceiver, StreamResult {
  readonly kind = 'stream';
  readonly #call: ProviderCall;
  readonly #deps: AttemptDeps;
  readonly #context: AttemptContext;
  readonly #outcome = Promise.withResolvers<AttemptResult>();
  #connection: UpstreamConnection | undefined;
  #status = 0;
  #head: IncomingHttpHeaders = {};
  headers: readonly string[] = [];
  #ownHeaders: string[] = [];
  readonly #body = new ByteStore();
  #reader: StreamReader | undefined;
  #held: Buffer[] = [];
  #sink: StreamSink | undefined;
  #ending: (() => void) | undefined;
  #settled = false;
  #endTimer: NodeJS.Timeout | undefined;

  constructor(call: ProviderCall, deps: AttemptDeps, context: AttemptContext) {
    this.#call = call;
    this.#deps = deps;
    this.#context = context;
  }

  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult> {
    const request = this.#call.target.provider.buildRequest(this.#call);
    if (request instanceof Promise)
      request.then((built) => this.#send(built)).catch((error: unknown) => this.#fail(error));
    else this.#send(request);
    return this.#outcome.promise;
  }

  /** Ends the attempt from outside: the client left, or something took too long. */
  abort(error: Error): void {
    if (this.#reader?.complete === true) return;
    this.#connection?.cancel();
    this.#fail(error);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#context.progress();
    this.#status = status;
    this.#head = headers;
    if (!this.#isSuccess) return;
    this.headers = passedHeaders(headers, this.#call.target.credential).concat(this.#ownHeaders);
    // A header that came twice is a list.
    const type = String(headers['content-type'] ?? '');
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      this.#break('the answer is compressed though nobody asked for it');
    } else if (this.#call.request.stream && !type.startsWith(this.#call.target.provider.streamType)) {
      this.#break(
        `a stream was asked for, not ${withoutKey(type, this.#call.target.credential).slice(0, 60)}`,
      );
    } else if (this.#call.request.stream) {
      this.#reader = this.#call.target.provider.openStream(this.#call, headers, this.#deps.limits);
    }
  }

  onData(chunk: Buffer): void {
    if (this.#reader?.complete === true) return;
    this.#context.progress();
    try {
      if (this.#reader === undefined) this.#collect(chunk);
      else this.#read(this.#reader, chunk);
    } catch (error) {
      this.#connection?.cancel();
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
      this.#fail(error);
    }
  }

  onError(error: TransportError): void {
    clearTimeout(this.#endTimer);
    if (this.#reader?.complete === true) return;
    const code =
      this.#status === 0 && error.kind !== 'protocol' ? 'upstream_unreachable' : 'upstream_protocol_error';
    this.#fail(new GatewayError(code, { cause: error }));
  }

  usage(): Usage | undefined {
    return this.#reader?.usage;
  }

  model(): string | undefined {
    return answeredModel(this.#reader?.model, this.#call.target.credential);
  }

  /** Of what is no stream all bytes so far: its text stands in them. */
  textBytes(): number {
    if (this.#reader !== undefined) return this.#reader.textBytes;
    return this.#isSuccess ? this.#body.length : 0;
  }

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    for (const bytes of this.#held) sink.write(bytes);
    this.#held = [];
    this.#ending?.();
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  #send(request: UpstreamRequest): void {
    // Ended while it was being signed.
    if (this.#settled) return;
    this.#context.attemptStarted();
    this.#ownHeaders = ownHeaders(request, this.#call.target.credential);
    this.#connection = this.#deps.transport.send(request, this);
  }

  get #isSuccess(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #collect(chunk: Buffer): void {
    this.#context.buffer(chunk.length);
    this.#body.push(chunk);
    const { answerBytesMax } = this.#deps.limits;
    if (this.#isSuccess && this.#body.length > answerBytesMax) {
      this.#break(`the answer is larger than ${answerBytesMax} bytes`);
    } else if (!this.#isSuccess && this.#body.length > errorBytesMax) {
      throw this.#failure();
    }
  }

  #complete(body: Buffer): void {
    const answer = this.#call.target.provider.readAnswer(this.#call, { head: this.#head, body });
    this.#settled = true;
    const model = answeredModel(answer.model, this.#call.target.credential);
    this.#outcome.resolve({
      ...{ kind: 'complete', headers: this.headers, body: answer.body, usage: answer.usage, model },
      textBytes: body.length,
    });
  }

  /** What the provider answered instead of an answer. */
  #failure(): Error {
    const { target } = this.#call;
    return this.#told(target.provider.readError(this.#status, this.#body.bytes, this.#head));
  }

  #told(vendor: VendorError): Error {
    return providerFailure(vendor, this.#head, this.#call, this.#deps.now());
  }

  #read(reader: StreamReader, chunk: Buffer): void {
    const bytes = reader.push(chunk);
    if (bytes.length > 0) this.#forward(bytes);
    if (reader.complete) this.#finish();
    if (reader.failure !== undefined) throw this.#told(reader.failure);
  }

  /** Where a vendor has no end marker the end itself is one, if all that must come has come. */
  #endStream(reader: StreamReader): void {
    const bytes = reader.end();
    if (reader.failure !== undefined) throw this.#told(reader.failure);
    if (!reader.complete) {
      this.#break('the stream ended before its end marker');
      return;
    }
    if (bytes.length > 0) this.#forward(bytes);
    this.#conclude((sink) => sink.end());
  }

  #forward(bytes: Buffer): void {
    if (this.#sink !== undefined) {
      this.#sink.write(bytes);
      return;
    }
    this.#held.push(bytes);
    if (this.#settled) return;
    this.#settled = true;
    this.#outcome.resolve(this);
  }

  /** The end marker is there: the caller has all. The provider's end of the connection may still be on its way. */
  #finish(): void {
    this.#conclude((sink) => sink.end());
    this.#connection?.resume();
    this.#endTimer = setTimeout(() => this.#connection?.cancel(), endGraceMs).unref();
  }

  #break(why: string): void {
    this.#connection?.cancel();
    this.#fail(new GatewayError('upstream_protocol_error', { cause: new Error(why) }));
  }

  #fail(cause: unknown): void {
    const error = cause instanceof VendorFailure ? this.#told(cause.vendor) : asError(cause);
    if (this.#settled) {
      this.#conclude((sink) => sink.fail(error));
      return;
    }
    this.#settled = true;
    this.#context.received(this);
    this.#outcome.reject(error);
  }

  /** Tells the sink how it ended, once; later if the stream is not flowing yet. */
  #conclude(tell: (sink: StreamSink) => void): void {
    if (this.#ending !== undefined) return;
    this.#ending = () => {
      if (this.#sink !== undefined) tell(this.#sink);
    };
    this.#ending();
  }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** What the caller is told of how its request was sent; nothing, nearly always. */
function ownHeaders({ dropped = [], maxTokens }: UpstreamRequest, credential: Credential): string[] {
  const headers: string[] = [];
  if (dropped.length > 0) headers.push('x-svc-dropped-params', fieldNames(dropped, credential));
  if (maxTokens !== undefined) headers.push('x-svc-max-tokens', String(maxTokens));
  return headers;
}

function fieldNames(dropped: readonly string[], credential: Credential): string {
  const isName = (field: string) => fieldName.test(field) && !holdsKey(field, credential);
  return [...new Set(dropped.map((field) => (isName(field) ? field : '?')))].join(',');
}

/** Names of unknown fields are the caller's words, and may be anything, even a key: what no field is called is not repeated. */
const fieldName = /^[a-z][a-z_]*(\.[a-z_]+)*$/i;
