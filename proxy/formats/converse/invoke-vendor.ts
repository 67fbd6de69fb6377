// InvokeModel as a vendor's format, for clients that speak it too: a message of the Messages API as the whole response,
// or its events one by one in frames (SDK type `ResponseStream`). Errors are those of Converse.
import { isObject, parseJson } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ReadableFormat, StreamContext, StreamReader, TranslatedCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { readConverseError } from './errors.ts';
import { type Frame, FrameSplitter } from './frames.ts';
import { frameFailure } from './read-stream.ts';
import { streamType } from './write-request.ts';

/** @param messages reads the Messages API */
export function invokeFormat(messages: ReadableFormat): ReadableFormat {
  return {
    name: 'converse',
    streamType,
    readResponse: messages.readResponse,
    ...(messages.readPassed && { readPassed: messages.readPassed }),
    openStream: (call, context) => new InvokeStreamReader(messages, call, context),
    readError: readConverseError,
  };
}

class InvokeStreamReader implements StreamReader {
  readonly #frames: FrameSplitter;
  readonly #events: StreamReader;
  #failure: VendorError | undefined;

  constructor(messages: ReadableFormat, call: TranslatedCall, context: StreamContext) {
    this.#frames = new FrameSplitter(context.limits.eventBytesMax);
    this.#events = messages.openStream(call, context);
  }

  get complete(): boolean {
    return this.#events.complete;
  }

  get failure(): VendorError | undefined {
    return this.#failure ?? this.#events.failure;
  }

  get usage(): Usage | undefined {
    return this.#events.usage;
  }

  get usageIsComplete(): boolean {
    return this.#events.usageIsComplete;
  }

  get model(): string | undefined {
    return this.#events.model;
  }

  get textTokens(): number {
    return this.#events.textTokens;
  }

  push(chunk: Buffer): Buffer {
    const written: Buffer[] = [];
    for (const frame of this.#frames.push(chunk)) {
      if (this.complete || this.failure !== undefined) break;
      written.push(this.#read(frame));
    }
    return Buffer.concat(written);
  }

  end(): Buffer {
    return this.#events.end();
  }

  #read({ headers, payload }: Frame): Buffer {
    if (headers.get(':message-type') !== 'event') {
      this.#failure = frameFailure(headers, payload);
      return nothing;
    }
    if (headers.get(':event-type') !== 'chunk') return nothing;
    const part = parseJson(payload);
    if (!isObject(part) || typeof part.bytes !== 'string') throw protocolError('a chunk of the stream has no bytes');
    const event = Buffer.from(part.bytes, 'base64').toString();
    return this.#events.push(Buffer.from(`data: ${event.replaceAll('\n', ' ')}\n\n`));
  }
}

const nothing = Buffer.alloc(0);

/**
 * The JSON string, without its quotes, of a frame that contains nothing else: a delta of text. Its client checks the
 * checksum.
 * @param messagesText the same for an event of the Messages API
 */
export function onlyTextOf(messagesText: (event: Buffer) => string | undefined): (frame: Buffer) => string | undefined {
  return (frame) => {
    const [, bytes] = chunk.exec(frame.toString('latin1', preludeBytes)) ?? [];
    if (bytes === undefined) return undefined;
    const data = Buffer.from(bytes, 'base64').toString();
    return messagesText(Buffer.from(`event: content_block_delta\ndata: ${data}\n\n`));
  };
}

const preludeBytes = 12;
/** The end of the headers, whose order varies, and the payload. */
const chunk = /chunk.*\{"bytes":"([A-Za-z0-9+/=]*)"(?:,"p":"[A-Za-z0-9]*")?\}.{0,4}$/s;
