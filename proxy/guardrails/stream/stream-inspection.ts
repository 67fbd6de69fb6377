// From the events of a provider's stream to those of the caller: what the guardrails let pass, in bytes. Where they only observe,
// the events pass as they come; where a service has to be asked first, none passes before it has answered.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { protocolError } from '../../providers/protocol-error.ts';
import { eventData } from '../../providers/sse.ts';
import type { AnswerGuards } from '../answer-guards.ts';
import { ChunkGuard, type HeldMax, type PassedChunk } from './chunk-guard.ts';
import { sliceMax, slicesOf } from './slices.ts';
import { WholeAnswer } from './whole-answer.ts';

export class StreamInspection {
  readonly #guards: AnswerGuards;
  readonly #chunks: ChunkGuard;
  readonly #observes: boolean;
  /** Nothing leaves before all of it has come. */
  #whole: WholeAnswer | undefined;
  /** For services that are asked afterwards. */
  #sent: WholeAnswer | undefined;
  #begun = false;
  /** Of what says nothing of the answer: waits until something does. */
  #prelude: Buffer[] = [];
  #preludeBytes = 0;
  #out: Buffer[] = [];
  /** Of a chunk with a long text, what was not looked at yet. */
  #slices: JsonObject[] = [];

  /** @param heldMax above it the failure rules hold */
  constructor(guards: AnswerGuards, heldMax: HeldMax) {
    const { services } = guards;
    const holds = services.some((service) => service.holds);
    this.#guards = guards;
    this.#observes = !holds && guards.guards().every(({ replacement }) => replacement === 'keep');
    this.#chunks = new ChunkGuard(guards, heldMax, this.#observes);
    this.#whole = holds ? new WholeAnswer() : undefined;
    this.#sent = services.some((service) => !service.holds) ? new WholeAnswer() : undefined;
  }

  /** UTF-16 units that are held, windows aside. */
  get held(): number {
    return this.#chunks.held + (this.#whole?.length ?? 0) + (this.#sent?.length ?? 0);
  }

  /** @returns what may leave since the last look */
  takeOut(): Buffer | undefined {
    const out = this.#out;
    if (out.length === 0) return undefined;
    this.#out = [];
    return out.length === 1 ? out[0] : Buffer.concat(out);
  }

  /** Whether an event is not done with: it goes on when nothing is taken. */
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

  /** All has come. A promise where services are asked before anything leaves. @throws as take */
  end(signal: AbortSignal): Promise<void> | void {
    this.#tell(this.#chunks.end());
    if (this.#whole !== undefined) return this.#endWhole(this.#whole, signal);
    if (!this.#observes) this.#out.push(...this.#prelude, done);
    this.#guards.ended();
  }

  /** Asks the services that are asked when all has left. */
  async observe(signal: AbortSignal): Promise<void> {
    await this.#sent?.judge(
      this.#guards.services.filter(({ holds }) => !holds),
      signal,
    );
  }

  #takeChunk(data: string, event: Buffer): void {
    const chunk = parseExactJson(data);
    if (!isObject(chunk)) {
      if (!this.#observes) throw protocolError('an event of the stream is no JSON object');
      return;
    }
    this.#slices = event.length > sliceMax ? slicesOf(chunk) : [];
    if (this.isBusy) this.#takeSlice();
    else this.#tell(this.#chunks.take(chunk, event.length), saysOnly(event, data) ? event : undefined);
  }

  #takeSlice(): void {
    const slice = this.#slices.shift();
    if (slice !== undefined) this.#tell(this.#chunks.take(slice, sliceMax));
  }

  /** @param event what a chunk that is untouched came in */
  #tell(passed: readonly PassedChunk[], event?: Buffer): void {
    for (const { chunk, isUntouched, commits } of passed) {
      if (this.#whole !== undefined) this.#whole.add(chunk);
      else {
        this.#note(chunk);
        if (!this.#observes) this.#send(isUntouched && event !== undefined ? event : eventOf(chunk), commits);
      }
    }
    if (this.#whole !== undefined && this.#whole.length > this.#guards.textMax) this.#letGo(this.#whole);
  }

  /** Too long for the services. @throws GatewayError guardrail_blocked */
  #letGo(whole: WholeAnswer): void {
    this.#guards.tooLong();
    this.#whole = undefined;
    for (const chunk of whole.chunks()) {
      this.#note(chunk);
      this.#send(eventOf(chunk), true);
    }
  }

  async #endWhole(whole: WholeAnswer, signal: AbortSignal): Promise<void> {
    const holding = this.#guards.services.filter(({ holds }) => holds);
    for (const chunk of await whole.judge(holding, signal)) {
      this.#note(chunk);
      this.#send(eventOf(chunk), true);
    }
    this.#out.push(done);
    this.#guards.ended();
  }

  #note(chunk: JsonObject): void {
    this.#sent?.add(chunk);
    if (this.#sent !== undefined && this.#sent.length > this.#guards.textMax) this.#sent = undefined;
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
/** Comments keep a connection open; what a provider writes into them is not inspected, and not sent. */
const comment = Buffer.from(':\n\n');
/** With more that says nothing the answer begins. */
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

/** Whether all of an event was inspected: it has no other line, and no bytes that clients may read in another way. */
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
