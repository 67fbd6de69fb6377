// Frames of the vendor's binary event stream (application/vnd.amazon.eventstream), joined from arbitrary chunks,
// checked by length and checksum, and decoded. The only import of @smithy/eventstream-codec.
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { ByteStore } from '../../../common/byte-store.ts';
import { expectReadable } from '../event-density.ts';
import { protocolError } from '../protocol-error.ts';

export interface Frame {
  /** The headers with string values. The vendor uses no other type. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: string;
}

/** Size of the prelude, its checksum, and the frame's checksum. */
const frameBytesMin = 16;
/** The format's own limit. */
const frameBytesMax = 16 * 1024 * 1024;

export class FrameSplitter {
  readonly #bytesMax: number;
  readonly #rest = new ByteStore();

  constructor(bytesMax: number) {
    this.#bytesMax = Math.min(bytesMax, frameBytesMax);
  }

  /**
   * @returns the frames that are complete
   * @throws GatewayError upstream_protocol_error for an impossible length or a wrong checksum
   */
  push(chunk: Buffer): Frame[] {
    this.#rest.push(chunk);
    const { bytes } = this.#rest;
    const frames: Frame[] = [];
    let start = 0;
    for (let end = this.#frameEnd(bytes, start); end <= bytes.length; end = this.#frameEnd(bytes, start)) {
      frames.push(readFrame(bytes.subarray(start, end)));
      start = end;
    }
    if (start > 0) {
      this.#rest.clear();
      this.#rest.push(bytes.subarray(start));
    }
    return frames;
  }

  /** Whether the bytes of an incomplete frame remain. */
  get pending(): boolean {
    return this.#rest.length > 0;
  }

  /** The end index of the frame that begins at `start`, from the length in its first four bytes. */
  #frameEnd(bytes: Buffer, start: number): number {
    if (bytes.length - start < 4) return Number.POSITIVE_INFINITY;
    const length = bytes.readUInt32BE(start);
    if (length >= frameBytesMin && length <= this.#bytesMax) return start + length;
    throw protocolError(`a frame of the stream claims a length of ${length} bytes`);
  }
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
  (text) => Buffer.from(text),
);

function readFrame(bytes: Buffer): Frame {
  try {
    // Decodes a copy in its own memory: the codec does not check lengths inside headers against the frame, so it could
    // read past it.
    const { headers, body } = codec.decode(new Uint8Array(bytes));
    const strings = Object.entries(headers).flatMap(([name, { type, value }]) =>
      type === 'string' ? [[name, value] as const] : [],
    );
    const payload = Buffer.from(body);
    expectReadable(payload);
    return { headers: new Map(strings), payload: payload.toString() };
  } catch (cause) {
    throw protocolError('a frame of the stream is malformed', cause);
  }
}
