// What the caller may have of a stream of chat completions: it decides what may follow when the stream breaks off. What is
// not known counts as something that nothing may follow.
import { eventData } from '../../common/event-stream.ts';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../common/json.ts';
import { SseSplitter } from '../formats/sse.ts';

/** `final`: nothing may follow, for example because a piece of a call's arguments was passed on. */
export type PassedStage = 'head' | 'reasoning' | 'text' | 'final';

/** Fields that all chunks of a stream repeat. */
export type ChunkHead = Pick<JsonObject, 'id' | 'created' | 'model'>;

export class PassedParts {
  readonly #events = new SseSplitter(Number.POSITIVE_INFINITY);
  readonly #textMax: number;
  readonly #keep: (bytes: number) => void;
  stage: PassedStage = 'head';
  /** All text so far; undefined once it is too long to be continued. */
  text: string | undefined = '';
  /** Of the first chunk that has an id. */
  head: ChunkHead | undefined;

  /**
   * @param textMax in UTF-16 units
   * @param keep accounts memory for bytes of the text. @throws GatewayError overloaded: then no text is kept
   */
  constructor(textMax: number, keep: (bytes: number) => void) {
    this.#textMax = textMax;
    this.#keep = keep;
  }

  /** @param bytes of a stream: whole events, in any number of pieces */
  push(bytes: Buffer): void {
    for (const event of this.#events.push(bytes)) {
      const data = dataOf(event);
      const chunk = data === undefined ? undefined : parseJson(data);
      if (isObject(chunk)) this.add(chunk);
      else if (data !== undefined) this.stage = 'final';
    }
  }

  add(chunk: JsonObject): void {
    if (!this.head?.id) this.head = headOf(chunk);
    const choices = objectsOf(chunk.choices);
    if (this.stage === 'final') return;
    if (choices.length > 1 || hasMore(chunk, plainOfChunk)) this.stage = 'final';
    for (const choice of choices) this.#addChoice(choice);
  }

  #addChoice(choice: JsonObject): void {
    const { index, delta, finish_reason: reason, logprobs } = choice;
    const isPlain = !says(reason) && !says(logprobs) && !hasMore(choice, plainOfChoice) && (index ?? 0) === 0;
    if (!isPlain) this.stage = 'final';
    else if (isObject(delta)) this.#addDelta(delta);
  }

  #addDelta({ role: _role, content, reasoning_content, reasoning, ...others }: JsonObject): void {
    const thoughts = [reasoning_content, reasoning].filter(says);
    const isKnown = [content, ...thoughts].every((value) => !says(value) || typeof value === 'string');
    if (!isKnown || Object.values(others).some(says)) this.stage = 'final';
    else if (thoughts.length > 0) this.stage = this.stage === 'text' ? 'final' : 'reasoning';
    else if (typeof content === 'string' && content !== '') this.#addText(content);
  }

  /** Text after reasoning is that of a model that reasons: no text continues it. */
  #addText(text: string): void {
    if (this.stage === 'reasoning') this.stage = 'final';
    if (this.stage === 'final') return;
    this.stage = 'text';
    if (this.text !== undefined) this.text = this.#kept(this.text, text);
  }

  #kept(before: string, more: string): string | undefined {
    if (before.length + more.length > this.#textMax) return undefined;
    try {
      this.#keep(2 * more.length);
      return before + more;
    } catch {
      return undefined;
    }
  }
}

/** Nearly all events are one line of data. */
function dataOf(event: Buffer): string | undefined {
  const text = event.toString();
  const isOneLine = text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && !text.includes('\r');
  return isOneLine ? text.slice(6, -2) : eventData(event);
}

function headOf({ id, created, model }: JsonObject): ChunkHead {
  return { id, created, model };
}

/** Fields that contain nothing of the response itself, or are read above. */
const plainOfChunk: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'service_tier', 'system_fingerprint'],
  ...['obfuscation', 'prompt_filter_results', 'provider', 'x_groq'],
]);
const plainOfChoice: ReadonlySet<string> = new Set([
  ...['index', 'delta', 'finish_reason', 'logprobs', 'content_filter_results', 'content_filter_offsets'],
  ...['native_finish_reason', 'stop_reason', 'token_ids'],
]);

function hasMore(fields: JsonObject, plain: ReadonlySet<string>): boolean {
  return Object.keys(fields).some((name) => !plain.has(name) && says(fields[name]));
}

function says(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}
