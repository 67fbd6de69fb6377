// Server-Sent Events of providers, which may be too large or too dense.
import { EventSplitter } from '../../common/event-stream.ts';
import { expectReadable } from './event-density.ts';
import { protocolError } from './protocol-error.ts';

export class SseSplitter extends EventSplitter {
  readonly #eventBytesMax: number;

  /** An event over the limit is GatewayError upstream_protocol_error. */
  constructor(eventBytesMax: number) {
    super();
    this.#eventBytesMax = eventBytesMax;
  }

  protected override checkSize(eventBytes: number): void {
    if (eventBytes > this.#eventBytesMax) throw protocolError('an event of the stream is too large');
  }

  protected override checkEvent(event: Buffer): void {
    if (this.#eventBytesMax !== Number.POSITIVE_INFINITY) expectReadable(event);
  }
}
