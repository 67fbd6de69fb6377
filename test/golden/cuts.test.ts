// The streams of all vendors, cut in two at every byte and into single bytes, for clients of every format: the client gets
// the same bytes, and the gateway the same usage and the same end. The kinds of clients share the cuts in two, where
// GATEWAY_TEST_ROUNDS=21 makes all of them for each kind; a stream that passes unchanged is always cut at every byte.
import { existsSync, readdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientFormats } from '../../proxy/client-formats.ts';
import { providers } from '../../proxy/providers/index.ts';
import { buildRequest, formatOf, type ProviderCall, passesResponse } from '../../proxy/providers/provider.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { type ClientKind, clientKinds, clientRequestOf, rewriteFor } from '../support/client-streams.ts';
import { openGoldenCase } from '../support/golden.ts';
import { positionsOf, roundsOf, sharedPositionsOf } from '../support/seed.ts';
import { askVendor, clientCallOf, partsOf } from '../support/vendor-calls.ts';

/** A stream for a client, as it arrives. */
interface ArrivingStream {
  readonly call: ProviderCall;
  readonly head: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly kind: ClientKind;
}

/** Everything that the client and the gateway get of these pieces. */
function read({ call, head, kind }: ArrivingStream, pieces: readonly Buffer[]): string {
  const reader = formatOf(call).openStream(call, head, { eventBytesMax: 1024 * 1024 });
  const rewrite = passesResponse(call) ? (bytes: Buffer) => bytes : rewriteFor(kind);
  const received: Buffer[] = [];
  for (const piece of pieces) {
    if (reader.complete || reader.failure !== undefined) break;
    received.push(rewrite(reader.push(piece)));
  }
  if (!reader.complete && reader.failure === undefined) received.push(rewrite(reader.end()));
  const { complete, failure, usage, usageIsComplete, model, textTokens } = reader;
  const end = { complete, failure, usage, usageIsComplete, model, textTokens };
  return `${Buffer.concat(received).toString('latin1')}: ${JSON.stringify(end)}`;
}

function expectSameInPieces(stream: ArrivingStream, cuts: readonly number[], inBytes = true): void {
  const { bytes } = stream;
  const whole = read(stream, [bytes]);
  for (const cut of cuts) {
    const inTwo = read(stream, [bytes.subarray(0, cut), bytes.subarray(cut)]);
    if (inTwo !== whole) expect(inTwo, `cut at byte ${cut}`).toBe(whole);
  }
  if (!inBytes) return;
  const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  expect(read(stream, single)).toBe(whole);
}

/** The call as a client of this kind makes it. */
function forClient(call: ProviderCall, kind: ClientKind): ProviderCall {
  const { translation } = clientFormats[kind.format];
  if (translation === undefined) return call;
  return { ...call, request: { ...call.request, includeUsage: true, client: clientRequestOf(translation, kind) } };
}

const streams = providers.flatMap((provider) => {
  const folder = join(import.meta.dirname, provider.name);
  const cases = existsSync(folder) ? readdirSync(folder).sort() : [];
  return cases.flatMap((name) => {
    const golden = openGoldenCase(join(folder, name), provider);
    return golden.streamFile === undefined ? [] : [[`${provider.name}/${name}`, golden] as const];
  });
});

describe.each(clientKinds.map((kind, index) => [kind.file, kind, index] as const))('in %s', (_file, kind, index) => {
  // A client of the vendor's own format would get a stream of another kind, as below.
  const others = streams
    .filter(([name]) => !(kind.format === 'responses' && name.startsWith('gpt-provider/')))
    .map(([name, golden], number) => [name, golden, number] as const);

  it.each(others)('the stream %s is the same wherever its bytes are cut', (_name, golden, number) => {
    const { call, head } = golden;
    const bytes = golden.streamBytes();
    const searcher = { index: 6 * index + (number % 6), all: 6 * clientKinds.length };
    const cuts = sharedPositionsOf(1, bytes.length, searcher);
    const inBytes = roundsOf(3) > 3 || (number + index) % 3 === 0;
    expectSameInPieces({ call: forClient(call, kind), head, bytes, kind }, cuts, inBytes);
  });
});

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const simulated: Behaviour = {
  text: 'Tea: ü 🫖.',
  reasoning: 'Hm, ü.',
  toolCalls: [
    { name: 'weather', arguments: '{"city":"Oslo ü"}' },
    { name: 'weather', arguments: '{"city":"Rome"}' },
  ],
};

/** The client's own vendor, with a request that makes it think and call. */
const natives = {
  messages: {
    ...{ vendor: 'assistant-provider', model: 'claude-sonnet-4-5' },
    body: {
      ...{ max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 2048 }, stream: true },
      ...{ messages: [{ role: 'user', content: 'Hello' }], tools: [{ name: 'weather', input_schema: parameters }] },
    },
  },
  responses: {
    ...{ vendor: 'gpt-provider', model: 'gpt-5' },
    body: {
      ...{ input: 'Hello', stream: true, store: false, reasoning: { summary: 'auto' } },
      tools: [{ type: 'function', name: 'weather', parameters, strict: false }],
    },
  },
  generate_content: {
    ...{ vendor: 'search-provider', model: 'gemini-2.5-flash' },
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    },
  },
  converse: {
    ...{ vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
    body: {
      ...{ messages: [{ role: 'user', content: [{ text: 'Hello' }] }], inferenceConfig: { maxTokens: 4096 } },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2048 } },
      toolConfig: { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: parameters } } }] },
    },
  },
} as const satisfies Record<string, { readonly vendor: VendorName; readonly model: string; readonly body: object }>;

describe.each(Object.entries(natives))('the stream of the vendor of %s', (format, { vendor, model, body }) => {
  const kinds = clientKinds.filter((kind) => kind.format === format);

  it.each(kinds.map((kind) => [kind.file, kind] as const))(
    'is the same wherever it is cut, in %s',
    async (_file, kind) => {
      const headers = format === 'messages' ? ['anthropic-version', '2023-06-01'] : [];
      const client = { format: clientFormats[kind.format], body, headers, stream: true };
      const sent = clientCallOf(vendor, model, client);
      const response = askVendor(vendor, await buildRequest(sent), { behaviour: simulated });
      const bytes = Buffer.concat(partsOf(response));
      expect(response.status, bytes.toString()).toBe(200);
      const call = kind.framing === undefined ? sent : forClient(sent, kind);
      expect(passesResponse(call)).toBe(kind.framing === undefined);
      const stream = { call, head: response.headers, bytes, kind };
      if (passesResponse(call)) expect(read(stream, [bytes])).toContain(bytes.toString('latin1'));
      expect(read(stream, [bytes])).toContain('"complete":true');
      expectSameInPieces(stream, positionsOf(1, bytes.length));
    },
  );
});
