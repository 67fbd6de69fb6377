// Reads a stream of chat completions (SDK type `ChatCompletionChunk`) and writes it in the client's format. The stream
// has passed the gateway's other readers before, so its events are complete, well-formed and within their limits.
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { plainNumber } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Finish } from '../../conversation/response.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamWriter } from '../format.ts';
import { isWhole } from '../ordered-calls.ts';
import { protocolError } from '../protocol-error.ts';
import { SseSplitter } from '../sse.ts';
import { callOf, finishOf } from './read-message.ts';
import { readUsage } from './usage.ts';

interface ReadCall {
  readonly id: string;
  readonly name: string;
  /** The writer's; undefined until the call has arguments. */
  index: number | undefined;
  /** So far. */
  arguments: string;
  /** Length of the arguments that were found incomplete. */
  checked: number;
}

/** Pieces that may wait for the arguments of a call. Models write a few, if any. */
const waitingMax = 10_000;

/** A piece of a choice without its calls. */
interface ChoiceParts {
  readonly delta: JsonObject;
  readonly logprobs: JsonObject | undefined;
}

/** Many servers repeat the role and an empty content beside each piece of a call. */
function isMore({ delta: { role: _role, ...fields }, logprobs }: ChoiceParts): boolean {
  return logprobs !== undefined || Object.values(fields).some((value) => value !== null && value !== '');
}

export interface ChunkReading {
  /** Guards hold texts back, and may release the first of a refusal before the last of the text. */
  readonly isGuarded: boolean;
  /** A response that failed is not written to its end: see `failed`. */
  readonly lacksFailures: boolean;
}

export class ChunkReader {
  readonly #events = new SseSplitter(Number.POSITIVE_INFINITY);
  readonly #writer: StreamWriter;
  readonly #isGuarded: boolean;
  readonly #lacksFailures: boolean;
  /** The latest call with each index of the chunks. */
  readonly #calls = new Map<number, ReadCall>();
  /**
   * Calls that are not written yet, in their order. The first of them has no arguments so far: nothing shows whether some
   * will follow, and the text after it must not wait for that.
   */
  readonly #begun = new Set<ReadCall>();
  /** The calls whose arguments may continue. */
  readonly #partial = new Set<ReadCall>();
  /** What came between pieces of their arguments: the client's format ends a call before another part begins. */
  #waiting: ChoiceParts[] = [];
  /** Under guards: written at the end, because it follows the text in whole responses. */
  #refusal = '';
  #finish: Finish | undefined;
  #usage: Usage = noUsage;
  #usageExtras: JsonObject = {};
  /** Why the response failed, although its status was a success. */
  failed: Finish | undefined;

  constructor(writer: StreamWriter, { isGuarded = false, lacksFailures = false }: Partial<ChunkReading> = {}) {
    this.#writer = writer;
    this.#isGuarded = isGuarded;
    this.#lacksFailures = lacksFailures;
  }

  /** @returns bytes for the client, empty if the events have none for it */
  push(bytes: Buffer): Buffer {
    for (const event of this.#events.push(bytes)) this.#read(event);
    return this.#writer.take();
  }

  #read(event: Buffer): void {
    const data = eventData(event);
    if (data === undefined) return;
    if (data === '[DONE]') {
      this.#end();
      return;
    }
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) throw protocolError('an event of the stream is no JSON object');
    if (!this.#writer.started) this.#start(chunk);
    const [choice] = objectsOf(chunk.choices);
    // The client's format has one choice, and its requests cannot demand others.
    if (choice !== undefined) this.#readChoice(choice);
    const usage = readUsage(chunk.usage, { served: chunk.service_tier });
    if (usage === undefined) return;
    this.#usage = usage;
    this.#usageExtras = isObject(chunk.usage) ? chunk.usage : {};
  }

  #start({ id, created, model }: JsonObject): void {
    this.#writer.start({
      id: typeof id === 'string' ? id : '',
      created: plainNumber(created) ?? 0,
      model: typeof model === 'string' ? model : '',
    });
  }

  #readChoice(choice: JsonObject): void {
    const { tool_calls: calls, ...delta } = isObject(choice.delta) ? choice.delta : {};
    const { logprobs } = choice;
    const parts = { delta, logprobs: isObject(logprobs) ? logprobs : undefined };
    const waits = isMore(parts) && !this.#callsAreWhole();
    if (waits) this.#wait(parts);
    else this.#write(parts);
    for (const call of objectsOf(calls)) this.#readCall(call);
    if (this.#waiting.length > 0 && this.#callsAreWhole()) this.#writeWaiting();
    // Fields of the whole message may follow the reason, so it is written at the end.
    if (typeof choice.finish_reason === 'string') this.#finish = finishOf(choice);
  }

  /** A call is checked again only once it has more arguments. */
  #callsAreWhole(): boolean {
    for (const call of this.#partial) {
      if (call.arguments.length === call.checked) continue;
      call.checked = call.arguments.length;
      if (isWhole(call)) this.#partial.delete(call);
    }
    return this.#partial.size === 0;
  }

  #wait(parts: ChoiceParts): void {
    if (this.#waiting.length >= waitingMax) throw protocolError('the arguments of a call do not end');
    this.#waiting.push(parts);
  }

  #writeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const parts of waiting) this.#write(parts);
  }

  #write({ delta, logprobs }: ChoiceParts): void {
    const { role: _role, content, reasoning_content, reasoning, thinking_blocks, refusal, ...extras } = delta;
    const reasoned = typeof reasoning_content === 'string' ? reasoning_content : reasoning;
    if (typeof reasoned === 'string') this.#writer.reasoning(reasoned);
    for (const block of objectsOf(thinking_blocks)) this.#think(block);
    if (typeof content === 'string') this.#writer.content(content);
    for (const part of objectsOf(content)) if (typeof part.text === 'string') this.#writer.content(part.text);
    if (typeof refusal === 'string') this.#refuse(refusal);
    const given = Object.entries(extras).filter(([, value]) => value !== null && value !== undefined);
    if (given.length > 0) this.#writer.extra(Object.fromEntries(given));
    if (logprobs !== undefined) this.#writer.logprobs(logprobs);
  }

  #refuse(refusal: string): void {
    if (this.#isGuarded) this.#refusal += refusal;
    else this.#writer.extra({ refusal });
  }

  #think({ type, thinking, signature, data }: JsonObject): void {
    if (type === 'redacted_thinking' && typeof data === 'string') this.#writer.thought?.({ type, data });
    if (type !== 'thinking' || typeof signature !== 'string') return;
    this.#writer.thought?.({ type, thinking: typeof thinking === 'string' ? thinking : '', signature });
  }

  /** Some servers send each call whole, without an index or all with the same one; others repeat id and name. */
  #readCall(call: JsonObject): void {
    const { id, name, arguments: args } = callOf(call);
    const number = plainNumber(call.index) ?? this.#calls.size;
    let known = this.#calls.get(number);
    if (id !== '' && id !== known?.id) {
      known = { id, name, index: undefined, arguments: '', checked: 0 };
      this.#calls.set(number, known);
      this.#begun.add(known);
    }
    if (known !== undefined && args !== '') this.#addArguments(known, args);
  }

  #addArguments(call: ReadCall, args: string): void {
    call.arguments += args;
    if (call.index !== undefined) this.#writer.callArguments(call.index, args);
    for (const first of this.#begun) {
      if (first.arguments === '') return;
      this.#writeCall(first);
    }
  }

  #writeCall(call: ReadCall): void {
    this.#begun.delete(call);
    this.#partial.add(call);
    call.index = this.#writer.call(call.id, call.name, call.arguments);
  }

  #end(): void {
    if (!this.#writer.started) this.#start({});
    this.#writeWaiting();
    const finish = this.#finish ?? { reason: 'stop', native: undefined };
    if (finish.reason === 'error' && this.#lacksFailures) {
      this.failed = finish;
      return;
    }
    if (this.#refusal !== '') this.#writer.extra({ refusal: this.#refusal });
    for (const call of this.#begun) this.#writeCall(call);
    this.#writer.finish(finish);
    this.#writer.end(this.#usage, this.#usageExtras);
  }
}
