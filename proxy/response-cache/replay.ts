// A cached response as if its provider sent it: whole or as a stream, whichever the request is for.

import { streamOfWhole, wholeOfStream } from '../formats/chat-completions/other-form.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import { SseSplitter } from '../formats/sse.ts';
import type { AttemptResult, StreamResult, StreamSink } from '../upstream/attempt-result.ts';
import type { CachedResponse } from './cached-response.ts';
import { hasOtherForm } from './keepable.ts';

/** @returns undefined if the response has no form that the request is for */
export function* replayed(
  { form, body, headers }: Pick<CachedResponse, 'form' | 'body' | 'headers'>,
  request: ChatRequest,
): Generator<void, AttemptResult | undefined> {
  const wanted = request.stream ? 'stream' : 'whole';
  const written = form === wanted ? body : yield* otherForm(form, body, request);
  if (written === undefined) return undefined;
  return request.stream ? new ReplayedStream(written, headers) : { kind: 'complete', headers, body: written };
}

function* otherForm(
  form: CachedResponse['form'],
  body: Buffer,
  request: ChatRequest,
): Generator<void, Buffer | undefined> {
  if (!hasOtherForm(request)) return undefined;
  // Streams for clients of other formats have blocks of thinking one by one, see forChatClients.
  return form === 'stream' ? yield* wholeOfStream(body) : yield* streamOfWhole(body, request.client !== undefined);
}

/** About as much as arrives from a provider at once. */
const piecesOf = 16 * 1024;

class ReplayedStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers: readonly string[];
  #pieces: readonly Buffer[];
  #at = 0;
  #sink: StreamSink | undefined;
  #isPaused = false;
  #isWaiting = false;
  #aborted: Error | undefined;

  constructor(body: Buffer, headers: readonly string[]) {
    this.headers = headers;
    this.#pieces = inPieces(new SseSplitter(Number.POSITIVE_INFINITY).push(body));
  }

  flowTo(sink: StreamSink): void {
    if (this.#aborted !== undefined) {
      sink.fail(this.#aborted);
      return;
    }
    this.#sink = sink;
    this.#next();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#next();
  }

  abort(error: Error): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#aborted = error;
    this.#pieces = [];
    sink?.fail(error);
  }

  /**
   * One piece a tick, so that other requests continue in between. The end comes after the last one, as from a provider:
   * the head of the response is sent before guardrails have decided about all of it.
   */
  #next(): void {
    if (this.#isPaused || this.#isWaiting || this.#sink === undefined) return;
    const piece = this.#pieces[this.#at++];
    if (piece === undefined) {
      this.#end();
      return;
    }
    this.#isWaiting = true;
    this.#sink.write(piece);
    setImmediate(() => {
      this.#isWaiting = false;
      this.#next();
    });
  }

  #end(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.end();
  }
}

/** Of whole events. */
function inPieces(events: readonly Buffer[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let some: Buffer[] = [];
  let bytes = 0;
  for (const event of events) {
    some.push(event);
    bytes += event.length;
    if (bytes < piecesOf) continue;
    pieces.push(Buffer.concat(some));
    some = [];
    bytes = 0;
  }
  return some.length === 0 ? pieces : [...pieces, Buffer.concat(some)];
}
