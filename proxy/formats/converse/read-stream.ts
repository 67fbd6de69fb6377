// A streamed answer (SDK type `ConverseStreamOutput`): frames in, chunks in common shape out. The usage comes behind the end of
// the message, so the end the caller is told waits for it; without it the connection's clean end will do.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { ProviderCall, StreamLimits, StreamReader, VendorError } from '../../providers/provider.ts';
import { ChunkWriter } from '../chat-completions/write-stream.ts';
import { protocolError } from '../protocol-error.ts';
import { cloudError, messageOf } from './errors.ts';
import { type Frame, FrameSplitter } from './frames.ts';
import { MessageReader } from './message-reader.ts';
import { answerIdentity, routedModel } from './read-response.ts';
import { answerPlan } from './request-plan.ts';
import { type CloudUsage, readCloudUsage } from './usage.ts';

export class CloudStreamReader implements StreamReader {
  readonly #call: ProviderCall;
  readonly #head: IncomingHttpHeaders;
  readonly #frames: FrameSplitter;
  readonly #chunks: ChunkWriter;
  readonly #message: MessageReader;
  /** The message has ended; its usage may still come. */
  #stopped = false;
  #told: CloudUsage | undefined;
  complete = false;
  failure: VendorError | undefined;
  model: string | undefined;

  constructor(call: ProviderCall, head: IncomingHttpHeaders, limits: StreamLimits) {
    const { form, tools } = answerPlan(call);
    this.#call = call;
    this.#head = head;
    this.#frames = new FrameSplitter(limits.eventBytesMax);
    this.#chunks = new ChunkWriter({
      includeUsage: call.request.includeUsage,
      costText: call.costText,
      asFunctions: tools.asFunctions,
    });
    this.#message = new MessageReader(this.#chunks, form);
  }

  get usage(): Usage | undefined {
    return this.#told?.usage;
  }

  /** The vendor reports it once, behind the end of the message. */
  get usageIsComplete(): boolean {
    return this.#told !== undefined;
  }

  get textTokens(): number {
    return this.#chunks.textTokens;
  }

  push(chunk: Buffer): Buffer {
    for (const frame of this.#frames.push(chunk)) {
      if (this.complete || this.failure !== undefined) break;
      this.#read(frame);
    }
    return this.#chunks.take();
  }

  end(): Buffer {
    if (this.#stopped && !this.complete && !this.#frames.pending) this.#end();
    return this.#chunks.take();
  }

  #read({ headers, payload }: Frame): void {
    switch (headers.get(':message-type')) {
      case 'event':
        this.#readEvent(headers.get(':event-type'), payload);
        return;
      case 'exception': {
        const body = parseJson(payload);
        const message = isObject(body) ? messageOf(body) : undefined;
        this.failure = cloudError({ type: headers.get(':exception-type'), message });
        return;
      }
      case 'error':
        this.failure = cloudError({
          type: headers.get(':error-code'),
          message: headers.get(':error-message'),
        });
        return;
      default:
        throw protocolError('a frame of the stream is of no known kind');
    }
  }

  #readEvent(type: string | undefined, payload: string): void {
    // Behind the end of the message only its usage counts.
    if (!isKnown(type) || (this.#stopped && type !== 'metadata')) return;
    // No number of it goes on: arguments come as text.
    const event = parseJson(payload);
    if (!isObject(event)) throw protocolError('an event of the stream is no JSON object');
    // Nothing is told before there is something to tell: until then an error still has a status of its own.
    if (type !== 'messageStart' && type !== 'metadata') this.#start();
    this.#readKnown(type, event);
  }

  #start(): void {
    if (!this.#chunks.started) this.#chunks.start(answerIdentity(this.#call, this.#head));
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
        this.#chunks.finish(this.#message.finish(event.stopReason));
        this.#stopped = true;
        if (this.#told !== undefined) this.#end();
        return;
      case 'metadata':
        this.#told = readCloudUsage(event, this.#call.request.body.service_tier) ?? this.#told;
        this.model = routedModel(event.trace);
        if (this.#stopped) this.#end();
        return;
    }
  }

  #end(): void {
    this.#chunks.end(this.usage ?? noUsage, this.#told?.extras);
    this.complete = true;
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
