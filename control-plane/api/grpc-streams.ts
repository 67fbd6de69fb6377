// gRPC streams. A watch carries messages both ways until either side, or the revocation of the proxy's token, ends it.
// A download sends bytes as fast as the client reads them.
import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import type { WatchRequest__Output } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import type { WatchStream } from '../changes/watch.ts';
import { CallError } from '../rpc/errors.ts';

/** The library's stream, as far as it is used here. */
export interface WatchCallStream extends Pick<EventEmitter, 'emit'> {
  readonly cancelled: boolean;
  on(event: string, listener: (message: WatchRequest__Output) => void): unknown;
  write(message: WatchResponse): boolean;
  end(): unknown;
}

export class GrpcWatchStream implements WatchStream {
  readonly #call: WatchCallStream;
  readonly #confirm: () => Promise<unknown>;
  readonly #errorOf: (error: CallError) => Error;
  #ended = false;
  #onClose: (() => void) | undefined;

  /**
   * @param confirm rejects when the proxy is no longer authorized
   * @param errorOf makes the error that ends the stream on the wire
   */
  constructor(call: WatchCallStream, confirm: () => Promise<unknown>, errorOf: (error: CallError) => Error) {
    this.#call = call;
    this.#confirm = confirm;
    this.#errorOf = errorOf;
    call.on('cancelled', () => this.#close());
    call.on('end', () => this.#close());
    // A failure of the stream emits 'cancelled' too.
    call.on('error', () => this.#close());
  }

  onMessage(handler: (message: WatchRequest__Output) => void): void {
    this.#call.on('data', (message: WatchRequest__Output) => {
      // If a proxy's token is revoked while it watches, its next heartbeat ends the watch.
      if (message.ask !== undefined) this.#confirm().catch((error: unknown) => this.#refuse(error));
      handler(message);
    });
  }

  onClose(handler: () => void): void {
    this.#onClose = handler;
    // The call may be cancelled while its proxy is being authenticated.
    if (this.#ended || this.#call.cancelled) handler();
  }

  onDrain(handler: () => void): void {
    this.#call.on('drain', handler);
  }

  send(message: WatchResponse): boolean {
    return this.#ended || this.#call.write(message);
  }

  end(error?: CallError): void {
    if (this.#ended) return;
    this.#ended = true;
    if (error === undefined) this.#call.end();
    else this.#call.emit('error', this.#errorOf(error));
  }

  /** For a replica that stops: its proxies then watch another one. */
  leave(): void {
    this.#close();
    this.end();
  }

  #close(): void {
    this.#onClose?.();
  }

  #refuse(error: unknown): void {
    // While the database cannot be read the watch is silent anyway, and the proxy connects elsewhere.
    if (!(error instanceof CallError)) return;
    this.end(error);
    this.#close();
  }
}

export interface DownloadStream extends Writable {
  readonly cancelled: boolean;
}

/** Stops when the client leaves. @throws CallError then, and any error of the chunks */
export async function sendChunks(stream: DownloadStream, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!stream.cancelled && !stream.write({ chunk })) await drained(stream);
    if (stream.cancelled) throw new CallError('cancelled', 'the client left before the end');
  }
}

function drained(stream: DownloadStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('cancelled', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('cancelled', done);
  });
}
