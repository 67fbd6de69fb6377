// Reads a streamed response (SDK type `RawMessageStreamEvent` of @anthropic-ai/sdk) and writes chunks in the shared
// shape. It is complete only with `message_stop`; events of other types are ignored.
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { StreamContext, StreamReader, StreamWriter, TranslatedCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { SseSplitter } from '../sse.ts';
import { messagesError } from './errors.ts';
import { MessageReader } from './message-reader.ts';
import { responsePlan } from './request-plan.ts';
import { UsageCounter, usageExtras } from './usage.ts';

export class MessagesStreamReader implements StreamReader {
  readonly #call: TranslatedCall;
  readonly #events: SseSplitter;
  readonly #writer: StreamWriter;
  readonly #message: MessageReader;
  readonly #counter = new UsageCounter();
  #finished = false;
  complete = false;
  failure: VendorError | undefined;
  model: string | undefined;

  constructor(call: TranslatedCall, { limits, writer }: StreamContext) {
    this.#call = call;
    this.#events = new SseSplitter(limits.eventBytesMax);
    this.#writer = writer;
    this.#message = new MessageReader(writer, responsePlan(call).form);
  }

  get usage(): Usage | undefined {
    return this.#counter.usage;
  }

  get usageIsComplete(): boolean {
    return this.#counter.isComplete;
  }

  get textTokens(): number {
    return this.#writer.textTokens;
  }

  push(chunk: Buffer): Buffer {
    for (const event of this.#events.push(chunk)) this.#read(event);
    return this.#writer.take();
  }

  /** The end marker is an event. A last carriage return may complete it. */
  end(): Buffer {
    for (const event of this.#events.end()) this.#read(event);
    return this.#writer.take();
  }

  #read(event: Buffer): void {
    if (this.complete || this.failure !== undefined) return;
    const data = eventData(event);
    if (data === undefined) return;
    // Call arguments are text, so plain numbers suffice. Only results of the vendor's own tools need exact numbers:
    // they may be sent back.
    const parsed = data.includes('_tool_result"') ? parseExactJson(data) : parseJson(data);
    if (!isObject(parsed)) throw protocolError('an event of the stream is no JSON object');
    if (parsed.type === 'error') {
      this.failure = messagesError(isObject(parsed.error) ? parsed.error : {});
    } else if (parsed.type === 'message_start') this.#start(parsed.message);
    else if (this.#writer.started) this.#readStarted(parsed);
    else if (isPartOfMessage(parsed)) throw protocolError('the stream does not begin with message_start');
  }

  #start(message: unknown): void {
    if (!isObject(message) || this.#writer.started) throw protocolError('a message_start is misplaced');
    const { id, model, usage } = message;
    if (typeof id !== 'string') throw protocolError('the message has no id');
    this.#counter.addStart(usage);
    this.model = typeof model === 'string' ? model : undefined;
    this.#writer.start({
      id,
      created: Math.floor(this.#call.now / 1000),
      model: this.model ?? this.#call.model,
    });
  }

  #readStarted(event: JsonObject): void {
    if (this.#finished && isContent(event)) throw protocolError('the message continues after its end');
    switch (event.type) {
      case 'content_block_start':
        this.#message.begin(event.index, event.content_block);
        return;
      case 'content_block_delta':
        this.#message.delta(event.index, event.delta);
        return;
      case 'content_block_stop':
        this.#message.end(event.index);
        return;
      case 'message_delta':
        this.#counter.addDelta(event);
        this.#finish(isObject(event.delta) ? event.delta : {});
        return;
      case 'message_stop':
        if (!this.#finished) this.#writer.finish(this.#message.finish({}));
        this.#finished = true;
        this.#writer.end(this.#counter.known, usageExtras(this.#counter.known));
        this.complete = true;
        return;
    }
  }

  /** Writes the finish reason once: a second reason would contradict the first. */
  #finish(delta: JsonObject): void {
    const { stop_reason } = delta;
    if (this.#finished || stop_reason === undefined || stop_reason === null) return;
    this.#finished = true;
    this.#writer.finish(this.#message.finish(delta));
  }
}

function isContent({ type }: JsonObject): boolean {
  return type === 'content_block_start' || type === 'content_block_delta';
}

function isPartOfMessage({ type }: JsonObject): boolean {
  return typeof type === 'string' && /^(message|content_block)_/.test(type);
}

/** The JSON string, without its quotes, of an event that contains nothing else: a delta of text or of thinking. */
export function onlyTextOf(event: Buffer): string | undefined {
  return textDelta.exec(event.toString())?.[1];
}

const textDelta =
  /^event: content_block_delta\r?\ndata: *\{"type":"content_block_delta","index":\d+,"delta":\{"type":"(?:text|thinking)_delta","(?:text|thinking)":"((?:[^"\\]|\\.)*)"\} *\}\s*$/;
