// Every row of the feature table at every provider, whole and streamed, in each way in, with the official SDK. The
// tests check the vendor's request, the caller's response and headers, and the refusals against the table, as in
// docs/providers.md. Each row is tried at every provider with the stored key, and in each other way at one provider, the
// next for each row; GATEWAY_TEST_ROUNDS=5 tries it at all.
import type OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import type { Stream } from 'openai/streaming';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { roundsOf } from '../support/seed.ts';
import { plainModels } from '../support/vendors.ts';
import type { Feature, Json, Outcome } from './features/feature.ts';
import { features } from './features/index.ts';
import { modelFor, refusalOf, type Scene, startScene, type Way, ways } from './providers/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

interface Case {
  readonly feature: Feature;
  readonly vendor: VendorName;
  readonly way: Way;
  readonly streams: boolean;
  readonly outcome: Outcome;
}

// The way in does not affect translation, so only one of them also streams.
const forms = [...ways.map((way) => [way, 'whole', false] as const), ['stored key', 'streamed', true] as const];

describe.each(forms)('with %s, %s', (way, _form, streams) => {
  describe.each(Object.entries(features))('%s', (_section, rows) => {
    it.each(casesOf(rows, way, streams))('%s, %s: %s', (...[, , , one]) => check(one));
  });
});

function casesOf(rows: readonly Feature[], way: Way, streams: boolean): (readonly [string, string, string, Case])[] {
  return rows.flatMap((feature, row) =>
    vendorsFor(way, row).map((vendor) => {
      const outcome = (streams ? feature.streamed?.[vendor] : undefined) ?? feature.at[vendor];
      return [vendor, feature.name, outcome.is, { feature, vendor, way, streams, outcome }] as const;
    }),
  );
}

/** The way in does not affect translation. */
function vendorsFor(way: Way, row: number): readonly VendorName[] {
  if (way === 'stored key') return vendorNames;
  return vendorNames.filter((_, index) => (index + row + ways.indexOf(way)) % vendorNames.length < roundsOf(1));
}

async function check(one: Case): Promise<void> {
  const { outcome } = one;
  switch (outcome.is) {
    case 'refused':
      return expectRefusal(one, { code: 'unsupported_parameter', param: outcome.param }, 'gateway');
    case 'refused by vendor':
      return expectRefusal(one, { param: outcome.param }, 'provider');
    case 'fetched': {
      const message = expect.stringContaining('could not be fetched; it must lead to a public https address');
      return expectRefusal(one, { code: 'invalid_request', message }, 'gateway');
    }
    default:
      return expectResponse(one, outcome);
  }
}

async function expectRefusal(one: Case, error: object, source: string): Promise<void> {
  const refusal = await refusalOf(ask(one));
  expect(refusal).toMatchObject({ status: 400, type: 'invalid_request_error', ...error });
  expect(refusal.headers?.get('x-svc-error-source')).toBe(source);
  expect(scene.gateway.simulator.requests).toHaveLength(source === 'gateway' ? 0 : 1);
}

type AcceptedOutcome = Extract<Outcome, { is: 'native' | 'emulated' | 'returned' | 'dropped' | 'left out' }>;

async function expectResponse(one: Case, outcome: AcceptedOutcome): Promise<void> {
  const { completion, headers } = await ask(one);
  expect(completion.choices[0]?.finish_reason).toEqual(expect.any(String));
  expect(headers.get('x-svc-dropped-params')).toBe(droppedBy(outcome));
  const named = outcome.is === 'emulated' ? outcome.names : undefined;
  expect(headers.get('x-svc-emulated-params')).toBe(named ?? null);
  const location = outcome.is === 'returned' ? completion : scene.received().json();
  if (!('at' in outcome)) return;
  const found = valueAt(location, outcome.at);
  expect(found).toBeDefined();
  if (outcome.value !== undefined) expect(found).toEqual(outcome.value);
}

function droppedBy(outcome: AcceptedOutcome): string | null {
  if (outcome.is === 'dropped') return outcome.names;
  return 'dropped' in outcome ? (outcome.dropped ?? null) : null;
}

interface ReadResponse {
  readonly completion: OpenAI.ChatCompletion;
  readonly headers: Headers;
}

/** The table has fields that the SDK's types do not have. */
async function ask({ feature, vendor, way, streams }: Case): Promise<ReadResponse> {
  const { says, models, ask: fields } = feature;
  if (says !== undefined) scene.gateway.simulator.script(says);
  const model = modelFor(vendor, way, models?.[vendor] ?? plainModels[vendor]);
  const body = { model, messages: [{ role: 'user', content: 'Hello' }], ...fields };
  const client = scene.client(vendor, way);
  if (!streams) {
    const request = client.post<OpenAI.ChatCompletion>('/chat/completions', { body });
    const { data, response } = await request.withResponse();
    return { completion: data, headers: response.headers };
  }
  const streamed = { body: { ...body, stream: true }, stream: true };
  const request = client.post<Stream<OpenAI.ChatCompletionChunk>>('/chat/completions', streamed);
  const { data, response } = await request.withResponse();
  return { completion: await completionOf(data), headers: response.headers };
}

/** The SDK joins the texts of the fields that it knows; of every other field it keeps the last piece. */
async function completionOf(stream: Stream<OpenAI.ChatCompletionChunk>): Promise<OpenAI.ChatCompletion> {
  const [kept, read] = stream.tee();
  const completion = await ChatCompletionStream.fromReadableStream(read.toReadableStream()).finalChatCompletion();
  const message = completion.choices[0]?.message ?? {};
  const thoughts: string[] = [];
  for await (const { choices } of kept) {
    const delta: Json = { ...choices[0]?.delta };
    if (typeof delta.reasoning_content === 'string') thoughts.push(delta.reasoning_content);
  }
  if (thoughts.length > 0) Object.assign(message, { reasoning_content: thoughts.join('') });
  return completion;
}

/** The value at a path such as `a.0.b`. */
function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inside, step) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, step) : undefined),
      value,
    );
}
