// How much text has come of a stream in the callers' format, for the usage of one that is cut. Chunks that are parsed anyway are
// counted. Of the others only the size is known: what an event is larger than the smallest is text, and each is a token at least.
import { isObject, type JsonObject } from '../../../common/json.ts';

export class TextMeter {
  #counted = 0;
  #events = 0;
  #eventBytes = 0;
  #smallest = Number.POSITIVE_INFINITY;

  /** An event that is not parsed. Vendors pad them to hide how long their words are, so that sizes alone would say too little. */
  addEvent(event: Buffer): void {
    if (event[0] === colon) return;
    this.#events += 1;
    this.#eventBytes += event.length;
    if (event.length < this.#smallest) this.#smallest = event.length;
  }

  addChunk({ choices }: JsonObject): void {
    if (!Array.isArray(choices)) return;
    for (const choice of choices) {
      const delta: unknown = isObject(choice) ? choice.delta : undefined;
      if (isObject(delta)) this.#counted += deltaBytes(delta);
    }
  }

  /** Rather too many than too few. */
  get bytes(): number {
    const measured = this.#events === 0 ? 0 : this.#eventBytes - this.#events * this.#smallest;
    return this.#counted + measured + this.#events * tokenBytes;
  }
}

/** Comments keep a connection open. */
const colon = 0x3a;
/** Of a token, as where usage is estimated. */
const tokenBytes = 4;

function deltaBytes(delta: JsonObject): number {
  const { content, refusal, reasoning_content, reasoning, tool_calls, function_call } = delta;
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  const called = calls.map((call) => (isObject(call) ? call.function : undefined));
  return (
    bytesOf(content) +
    bytesOf(refusal) +
    // Servers name it in one of two ways; some send both.
    Math.max(bytesOf(reasoning_content), bytesOf(reasoning)) +
    [...called, function_call].reduce<number>((sum, one) => sum + argumentBytes(one), 0)
  );
}

function argumentBytes(called: unknown): number {
  return isObject(called) ? bytesOf(called.name) + bytesOf(called.arguments) : 0;
}

function bytesOf(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}
