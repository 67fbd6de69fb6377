// Texts and patterns that are made to keep a gateway busy: the text is inspected to its end, and another caller under
// the same guardrails is served meanwhile. Load and proxy are separate processes, because they must not share an event
// loop. A text whose scan uses up all its time meets the same end at any size, so it is sent in one of two sizes;
// GATEWAY_TEST_ROUNDS=2 sends every text in every size.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { log, percentile } from '../../support/figures.ts';
import { chatRequest, type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import {
  type GuardrailFields,
  type GuardrailFixture,
  guardrailFields,
  openGuardrailFixture,
} from '../../support/guardrails/fixture.ts';
import { ask, parsed, plainWay } from '../../support/guardrails/ways.ts';
import { startNode } from '../../support/process.ts';
import { roundsOf } from '../../support/seed.ts';

const kib = 1024;
const mib = 1024 * kib;

let gateway: TestGateway;
let proxy: ProxyProcess;
let key: string;
let fixture: GuardrailFixture;

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await gateway.startProxyProcess();
  key = (await gateway.organization.createKey()).value;
  fixture = openGuardrailFixture({ proxy }, gateway.organization, key);
});
afterAll(() => gateway?.close());

const forbidden = 'forbidden';
const phrases = Array.from({ length: 1000 }, (_, index) => `phrase number ${index} and more`);
const catastrophes = ['(a+)+$', '(a|aa)+$', '(.*a){20}'];
const secret = createCredential('virtualKey');

interface Hostile {
  readonly name: string;
  readonly check: GuardrailFields;
  /** The repeated part of the text, and the match at its end. */
  readonly unit: string;
  readonly end: string;
  /**
   * Characters of a text whose scan takes too long as well, and which only the long form sends. A scan that takes too
   * long uses five seconds of a processor, so a longer text than this is sent over one connection.
   */
  readonly alsoTooSlow?: number;
}

const hostile: readonly Hostile[] = [
  {
    name: 'a thousand phrases, and text that almost matches them',
    check: { words: { phrases: [...phrases, forbidden] } },
    ...{ unit: 'phrase number 12 and mor phrase number 345 and ', end: ` ${forbidden}` },
  },
  {
    name: 'a thousand phrases within words of look-alike letters',
    check: { words: { phrases: [...phrases, forbidden], withinWords: true } },
    ...{ unit: 'рhrаsе\u200bn\u0301umber', end: forbidden },
  },
  {
    name: 'catastrophic patterns that match',
    check: { pattern: { patterns: catastrophes } },
    ...{ unit: 'a', end: 'a', alsoTooSlow: 120 * kib },
  },
  {
    name: 'catastrophic patterns that do not match',
    check: { pattern: { patterns: ['(a+)+$', '(a|aa)+$', '(.*b){20}', `${forbidden}!`] } },
    ...{ unit: 'a', end: `${forbidden}!`, alsoTooSlow: 900 * kib },
  },
  {
    name: 'personal data, and numbers that are almost personal data',
    check: { personalData: {} },
    ...{ unit: '4111 1111 1111 1112 DE00 3704 ada@', end: ' ada@engines.co.uk' },
  },
  {
    name: 'secrets, and texts that are almost secrets',
    check: { secrets: {} },
    ...{ unit: ['AK', 'IAABCDEFGH eyJ.'].join(''), end: ` ${secret}` },
  },
];

/** Milliseconds of each of some requests, one after another: at least `count`, and further ones until `isEnough`. */
async function latencies(count: number, isEnough: () => boolean = () => true): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count || !isEnough()) {
    const started = performance.now();
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key));
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    times.push(performance.now() - started);
    if (times.length >= count) await new Promise((resolve) => setTimeout(resolve, 40));
  }
  return times;
}

interface Size {
  readonly size: string;
  readonly characters: number;
  /** Set if the text is too long to be inspected: it fails whichever guardrail there is. */
  readonly fails?: true;
}

/** Texts that are inspected in slices, or in a worker unless that takes too long. */
const sizes: readonly Size[] = [
  { size: '4 KiB', characters: 4 * kib },
  { size: '120 KiB', characters: 120 * kib },
  { size: '900 KiB', characters: 900 * kib },
];
const tooLong: Size = { size: '10 MB', characters: 10_000_000, fails: true };

interface Quiet {
  readonly check: GuardrailFields;
  readonly guard: string;
  readonly ms: readonly number[];
}

let quiet: Quiet | undefined;

/** Uses the guardrail, and measures requests beside no others; both once for the sizes of one text. */
async function quietUnder(check: GuardrailFields): Promise<Quiet> {
  if (quiet?.check === check) return quiet;
  const guard = await fixture.replace(guardrailFields(['input', 'block'], check));
  await latencies(10);
  quiet = { check, guard, ms: await latencies(20) };
  return quiet;
}

async function besideFlood(
  { name, check, unit, end, alsoTooSlow = Infinity }: Hostile,
  { size, characters, fails }: Size,
) {
  const { guard, ms } = await quietUnder(check);
  const before = await fixture.decisions(guard);
  const connections = !isLongForm && characters > alsoTooSlow ? '1' : '2';
  const args = [String(proxy.port), key, connections, String(characters), unit, end];
  const flood = startNode(['test/support/guardrails/flood.ts', ...args]);
  const outcomes = () => flood.stdout().split('\n').slice(0, -1);
  try {
    // From the arrival of a text to the response for it, and to the arrival of the next one.
    const busy = await latencies(15, () => outcomes().length > 0);
    busy.push(...(await latencies(5)));
    log(`${size}, ${name}: quiet`, ms);
    log(`${size}, ${name}: beside`, busy);
    // The bound is ten times the quiet time; a machine that also runs other tests gets ten times that.
    expect(percentile(busy, 0.99)).toBeLessThan(10 * 10 * Math.max(percentile(ms, 0.99), 5));
  } finally {
    await flood.stop();
  }
  // A text that takes longer than allowed is reported as not inspected, never as a match.
  const honest = fails ? ['400 guardrail_blocked'] : ['400 guardrail_blocked', '503 guardrail_unavailable'];
  expect(honest).toEqual(expect.arrayContaining([...new Set(outcomes())]));
  const { 'input pass': passed, ...blocked } = added(before, await fixture.decisions(guard));
  console.log(`${size}, ${name}: ${JSON.stringify(blocked)}`);
  expect(passed).toBeGreaterThanOrEqual(20);
  const words = fails ? ['input failed_block'] : ['input block', 'input unavailable'];
  expect(words).toEqual(expect.arrayContaining(Object.keys(blocked)));
}

/** The decisions that came since. */
function added(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  const counts = Object.entries(after).map(([word, count]) => [word, count - (before[word] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const isLongForm = roundsOf(1) > 1;
const sent = hostile.flatMap((one) =>
  sizes.filter(({ characters }) => isLongForm || characters !== one.alsoTooSlow).map((size) => ({ ...one, ...size })),
);

describe('another caller under the same guardrail is served', () => {
  it.each(sent)('beside texts of $size: $name', (one) => besideFlood(one, one), 60_000);

  it.each(hostile.slice(0, 1))('beside texts of 10 MB: $name', (one) => besideFlood(one, tooLong), 60_000);
});

/** A model that takes more than a million characters. */
const roomy = { ...plainWay, model: 'gpt-provider/gpt-4.1-mini' };
let requested = 0;

function send(content: string, streamed = false) {
  const body = { stream: streamed, messages: [{ role: 'user', content }] };
  return ask(roomy, { url: proxy.url, key, id: `hostile-${++requested}`, body });
}

const chosen = (stated: object) => ({
  ...{ id: 'chatcmpl-long', created: 1_790_000_000, model: 'gpt-4.1-mini' },
  choices: [{ index: 0, ...stated }],
});

/** Longer than any model's response in the simulator. */
function completionOf(content: string) {
  const message = { role: 'assistant', content };
  const response = { ...chosen({ message, finish_reason: 'stop' }), object: 'chat.completion' };
  return { body: JSON.stringify(response), headers: { 'content-type': 'application/json' } };
}

function streamOf(text: string) {
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ ...chosen({ delta, finish_reason: finish }), object: 'chat.completion.chunk' })}\n\n`;
  const pieces = text.match(/.{1,1000}/g) ?? [];
  const events = pieces.map((content) => event({ role: 'assistant', content }, null));
  const body = [...events, event({}, 'stop'), 'data: [DONE]\n\n'].join('');
  return { body, headers: { 'content-type': 'text/event-stream' } };
}

const longResponse = `${`${'x'.repeat(999)} `.repeat(1100)}${forbidden}`;
const filled = (characters: number) => `${'word '.repeat(characters / 5 + 1).slice(0, characters - 10)} ${forbidden}`;
const words = { words: { phrases: [forbidden] } };
const rule = (onFailure: string) => ({ onFailure: `GUARDRAIL_FAILURE_RULE_${onFailure.toUpperCase()}` });

describe('a long text', () => {
  it.each([
    ['128 KiB', 128 * kib],
    ['128 KiB and one character', 128 * kib + 1],
    ['1 MiB', mib],
  ])('is inspected to its end: %s', async (_, characters) => {
    const name = await fixture.replace(guardrailFields(['input', 'redact'], words, rule('block')));
    gateway.simulator.reset();
    expect((await send(filled(characters))).status).toBe(200);
    expect(await fixture.decisions(name)).toMatchObject({ 'input redact': 1 });
    const [received] = gateway.simulator.requests;
    expect(received?.body.includes(' [WORD_1]"')).toBe(true);
    expect(received?.body.includes(forbidden)).toBe(false);
  });

  it.each([
    ['block', mib + 1],
    ['block', 10_000_000],
    ['pass', mib + 1],
    ['pass', 3_500_000],
  ])('above 1 MiB follows the failure rule: %s, %d characters', async (onFailure, characters) => {
    const name = await fixture.replace(guardrailFields(['input', 'redact'], words, rule(onFailure)));
    gateway.simulator.reset();
    const { status, error } = await send(filled(characters));
    expect(await fixture.decisions(name)).toMatchObject({ [`input failed_${onFailure}`]: 1 });
    const received = gateway.simulator.requests.map(({ body }) => body.includes(forbidden));
    if (onFailure === 'pass') expect([status, error, received]).toEqual([200, undefined, [true]]);
    else expect([status, error?.message, received]).toEqual([400, `blocked by the guardrail ${name}`, []]);
  });

  it.each(['block', 'pass'])('in a response above 1 MiB follows the failure rule: %s', async (onFailure) => {
    const name = await fixture.replace(guardrailFields(['output', 'redact'], words, rule(onFailure)));
    gateway.simulator.script(completionOf(longResponse));
    const response = await send('Hello');
    expect(await fixture.decisions(name)).toMatchObject({ [`output failed_${onFailure}`]: 1 });
    if (onFailure === 'pass') expect(parsed(response).choices[0]?.content === longResponse).toBe(true);
    else expect([response.status, response.error?.message]).toEqual([400, `blocked by the guardrail ${name}`]);
    expect(response.body.includes(forbidden)).toBe(onFailure === 'pass');
  });

  it('in a stream is inspected to its end, at any length', async () => {
    const name = await fixture.replace(guardrailFields(['output', 'redact'], words, rule('block')));
    gateway.simulator.script(streamOf(longResponse));
    const response = await send('Hello', true);
    expect(await fixture.decisions(name)).toMatchObject({ 'output redact': 1 });
    const redacted = longResponse.replace(forbidden, '[WORD_1]');
    expect(parsed(response).choices[0]?.content === redacted).toBe(true);
  });
});
