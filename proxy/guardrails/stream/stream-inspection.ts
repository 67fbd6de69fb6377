// Turns the events of a provider's stream into those of the caller: the bytes that the guardrails release. If they only
// observe, the events pass unchanged.
import { eventData } from '../../../common/event-stream.ts';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { protocolError } from '../../formats/protocol-error.ts';
import type { ResponseGuards } from '../response-guards.ts';
import { ChunkGuard, type PassedChunk, type WithheldMax } from './chunk-guard.ts';
import { sliceMax, slicesOf } from './chunk-pieces.ts';

export class StreamInspection {
  readonly #guards: ResponseGuards;
  readonly #chunks: ChunkGuard;
  readonly #observes: boolean;
  #begun = false;
  /** Events without content, which wait for the first one with content. */
  #prelude: Buffer[] = [];
  #preludeBytes = 0;
  #out: Buffer[] = [];
  /** The rest of a chunk with a long text, not inspected yet. */
  #slices: JsonObject[] = [];

  /** @param withheldMax limits above which the failure rules apply */
  constructor(guards: ResponseGuards, withheldMax: WithheldMax) {
    this.#guards = guards;
    const delays = guards.services.some((service) => service.delaysResponse);
    this.#observes = !delays && guards.guards().every(({ replacement }) => replacement === 'keep');
    this.#chunks = new ChunkGuard(guards, withheldMax, this.#observes);
  }

  /** UTF-16 units that are held back outside of windows. */
  get withheld(): number {
    return this.#chunks.withheld;
  }

  /** @returns the bytes released since the last call */
  takeOut(): Buffer | undefined {
    const out = this.#out;
    if (out.length === 0) return undefined;
    this.#out = [];
    return out.length === 1 ? out[0] : Buffer.concat(out);
  }

  /** Whether an event is unfinished: it continues when `take` gets no event. */
  get isBusy(): boolean {
    return this.#slices.length > 0;
  }

  /** @throws BlockedError, GatewayError guardrail_blocked, upstream_protocol_error */
  take(event?: Buffer): void {
    if (event === undefined) {
      this.#takeSlice();
      return;
    }
    if (this.#observes) this.#out.push(event);
    const data = dataOf(event);
    if (data === undefined) this.#keepOpen();
    else if (data !== endMark) this.#takeChunk(data, event);
  }

  /** The stream has ended. @throws as take */
  end(): void {
    this.#deliver(this.#chunks.end());
    if (!this.#observes) this.#out.push(...this.#prelude, done);
    this.#guards.ended();
  }

  #takeChunk(data: string, event: Buffer): void {
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) {
      if (!this.#observes) throw protocolError('an event of the stream is no JSON object');
      return;
    }
    this.#slices = event.length > sliceMax ? slicesOf(chunk) : [];
    if (this.isBusy) this.#takeSlice();
    else this.#deliver(this.#chunks.take(chunk, event.length), saysOnly(event, data) ? event : undefined);
  }

  #takeSlice(): void {
    const slice = this.#slices.shift();
    if (slice !== undefined) this.#deliver(this.#chunks.take(slice, sliceMax));
  }

  /** @param event the original event of an unchanged chunk */
  #deliver(passed: readonly PassedChunk[], event?: Buffer): void {
    if (this.#observes) return;
    for (const { chunk, isUntouched, commits } of passed)
      this.#send(isUntouched && event !== undefined ? event : eventOf(chunk), commits);
  }

  #send(event: Buffer, commits: boolean): void {
    this.#begun ||= commits || this.#preludeBytes + event.length > preludeBytesMax;
    if (this.#begun) {
      this.#out.push(...this.#prelude, event);
      this.#prelude = [];
    } else {
      this.#prelude.push(event);
      this.#preludeBytes += event.length;
    }
  }

  #keepOpen(): void {
    if (this.#begun && !this.#observes) this.#out.push(comment);
  }
}

const endMark = '[DONE]';
const done = Buffer.from(`data: ${endMark}\n\n`);
/** Comments keep a connection open. A provider's comments are neither inspected nor sent. */
const comment = Buffer.from(':\n\n');
/** With more events without content, the response begins. */
const preludeBytesMax = 64 * 1024;

function eventOf(chunk: JsonObject): Buffer {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

const dataHead = 'data: ';
const eventEnd = '\n\n';

/** Most events are one line of data. */
function dataOf(event: Buffer): string | undefined {
  if (!isOneLine(event)) return eventData(event);
  return event.toString('utf8', dataHead.length, event.length - eventEnd.length);
}

/** Whether all of an event was inspected: it has no other line, and no bytes that clients may decode in another way. */
function saysOnly(event: Buffer, data: string): boolean {
  return isOneLine(event) && !data.includes('\ufffd');
}

function isOneLine(event: Buffer): boolean {
  return (
    event.toString('latin1', 0, dataHead.length) === dataHead &&
    event.indexOf(lf) === event.length - eventEnd.length &&
    event.indexOf(cr) === -1
  );
}

const lf = 0x0a;
const cr = 0x0d;
