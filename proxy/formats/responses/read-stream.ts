// Reads a streamed response (SDK type `ResponseStreamEvent` of the package openai) and writes it in the shared shape.
// It is complete only with an event that contains the whole response; events of other types are ignored.
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import { noUsage } from '../../conversation/usage.ts';
import type { StreamContext, StreamReader, StreamWriter, TranslatedCall, VendorError } from '../format.ts';
import { gptError } from '../gpt-error.ts';
import { protocolError } from '../protocol-error.ts';
import { SseSplitter } from '../sse.ts';
import { OutputReader } from './output-reader.ts';
import { failureOf, identityOf } from './read-response.ts';
import { responseUsage } from './usage.ts';

export class ResponsesStreamReader implements StreamReader {
  readonly #call: TranslatedCall;
  readonly #events: SseSplitter;
  readonly #writer: StreamWriter;
  readonly #output: OutputReader;
  complete = false;
  failure: VendorError | undefined;
  model: string | undefined;
  responseId: string | undefined;
  usage: Usage | undefined;

  constructor(call: TranslatedCall, { limits, writer }: StreamContext) {
    this.#call = call;
    this.#events = new SseSplitter(limits.eventBytesMax);
    this.#writer = writer;
    this.#output = new OutputReader(writer);
  }

  /** Only the last event has it. */
  get usageIsComplete(): boolean {
    return this.usage !== undefined;
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
    // Only the whole response has numbers whose spelling matters: those of its usage.
    const parsed = data.includes('"usage"') ? parseExactJson(data) : parseJson(data);
    if (!isObject(parsed)) throw protocolError('an event of the stream is no JSON object');
    const { type } = parsed;
    if (type === 'error') this.failure = gptError({ error: isObject(parsed.error) ? parsed.error : parsed });
    else if (type === 'response.created' || type === 'response.queued') this.#start(parsed.response);
    else if (typeof type !== 'string' || !type.startsWith('response.')) return;
    else if (this.#writer.started) this.#readStarted(type.slice('response.'.length), parsed);
    else throw protocolError('the stream does not begin with response.created');
  }

  #start(response: unknown): void {
    if (this.#writer.started) return;
    if (!isObject(response) || typeof response.id !== 'string') throw protocolError('the response has no id');
    this.responseId = response.id;
    this.model = typeof response.model === 'string' ? response.model : undefined;
    this.#writer.start(identityOf(response, this.#call));
  }

  #readStarted(type: string, event: JsonObject): void {
    switch (type) {
      case 'output_item.added':
        if (isObject(event.item)) this.#output.begin(event.item, event.output_index);
        return;
      case 'output_item.done':
        if (isObject(event.item)) this.#output.end(event.item, event.output_index);
        return;
      case 'reasoning_summary_part.added':
        this.#output.beginSummary(event);
        return;
      case 'completed':
      case 'incomplete':
      case 'cancelled':
      case 'failed':
        this.#end(event.response);
        return;
      default:
        this.#output.delta(type, event);
    }
  }

  #end(response: unknown): void {
    if (!isObject(response)) throw protocolError('the last event has no response');
    this.usage = responseUsage(response);
    const failure = failureOf(response);
    if (failure !== undefined) {
      this.failure = gptError(failure);
      return;
    }
    this.#writer.finish(this.#output.finish(response));
    this.#writer.end(this.usage ?? noUsage);
    this.complete = true;
  }
}

/** The JSON string, without its quotes, of an event that contains nothing else: a delta of text. */
export function onlyTextOf(event: Buffer): string | undefined {
  const text = event.toString();
  return text.startsWith(textDelta) ? deltaField.exec(text)?.[1] : undefined;
}

const textDelta = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta",';
const deltaField = /,"delta":"((?:[^"\\]|\\.)*)"[,}]/;
