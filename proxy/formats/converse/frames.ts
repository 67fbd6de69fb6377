// Frames of the vendor's binary event stream (application/vnd.amazon.eventstream): joined from arbitrary chunks, checked
// by length and checksum, decoded, and encoded. The only import of @smithy/eventstream-codec.
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

/** Splits bytes into whole frames without decoding or copying them. */
export class FrameBytes {
  readonly #bytesMax: number;
  readonly #rest = new ByteStore();

  constructor(bytesMax: number) {
    this.#bytesMax = Math.min(bytesMax, frameBytesMax);
  }

  /**
   * @returns the frames that are complete
   * @throws GatewayError upstream_protocol_error for an impossible length
   */
  push(chunk: Buffer): Buffer[] {
    this.#rest.push(chunk);
    const { bytes } = this.#rest;
    const frames: Buffer[] = [];
    let start = 0;
    for (let end = this.#frameEnd(bytes, start); end <= bytes.length; end = this.#frameEnd(bytes, start)) {
      frames.push(bytes.subarray(start, end));
      start = end;
    }
    if (start > 0) {
      this.#rest.clear();
      this.#rest.push(bytes.subarray(start));
    }
    return frames;
  }

  /** A frame says how long it is, so the end of the connection completes none. */
  end(): Buffer[] {
    return [];
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

export class FrameSplitter {
  readonly #bytes: FrameBytes;

  constructor(bytesMax: number) {
    this.#bytes = new FrameBytes(bytesMax);
  }

  /**
   * @returns the frames that are complete
   * @throws GatewayError upstream_protocol_error for an impossible length or a wrong checksum
   */
  push(chunk: Buffer): Frame[] {
    return this.#bytes.push(chunk).map(readFrame);
  }

  /** Whether the bytes of an incomplete frame remain. */
  get pending(): boolean {
    return this.#bytes.pending;
  }
}

/** An event, as the service writes it. @param payload JSON text */
export function eventFrame(type: string, payload: string): Buffer {
  return written([':event-type', type], 'event', payload);
}

/** An error that the API defines for the stream. @param type in lower camel case @param payload JSON text */
export function exceptionFrame(type: string, payload: string): Buffer {
  return written([':exception-type', type], 'exception', payload);
}

function written([name, type]: readonly [string, string], messageType: string, payload: string): Buffer {
  const headers = { [name]: type, ':content-type': 'application/json', ':message-type': messageType };
  const typed = Object.entries(headers).map(([key, value]) => [key, { type: 'string' as const, value }] as const);
  const body = Buffer.from(payload);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body }));
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
