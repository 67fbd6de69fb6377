// Streams of responses with their guards, for tests: a provider's stream whose events the test sets, matchers that are
// easy to reason about, and the received output of a caller.
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';
import type { Finding, Inspected, InspectedText, Matcher } from '../../guardrails/matcher.ts';
import { Placeholders } from '../../guardrails/placeholders.ts';
import type { BlockedError, Guard } from '../../guardrails/window.ts';
import { GatewayError } from '../../proxy/errors.ts';
import type { ResponseGuards } from '../../proxy/guardrails/response-guards.ts';
import { guardStream } from '../../proxy/guardrails/stream/guard-stream.ts';
import type { StreamResult, StreamSink } from '../../proxy/upstream/attempt.ts';

/** A provider's stream whose events the test sets. */
export class ParsedStream implements StreamResult {
  readonly kind = 'stream';
  readonly headers = ['x-upstream', 'value'];
  isPaused = false;
  aborted: Error | undefined;
  #sink: StreamSink | undefined;

  flowTo(sink: StreamSink): void {
    this.#sink = sink;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  abort(error: Error): void {
    this.aborted = error;
    this.#sink?.fail(error);
  }

  say(...events: readonly (string | JsonObject)[]): void {
    for (const event of events) {
      this.write(Buffer.from(typeof event === 'string' ? event : eventOf(event)));
    }
  }

  write(bytes: Buffer): void {
    if (this.aborted === undefined) this.#sink?.write(bytes);
  }

  /** The end, with its mark. */
  end(): void {
    this.write(Buffer.from('data: [DONE]\n\n'));
    this.finish();
  }

  /** All has been written, including its end mark. */
  finish(): void {
    if (this.aborted === undefined) this.#sink?.end();
  }

  fail(error: Error): void {
    this.#sink?.fail(error);
  }
}

/** A caller's received output. */
export class Received implements StreamSink {
  bytes = '';
  /** The same, as they were written. */
  readonly pieces: Buffer[] = [];
  hasEnded = false;
  failure: Error | undefined;
  readonly #over = Promise.withResolvers<void>();

  /** Resolves when it has ended or failed. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  write(bytes: Buffer): void {
    this.bytes += bytes.toString();
    this.pieces.push(bytes);
  }

  end(): void {
    this.hasEnded = true;
    this.#over.resolve();
  }

  fail(error: Error): void {
    this.failure = error;
    this.#over.resolve();
  }

  get events(): readonly string[] {
    return this.bytes
      .replaceAll('\r\n', '\n')
      .split('\n\n')
      .filter((event) => event !== '');
  }

  /** Without the end mark. */
  get chunks(): readonly JsonObject[] {
    return this.events
      .filter((event) => event.startsWith('data:'))
      .map((event) => parseJson(event.slice('data:'.length)))
      .filter(isObject);
  }

  /** All pieces of a text, put together. */
  text(name = 'content', choice = 0): string {
    return deltasOf(this.chunks, choice)
      .map((delta) => delta[name] ?? '')
      .join('');
  }
}

/** Deltas of one choice, in order. */
export function deltasOf(chunks: readonly JsonObject[], choice = 0): readonly JsonObject[] {
  return chunks
    .flatMap(({ choices }) => (Array.isArray(choices) ? choices : []))
    .filter((one) => isObject(one) && one.index === choice)
    .map(({ delta }) => (isObject(delta) ? delta : {}));
}

export function eventOf(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const chunkHead = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
};

export function chunkOf(delta: JsonObject, fields: JsonObject = {}): JsonObject {
  return { ...chunkHead, choices: [{ index: 0, delta, finish_reason: null, ...fields }] };
}

export function finishOf(reason: string, index = 0): JsonObject {
  return { ...chunkHead, choices: [{ index, delta: {}, finish_reason: reason }] };
}

/** Finds texts with their marks; holds back a text that may still become a match. */
export function marked(open: string, close: string, label: string): Matcher {
  return { cost: 1, inspect: (text, from, window) => findMarked(text, from, { open, close, label, window }) };
}

interface Marks {
  readonly open: string;
  readonly close: string;
  readonly label: string;
  readonly window: number;
}

function findMarked({ raw, isEnd }: InspectedText, from: number, marks: Marks): Inspected {
  const findings: Finding[] = [];
  let at = from;
  for (let start = raw.indexOf(marks.open, at); start !== -1; start = raw.indexOf(marks.open, at)) {
    const close = raw.indexOf(marks.close, start + 1);
    const end = close + marks.close.length;
    if (close === -1 && !isEnd && raw.length - start < marks.window) return { findings, decided: start };
    if (close === -1 || end - start > marks.window) at = start + 1;
    else {
      findings.push({ start, end, label: marks.label });
      at = end;
    }
  }
  return { findings, decided: Math.max(raw.length, at) };
}

/** Decides nothing within the last full window, as a pattern does. */
export function fullWindow(matcher: Matcher): Matcher {
  return {
    cost: matcher.cost,
    inspect: (text, from, window) => {
      const { findings, decided } = matcher.inspect(text, from, window);
      const last = findings.at(-1)?.end ?? 0;
      const back = Math.max(from, last, text.raw.length - window);
      return { findings, decided: text.isEnd ? decided : Math.min(decided, back) };
    },
  };
}

export type Action = 'block' | 'redact' | 'observe';

export function guardOf(matcher: Matcher, action: Action, found: (label: string) => void = () => undefined): Guard {
  const replacements = {
    block: 'block',
    observe: 'keep',
    redact: (_: string, label: string) => `[${label}]`,
  } as const;
  return { matcher, replacement: replacements[action], found };
}

export function responseGuards(guards: readonly Guard[], fields: Partial<ResponseGuards> = {}): ResponseGuards {
  return {
    guards: (form) => (form === 'fixed' ? guards.map(unreplaced) : guards),
    window: 512,
    services: [],
    placeholders: () => new Placeholders(),
    textMax: 1024 * 1024,
    tooLong: () => {
      throw blocked();
    },
    refusal: (_: BlockedError) => blocked(),
    ended: () => undefined,
    ...fields,
  };
}

function unreplaced(guard: Guard): Guard {
  return typeof guard.replacement === 'function' ? { ...guard, replacement: 'block' } : guard;
}

export function blocked(): GatewayError {
  return new GatewayError('guardrail_blocked');
}

/** A stream with guards, and its result. */
export function guarded(guards: ResponseGuards, eventBytesMax = 4096) {
  const source = new ParsedStream();
  const background: string[] = [];
  let buffered = 0;
  let abortable: { abort(error: Error): void } | undefined;
  const result = guardStream(
    source,
    guards,
    { eventBytesMax, background: (name) => void background.push(name) },
    {
      onAbort: (one) => {
        abortable = one;
      },
      buffer: (bytes) => {
        buffered += bytes;
      },
    },
  );
  let handedOver = false;
  const settled = result.then(
    () => {
      handedOver = true;
    },
    () => undefined,
  );
  return {
    source,
    result,
    background,
    buffered: () => buffered,
    abort: (error: Error) => abortable?.abort(error),
    isHandedOver: async () => {
      await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))]);
      return handedOver;
    },
  };
}

export function receive(result: StreamResult): Received {
  const received = new Received();
  result.flowTo(received);
  return received;
}

/** The response to a stream whose events are all set at once. */
export async function responseTo(guards: ResponseGuards, events: readonly (string | JsonObject)[]): Promise<Received> {
  const { source, result } = guarded(guards);
  source.say(...events);
  source.end();
  const received = receive(await result);
  await received.over;
  return received;
}
