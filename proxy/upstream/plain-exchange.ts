// One request to a provider whose response is small JSON and no model's: it is collected whole.
import type { IncomingHttpHeaders } from 'node:http';
import { ByteStore } from '../../common/byte-store.ts';
import type { ShareOwner } from '../../common/shares.ts';
import { GatewayError, overloaded } from '../errors.ts';
import type { OutgoingRequest, Transport, TransportError, UpstreamConnection, UpstreamReceiver } from './transport.ts';

export interface PlainResponse {
  readonly status: number;
  readonly head: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The request on whose behalf it is sent. */
export interface PlainContext {
  readonly owner: ShareOwner;
  onAbort(abortable: { abort(error: Error): void }): void;
  /** Accounts memory for buffered bytes. @throws GatewayError overloaded */
  buffer(bytes: number): void;
  /** Bytes came from the provider. */
  progress(): void;
}

/** @throws GatewayError upstream_unreachable, upstream_protocol_error, overloaded; or the error that aborted it */
export function exchangePlain(
  request: OutgoingRequest,
  context: PlainContext,
  deps: { readonly transport: Transport; readonly responseBytesMax: number },
): Promise<PlainResponse> {
  const receiver = new PlainReceiver(context, deps.responseBytesMax);
  receiver.connection = deps.transport.send(request, receiver, context.owner);
  context.onAbort(receiver);
  return receiver.outcome.promise;
}

class PlainReceiver implements UpstreamReceiver {
  readonly outcome = Promise.withResolvers<PlainResponse>();
  readonly #context: PlainContext;
  readonly #bytesMax: number;
  readonly #body = new ByteStore();
  #status = 0;
  #head: IncomingHttpHeaders = {};
  connection: UpstreamConnection | undefined;

  constructor(context: PlainContext, bytesMax: number) {
    this.#context = context;
    this.#bytesMax = bytesMax;
  }

  abort(error: Error): void {
    this.connection?.cancel();
    this.outcome.reject(error);
  }

  onHead(status: number, head: IncomingHttpHeaders): void {
    this.#status = status;
    this.#head = head;
    this.#context.progress();
  }

  onData(chunk: Buffer): void {
    this.#context.progress();
    try {
      this.#context.buffer(chunk.length);
      this.#body.push(chunk);
      if (this.#body.length > this.#bytesMax) throw new GatewayError('upstream_protocol_error');
    } catch (error) {
      this.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }

  onEnd(): void {
    this.outcome.resolve({ status: this.#status, head: this.#head, body: this.#body.bytes });
  }

  onError(error: TransportError): void {
    const code = this.#status === 0 && error.kind !== 'protocol' ? 'upstream_unreachable' : 'upstream_protocol_error';
    this.outcome.reject(error.kind === 'overloaded' ? overloaded(error) : new GatewayError(code, { cause: error }));
  }
}
