// Reads a streamed response: each event is a response with the new parts. The format has no end marker: the response is
// complete when the connection ends after a finish reason was reported. The reason is written only then, because a
// later call can change it.
import type { IncomingHttpHeaders } from 'node:http';
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { ResponseText } from '../../conversation/output-mode.ts';
import type { Finish } from '../../conversation/response.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamContext, StreamReader, StreamWriter, TranslatedCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { SseSplitter } from '../sse.ts';
import { annotations } from './annotations.ts';
import { CallReader } from './calls.ts';
import { generateContentError } from './errors.ts';
import { cachedContent } from './fields.ts';
import { finishOf } from './finish.ts';
import { logprobsOf } from './logprobs.ts';
import { type CandidateFacts, identityOf, imageOf, imagesOf, metadataOf, signedText } from './read-response.ts';
import { type RequestPlan, requestPlan } from './request-plan.ts';
import { type Candidate, type ParsedResponse, parseResponse, type ResponsePart } from './response.ts';
import { audioField } from './sound.ts';
import { searchesOf, servedTierField, withServed } from './usage.ts';

export class GenerateContentStreamReader implements StreamReader {
  readonly #call: TranslatedCall;
  readonly #head: IncomingHttpHeaders;
  readonly #plan: RequestPlan;
  readonly #events: SseSplitter;
  readonly #writer: StreamWriter;
  readonly #text: ResponseText;
  #responded = false;
  readonly #calls: CallReader;
  #id = '';
  /** The response may contain sources, whose ranges count the bytes of the text. */
  readonly #mayCite: boolean;
  #content = '';
  #reason: string | undefined;
  #reasonMessage: string | undefined;
  /** The vendor's latest signature of the text. */
  #signature: string | undefined;
  #created = 0;
  /**
   * Metadata that comes with or before the finish reason. Only the latest of each kind is kept: later ones repeat
   * earlier ones.
   */
  #last: CandidateFacts = { grounding: undefined, citation: undefined, ratings: [] };
  #block: ParsedResponse['block'];
  /** The token counts reported last. */
  #counted: Pick<ParsedResponse, 'usage' | 'toolTokens'> = { usage: undefined, toolTokens: 0 };
  #images = 0;
  complete = false;
  failure: VendorError | undefined;
  usage: Usage | undefined;
  model: string | undefined;

  constructor(call: TranslatedCall, { head, limits, writer }: StreamContext) {
    this.#call = call;
    this.#head = head;
    this.#plan = requestPlan(call);
    this.#events = new SseSplitter(limits.eventBytesMax);
    this.#writer = writer;
    this.#text = new ResponseText(this.#plan.form);
    this.#calls = new CallReader(this.#plan.names, call.model);
    this.#mayCite = this.#plan.own.length > 0 || cachedContent(call.request.options) !== undefined;
  }

  /** Until the stream ends, another count may replace the last one. */
  get usageIsComplete(): boolean {
    return this.complete && this.usage !== undefined;
  }

  get textTokens(): number {
    return this.#writer.textTokens;
  }

  push(chunk: Buffer): Buffer {
    for (const event of this.#events.push(chunk)) this.#read(event);
    return this.#writer.take();
  }

  end(): Buffer {
    for (const event of this.#events.end()) this.#read(event);
    const hasEnded = this.#reason !== undefined || this.#block !== undefined;
    if (this.failure === undefined && hasEnded && isBlank(this.#events.rest)) this.#finish();
    return this.#writer.take();
  }

  #read(event: Buffer): void {
    if (this.failure !== undefined) return;
    const data = eventData(event);
    if (data === undefined) return;
    const parsed = parseExactJson(data);
    this.failure = generateContentError(parsed);
    if (this.failure !== undefined) return;
    if (!isObject(parsed)) throw protocolError('an event of the stream is no JSON object');
    const response = parseResponse(parsed);
    const { usage: reportedUsage, toolTokens: read } = response;
    if (reportedUsage !== undefined) this.#counted = { usage: reportedUsage, toolTokens: read };
    this.model = response.modelVersion ?? this.model;
    this.#block ??= response.block;
    if (!this.#writer.started) this.#start(response);
    // A stream requests only one candidate.
    const [candidate] = response.candidates;
    if (candidate !== undefined) this.#add(candidate);
    const { own } = this.#plan;
    const { usage, toolTokens } = this.#counted;
    this.usage = withServed(usage, {
      ...{ own, toolTokens },
      ...{ head: this.#head, requestedTier: this.#call.request.options.service_tier, images: this.#images },
      searches: searchesOf(this.#last.grounding, own),
    });
  }

  #start(response: ParsedResponse): void {
    const identity = identityOf(response, this.#call);
    this.#id = identity.id;
    this.#created = identity.created;
    this.#writer.start(identity);
  }

  #add({ parts, finishReason, finishMessage, grounding, citation, ratings, probabilities }: Candidate): void {
    this.#reason = finishReason ?? this.#reason;
    this.#reasonMessage = finishMessage ?? this.#reasonMessage;
    this.#last = {
      grounding: grounding ?? this.#last.grounding,
      citation: citation ?? this.#last.citation,
      ratings: ratings.length > 0 ? ratings : this.#last.ratings,
    };
    for (const part of parts) this.#addPart(part);
    this.#images += imagesOf(parts);
    const logprobs = logprobsOf(probabilities);
    if (logprobs !== undefined) this.#writer.logprobs(logprobs);
  }

  #addPart(part: ResponsePart): void {
    switch (part.kind) {
      case 'text':
        this.#addText(this.#text.push(part.text));
        this.#signature = part.signature ?? this.#signature;
        return;
      case 'thought':
        this.#writer.reasoning(part.text);
        return;
      case 'image':
        this.#writer.extra({ images: [imageOf(part, this.#call.model)] });
        return;
      case 'audio':
        this.#writer.extra({ audio: audioField([part], this.#id, this.#created) });
        return;
      case 'call': {
        const { id, name, arguments: args } = this.#calls.read(part.call, this.#id);
        if (this.#text.isResponseTool(name)) this.#response(args);
        else this.#writer.call(id, name, args);
        return;
      }
      case 'other':
    }
  }

  /** Only the first call is the response: the inputs of two calls together would not be JSON. */
  #response(json: string): void {
    if (!this.#responded) this.#addText(this.#text.pushInput(json));
    this.#responded = true;
  }

  #addText(text: string): void {
    this.#writer.content(text);
    if (this.#mayCite) this.#content += text;
  }

  #finish(): void {
    this.#addText(this.#text.end());
    const { grounding } = this.#last;
    const cited = grounding === undefined ? [] : annotations(grounding, this.#content);
    if (cited.length > 0) this.#writer.extra({ annotations: cited });
    if (this.#signature !== undefined) this.#writer.extra(signedText(this.#signature, this.#call.model));
    this.#writer.finish(this.#finishOf(), this.#extras());
    this.#writer.end(this.usage ?? noUsage);
    this.complete = true;
  }

  #finishOf(): Finish {
    if (this.#block !== undefined && this.#reason === undefined) {
      return { reason: 'content_filter', native: this.#block.reason };
    }
    return finishOf(this.#reason, this.#reasonMessage, this.#writer.calls > 0);
  }

  /** The vendor's own fields that are not empty. */
  #extras(): JsonObject {
    const metadata = metadataOf([this.#last], this.#block);
    const reportedUsage = Object.entries(metadata).filter(([, value]) => Array.isArray(value) && value.length > 0);
    return {
      ...Object.fromEntries(reportedUsage),
      ...servedTierField(this.#call.request.options, this.#head),
    };
  }
}

/** Whether the stream ended between events. */
function isBlank(rest: Buffer): boolean {
  return rest.toString().trim() === '';
}

/** The JSON string, without its quotes, of an event that contains no other part and does not end the response. */
export function onlyTextOf(event: Buffer): string | undefined {
  return textPart.exec(event.toString())?.[1];
}

/** Token counts contain lists of objects with plain values. */
const textPart =
  /^data: *\{ *"candidates": *\[ *\{ *"content": *\{(?: *"role": *"model",)? *"parts": *\[ *\{ *"text": *"((?:[^"\\]|\\.)*)"(?:, *"thought": *true)? *\} *\](?:, *"role": *"model")? *\}(?:, *"index": *\d+)? *\} *\], *"usageMetadata": *\{(?:[^{}[\]]|\[[^[\]]*\])*\}(?:, *"(?:modelVersion|responseId)": *"[\w.:/-]+")* *\}\s*$/;
