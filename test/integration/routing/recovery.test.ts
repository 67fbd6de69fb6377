// Streams that a provider cuts after a part was passed on, on routes with recovery, over sockets: the vendors' own SDKs,
// without their retries, read one whole response or the error of their format. Operators see each attempt.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Behaviour, Stop } from '../../../simulator/behaviour.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, type RecordedRequest, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';

const claude = 'assistant-provider/claude-haiku-4-5';
const other = 'assistant-provider/claude-sonnet-4-5';
const gpt = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const beginning = 'Once upon a time there was ';
const rest = 'a kettle. It was hot: 🫖.';
let organizations = 0;

let gateway: TestGateway;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_IDLE_TIMEOUT: '300ms' } });
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  await organization.storeProviderKeys();
  key = await organization.createKey();
});
afterAll(() => gateway?.close());

type Recovery = 'OFF' | 'RESTART' | 'CONTINUE';

async function createRoute(models: readonly string[], recovery: Recovery, name = 'fast'): Promise<void> {
  const groups = models.map((model) => ({ targets: [{ model }] }));
  const settings = { recovery: `ROUTE_RECOVERY_${recovery}` };
  await organization.api.call('Routes/Create', { organizationId: organization.id, name, groups, settings });
}

/** The first vendor sends so many events of the beginning; the next one sends the rest. */
function cut(stop: Stop, first: Behaviour = { text: beginning }): void {
  gateway.simulator.script({ ...first, stop });
  gateway.simulator.script({ text: rest });
}

interface Read {
  readonly text: string;
  readonly id: string;
}

const openai = () => new OpenAI({ apiKey: key.value, baseURL: `${gateway.proxy.url}/v1`, maxRetries: 0 });

async function chat(fields: object = {}): Promise<Read> {
  const pending = openai().chat.completions.create({ model: 'fast', messages, stream: true, ...fields });
  const { data, response } = await pending.withResponse();
  let text = '';
  const ids = new Set<string>();
  const roles: unknown[] = [];
  for await (const { id, choices } of data) {
    ids.add(id);
    text += choices[0]?.delta.content ?? '';
    if (choices[0]?.delta.role !== undefined) roles.push(choices[0].delta.role);
  }
  expect([ids.size, roles]).toEqual([1, ['assistant']]);
  return { text, id: response.headers.get('x-request-id') ?? '' };
}

async function anthropic(): Promise<Read> {
  const client = new Anthropic({ apiKey: key.value, baseURL: gateway.proxy.url, maxRetries: 0 });
  const stream = client.messages.stream({ model: 'fast', max_tokens: 1000, messages });
  const { content } = await stream.finalMessage();
  expect(content).toHaveLength(1);
  return { text: content[0]?.type === 'text' ? content[0].text : '', id: stream.request_id ?? '' };
}

async function responses(): Promise<Read> {
  const stream = openai().responses.stream({ model: 'fast', input: 'Hello' });
  const numbers: number[] = [];
  stream.on('event', ({ sequence_number: number }) => void numbers.push(number));
  const { output_text: text } = await stream.finalResponse();
  expect(numbers).toEqual(numbers.map((_, at) => at));
  return { text, id: '' };
}

async function google(): Promise<Read> {
  const client = new GoogleGenAI({ apiKey: key.value, httpOptions: { baseUrl: gateway.proxy.url } });
  let text = '';
  for await (const piece of await client.models.generateContentStream({ model: 'fast', contents: 'Hello' })) {
    text += piece.text ?? '';
  }
  return { text, id: '' };
}

async function converse(): Promise<Read> {
  const requestHandler = new NodeHttpHandler();
  const client = new BedrockRuntimeClient({
    ...{ endpoint: gateway.proxy.url, region: 'eu-west-1', requestHandler, maxAttempts: 1 },
    ...{ token: { token: key.value }, authSchemePreference: ['httpBearerAuth'] },
  });
  const turns = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'fast', messages: turns }));
  let text = '';
  for await (const { contentBlockDelta } of stream ?? []) text += contentBlockDelta?.delta?.text ?? '';
  requestHandler.destroy();
  return { text, id: '' };
}

const clients = [
  ['chat completions', chat],
  ['messages', anthropic],
  ['responses', responses],
  ['generateContent', google],
  ['converse', converse],
] as const;

/** What the vendors got, in order. */
function sent(): readonly JsonObject[] {
  return gateway.simulator.requests.map((request) => request.json() as JsonObject);
}

function models(): readonly unknown[] {
  return sent().map(({ model }) => model);
}

async function lineOf(id: string): Promise<JsonObject> {
  const line = await until(() => Promise.resolve(gateway.logs.find((one) => one.includes(id))), { what: 'its line' });
  return JSON.parse(line) as JsonObject;
}

function rowsOf(id: string, count: number): Promise<readonly RecordedRequest[]> {
  return until(
    async () => {
      const rows = await recordedRequests({ controlPlane: gateway.controlPlane, organization });
      const own = rows.filter(({ requestId }) => requestId === id);
      return own.length === count ? own.toSorted((a, b) => a.at.localeCompare(b.at)) : undefined;
    },
    { what: `${count} rows of ${id}` },
  );
}

describe.each(clients)('a stream in %s', (_name, read) => {
  it('that resets after a part of its text is continued', async () => {
    await createRoute([claude, other], 'CONTINUE');
    cut({ by: 'reset', afterPieces: 4 });
    const { text } = await read();
    const [, continued] = sent();
    const turn = objectsOf(continued?.messages).at(-1);
    expect(turn?.role).toBe('assistant');
    const first = String(objectsOf(turn?.content)[0]?.text);
    expect([first.length > 0, beginning.startsWith(first)]).toEqual([true, true]);
    expect([first + rest, `${first} ${rest}`]).toContain(text);
  });

  it('that ends after its head starts again', async () => {
    await createRoute([claude, gpt], 'RESTART');
    cut({ by: 'cut', afterPieces: 1 });
    expect((await read()).text).toBe(rest);
    expect(models()).toEqual(['claude-haiku-4-5', 'gpt-4o-mini']);
  });

  it('that resets in the arguments of a call ends with the error of the format', async () => {
    await createRoute([claude, other], 'CONTINUE');
    const toolCalls = [{ name: 'weather', arguments: '{"city":"Oslo, in the north of Europe"}' }];
    cut({ by: 'reset', afterPieces: 6 }, { text: '', toolCalls });
    const failed = read().then(
      ({ text }) => ({ text }),
      (error: unknown) => error,
    );
    expect(await failed).toBeInstanceOf(Error);
    expect(gateway.simulator.requests).toHaveLength(1);
  });
});

describe('a recovered stream', () => {
  it('has a comment for its client; operators see it in the log, the metric and a row for each attempt', async () => {
    await createRoute([claude, other], 'CONTINUE');
    const limit = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    cut({ by: 'reset', afterPieces: 4 });
    const body = { model: 'fast', messages, stream: true, stream_options: { include_usage: true } };
    const headers = { authorization: `Bearer ${key.value}`, 'content-type': 'application/json' };
    const url = `${gateway.proxy.url}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect(text.split(': svc-recovered attempts=2\n\n')).toHaveLength(2);
    expect(text.indexOf(': svc-recovered')).toBeLessThan(text.indexOf('"finish_reason":"stop"'));
    expect(response.headers.get('x-svc-attempts')).toBe('1');
    const id = response.headers.get('x-request-id') ?? '';
    const rows = await rowsOf(id, 2);
    expect(rows.map(({ modelAsked, status, estimateReason }) => [modelAsked, status, estimateReason])).toEqual([
      [claude, 502, 'reset'],
      [other, 200, undefined],
    ]);
    const [broken = 0, ended = 0] = rows.map(costOf);
    expect([broken > 0, ended > 0]).toEqual([true, true]);
    await expect
      .poll(async () => (await wholeLedger(organization, limit)).map(({ spent }) => spent))
      .toEqual([broken + ended]);
    const { usage } = JSON.parse(/data: (\{.*"usage":\{.*\})/.exec(text)?.[1] ?? '{}') as {
      usage: { prompt_tokens: number; completion_tokens: number; x_svc_cost: string };
    };
    const [, last] = rows;
    expect(usage.prompt_tokens).toBe(last?.promptTokens);
    expect(usage.completion_tokens).toBeGreaterThan(last?.completionTokens ?? 0);
    expect(Number(usage.x_svc_cost) * 1e9).toBeCloseTo(broken + ended, 3);
    expect(await lineOf(id)).toMatchObject({
      status: 200,
      attempts: 2,
      recovered: 'continued',
      model: other.slice(19),
    });
    const metrics = await (await fetch(`${gateway.proxy.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/gateway_broken_streams_total\{result="continued"\} [1-9]/);
  });

  it('may have been silent, or have had an error of its vendor inside', async () => {
    await createRoute([claude, other], 'CONTINUE');
    cut({ by: 'silence', afterPieces: 4 });
    expect((await chat()).text).toMatch(new RegExp(`^Once.*${rest.slice(0, 9)}`));
    gateway.simulator.reset();
    gateway.simulator.script({ text: beginning, errorAfterEvents: 4 });
    gateway.simulator.script({ text: rest });
    expect((await chat()).text).toMatch(new RegExp(`^Once.*${rest.slice(0, 9)}`));
  });

  it('of a route with one target is that of a new connection to it', async () => {
    await createRoute([claude], 'CONTINUE');
    cut({ by: 'reset', afterPieces: 4 });
    expect((await chat()).text).toMatch(/^Once.*hot: 🫖\.$/);
    expect(models()).toEqual(['claude-haiku-4-5', 'claude-haiku-4-5']);
  });

  it('passes the output guardrails as one text, and its vendor never gets what they restored', async () => {
    const guardrail = {
      ...{ organizationId: organization.id, stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_REDACT' },
      check: { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL'], restore: true } },
    };
    const ofOutput = { stage: 'GUARDRAIL_STAGE_OUTPUT', check: { words: { phrases: ['kettle'] } } };
    await organization.api.call('Guardrails/Create', { ...guardrail, name: 'mail' });
    await organization.api.call('Guardrails/Create', { ...guardrail, ...ofOutput, name: 'kettles' });
    await createRoute([claude, other], 'CONTINUE');
    const mail = [{ role: 'user' as const, content: 'I am bo@example.com.' }];
    gateway.simulator.script({ text: 'You are [EMAIL_1], and you ', stop: { by: 'silence', afterPieces: 7 } });
    gateway.simulator.script({ text: 'write to [EMAIL_1] about a kettle.' });
    const { text } = await chat({ messages: mail });
    expect(text).toMatch(/^You are bo@example\.com, .*write to bo@example\.com about a \[WORD_1\]\.$/);
    const [, continued] = sent();
    expect(JSON.stringify(continued)).toContain('You are [EMAIL_1]');
    expect(JSON.stringify(sent())).not.toContain('bo@example.com');
  });
});

describe('a stream ends with an error', () => {
  it('where the route has no recovery', async () => {
    await createRoute([claude, other], 'OFF');
    cut({ by: 'reset', afterPieces: 4 });
    await expect(chat()).rejects.toThrow();
    expect(gateway.simulator.requests).toHaveLength(1);
  });

  it('after its text, where the route only restarts or no target can continue it', async () => {
    await createRoute([claude, other], 'RESTART');
    await createRoute([gpt], 'CONTINUE', 'lone');
    cut({ by: 'reset', afterPieces: 4 });
    await expect(chat()).rejects.toThrow();
    expect(models()).toEqual(['claude-haiku-4-5']);
    gateway.simulator.reset();
    cut({ by: 'reset', afterPieces: 4 });
    await expect(chat({ model: 'lone' })).rejects.toThrow();
    expect(models()).toEqual(['gpt-4o-mini']);
  });

  it('where its budget has no money for another attempt', async () => {
    await createRoute([claude, other], 'CONTINUE');
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.011' });
    cut({ by: 'reset', afterPieces: 4 });
    const pending = chat({ max_completion_tokens: 2000 });
    await expect(pending).rejects.toThrow();
    expect(gateway.simulator.requests).toHaveLength(1);
  });

  it('after three attempts', async () => {
    await createRoute([claude, other], 'RESTART');
    for (let at = 0; at < 5; at++) gateway.simulator.script({ text: rest, stop: { by: 'reset', afterPieces: 1 } });
    await expect(chat()).rejects.toThrow();
    expect(gateway.simulator.requests).toHaveLength(3);
  });
});
