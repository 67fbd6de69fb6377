// Collects the parts of a stream into the message that a whole response would have been.
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import {
  type Finish,
  type ResponseChoice,
  type ResponseIdentity,
  type ResponseMessage,
  ResponseParts,
  type ThinkingBlock,
} from '../../conversation/response.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamWriter } from '../format.ts';

const nothing = Buffer.alloc(0);

/** Fields of a message whose pieces are elements of a list. */
const lists: ReadonlySet<string> = new Set(['annotations', 'images']);
/** Fields that a stream has whole, in one piece. */
const wholes: ReadonlySet<string> = new Set(['extra_content']);

export class MessageCollector extends ResponseParts implements StreamWriter {
  readonly textTokens = 0;
  #identity: ResponseIdentity | undefined;
  #refusal = '';
  /** The reasoning since the last block of thinking: the text of the next one. */
  #thought = '';
  readonly #thinking: ThinkingBlock[] = [];
  #logprobs: JsonObject | undefined;
  readonly #extras: JsonObject = {};
  #isKnown = true;
  #finish: Finish | undefined;
  #usage: Usage = noUsage;
  #usageExtras: JsonObject = {};
  #hasEnded = false;

  get started(): boolean {
    return this.#identity !== undefined;
  }

  get calls(): number {
    return this.build().calls.length;
  }

  /** Undefined until the end mark. */
  get message(): ResponseMessage | undefined {
    if (!this.#hasEnded || this.#identity === undefined || this.#finish === undefined) return undefined;
    const choices = [this.#choice(this.#finish)];
    return { ...this.#identity, choices, usage: this.#usage, usageExtras: this.#usageExtras };
  }

  /** Whether all fields of the stream are known, so that the message lacks none. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  start(identity: ResponseIdentity): void {
    this.#identity = identity;
  }

  override reasoning(text: string): void {
    super.reasoning(text);
    this.#thought += text;
  }

  thought(block: ThinkingBlock): void {
    if (block.type === 'thinking') {
      this.#thinking.push(block.thinking === '' ? { ...block, thinking: this.#thought } : block);
      this.#thought = '';
    } else this.#thinking.push(block);
  }

  override extra(fields: JsonObject): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'refusal' && typeof value === 'string') this.#refusal += value;
      else if (lists.has(name)) this.#extras[name] = [...objectsOf(this.#extras[name]), ...objectsOf(value)];
      else if (wholes.has(name) && !(name in this.#extras)) this.#extras[name] = value;
      else this.#isKnown = false;
    }
  }

  logprobs({ content, refusal, ...others }: JsonObject): void {
    const before = this.#logprobs ?? {};
    this.#logprobs = {
      ...others,
      content: joined(before.content, content),
      refusal: joined(before.refusal, refusal),
    };
  }

  finish(finish: Finish): void {
    this.#finish = finish;
  }

  end(usage: Usage, usageExtras: JsonObject = {}): void {
    this.#usage = usage;
    this.#usageExtras = usageExtras;
    this.#hasEnded = true;
  }

  take(): Buffer {
    return nothing;
  }

  #choice(finish: Finish): ResponseChoice {
    const thinking = this.#thinking.length === 0 ? {} : { thinking_blocks: this.#thinking };
    return {
      ...this.build(),
      finish,
      refusal: this.#refusal === '' ? undefined : this.#refusal,
      ...(this.#logprobs && { logprobs: this.#logprobs }),
      extras: { ...this.#extras, ...thinking },
    };
  }
}

function joined(before: unknown, more: unknown): readonly JsonObject[] | null {
  const all = [...objectsOf(before), ...objectsOf(more)];
  return all.length === 0 ? null : all;
}
