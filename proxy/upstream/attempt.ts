// One attempt at a provider: sends the request, collects a complete answer, or holds a stream's head until its first event
// and then hands the stream over. What goes wrong before that is the attempt's outcome; afterwards it goes to the sink.
import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../chat/usage.ts';
import { GatewayError } from '../errors.ts';
import type { ProviderCall, StreamReader } from '../providers/provider.ts';
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
  /** Takes room for buffered bytes. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Bytes came from the provider. */
  progress(): void;
}

export interface CompleteResult {
  readonly kind: 'complete';
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly usage: Usage | undefined;
}

export interface StreamResult {
  readonly kind: 'stream';
  readonly headers: IncomingHttpHeaders;
  /** The usage told so far. */
  usage(): Usage | undefined;
  /** Starts the flow: what is held first, then what comes. */
  flowTo(sink: StreamSink): void;
  pause(): void;
  resume(): void;
}

export type AttemptResult = CompleteResult | StreamResult;

/** Where a stream goes once it is committed. After `end` or `fail` nothing follows. */
export interface StreamSink {
  write(bytes: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

const errorBytesMax = 1024 * 1024;

export class Attempt implements UpstreamReceiver, StreamResult {
  readonly kind = 'stream';
  readonly #call: ProviderCall;
  readonly #deps: AttemptDeps;
  readonly #outcome = Promise.withResolvers<AttemptResult>();
  #connection: UpstreamConnection | undefined;
  #status = 0;
  headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #collected = 0;
  #reader: StreamReader | undefined;
  #held: Buffer[] = [];
  #sink: StreamSink | undefined;
  #ending: (() => void) | undefined;
  #settled = false;

  constructor(call: ProviderCall, deps: AttemptDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** @throws GatewayError, ProviderFailure */
  run(): Promise<AttemptResult> {
    const request = this.#call.target.provider.buildRequest(this.#call);
    this.#connection = this.#deps.transport.send(request, this);
    return this.#outcome.promise;
  }

  /** Ends the attempt from outside: the client left, or something took too long. */
  abort(error: Error): void {
    this.#connection?.cancel();
    if (this.#reader?.complete === true) this.#finish();
    else this.#fail(error);
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#deps.progress();
    this.#status = status;
    this.headers = headers;
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      this.#break('the answer is compressed though nobody asked for it');
    } else if (this.#isSuccess && this.#call.request.stream) {
      const type = headers['content-type'] ?? '';
      if (!type.startsWith('text/event-stream'))
        return this.#break(`a stream was asked for, not ${type.slice(0, 60)}`);
      this.#reader = this.#call.target.provider.openStream(this.#call, this.#deps.limits);
    }
  }

  onData(chunk: Buffer): void {
    this.#deps.progress();
    try {
      if (this.#reader === undefined) this.#collect(chunk);
      else this.#read(this.#reader, chunk);
    } catch (error) {
      this.#connection?.cancel();
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onEnd(): void {
    if (this.#reader !== undefined) {
      if (this.#reader.complete) this.#finish();
      else this.#break('the stream ended before its end marker');
      return;
    }
    try {
      this.#complete(Buffer.concat(this.#chunks));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onError(error: TransportError): void {
    if (this.#reader?.complete === true) {
      this.#finish();
      return;
    }
    const code =
      this.#status === 0 && error.kind !== 'protocol' ? 'upstream_unreachable' : 'upstream_protocol_error';
    this.#fail(new GatewayError(code, { cause: error }));
  }

  usage(): Usage | undefined {
    return this.#reader?.usage;
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

  get #isSuccess(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #collect(chunk: Buffer): void {
    this.#deps.buffer(chunk.length);
    this.#collected += chunk.length;
    this.#chunks.push(chunk);
    const max = this.#isSuccess ? this.#deps.limits.answerBytesMax : errorBytesMax;
    if (this.#collected > max) this.#break(`the answer is larger than ${max} bytes`);
  }

  #complete(body: Buffer): void {
    const { target } = this.#call;
    if (!this.#isSuccess) {
      const vendor = target.provider.readError(this.#status, body);
      throw providerFailure(vendor, this.headers, target.providerKeyId === undefined, this.#deps.now());
    }
    const answer = target.provider.readAnswer(body);
    this.#settled = true;
    this.#outcome.resolve({ kind: 'complete', headers: this.headers, ...answer });
  }

  #read(reader: StreamReader, chunk: Buffer): void {
    const bytes = reader.push(chunk);
    if (bytes.length > 0) this.#forward(bytes);
    if (reader.failure === undefined) return;
    const direct = this.#call.target.providerKeyId === undefined;
    throw providerFailure(reader.failure, this.headers, direct, this.#deps.now());
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

  #finish(): void {
    this.#conclude((sink) => sink.end());
    if (!this.#settled)
      this.#fail(new GatewayError('upstream_protocol_error', { cause: new Error('an empty stream') }));
  }

  #break(why: string): void {
    this.#connection?.cancel();
    this.#fail(new GatewayError('upstream_protocol_error', { cause: new Error(why) }));
  }

  #fail(error: Error): void {
    if (this.#settled) {
      this.#conclude((sink) => sink.fail(error));
      return;
    }
    this.#settled = true;
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
