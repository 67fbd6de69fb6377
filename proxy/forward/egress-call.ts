// One try to send a request to the egress gateway, and its response. A slow reader of the response slows the egress
// gateway down: only data that arrives before the sink is set is buffered here.
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError, isUpstreamTimeout } from '../errors.ts';
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
  /** Reports the end of the call; kept until there is a sink. */
  #ending: ((sink: StreamSink) => void) | undefined;
  status = 0;
  /** The headers by name. */
  headers: IncomingHttpHeaders = {};
  /** The headers as received. */
  rawHeaders: RawHeaders = [];

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /**
   * Resolves when the head of the response has arrived; its body waits for flowTo.
   * @throws TransportError, or the error that aborted the request
   */
  send(transport: Transport, request: OutgoingRequest): Promise<EgressCall> {
    this.#exchange.onAbort(this);
    this.#connection = transport.send(request, this, this.#exchange.owner);
    return this.#head.promise;
  }

  /** Ends the call from outside: the client left, or a time limit was reached. */
  abort(error: Error): void {
    this.#connection?.cancel();
    this.#fail(isUpstreamTimeout(error) ? egressTimeout(error) : error);
  }

  /** Starts the flow of the response body, which was paused until now. */
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
    // Paused until the head is on its way to the caller.
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

  /** Reports the end to the sink, once. */
  #conclude(deliver: (sink: StreamSink) => void): void {
    if (this.#ending !== undefined) return;
    this.#ending = deliver;
    if (this.#sink !== undefined) deliver(this.#sink);
  }
}

function egressTimeout(error: GatewayError): GatewayError {
  return new GatewayError('upstream_timeout', {
    message: 'the egress gateway did not respond in time',
    cause: error.cause,
  });
}
