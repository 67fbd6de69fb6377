// One try to send a request to the egress gateway, and its answer as it comes. Whoever reads the answer slowly slows the egress
// gateway down: nothing is held here but what came before the sink was there.
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { StreamSink } from '../upstream/attempt.ts';
import type {
  OutgoingRequest,
  RawHeaders,
  Transport,
  TransportError,
  UpstreamConnection,
  UpstreamReceiver,
} from '../upstream/transport.ts';

export class EgressCall implements UpstreamReceiver {
  readonly #exchange: Exchange;
  readonly #head = Promise.withResolvers<EgressCall>();
  #connection: UpstreamConnection | undefined;
  #sink: StreamSink | undefined;
  /** How it ended, until there is somebody to tell. */
  #ending: ((sink: StreamSink) => void) | undefined;
  status = 0;
  /** Known by name. */
  headers: IncomingHttpHeaders = {};
  /** As they came. */
  rawHeaders: RawHeaders = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /**
   * Resolves when the head of the answer is here; its body waits for flowTo.
   * @throws TransportError, or what ended the request from outside
   */
  send(transport: Transport, request: OutgoingRequest): Promise<EgressCall> {
    this.#exchange.onAbort(this);
    this.#connection = transport.send(request, this, this.#exchange.owner);
    return this.#head.promise;
  }

  /** Ends it from outside: the client left, or it took too long. */
  abort(error: Error): void {
    this.#connection?.cancel();
    this.#fail(isTimeout(error) ? egressTimeout(error) : error);
  }

  /** Nothing of the answer was let through before. */
  flowTo(sink: StreamSink): void {
    this.#sink = sink;
    this.#ending?.(sink);
    this.#connection?.resume();
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  onHead(status: number, headers: IncomingHttpHeaders, raw: RawHeaders = []): void {
    this.#exchange.progress();
    Object.assign(this, { status, headers, rawHeaders: raw });
    // Until the head is on its way to the caller.
    this.#connection?.pause();
    this.#head.resolve(this);
  }

  onData(chunk: Buffer): void {
    this.#exchange.progress();
    this.#sink?.write(chunk);
  }

  onEnd(): void {
    this.#conclude((sink) => sink.end());
  }

  onError(error: TransportError): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.#head.reject(error);
    this.#conclude((sink) => sink.fail(error));
  }

  /** Tells the sink how it ended, once. */
  #conclude(deliver: (sink: StreamSink) => void): void {
    if (this.#ending !== undefined) return;
    this.#ending = deliver;
    if (this.#sink !== undefined) deliver(this.#sink);
  }
}

function isTimeout(error: Error): error is GatewayError {
  return error instanceof GatewayError && error.code === 'upstream_timeout';
}

function egressTimeout(error: GatewayError): GatewayError {
  return new GatewayError('upstream_timeout', {
    message: 'the egress gateway did not answer in time',
    cause: error.cause,
  });
}
