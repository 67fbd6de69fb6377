// The chunks of an attempt that follows on a stream that broke off: the caller reads them as the rest of that stream. They
// have its id and model, no second role, and a usage that contains the output of all attempts.
import { eventData } from '../../common/event-stream.ts';
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { count } from '../conversation/usage.ts';
import { SseSplitter } from '../formats/sse.ts';
import type { ChunkHead } from './passed-parts.ts';

export interface Followed {
  /** Undefined: the caller has no chunk. */
  readonly head: ChunkHead | undefined;
  /** Blanks that the caller has and the vendor was not sent: if the text begins with them, they are left out. */
  readonly blanks: string;
  /** Tokens that earlier attempts have generated. */
  readonly outputTokens: number;
}

export class FollowingChunks {
  readonly #events = new SseSplitter(Number.POSITIVE_INFINITY);
  readonly #followed: Followed;
  /** Those that the text may still begin with. */
  #blanks: string;

  constructor(followed: Followed) {
    this.#followed = followed;
    this.#blanks = followed.blanks;
  }

  /** @param bytes whole events, in any number of pieces */
  push(bytes: Buffer): Buffer {
    const events = this.#events.push(bytes).flatMap((event) => this.#follow(event));
    return events.length === 1 && events[0] !== undefined ? events[0] : Buffer.concat(events);
  }

  #follow(event: Buffer): readonly Buffer[] {
    const data = eventData(event);
    if (data === undefined || data === '[DONE]') return [event];
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) return [event];
    const written = this.#written(chunk);
    return written === undefined ? [] : [Buffer.from(`data: ${writeJson(written)}\n\n`)];
  }

  /** Undefined: the caller has everything that the chunk says. */
  #written(chunk: JsonObject): JsonObject | undefined {
    const { head } = this.#followed;
    if (head === undefined) return this.#withUsage(chunk);
    const { choices, usage } = chunk;
    const left = objectsOf(choices).flatMap((choice) => this.#choice(choice));
    const isEmpty = left.length === 0 && !isObject(usage);
    return isEmpty
      ? undefined
      : this.#withUsage({ ...chunk, ...head, ...(Array.isArray(choices) && { choices: left }) });
  }

  #choice(choice: JsonObject): readonly JsonObject[] {
    if (!isObject(choice.delta)) return [choice];
    const { role: _role, ...fields } = choice.delta;
    const { content } = fields;
    const isText = typeof content === 'string';
    const rest = isText ? this.#withoutBlanks(content) : content;
    const delta = isText && rest !== '' ? { ...fields, content: rest } : isText ? withoutContent(fields) : fields;
    const { index: _index, delta: _delta, ...others } = choice;
    const isEmpty = [...Object.values(delta), ...Object.values(others)].every(saysNothing);
    return isEmpty ? [] : [{ ...choice, delta }];
  }

  #withoutBlanks(text: string): string {
    let same = 0;
    while (same < text.length && same < this.#blanks.length && text[same] === this.#blanks[same]) same++;
    // The rest of the blanks may come in the next chunk.
    if (text !== '') this.#blanks = same === text.length ? this.#blanks.slice(same) : '';
    return text.slice(same);
  }

  #withUsage(chunk: JsonObject): JsonObject {
    const { usage } = chunk;
    const { outputTokens } = this.#followed;
    if (!isObject(usage) || outputTokens === 0) return chunk;
    const more = (name: string) => {
      const reported = count(usage[name]);
      return reported === undefined ? {} : { [name]: reported + outputTokens };
    };
    return { ...chunk, usage: { ...usage, ...more('completion_tokens'), ...more('total_tokens') } };
  }
}

function withoutContent({ content: _content, ...others }: JsonObject): JsonObject {
  return others;
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
