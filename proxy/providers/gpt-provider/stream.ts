// A stream in the vendor's own format, passed through event by event: untouched but for the usage chunk, which is taken out
// where the caller did not ask for it. Complete only with `data: [DONE]`.
import { isObject, parseJson } from '../../../common/json.ts';
import { readUsage, type Usage } from '../../chat/usage.ts';
import type { StreamLimits, StreamReader, VendorError } from '../provider.ts';
import { eventData, SseSplitter } from '../sse.ts';
import { gptError } from './errors.ts';

const nothing = Buffer.alloc(0);
const done = Buffer.from('[DONE]');
const usageKey = Buffer.from('"usage"');
const errorKey = Buffer.from('"error"');
/** A vendor's error inside a stream has no status of its own. */
const streamErrorStatus = 502;

export class GptStreamReader implements StreamReader {
  readonly #events: SseSplitter;
  readonly #keepUsageChunk: boolean;
  complete = false;
  failure: VendorError | undefined;
  usage: Usage | undefined;

  constructor(keepUsageChunk: boolean, limits: StreamLimits) {
    this.#events = new SseSplitter(limits.eventBytesMax);
    this.#keepUsageChunk = keepUsageChunk;
  }

  push(chunk: Buffer): Buffer {
    const kept = this.#events.push(chunk).filter((event) => this.#read(event));
    return kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
  }

  /** The end marker is an event; the connection's end adds nothing. */
  end(): Buffer {
    return nothing;
  }

  /** Reads one event. @returns whether the caller gets it */
  #read(event: Buffer): boolean {
    if (this.complete || this.failure !== undefined) return false;
    if (event.length < 32 && event.includes(done) && eventData(event) === '[DONE]') {
      this.complete = true;
      return true;
    }
    // Most events hold neither key: they are passed on without being parsed.
    if (!hasValue(event, usageKey) && !event.includes(errorKey)) return true;
    const data = parseJson(eventData(event) ?? '');
    if (!isObject(data)) return true;
    this.failure = gptError(streamErrorStatus, data.error);
    if (this.failure !== undefined) return false;
    const usage = readUsage(data.usage);
    if (usage === undefined) return true;
    this.usage = usage;
    const isUsageChunk = Array.isArray(data.choices) && data.choices.length === 0;
    return this.#keepUsageChunk || !isUsageChunk;
  }
}

/** Whether the key stands in the event with a value other than null. */
function hasValue(event: Buffer, key: Buffer): boolean {
  const at = event.indexOf(key);
  return at !== -1 && !/^\s*:\s*null/.test(event.toString('latin1', at + key.length, at + key.length + 16));
}
