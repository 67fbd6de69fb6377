// A stream in the callers' own format (SDK type `ChatCompletionChunk`), passed through event by event: untouched but for the
// usage chunk, which is taken out where the caller did not request it, and for what a vendor's own ChunkChanges changes. Complete
// only with `data: [DONE]`.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { CostText, Usage } from '../../conversation/usage.ts';
import type { StreamLimits, StreamReader, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { eventData, SseSplitter } from '../sse.ts';
import { isErrorBody, modelName } from './read-response.ts';
import { TextMeter } from './text-meter.ts';
import { type Pieces, passedUsage, piecesIn, type RequestedUsage, withCost } from './usage.ts';

export interface PassthroughOptions {
  /** The caller requested the usage chunk. */
  readonly includeUsage: boolean;
  readonly requested: RequestedUsage;
  /** Reported in the usage chunk. */
  readonly costText?: CostText | undefined;
  readonly limits: StreamLimits;
  /** Classifies an error that comes as an event. */
  readonly readError: (output: JsonObject) => VendorError;
  /** Without one most events are passed on without being parsed. */
  readonly form?: ChunkChanges;
}

/** What a vendor's chunks become for the caller. */
export interface ChunkChanges {
  /** @returns the chunk itself where it stays unchanged, another in its place, or nothing */
  chunk(chunk: JsonObject): JsonObject | undefined;
  /** The last chunks before the usage chunk and the end. */
  end(): readonly JsonObject[];
}

const done = Buffer.from('[DONE]');
/** Most events are larger than the end marker, comments and other fields before it included: they are not searched. */
const doneBytesMax = 128;
const usageKey = Buffer.from('"usage"');
const errorKey = Buffer.from('"error"');
const imagesKey = Buffer.from('"images"');
const citationWord = Buffer.from('"url_citation"');

export class PassthroughStream implements StreamReader {
  readonly #options: PassthroughOptions;
  readonly #events: SseSplitter;
  readonly #text = new TextMeter();
  /** With a form the usage chunk waits: whatever the vendor still says comes before it. */
  #usageChunk: Buffer | undefined;
  #pieces: Pieces = { images: 0, searches: 0 };
  complete = false;
  failure: VendorError | undefined;
  usage: Usage | undefined;
  model: string | undefined;

  constructor(options: PassthroughOptions) {
    this.#options = options;
    this.#events = new SseSplitter(options.limits.eventBytesMax);
  }

  /** Servers may report while they generate: only the end marker says that the last count is the whole. */
  get usageIsComplete(): boolean {
    return this.complete && this.usage !== undefined;
  }

  get textTokens(): number {
    return this.#text.tokens;
  }

  push(chunk: Buffer): Buffer {
    return this.#readAll(this.#events.push(chunk));
  }

  /** The end marker is an event; a last carriage return may complete it. */
  end(): Buffer {
    return this.#readAll(this.#events.end());
  }

  #readAll(events: readonly Buffer[]): Buffer {
    const output: Buffer[] = [];
    for (const event of events) {
      if (this.complete || this.failure !== undefined) break;
      this.#read(event, output);
    }
    return output.length === 1 && output[0] !== undefined ? output[0] : Buffer.concat(output);
  }

  /** Reads one event. @param output takes what the caller gets for it */
  #read(event: Buffer, output: Buffer[]): void {
    if (event.length < doneBytesMax && event.includes(done) && eventData(event) === '[DONE]') {
      this.#finish(event, output);
      return;
    }
    const { form, requested } = this.#options;
    const mayHoldPieces =
      (requested.wantsImages && event.includes(imagesKey)) ||
      (requested.wantsSearch && event.includes(citationWord));
    if (form === undefined && !hasValue(event, usageKey) && !event.includes(errorKey) && !mayHoldPieces) {
      this.model ??= nameIn(event);
      this.#text.addEvent(event);
      output.push(event);
      return;
    }
    const data = eventData(event);
    // Comments keep a connection open.
    if (data === undefined) output.push(event);
    else this.#readChunk(data, event, output);
  }

  #readChunk(data: string, event: Buffer, output: Buffer[]): void {
    const { form, readError, includeUsage, requested } = this.#options;
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) throw protocolError('an event of the stream is no JSON object');
    if (isErrorBody(chunk)) {
      this.failure = readError(chunk);
      return;
    }
    const { images, searches } = piecesIn(chunk.choices, requested);
    this.#pieces = {
      images: this.#pieces.images + images,
      searches: Math.max(this.#pieces.searches, searches),
    };
    const usage = passedUsage(chunk, requested, this.#pieces);
    this.usage = usage ?? this.usage;
    this.model = modelName(chunk.model) ?? this.model;
    this.#text.addChunk(chunk);
    const isUsageChunk = usage !== undefined && Array.isArray(chunk.choices) && chunk.choices.length === 0;
    if (isUsageChunk && !includeUsage) return;
    const cost = isUsageChunk ? this.#options.costText?.(usage) : undefined;
    const passed = cost === undefined ? event : withCost(event, cost);
    if (form === undefined) output.push(passed);
    else if (isUsageChunk) this.#usageChunk = passed;
    else {
      const formed = form.chunk(chunk);
      if (formed !== undefined) output.push(formed === chunk ? event : eventOf(formed));
    }
  }

  #finish(event: Buffer, output: Buffer[]): void {
    this.complete = true;
    for (const chunk of this.#options.form?.end() ?? []) output.push(eventOf(chunk));
    if (this.#usageChunk !== undefined) output.push(this.#usageChunk);
    output.push(event);
  }
}

function eventOf(chunk: JsonObject): Buffer {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** Of a first chunk that is not parsed: the name is near its head, and one that is quoted in a text has other marks. */
function nameIn(event: Buffer): string | undefined {
  const head = event.toString('latin1', 0, headBytes);
  return modelName(/"model"\s*:\s*"([^"\\]*)"/.exec(head)?.[1]);
}

const headBytes = 512;

/** Whether the key is in the event with a value other than null. */
function hasValue(event: Buffer, key: Buffer): boolean {
  const at = event.indexOf(key);
  return at !== -1 && !/^\s*:\s*null/.test(event.toString('latin1', at + key.length, at + key.length + 16));
}
