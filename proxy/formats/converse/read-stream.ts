// Reads a streamed response (SDK type `ConverseStreamOutput`) and writes chunks in the shared shape. The usage comes
// after the end of the message, so the end of the caller's stream waits for it. If it never comes, the connection's
// clean end completes the stream.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamContext, StreamReader, StreamWriter, TranslatedCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { converseError, messageOf } from './errors.ts';
import { type Frame, FrameSplitter } from './frames.ts';
import { MessageReader } from './message-reader.ts';
import { responseIdentity, routedModel } from './read-response.ts';
import { responsePlan } from './request-plan.ts';
import { type ConverseUsage, readConverseUsage } from './usage.ts';

export class ConverseStreamReader implements StreamReader {
  readonly #call: TranslatedCall;
  readonly #head: IncomingHttpHeaders;
  readonly #frames: FrameSplitter;
  readonly #writer: StreamWriter;
  readonly #message: MessageReader;
  /** The message has ended; its usage may still come. */
  #stopped = false;
  #reported: ConverseUsage | undefined;
  complete = false;
  failure: VendorError | undefined;
  model: string | undefined;

  constructor(call: TranslatedCall, { head, limits, writer }: StreamContext) {
    this.#call = call;
    this.#head = head;
    this.#frames = new FrameSplitter(limits.eventBytesMax);
    this.#writer = writer;
    this.#message = new MessageReader(writer, responsePlan(call).form);
  }

  get usage(): Usage | undefined {
    return this.#reported?.usage;
  }

  /** The vendor reports usage once, after the end of the message. */
  get usageIsComplete(): boolean {
    return this.#reported !== undefined;
  }

  get textTokens(): number {
    return this.#writer.textTokens;
  }

  push(chunk: Buffer): Buffer {
    for (const frame of this.#frames.push(chunk)) {
      if (this.complete || this.failure !== undefined) break;
      this.#read(frame);
    }
    return this.#writer.take();
  }

  end(): Buffer {
    if (this.#stopped && !this.complete && !this.#frames.pending) this.#end();
    return this.#writer.take();
  }

  #read({ headers, payload }: Frame): void {
    if (headers.get(':message-type') === 'event') this.#readEvent(headers.get(':event-type'), payload);
    else this.failure = frameFailure(headers, payload);
  }

  #readEvent(type: string | undefined, payload: string): void {
    // After the end of the message, only its usage counts.
    if (!isKnown(type) || (this.#stopped && type !== 'metadata')) return;
    // Plain numbers suffice: no number of the event reaches the caller, and call arguments are text.
    const event = parseJson(payload);
    if (!isObject(event)) throw protocolError('an event of the stream is no JSON object');
    // Nothing is written before the first content, so that an earlier error still gets its own HTTP status.
    if (type !== 'messageStart' && type !== 'metadata') this.#start();
    this.#readKnown(type, event);
  }

  #start(): void {
    if (!this.#writer.started) this.#writer.start(responseIdentity(this.#call, this.#head));
  }

  #readKnown(type: EventType, event: JsonObject): void {
    switch (type) {
      case 'messageStart':
        return;
      case 'contentBlockStart':
        this.#message.begin(event.contentBlockIndex, event.start);
        return;
      case 'contentBlockDelta':
        this.#message.delta(event.contentBlockIndex, event.delta);
        return;
      case 'contentBlockStop':
        this.#message.end(event.contentBlockIndex);
        return;
      case 'messageStop':
        this.#writer.finish(this.#message.finish(event.stopReason));
        this.#stopped = true;
        if (this.#reported !== undefined) this.#end();
        return;
      case 'metadata':
        this.#reported = readConverseUsage(event, this.#call.request.options.service_tier) ?? this.#reported;
        this.model = routedModel(event.trace);
        if (this.#stopped) this.#end();
        return;
    }
  }

  #end(): void {
    this.#writer.end(this.usage ?? noUsage, this.#reported?.extras);
    this.complete = true;
  }
}

/**
 * The error in a frame that is no event.
 * @throws GatewayError upstream_protocol_error
 */
export function frameFailure(headers: Frame['headers'], payload: string): VendorError {
  switch (headers.get(':message-type')) {
    case 'exception': {
      const body = parseJson(payload);
      const message = isObject(body) ? messageOf(body) : undefined;
      return converseError({ type: headers.get(':exception-type'), message });
    }
    case 'error':
      return converseError({ type: headers.get(':error-code'), message: headers.get(':error-message') });
    default:
      throw protocolError('a frame of the stream is of no known kind');
  }
}

const eventTypes = [
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
] as const;

type EventType = (typeof eventTypes)[number];

function isKnown(type: string | undefined): type is EventType {
  return eventTypes.some((one) => one === type);
}

/**
 * The JSON string, without its quotes, of a frame that contains nothing else: a delta of text. Its client checks the
 * checksum.
 */
export function onlyTextOf(frame: Buffer): string | undefined {
  return textDelta.exec(frame.toString('utf8', preludeBytes))?.[1];
}

const preludeBytes = 12;
/** The end of the headers, whose order varies, and the payload. */
const textDelta =
  /contentBlockDelta.*\{"contentBlockIndex":\d+,"delta":\{"text":"((?:[^"\\]|\\.)*)"\}(?:,"p":"[A-Za-z0-9]*")?\}.{0,4}$/s;
