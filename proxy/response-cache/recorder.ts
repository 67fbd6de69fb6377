// Records a response on its way to the caller: as its provider sent it, and whether it went to the end. It changes
// nothing, and gives up a response that is too large.
import { parseExactJson } from '../../common/exact-json.ts';
import { isObject } from '../../common/json.ts';
import { readJsonInSteps } from '../../common/sliced-json-reader.ts';
import type { Finish } from '../conversation/response.ts';
import { MessageCollector } from '../formats/chat-completions/message-collector.ts';
import { ChunkReader } from '../formats/chat-completions/read-chunks.ts';
import { messageOf } from '../formats/chat-completions/read-message.ts';
import { largeBytes } from '../formats/chat-completions/read-request.ts';
import type { AttemptResult, CompleteResult, StreamResult, StreamSink } from '../upstream/attempt-result.ts';
import { PassedStream } from '../upstream/passed-stream.ts';
import { cachedBytesMax } from './cached-response.ts';
import { isUsualEnd } from './keepable.ts';
import type { NotStored } from './results.ts';

export interface Recorded {
  readonly form: 'whole' | 'stream';
  readonly body: Buffer;
}

export interface RecorderDeps {
  /** Accounts memory. @throws if there is none */
  buffer(bytes: number): void;
  /** The caller reads more slowly than the provider sends, or catches up. */
  onPaused(isPaused: boolean): void;
  /** Does a large piece of work in slices. */
  inSlices<T>(steps: Generator<void, T>): Promise<T>;
}

export class Recorder {
  readonly #deps: RecorderDeps;
  #result: Recorded | NotStored = 'incomplete';

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** The response, once it has ended, or why it is not stored. */
  get result(): Recorded | NotStored {
    return this.#result;
  }

  /** @param result as chat completions. @returns a promise only for a large whole response */
  record(result: AttemptResult): AttemptResult | Promise<AttemptResult> {
    if (result.kind === 'stream') {
      return new RecordedStream(result, this.#deps, (recorded) => {
        this.#result = recorded;
      });
    }
    const { body } = result;
    if (body.length > largeBytes) return this.#large(result);
    this.#result = recordedWhole(parseExactJson(body.toString()), body);
    return result;
  }

  async #large(result: CompleteResult): Promise<CompleteResult> {
    const { body } = result;
    this.#result =
      body.length > cachedBytesMax
        ? 'large_response'
        : recordedWhole(await this.#deps.inSlices(readJsonInSteps(body, { exact: true })), body);
    return result;
  }
}

function recordedWhole(completion: unknown, body: Buffer): Recorded | NotStored {
  const choices = isObject(completion) ? messageOf(completion).choices : [];
  return ended(choices[0]?.finish, choices.length) ?? { form: 'whole', body };
}

/** @returns why the response is not stored */
function ended(finish: Finish | undefined, choices: number): NotStored | undefined {
  if (finish === undefined) return 'incomplete';
  if (choices !== 1) return 'choices';
  return isUsualEnd(finish) ? undefined : 'finish';
}

class RecordedStream extends PassedStream {
  readonly #deps: RecorderDeps;
  readonly #onEnd: (recorded: Recorded | NotStored) => void;
  readonly #collector = new MessageCollector();
  readonly #reader = new ChunkReader(this.#collector);
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Why the response is not recorded any more. */
  #givenUp: NotStored | undefined;

  constructor(source: StreamResult, deps: RecorderDeps, onEnd: (recorded: Recorded | NotStored) => void) {
    super(source);
    this.#deps = deps;
    this.#onEnd = onEnd;
  }

  protected into(sink: StreamSink): StreamSink {
    return {
      write: (bytes) => {
        this.#take(bytes);
        sink.write(bytes);
      },
      end: () => {
        this.#onEnd(this.#recorded());
        sink.end();
      },
      fail: (error) => {
        this.#pieces = [];
        this.#onEnd('failed');
        sink.fail(error);
      },
    };
  }

  override pause(): void {
    this.#deps.onPaused(true);
    super.pause();
  }

  override resume(): void {
    this.#deps.onPaused(false);
    super.resume();
  }

  #take(bytes: Buffer): void {
    if (this.#givenUp !== undefined) return;
    this.#bytes += bytes.length;
    this.#givenUp = this.#reasonNotToTake(bytes);
    if (this.#givenUp === undefined) this.#pieces.push(bytes);
    else this.#pieces = [];
  }

  #reasonNotToTake(bytes: Buffer): NotStored | undefined {
    if (this.#bytes > cachedBytesMax) return 'large_response';
    try {
      this.#deps.buffer(bytes.length);
    } catch {
      return 'no_memory';
    }
    try {
      this.#reader.push(bytes);
      return undefined;
    } catch {
      // Only its own readers accept its form. It still passes.
      return 'incomplete';
    }
  }

  #recorded(): Recorded | NotStored {
    if (this.#givenUp !== undefined) return this.#givenUp;
    const choices = this.#collector.message?.choices ?? [];
    return ended(choices[0]?.finish, choices.length) ?? { form: 'stream', body: Buffer.concat(this.#pieces) };
  }
}
