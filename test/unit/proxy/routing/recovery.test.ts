// Streams of all vendors' formats that break off after each of their events, for clients of every format: the client's
// SDK reads one whole response, or the error of its format, by the table of docs/routing.md. The recorded streams are
// those of the golden files; a simulator that is as strict as the vendor gets the request that follows. The kinds of
// clients share the events, so that two or three of them try each; GATEWAY_TEST_ROUNDS=3 makes each try all.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectsOf, parseJson } from '../../../../common/json.ts';
import type { ChatCall } from '../../../../proxy/call.ts';
import { SseSplitter } from '../../../../proxy/formats/sse.ts';
import { buildRequest, formatOf, type ProviderCall } from '../../../../proxy/providers/provider.ts';
import type { Behaviour } from '../../../../simulator/behaviour.ts';
import { type Model, type Play, played, routedCallOf, simulated } from '../../../support/broken-streams.ts';
import { folds } from '../../../support/client-folds.ts';
import { type ClientKind, clientKinds } from '../../../support/client-streams.ts';
import { framesOf } from '../../../support/cloud-frames.ts';
import { sharedPositionsOf } from '../../../support/seed.ts';

const golden = join(import.meta.dirname, '../../../golden');
const rest = 'the rest: ü 🫖.';

interface Recorded {
  readonly name: string;
  readonly first: Model;
  /** Each is one event of the vendor's. */
  readonly events: readonly Buffer[];
  readonly head: Readonly<Record<string, string>>;
}

const gpt = { vendor: 'gpt-provider', model: 'gpt-4o-mini' } as const;
const studio = { vendor: 'studio-ai', model: 'gpt-4o-mini' } as const;
const claude = { vendor: 'assistant-provider', model: 'claude-haiku-4-5' } as const;
const gemini = { vendor: 'search-provider', model: 'gemini-2.5-flash' } as const;
const cloud = { vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' } as const;

const files: readonly (readonly [Model, string])[] = [
  [gpt, 'gpt-provider/text-stream/stream.sse'],
  [gpt, 'gpt-provider/tools-stream/stream.sse'],
  [gpt, 'gpt-provider/stream-refusal/stream.sse'],
  [studio, 'studio-ai/transcript/stream.sse'],
  [studio, 'studio-ai/stream-tools/stream.sse'],
  [claude, 'assistant-provider/transcript/stream.sse'],
  [claude, 'assistant-provider/stream-text/stream.sse'],
  [claude, 'assistant-provider/stream-tools/stream.sse'],
  [claude, 'assistant-provider/stream-reasoning/stream.sse'],
  [gemini, 'search-provider/transcript/stream.sse'],
  [gemini, 'search-provider/stream-text/stream.sse'],
  [gemini, 'search-provider/stream-reasoning/stream.sse'],
  [gemini, 'search-provider/stream-tools-parallel/stream.sse'],
  [cloud, 'managed-cloud-models/transcript/stream.bin'],
  [cloud, 'managed-cloud-models/stream-text/stream.jsonl'],
  [cloud, 'managed-cloud-models/stream-tools/stream.jsonl'],
  [cloud, 'managed-cloud-models/stream-reasoning/stream.jsonl'],
];

function recorded([first, file]: readonly [Model, string]): Recorded {
  const bytes = readFileSync(join(golden, file));
  const isCloud = first.vendor === 'managed-cloud-models';
  const type = isCloud ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  const stream = file.endsWith('.jsonl') ? framesOf(bytes.toString()) : bytes;
  const events = isCloud ? framesIn(stream) : new SseSplitter(1_000_000).push(stream);
  return { name: file.replace(/\/stream.*$/, ''), first, events, head: { 'content-type': type } };
}

function framesIn(bytes: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    frames.push(bytes.subarray(at, at + bytes.readUInt32BE(at)));
  }
  return frames;
}

const streams = files.map(recorded);
const simulatedStreams: readonly (readonly [string, Behaviour])[] = [
  ['text', { text: 'Grüße, 🍵 and more. ' }],
  ['reasoning', { reasoning: 'Hm. Tea?', text: 'Tea.' }],
  ['calls', { text: 'On it.', toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] }],
];

/** The stream of a vendor that has the client's own format, where the golden files have none. */
async function simulatedNative(kind: ClientKind, first: Model): Promise<readonly Recorded[]> {
  const request = await buildRequest(callAt(routedCallOf(kind, [first], undefined), first));
  return simulatedStreams.map(([name, behaviour]) => {
    const { head = {}, pieces } = simulated(first.vendor, { ...request, fresh: false }, behaviour);
    const bytes = Buffer.concat(pieces);
    const isCloud = first.vendor === 'managed-cloud-models';
    const events = isCloud ? framesIn(bytes) : new SseSplitter(1_000_000).push(bytes);
    return { name: `${first.vendor} as its own client, ${name}`, first, events, head };
  });
}

const natives: Partial<Record<ClientKind['format'], Model>> = { responses: gpt, invoke: cloud };

async function streamsFor(kind: ClientKind): Promise<readonly Recorded[]> {
  const native = natives[kind.format];
  if (native === undefined) return streams;
  return [...streams.filter(({ first }) => first !== native), ...(await simulatedNative(kind, native))];
}

/** What the client's SDK makes of the stream; undefined: an error. */
function fold(kind: ClientKind, pieces: readonly Buffer[]) {
  return folds[kind.format](Buffer.concat(pieces)).catch(() => undefined);
}

type Row = 'nothing' | 'head' | 'reasoning' | 'text' | 'other';

function callAt({ request, model, capabilities, targets: [target] }: ChatCall, { vendor }: Model): ProviderCall {
  if (target === undefined) throw new Error(`there is no target at ${vendor}`);
  return { request, model, capabilities, target, outputTokensMax: 9, now: 0, images: new Map() };
}

/** The row of the table, by what a client of chat completions would get of these events. */
function rowOf(kind: ClientKind, { first, head }: Recorded, events: readonly Buffer[]) {
  const call = { ...callAt(routedCallOf(kind, [first], undefined), first), isGuarded: true };
  const reader = formatOf(call).openStream(call, head, { eventBytesMax: 1_000_000 });
  const chunks = events.map((event) => reader.push(event).toString()).join('');
  const deltas = chunks.split('\n\n').flatMap((event): readonly JsonObject[] => {
    const chunk = parseJson(event.replace(/^data: /, ''));
    return isObject(chunk) ? objectsOf(chunk.choices) : [];
  });
  const text = deltas.map(({ delta }) => (isObject(delta) ? (delta.content ?? '') : '')).join('');
  const names = new Set(
    deltas.flatMap(({ delta, finish_reason: reason }) => [
      ...(reason === null || reason === undefined ? [] : ['finish']),
      ...Object.entries(isObject(delta) ? delta : {}).flatMap(([name, value]) => (value ? [name] : [])),
    ]),
  );
  names.delete('role');
  const known = ['content', 'reasoning_content'];
  const rowIn = (): Row => {
    if (chunks === '') return 'nothing';
    if ([...names].some((name) => !known.includes(name)) || names.size > 1) return 'other';
    return names.has('content') ? 'text' : names.has('reasoning_content') ? 'reasoning' : 'head';
  };
  return { row: rowIn(), text };
}

const second: Model = claude;

/** The next event is there in part. */
function playOf(stream: Recorded, count: number, ends: Play['ends']) {
  const half = stream.events[count]?.subarray(0, 9) ?? Buffer.alloc(0);
  const cut: Play = { head: stream.head, pieces: [...stream.events.slice(0, count), half], ends };
  return (request: Parameters<typeof simulated>[1], attempt: number): Play =>
    attempt === 0 ? cut : simulated(second.vendor, request, { text: rest });
}

const clients = await Promise.all(
  clientKinds.map(async (kind, index) => [kind.file, { kind, index, streams: await streamsFor(kind) }] as const),
);

/** What the client's SDK reads of the stream, and what followed; undefined: an error, as without recovery. */
function expectedOf({ row, text }: ReturnType<typeof rowOf>, { format }: ClientKind) {
  const restarts = row === 'head' || (row === 'reasoning' && format === 'chat_completions');
  if (restarts) return { content: rest, recovered: ['restarted'] };
  if (row === 'nothing') return { content: rest, recovered: [] };
  return row === 'text' ? { content: text + rest, recovered: ['continued'] } : undefined;
}

describe.each(clients)('in %s', (_file, { kind, index, streams: ofKind }) => {
  it.each(ofKind.map((stream, number) => [stream.name, stream, number] as const))(
    'the stream %s that breaks off at any event is followed by the table',
    async (_name, stream, number) => {
      const searcher = { index: index + number, all: 3 };
      for (const count of sharedPositionsOf(0, stream.events.length, searcher)) {
        const at = `after event ${count}`;
        const models = [stream.first, second];
        const play = playOf(stream, count, (count + number + index) % 2 === 0 ? 'reset' : 'end');
        const expected = expectedOf(rowOf(kind, stream, stream.events.slice(0, count)), kind);
        const run = await played(routedCallOf(kind, models, 'continue'), play);
        const read = await fold(kind, run.pieces);
        if (expected !== undefined) {
          expect({ content: read?.content, recovered: run.recovered }, at).toEqual(expected);
          continue;
        }
        const today = await played(routedCallOf(kind, models, undefined), play);
        // A vendor without an end marker may have ended: then nothing was cut.
        if (today.error !== undefined) expect(read, at).toBeUndefined();
        expect(run.error, at).toEqual(today.error);
        expect(run.requests, at).toHaveLength(1);
      }
    },
  );
});
