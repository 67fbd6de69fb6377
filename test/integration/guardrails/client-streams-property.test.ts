// Property test: with output guardrails, a client of any format reads the same from a stream as from the whole response,
// and no byte of its stream has a letter of what was blocked or redacted. A stream that is blocked has no clean end.
// Random responses pass the same guards once whole and once as a stream, which is cut at random and then written as the
// proxy writes it; what a client reads is what the vendors' SDKs make of it. A vendor of the client's own format sends
// that format instead of chat completions.
import { expect, it } from 'vitest';
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { clientFormats } from '../../../proxy/client-formats.ts';
import type { NativeFormats } from '../../../proxy/formats/chat-completions/native.ts';
import { ChunkReader } from '../../../proxy/formats/chat-completions/read-chunks.ts';
import { messageOf } from '../../../proxy/formats/chat-completions/read-message.ts';
import type { ClientRequest } from '../../../proxy/formats/client-format.ts';
import { inClientFormat } from '../../../proxy/http/client-response.ts';
import { errorResponse } from '../../../proxy/http/respond.ts';
import { nativeFormat, type ProviderCall } from '../../../proxy/providers/provider.ts';
import type { StreamResult } from '../../../proxy/upstream/attempt.ts';
import type { VendorName } from '../../../simulator/vendors.ts';
import { Random } from '../../support/access/random.ts';
import { type Folded, finishesIn, folds, readable } from '../../support/client-folds.ts';
import { type ClientKind, clientKinds, elapsedMs, eventsIn } from '../../support/client-streams.ts';
import { linesOf } from '../../support/cloud-frames.ts';
import { cutBytes, type RandomResponse, randomReadable } from '../../support/guarded-responses.ts';
import type { Action } from '../../support/guarded-streams.ts';
import {
  type GuardedBy,
  type GuardedPieces,
  type GuardedWhole,
  guardPieces,
  guardrailsOf,
  guardWhole,
  leakedLetters,
  randomActions,
} from '../../support/response-inspections.ts';
import { startingSeed } from '../../support/seed.ts';
import { clientCallOf } from '../../support/vendor-calls.ts';

// As in streams-property.test.ts.
const { GUARDRAILS_SEED: given, GUARDRAILS_CASES: wanted } = process.env;
const seed = given === undefined ? startingSeed() : Number(given);
const cases = given === undefined ? Number(wanted ?? 30) : 1;

const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 64 };

interface Native {
  readonly vendor: VendorName;
  readonly model: string;
  /** Of the client's request. */
  readonly body: JsonObject;
}

/** A vendor with the client's own format. */
const natives: Readonly<Record<Exclude<ClientKind['format'], 'chat_completions'>, Native>> = {
  messages: { vendor: 'assistant-provider', model: 'claude-sonnet-4-5', body: { ...hello, stream: true } },
  responses: {
    ...{ vendor: 'gpt-provider', model: 'gpt-5' },
    body: { input: 'Hello', stream: true, tools: [{ type: 'custom', name: 'tool_1' }] },
  },
  generate_content: {
    ...{ vendor: 'search-provider', model: 'gemini-2.5-flash' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
  converse: {
    ...{ vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
    body: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] },
  },
  invoke: {
    ...{ vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
    body: { ...hello, anthropic_version: 'bedrock-2023-05-31' },
  },
};

interface Client extends Omit<ClientKind, 'format'> {
  readonly format: keyof typeof natives;
  readonly request: ClientRequest;
  readonly call: ProviderCall;
  readonly native: NativeFormats;
}

const clients: readonly Client[] = clientKinds.flatMap(({ format, ...kind }) => {
  if (format === 'chat_completions') return [];
  const { vendor, model, body } = natives[format];
  const call = clientCallOf(vendor, model, { format: clientFormats[format], body, stream: true });
  const native = nativeFormat(call);
  const { client } = call.request;
  if (native === undefined || client === undefined) throw new Error(`${vendor} has no clients of ${format}`);
  const request = { ...client, path: { ...client.path, framing: kind.framing } };
  return [{ ...kind, format, request, call, native }];
});

interface Case extends GuardedBy {
  readonly random: Random;
  readonly actions: readonly Action[];
  readonly response: RandomResponse;
}

function randomCase(number: number): Case {
  const random = new Random(number * 7919);
  const window = random.pick([64, 100, 512]);
  const actions = randomActions(random);
  const guardrails = actions.flatMap((action) => guardrailsOf(random, action));
  return { random, window, actions, guardrails, response: randomReadable(random, actions, window) };
}

/** What a client reads, with the words of its format for the end. */
interface Read extends Folded {
  readonly finishes: readonly string[];
}

class Outcomes {
  readonly #counts = { blocked: 0, 'blocked before the first byte': 0, rewritten: 0, untouched: 0 };

  count(whole: GuardedWhole, { isCommitted }: GuardedPieces, original: string): void {
    if (whole.body !== undefined) this.#counts[whole.body.toString() === original ? 'untouched' : 'rewritten']++;
    else this.#counts[isCommitted ? 'blocked' : 'blocked before the first byte']++;
  }

  expectAll(): void {
    console.log(`${cases} responses from seed ${seed}:`, this.#counts);
    if (given === undefined) expect(Object.values(this.#counts).every((count) => count > 0)).toBe(true);
  }
}

it(
  `a client of any format reads the same from a guarded stream as from the response (${cases} cases from seed ${seed})`,
  async () => {
    const outcomes = new Outcomes();
    for (let number = seed; number < seed + cases; number++) {
      const one = randomCase(number);
      const original = JSON.stringify(one.response.body);
      const whole = await guardWhole(Buffer.from(original), one);
      const streamed = await guardPieces(cutBytes(one.random, one.response.bytes), one);
      for (const client of clients) await check(client, one, { whole, streamed, number });
      outcomes.count(whole, streamed, original);
    }
    outcomes.expectAll();
  },
  60_000 + cases * 1000,
);

it(
  `the same at a vendor of the client’s own format (${cases} cases from seed ${seed})`,
  async () => {
    const outcomes = new Outcomes();
    for (let number = seed; number < seed + cases; number++) {
      const one = randomCase(number);
      // Each has its own guards, which cost the most, so each case has half of the clients.
      for (const client of clients.filter((_, index) => (index + number) % 2 === 0)) {
        const original = readWhole(client, one.response.body);
        const whole = await guardWhole(original, one);
        const streamed = await guardPieces(readStream(client, one), one);
        await check(client, one, { whole, streamed, number });
        outcomes.count(whole, streamed, original.toString());
      }
    }
    outcomes.expectAll();
  },
  60_000 + cases * 1000,
);

interface Results {
  readonly whole: GuardedWhole;
  readonly streamed: GuardedPieces;
  readonly number: number;
}

async function check(client: Client, { actions }: Case, { whole, streamed, number }: Results): Promise<void> {
  const what = `GUARDRAILS_SEED=${number} ${client.file}`;
  const sent = clientStream(client, streamed);
  const shown = client.file.endsWith('.jsonl') ? linesOf(sent) : sent.toString();
  const events = eventsIn(shown);
  expect(leakedLetters(shown, actions), what).toEqual([]);
  expect(streamed.refusal !== undefined, what).toBe(whole.body === undefined);
  if (whole.body === undefined) {
    expect(finishesIn(events), what).toEqual([]);
    expect(shown, what).not.toMatch(/\]$/);
    if (streamed.isCommitted) await expect(folds[client.format](sent), what).rejects.toThrow();
    return;
  }
  const body = clientBody(client, whole.body);
  const read: Read = { ...readable(body), finishes: finishesIn([body]) };
  expect(leakedLetters(JSON.stringify(body), actions), what).toEqual([]);
  expect({ ...(await folds[client.format](sent)), finishes: finishesIn(events) }, what).toEqual(read);
  expect(streamed.decisions, what).toEqual(whole.decisions);
  if (client.request.path.framing === 'json_array') expect(parseJson(shown), what).toEqual(events);
  // The SDK's fold is the last event's response.
  if (client.format === 'responses') expect(deltasIn(events), what).toEqual([read.reasoning, read.content]);
}

const context = {
  elapsedMs: () => elapsedMs,
  inSlices: () => Promise.reject(new Error('the response is small')),
  isGuarded: true,
};

/** All bytes that the client of a stream gets; none if it gets an error response instead. */
function clientStream({ format, request }: Client, { received, refusal, isCommitted }: GuardedPieces): Buffer {
  const source: StreamResult = {
    ...{ kind: 'stream', headers: [], pause: () => undefined, resume: () => undefined, abort: () => undefined },
    flowTo: (sink) => {
      for (const piece of received.pieces) sink.write(piece);
      if (refusal === undefined) sink.end();
      else sink.fail(refusal);
    },
  };
  if (!isCommitted) return Buffer.alloc(0);
  const result = inClientFormat(source, request, context);
  if (result instanceof Promise || result.kind !== 'stream') throw new Error('a stream became a whole response');
  const sent: Buffer[] = [];
  result.flowTo({
    write: (bytes) => void sent.push(bytes),
    end: () => undefined,
    fail: (error) => {
      const soFar = { path: request.path, first: sent[0], last: sent.at(-1) };
      const shown = { ...errorResponse(error), requestId: 'req_1' };
      sent.push(Buffer.from(clientFormats[format].writeStreamError(shown, soFar)));
    },
  });
  return Buffer.concat(sent);
}

/** @param guarded a chat completion */
function clientBody({ request }: Client, guarded: Buffer): JsonObject {
  const result = inClientFormat({ kind: 'complete', headers: [], body: guarded }, request, context);
  if (result instanceof Promise || result.kind !== 'complete') throw new Error('the response is small');
  return objectIn(result.body);
}

function objectIn(json: Buffer): JsonObject {
  const parsed = parseJson(json.toString());
  if (!isObject(parsed)) throw new Error('the response is no object');
  return parsed;
}

/** The response as its vendor sends it, in the client's format, and as the proxy reads it for the guards. */
function readWhole({ request, native, call }: Client, completion: JsonObject): Buffer {
  const body = request.translation.writeResponse(messageOf(completion), request, elapsedMs);
  return native.guarded.readResponse(call, { head: {}, body: Buffer.from(writeJson(body)) }).body;
}

/** The same of its stream, cut at random. */
function readStream({ request, native, call }: Client, { random, response }: Case): readonly Buffer[] {
  // Vendors send events, whatever the client's framing is.
  const vendor = { ...request, path: { ...request.path, framing: undefined } };
  const sent = new ChunkReader(request.translation.openWriter(vendor, () => elapsedMs)).push(response.bytes);
  const reader = native.guarded.openStream(call, {}, { eventBytesMax: 4 * 1024 * 1024 });
  const pieces = [...cutBytes(random, sent).map((piece) => reader.push(piece)), reader.end()];
  expect([reader.complete, reader.failure]).toEqual([true, undefined]);
  return pieces.filter(({ length }) => length > 0);
}

/** The text in the deltas of Responses. */
function deltasIn(events: readonly JsonObject[]): readonly [reasoning: string, content: string] {
  const join = (...types: readonly string[]) =>
    events.map(({ type, delta }) => (types.includes(String(type)) ? String(delta) : '')).join('');
  return [join('response.reasoning_summary_text.delta'), join('response.output_text.delta', 'response.refusal.delta')];
}
