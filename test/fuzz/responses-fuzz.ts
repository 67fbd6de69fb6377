// Sends responses of hostile vendors through every translator, from the first byte to the last. Each ends as an error
// envelope, a failure inside the stream, or a valid response; nothing else is thrown, nothing waits for ever, and a cut
// response is never complete.

import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, parseJson } from '../../common/json.ts';
import { GatewayError } from '../../proxy/errors.ts';
import type { ProviderCall } from '../../proxy/providers/provider.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import { Attempt, type AttemptResult, type StreamResult } from '../../proxy/upstream/attempt.ts';
import { ProviderFailure } from '../../proxy/upstream/provider-failure.ts';
import { type Transport, TransportError, type UpstreamReceiver } from '../../proxy/upstream/transport.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { Random } from '../support/access/random.ts';
import { idleContext } from '../support/attempt-context.ts';
import { BadResponse, type ParsedCompletion, readCompletion, readStream } from '../support/completions.ts';
import { askVendor, callOf, partsOf } from '../support/vendor-calls.ts';
import { plainModels } from '../support/vendors.ts';
import { mutated, noise } from './mutations.ts';
import type { FuzzOptions } from './translate-fuzz.ts';

/** @returns how often each outcome was seen @throws Error that names the first case which breaks an invariant */
export async function fuzzResponses({ seed, cases }: FuzzOptions): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  for (let number = seed; number < seed + cases; number++) {
    const outcome = await runCase(number);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

const vendorNames = Object.keys(plainModels) as readonly VendorName[];
const limits = { responseBytesMax: 64 * 1024, eventBytesMax: 64 * 1024 };

async function runCase(number: number): Promise<string> {
  const random = new Random(number * 104_729);
  const vendor = random.pick(vendorNames);
  const golden = await goldenResponse(random, vendor);
  const hostile = random.chance(0.25) ? cut(random, golden) : hostileResponse(random, golden);
  try {
    const outcome = await play(golden.call, hostile);
    checkOutcome(outcome, golden, hostile);
    return `${vendor} ${golden.call.request.stream ? 'stream' : 'whole'} ${outcome.kind}`;
  } catch (error) {
    const { status, headers, parts, end } = hostile;
    const shown = { status, headers, end, bytes: Buffer.concat(parts).toString('latin1') };
    throw new Error(`case ${number}, ${vendor}: ${String(error)}\n${JSON.stringify(shown, undefined, 1)}`, {
      cause: error,
    });
  }
}

interface Golden {
  readonly call: ProviderCall;
  readonly headers: IncomingHttpHeaders;
  readonly parts: readonly Buffer[];
  /** The completion that the unchanged bytes contain. */
  readonly parsed: ParsedCompletion;
}

const tools = ['boil', 'stir'].map((name) => ({ type: 'function', function: { name } }));
const schema = {
  type: 'object',
  properties: { cups: { type: 'integer' } },
  required: ['cups'],
  additionalProperties: false,
};
const query: readonly (readonly [JsonObject, Behaviour])[] = [
  [{}, { text: 'Tea 🫖 is ready.' }],
  [
    { tools },
    {
      text: 'On it.',
      toolCalls: tools.map((tool) => ({ name: tool.function.name, arguments: '{"cups":2}' })),
    },
  ],
  [{ response_format: { type: 'json_schema', json_schema: { name: 'order', schema, strict: true } } }, {}],
  [
    { tools, thinking: true },
    { reasoning: 'Hm …', text: 'Tea.' },
  ],
];

async function goldenResponse(random: Random, vendor: VendorName): Promise<Golden> {
  const stream = random.chance(0.6);
  const [{ thinking, ...fields }, behaviour] = random.pick(query);
  const translates = vendor !== 'gpt-provider' && vendor !== 'studio-ai';
  const effort = thinking === true && translates ? { reasoning_effort: 'low' } : {};
  const body = {
    messages: [{ role: 'user', content: 'Boil two cups.' }],
    ...fields,
    ...effort,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
  const call = callOf(vendor, plainModels[vendor], body, vendor === 'studio-ai' ? '/models' : '');
  const request = await buildRequest(call);
  const response = askVendor(vendor, request, { behaviour });
  const parts = partsOf(response);
  const whole = { status: 200, headers: response.headers, parts, end: 'end', isCut: false } as const;
  const outcome = await play(call, whole);
  if (outcome.kind === 'failed') throw outcome.error;
  return { call, headers: response.headers, parts, parsed: reportedBy(call, outcome.bytes) };
}

function reportedBy({ request }: ProviderCall, bytes: string): ParsedCompletion {
  return request.stream ? readStream(bytes) : readCompletion(parseJson(bytes));
}

interface Hostile {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly parts: readonly Buffer[];
  /** How the connection ends. */
  readonly end: 'end' | 'closed' | 'protocol';
  /** Whether the bytes are unchanged but break off. */
  readonly isCut: boolean;
}

function cut(random: Random, { headers, parts }: Golden): Hostile {
  const bytes = Buffer.concat(parts);
  const kept = bytes.subarray(0, random.below(bytes.length));
  return { status: 200, headers, parts: [kept], end: random.pick(['end', 'closed']), isCut: true };
}

function hostileResponse(random: Random, { headers, parts }: Golden): Hostile {
  const status = random.chance(0.8)
    ? 200
    : random.pick([100, 204, 301, 400, 401, 403, 404, 418, 429, 500, 503, 529, 599]);
  return {
    status,
    headers: random.chance(0.9) ? headers : { ...headers, ...random.pick(oddHeaders) },
    parts: random.chance(0.95) ? mutated(random, parts) : [noise(random, 1000)],
    end: random.pick(['end', 'end', 'end', 'closed', 'protocol']),
    isCut: false,
  };
}

const oddHeaders: readonly IncomingHttpHeaders[] = [
  { 'content-type': 'text/html' },
  { 'content-type': 'application/json' },
  { 'content-encoding': 'gzip' },
  { 'retry-after': 'tomorrow' },
  { 'retry-after': '1e99', 'x-amzn-errortype': ':' },
  { 'x-amzn-requestid': '\u0080', 'request-id': 'x'.repeat(5000) },
];

type Outcome =
  | { readonly kind: 'completed'; readonly bytes: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Runs one attempt at a vendor with this response. */
async function play(call: ProviderCall, hostile: Hostile): Promise<Outcome> {
  let delivered = Promise.resolve();
  const transport: Transport = {
    send: (_request, receiver) => {
      const state = { cancelled: false };
      delivered = deliver(receiver, hostile, state);
      const cancel = () => {
        state.cancelled = true;
      };
      return { begun: true, pause: () => undefined, resume: () => undefined, cancel };
    },
    close: () => Promise.resolve(),
  };
  const attempt = new Attempt(call, { transport, limits, now: () => call.now }, idleContext);
  const outcome = settled(attempt);
  // Wait until all bytes are delivered before the outcome counts as missing.
  const silence = turns(20)
    .then(() => delivered)
    .then(() => turns(5));
  const first = await Promise.race([outcome, silence]);
  if (first === undefined) throw new Error('no completion and no failure');
  return first;
}

/** Returns the outcome that a caller of the attempt would pass to the client. */
async function settled(attempt: Attempt): Promise<Outcome> {
  let result: AttemptResult;
  try {
    result = await attempt.run();
  } catch (error) {
    return { kind: 'failed', error };
  }
  return result.kind === 'complete' ? { kind: 'completed', bytes: result.body.toString() } : flowOf(result);
}

function flowOf(result: StreamResult): Promise<Outcome> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    result.flowTo({
      write: (bytes) => void chunks.push(bytes),
      end: () => resolve({ kind: 'completed', bytes: Buffer.concat(chunks).toString() }),
      fail: (error) => resolve({ kind: 'failed', error }),
    });
  });
}

async function deliver(
  receiver: UpstreamReceiver,
  hostile: Hostile,
  state: { readonly cancelled: boolean },
): Promise<void> {
  const { status, headers, parts, end } = hostile;
  const steps = [
    () => receiver.onHead(status, headers),
    ...parts.map((part) => () => receiver.onData(part)),
    () => (end === 'end' ? receiver.onEnd() : receiver.onError(new TransportError(end, new Error('broke off')))),
  ];
  for (const step of steps) {
    await Promise.resolve();
    if (state.cancelled) return;
    step();
  }
}

async function turns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
  return undefined;
}

function checkOutcome(outcome: Outcome, { call, parsed }: Golden, { isCut }: Hostile): void {
  if (outcome.kind === 'failed') {
    checkError(outcome.error);
    return;
  }
  const stated = readLeniently(call, outcome.bytes);
  // The vendor's token counts come last and are no part of the text.
  const { usage: _, ...expected } = parsed;
  if (isCut && !isDeepStrictEqual({ ...stated, usage: undefined }, { ...expected, usage: undefined })) {
    throw new Error(`cut, and returned as complete: ${JSON.stringify([stated, parsed])}`);
  }
}

/** Responses in the callers' format pass unchanged, whatever they contain. */
function readLeniently(call: ProviderCall, bytes: string): ParsedCompletion | undefined {
  try {
    return reportedBy(call, bytes);
  } catch (error) {
    const { name } = call.target.provider;
    if (error instanceof BadResponse && (name === 'gpt-provider' || name === 'studio-ai')) return undefined;
    throw error;
  }
}

function checkError(error: unknown): void {
  if (error instanceof ProviderFailure) {
    const { status, message, retryAfter } = error;
    if (status < 400 || status > 599 || message === '') throw new Error(`a failure of status ${status}`);
    if (retryAfter !== undefined && !Number.isFinite(retryAfter)) throw new Error(`retry after ${retryAfter}`);
    return;
  }
  if (!(error instanceof GatewayError) || error.code === 'internal_error') throw error;
}
