// A streamed answer: each event is a response of its own with what is new in it. The format has no end marker: the answer is
// complete when the connection ends and a reason for the end was told before. The reason itself is held back until then, as a
// call may still come and make it another.
import type { IncomingHttpHeaders } from 'node:http';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { ResponseText } from '../../conversation/output-mode.ts';
import type { Finish } from '../../conversation/response.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamContext, StreamReader, StreamWriter, TranslatedCall, VendorError } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import { eventData, SseSplitter } from '../sse.ts';
import { annotations } from './annotations.ts';
import { CallReader } from './calls.ts';
import { generateContentError } from './errors.ts';
import { cachedContent } from './fields.ts';
import { finishOf } from './finish.ts';
import { logprobsOf } from './logprobs.ts';
import { identityOf, imageOf, imagesOf, metadataOf, signedText, type Told } from './read-response.ts';
import { type RequestPlan, requestPlan } from './request-plan.ts';
import { type Candidate, type Reply, type ReplyPart, readReply } from './response.ts';
import { audioField } from './sound.ts';
import { searchesOf, servedTierField, withServed } from './usage.ts';

export class GenerateContentStreamReader implements StreamReader {
  readonly #call: TranslatedCall;
  readonly #head: IncomingHttpHeaders;
  readonly #asked: RequestPlan;
  readonly #events: SseSplitter;
  readonly #writer: StreamWriter;
  readonly #text: ResponseText;
  #answered = false;
  readonly #calls: CallReader;
  #id = '';
  /** Sources may come that count the bytes of what was said. */
  readonly #mayCite: boolean;
  #said = '';
  #reason: string | undefined;
  #reasonMessage: string | undefined;
  /** The vendor's last one of the words. */
  #signature: string | undefined;
  #created = 0;
  /** What comes with or before the reason: the last of each kind, as later ones repeat the earlier. */
  #last: Told = { grounding: undefined, citation: undefined, ratings: [] };
  #block: Reply['block'];
  /** The vendor's last word of tokens. */
  #counted: Pick<Reply, 'usage' | 'toolTokens'> = { usage: undefined, toolTokens: 0 };
  #images = 0;
  complete = false;
  failure: VendorError | undefined;
  usage: Usage | undefined;
  model: string | undefined;

  constructor(call: TranslatedCall, { head, limits, writer }: StreamContext) {
    this.#call = call;
    this.#head = head;
    this.#asked = requestPlan(call);
    this.#events = new SseSplitter(limits.eventBytesMax);
    this.#writer = writer;
    this.#text = new ResponseText(this.#asked.form);
    this.#calls = new CallReader(this.#asked.names, call.model);
    this.#mayCite = this.#asked.own.length > 0 || cachedContent(call.request.options) !== undefined;
  }

  /** Only the end of the stream says that no later count replaces the last. */
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
    const reply = readReply(parsed);
    const { usage: told, toolTokens: read } = reply;
    if (told !== undefined) this.#counted = { usage: told, toolTokens: read };
    this.model = reply.modelVersion ?? this.model;
    this.#block ??= reply.block;
    if (!this.#writer.started) this.#start(reply);
    // One answer only is asked for in a stream.
    const [candidate] = reply.candidates;
    if (candidate !== undefined) this.#add(candidate);
    const { own } = this.#asked;
    const { usage, toolTokens } = this.#counted;
    this.usage = withServed(usage, {
      ...{ own, toolTokens },
      ...{ head: this.#head, asked: this.#call.request.options.service_tier, images: this.#images },
      searches: searchesOf(this.#last.grounding, own),
    });
  }

  #start(reply: Reply): void {
    const identity = identityOf(reply, this.#call);
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

  #addPart(part: ReplyPart): void {
    switch (part.kind) {
      case 'text':
        this.#say(this.#text.said(part.text));
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
        if (this.#text.isAnswer(name)) this.#answer(args);
        else this.#writer.call(id, name, args);
        return;
      }
      case 'other':
    }
  }

  /** Two answers together would be no JSON. */
  #answer(json: string): void {
    if (!this.#answered) this.#say(this.#text.answered(json));
    this.#answered = true;
  }

  #say(text: string): void {
    this.#writer.content(text);
    if (this.#mayCite) this.#said += text;
  }

  #finish(): void {
    this.#say(this.#text.end());
    const { grounding } = this.#last;
    const cited = grounding === undefined ? [] : annotations(grounding, this.#said);
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

  /** Of the vendor's own fields those that hold something. */
  #extras(): JsonObject {
    const metadata = metadataOf([this.#last], this.#block);
    const told = Object.entries(metadata).filter(([, value]) => Array.isArray(value) && value.length > 0);
    return { ...Object.fromEntries(told), ...servedTierField(this.#call.request.options, this.#head) };
  }
}

/** Whether no event was cut. */
function isBlank(rest: Buffer): boolean {
  return rest.toString().trim() === '';
}
