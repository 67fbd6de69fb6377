// Sends random numbers through every translator and back, with and without guardrails that rewrite. The bytes for the
// vendor and for the caller are read with a tokenizer that is not the gateway's.

import { Secret } from '../../common/secret.ts';
import type { Check, Guardrail } from '../../guardrails/definition.ts';
import type { KeyForm } from '../../proxy/access/principal.ts';
import { everyField } from '../../proxy/formats/chat-completions/passed-fields.ts';
import { CompiledGuardrails } from '../../proxy/guardrails/compiled.ts';
import { createGuardrails } from '../../proxy/guardrails/inspection/live-guardrails.ts';
import { Scanner } from '../../proxy/guardrails/scanner.ts';
import { guardStream } from '../../proxy/guardrails/stream/guard-stream.ts';
import { LoopScheduler } from '../../proxy/loop-scheduler.ts';
import { customProvider } from '../../proxy/providers/custom.ts';
import type { ProviderCall } from '../../proxy/providers/provider.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import { Attempt, type AttemptResult } from '../../proxy/upstream/attempt.ts';
import type { Transport, UpstreamReceiver } from '../../proxy/upstream/transport.ts';
import { Random } from '../support/access/random.ts';
import { idleContext } from '../support/attempt-context.ts';
import { callWith, phrasesGuardrail } from '../support/guarded-requests.ts';
import { cutBytes } from '../support/guarded-responses.ts';
import { Received } from '../support/guarded-streams.ts';
import { guardrailOf } from '../support/service-guards.ts';
import { silentLog } from '../support/silent-log.ts';
import { callOf } from '../support/vendor-calls.ts';
import { checkRequest, checkResponse } from './number-checks.ts';
import { numberRequest, routes, word } from './number-requests.ts';
import { type NumberResponse, numberResponse } from './number-responses.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

/**
 * @returns how many numbers were carried, by where they were carried
 * @throws Error that names the first case in which a number was changed
 */
export async function fuzzNumbers({ seed, cases }: FuzzOptions): Promise<ReadonlyMap<string, number>> {
  const carried = new Map<string, number>();
  for (let number = seed; number < seed + cases; number++) {
    for (const [what, count] of await runCase(number)) carried.set(what, (carried.get(what) ?? 0) + count);
  }
  return carried;
}

/** Where words are redacted: at stages of this proxy, or by a service that receives the whole text. */
const stages = ['none', 'input', 'output', 'both', 'service'] as const;
type Stages = (typeof stages)[number];
const vendorNames = [...new Set(routes.map(({ vendor }) => vendor))];

async function runCase(number: number): Promise<readonly (readonly [string, number])[]> {
  const random = new Random(number * 104_729);
  // Every combination in turn, so that a few hundred cases cover all of them.
  const vendor = vendorNames[number % vendorNames.length];
  const guarded = stages[Math.floor(number / vendorNames.length) % stages.length] ?? 'none';
  const stream = Math.floor(number / vendorNames.length / stages.length) % 2 === 1;
  const route = random.pick(routes.filter((one) => one.vendor === vendor));
  const isCustom = random.chance(0.3);
  const what = `${route.vendor}${isCustom ? ' (custom)' : ''}`;
  const request = numberRequest(random, route, stream);
  const parsed = `case ${number}, ${what}, ${route.model}, ${stream ? 'stream' : 'whole'}, guardrail: ${guarded}`;
  let shown = request.text;
  try {
    const query = callOf(route.vendor, route.model, request.text, route.dialect);
    const { request: left, output } = await inspected(query, guarded);
    const call = targeted({ ...query, request: left }, isCustom ? random : undefined);
    const built = await buildRequest(call);
    shown = `${request.text}\n→ ${built.body}`;
    const up = checkRequest(request, route, { body: built.body, isRedacted: redacts(guarded, 'input') });
    const logprobs = !redacts(guarded, 'output');
    const response = numberResponse(random, route.vendor, { stream, logprobs });
    shown = response.bytes.toString('latin1');
    const attempt = attempted(call, response, cutBytes(random, response.bytes));
    const result = await attempt.run();
    const bytes = await received(output === undefined ? result : await output.guard(result));
    shown += `\n→ ${bytes}`;
    const down = checkResponse(response, { bytes, stream, isRedacted: redacts(guarded, 'output') });
    checkUsage(response, attempt);
    const form = `${stream ? 'stream' : 'whole'}, guardrail ${guarded}`;
    return [
      [`${what} request, guardrail ${guarded}`, up],
      [`${what} ${form}`, down],
      ['cases', 1],
    ];
  } catch (error) {
    throw new Error(`${parsed}: ${String(error)}\n${shown.slice(0, 20_000)}`, { cause: error });
  }
}

function redacts(guarded: Stages, stage: 'input' | 'output'): boolean {
  return guarded === 'both' || guarded === 'service' || guarded === stage;
}

async function inspected({ request }: ProviderCall, guarded: Stages) {
  const rules = rulesOf(guarded);
  const context = {
    record: { guardrailHeader: undefined, guardrailsNotPassed: undefined },
    onAbort: () => undefined,
    buffer: () => undefined,
  };
  const { call, output } = await guardrails.inspect({ ...callWith(rules, {}), request }, context);
  return { request: call.request, output };
}

function rulesOf(guarded: Stages): readonly Guardrail[] {
  switch (guarded) {
    case 'none':
      return [];
    case 'service':
      return [guardrailOf(webhook, { action: 'redact', stage: 'both' })];
    default:
      return [phrasesGuardrail([word], { action: 'redact', stage: guarded })];
  }
}

const webhook = {
  ...{ kind: 'webhook', url: 'https://guard.example/', timeoutMs: 1000 },
  secret: new Secret('not-used'),
} as const satisfies Check;

const never = () => {
  throw new Error('not called in this test');
};
const guardrails = createGuardrails(new CompiledGuardrails({ log: silentLog }), {
  metrics: { decided: () => undefined, took: () => undefined },
  samples: { add: () => undefined },
  scanner: new Scanner({
    pool: { scan: never },
    loop: new LoopScheduler({ now: () => performance.now() }),
    window: 512,
  }),
  guardStream: (source, guards, context) =>
    guardStream(source, guards, { eventBytesMax: 1024 * 1024, background: () => undefined }, context),
  serviceGuard: (guardrail) => ({
    guardrail,
    ...{ delaysResponse: true, window: 1000, ended: () => undefined },
    inspect: async (texts) => texts.map((text) => text.replaceAll(word, '[WORD_1]')),
  }),
  now: () => performance.now(),
});

const keyForms: readonly KeyForm[] = ['wire_format', 'bearer', { header: 'x-key' }, 'none'];

/** @param random set for a custom provider */
function targeted(call: ProviderCall, random: Random | undefined): ProviderCall {
  if (random === undefined) return call;
  const { provider, baseUrl } = call.target;
  const ownForm = provider.routeCredential === 'cloud-keys' ? ['wire_format' as const] : keyForms;
  const configured = customProvider(provider, {
    ...{ id: 'custom-1', name: 'our-vendor', wireFormat: provider.name },
    ...{ baseUrl: baseUrl.origin, keyForm: random.pick(ownForm), models: [], passedFields: [everyField] },
  });
  return { ...call, target: { ...call.target, provider: configured } };
}

/** Checks that the vendor's token counts are read in any spelling. */
function checkUsage({ usage }: NumberResponse, attempt: Attempt): void {
  const counted = attempt.usage();
  for (const name of ['promptTokens', 'completionTokens'] as const) {
    if (counted?.[name] !== usage[name]) throw new Error(`${name} is ${counted?.[name]}, and was ${usage[name]}`);
  }
}

const limits = { responseBytesMax: 1024 * 1024, eventBytesMax: 1024 * 1024 };

/** Runs one attempt at a vendor with this response, in these parts. */
function attempted(call: ProviderCall, { headers }: NumberResponse, parts: readonly Buffer[]): Attempt {
  const deliver = async (receiver: UpstreamReceiver) => {
    await Promise.resolve();
    receiver.onHead(200, headers);
    for (const part of parts) receiver.onData(part);
    receiver.onEnd();
  };
  const transport: Transport = {
    send: (_request, receiver) => {
      void deliver(receiver);
      return { begun: true, pause: () => undefined, resume: () => undefined, cancel: () => undefined };
    },
    close: () => Promise.resolve(),
  };
  return new Attempt(call, { transport, limits, now: () => call.now }, idleContext);
}

/** Returns the bytes that the caller receives. */
async function received(result: AttemptResult): Promise<string> {
  if (result.kind === 'complete') return result.body.toString();
  const sink = new Received();
  result.flowTo(sink);
  await sink.over;
  if (sink.failure !== undefined) throw sink.failure;
  return sink.bytes;
}
