// A called name leads to targets of several providers: through the vendors' own SDKs, without their retries, and by
// what operators see afterwards.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../simulator/behaviour.ts';
import type { RecordedRequest } from '../../../simulator/record.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests, wholeLedger } from '../../support/recorded.ts';
import { createBudget } from '../../support/spending.ts';

const gpt = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-haiku-4-5';
const messages = [{ role: 'user' as const, content: 'Hello' }];
let organizations = 0;

let gateway: TestGateway;
/** It does not wait long for a first byte. */
let hasty: TestProxy;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  hasty = await gateway.startProxy({ GATEWAY_FIRST_BYTE_TIMEOUT: '300ms' });
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  await organization.storeProviderKeys();
  key = await organization.createKey();
});
afterAll(() => gateway?.close());

interface Grouped {
  readonly groups?: readonly object[];
  readonly [field: string]: unknown;
}

/** `fast`: the GPT vendor's model, then the assistant vendor's. */
async function createRoute(fields: Grouped = {}): Promise<void> {
  const groups = [{ targets: [{ model: gpt }] }, { targets: [{ model: claude }] }];
  await organization.api.call('Routes/Create', { organizationId: organization.id, name: 'fast', groups, ...fields });
}

function chat(value = key.value, proxy: TestProxy = gateway.proxy): OpenAI {
  return new OpenAI({ apiKey: value, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
}

function anthropic(value = key.value): Anthropic {
  return new Anthropic({ apiKey: value, baseURL: gateway.proxy.url, maxRetries: 0 });
}

/** Each vendor has a header of its own for keys. */
function vendorOf({ headers }: RecordedRequest): string {
  return headers['x-api-key'] === undefined ? 'gpt-provider' : 'assistant-provider';
}

function vendorsCalled(): readonly string[] {
  return gateway.simulator.requests.map(vendorOf);
}

function fail(vendor: string, behaviour: Behaviour): void {
  gateway.simulator.script(behaviour, { times: 9, when: (request) => vendorOf(request) === vendor });
}

function failGpt(behaviour: Behaviour = { status: 503 }): void {
  fail('gpt-provider', behaviour);
}

async function whole(model = 'fast', proxy?: TestProxy, fields: object = {}) {
  const pending = chat(key.value, proxy).chat.completions.create({ model, messages, ...fields, stream: false });
  const { data, response } = await pending.withResponse();
  return { text: data.choices[0]?.message.content ?? '', headers: response.headers };
}

async function streamed(model = 'fast', proxy?: TestProxy) {
  const pending = chat(key.value, proxy).chat.completions.create({ model, messages, stream: true });
  const { data, response } = await pending.withResponse();
  let text = '';
  for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
  return { text, headers: response.headers };
}

async function wholeMessage(model = 'fast') {
  const pending = anthropic().messages.create({ model, max_tokens: 100, messages });
  const { data, response } = await pending.withResponse();
  return {
    text: data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    headers: response.headers,
  };
}

async function streamedMessage(model = 'fast') {
  const pending = anthropic().messages.create({ model, max_tokens: 100, messages, stream: true });
  const { data, response } = await pending.withResponse();
  let text = '';
  for await (const event of data) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
  }
  return { text, headers: response.headers };
}

const forms = [
  ['chat completions, whole', whole],
  ['chat completions, streamed', streamed],
  ['messages, whole', wholeMessage],
  ['messages, streamed', streamedMessage],
] as const;

function about(headers: Headers): readonly (string | null)[] {
  return ['route', 'provider', 'model', 'attempts'].map((name) => headers.get(`x-svc-${name}`));
}

describe('a route', () => {
  it.each(forms)('leads to its first target: %s', async (_form, request) => {
    await createRoute();
    const { text, headers } = await request();
    expect(text).not.toBe('');
    expect(about(headers)).toEqual(['fast', 'gpt-provider', 'gpt-4o-mini', '1']);
    expect((await request('route/fast')).text).not.toBe('');
    expect(vendorsCalled()).toEqual(['gpt-provider', 'gpt-provider']);
  });

  it.each(forms)('leads to the target of another provider if the first one fails: %s', async (_form, request) => {
    await createRoute();
    failGpt();
    const { text, headers } = await request();
    expect(text).not.toBe('');
    expect(about(headers)).toEqual(['fast', 'assistant-provider', 'claude-haiku-4-5', '2']);
    expect(vendorsCalled()).toEqual(['gpt-provider', 'assistant-provider']);
  });

  it.each(forms)('that replaces a model leads elsewhere, once: %s', async (_form, request) => {
    await createRoute({ name: gpt, groups: [{ targets: [{ model: claude }] }] });
    await createRoute({ name: claude, groups: [{ targets: [{ model: gpt }] }] });
    const { headers } = await request(gpt);
    expect(about(headers)).toEqual([gpt, 'assistant-provider', 'claude-haiku-4-5', '1']);
  });

  it('is recorded, logged and listed', async () => {
    await createRoute();
    failGpt();
    const { headers } = await whole();
    const id = headers.get('x-request-id') ?? '';
    const [row] = await rowsOf(id, 1);
    expect(row).toMatchObject({ provider: 'assistant-provider', modelAsked: claude, status: 200 });
    const line = await until(() => Promise.resolve(gateway.logs.find((one) => one.includes(id))), { what: 'its line' });
    expect(JSON.parse(line)).toMatchObject({ model_route: 'fast', provider: 'assistant-provider', attempts: 2 });
    const ids = (await chat().models.list()).data.map((model) => model.id);
    expect(ids).toContain('route/fast');
    expect((await chat().models.retrieve('route/fast')).owned_by).toBe('route');
    const ofMessages = await anthropic().models.list({ limit: 1000 });
    expect(ofMessages.data.map((model) => model.id)).toContain('route/fast');
  });

  it('does not exist under another name', async () => {
    await createRoute();
    await expect(whole('route/slow')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('is not for the own key of a caller', async () => {
    await createRoute();
    const settings = { access: { callerProviderKeys: true } };
    await organization.api.call('Organizations/UpdateSettings', { id: organization.id, settings });
    const own = new OpenAI({
      ...{ apiKey: 'sk-sim-own-0123456789', baseURL: `${gateway.proxy.url}/v1`, maxRetries: 0 },
      defaultHeaders: { 'x-svc-vk': key.value, 'x-svc-direct-key': 'true' },
    });
    const refused = { status: 400, code: 'invalid_request' };
    await expect(own.chat.completions.create({ model: 'route/fast', messages })).rejects.toMatchObject(refused);
    await expect(own.chat.completions.create({ model: 'fast', messages })).rejects.toMatchObject(refused);
  });
});

describe('a conversation with tools', () => {
  const tool = { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } };

  it('continues at the other provider: chat completions', async () => {
    await createRoute();
    gateway.simulator.script({ toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });
    const tools = [{ type: 'function' as const, function: tool }];
    const turn = await chat().chat.completions.create({ model: 'fast', messages, tools });
    const called = turn.choices[0]?.message;
    expect(called?.tool_calls).toHaveLength(1);
    failGpt();
    const result = { role: 'tool' as const, tool_call_id: called?.tool_calls?.[0]?.id ?? '', content: 'rain' };
    const next = [...messages, ...(called ? [called] : []), result];
    const pending = chat().chat.completions.create({ model: 'fast', messages: next, tools });
    const { data, response } = await pending.withResponse();
    expect(data.choices[0]?.message.content).not.toBe('');
    expect(response.headers.get('x-svc-provider')).toBe('assistant-provider');
  });

  it('continues at the other provider: messages', async () => {
    await createRoute({ groups: [{ targets: [{ model: claude }] }, { targets: [{ model: gpt }] }] });
    gateway.simulator.script({ toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });
    const tools = [{ name: tool.name, input_schema: { ...tool.parameters, type: 'object' as const } }];
    const common = { model: 'fast', max_tokens: 100, tools };
    const turn = await anthropic().messages.create({ ...common, messages });
    const called = turn.content.find((block) => block.type === 'tool_use');
    expect(called?.name).toBe('weather');
    fail('assistant-provider', { status: 529 });
    const results = [{ type: 'tool_result' as const, tool_use_id: called?.id ?? '', content: 'rain' }];
    const next = [
      ...messages,
      { role: 'assistant' as const, content: turn.content },
      { role: 'user' as const, content: results },
    ];
    const { data, response } = await anthropic()
      .messages.create({ ...common, messages: next })
      .withResponse();
    expect(data.content[0]?.type).toBe('text');
    expect(response.headers.get('x-svc-provider')).toBe('gpt-provider');
  });
});

describe('an allow-list', () => {
  const called = async (allowedModels: readonly string[]) => {
    const { value } = await organization.createKey({ allowedModels: { globs: allowedModels } });
    const pending = chat(value).chat.completions.create({ model: 'fast', messages });
    return await pending.withResponse().then(
      ({ response }) => response.headers.get('x-svc-provider'),
      ({ status, code }) => [status, code],
    );
  };

  it('must contain the route, and leaves targets out that it does not contain', async () => {
    await createRoute();
    const refused = [403, 'model_not_allowed'];
    expect(await called([gpt])).toEqual(refused);
    expect(await called(['route/fast'])).toEqual(refused);
    expect(await called(['route/fast', gpt])).toBe('gpt-provider');
    expect(await called(['route/fast', 'assistant-provider/*'])).toBe('assistant-provider');
    expect(vendorsCalled()).toEqual(['gpt-provider', 'assistant-provider']);
  });
});

describe('a target', () => {
  it('without a stored key is left out; without another one the request is refused', async () => {
    organization = await gateway.createOrganization(`tenant-${++organizations}`);
    key = await organization.createKey();
    await createRoute({ groups: [{ targets: [{ model: claude }] }, { targets: [{ model: gpt }] }] });
    await createRoute({ name: 'lone', groups: [{ targets: [{ model: claude }] }] });
    expect((await whole()).headers.get('x-svc-provider')).toBe('gpt-provider');
    await expect(whole('lone')).rejects.toMatchObject({ status: 404, code: 'provider_not_configured' });
  });

  it('gets the request with its limit of tokens and its effort, in every format', async () => {
    const limited = { maxOutputTokens: 50, reasoningEffort: 'REASONING_EFFORT_LOW' };
    await createRoute({ groups: [{ targets: [{ model: 'gpt-provider/gpt-5-mini', ...limited }] }] });
    await whole('fast', undefined, { max_completion_tokens: 80, reasoning_effort: 'high' });
    await whole('fast', undefined, { max_completion_tokens: 20 });
    await wholeMessage();
    await chat().responses.create({ model: 'fast', input: 'Hello', max_output_tokens: 80 });
    const sent = gateway.simulator.requests.map((request) => request.json() as Record<string, unknown>);
    expect(sent.map((body) => body.max_completion_tokens)).toEqual([50, 20, 50, 50]);
    expect(sent.map((body) => body.reasoning_effort)).toEqual(['low', 'low', 'low', 'low']);
  });

  it('has its own time until the first token', async () => {
    const targets = [{ model: gpt, firstTokenMs: 200 }];
    await createRoute({ groups: [{ targets }, { targets: [{ model: claude }] }] });
    failGpt({ headDelayMs: 8000 });
    const { headers } = await streamed();
    expect(about(headers)).toEqual(['fast', 'assistant-provider', 'claude-haiku-4-5', '2']);
  });
});

describe('conditions', () => {
  it('choose the groups', async () => {
    const only = (conditions: object) => [{ targets: [{ model: claude }], conditions }, { targets: [{ model: gpt }] }];
    await createRoute({ groups: only({ streamed: true }) });
    expect((await whole()).headers.get('x-svc-provider')).toBe('gpt-provider');
    expect((await streamed()).headers.get('x-svc-provider')).toBe('assistant-provider');
    await createRoute({ name: 'tagged', groups: only({ tag: 'night' }) });
    const tagged = chat().chat.completions.create(
      { model: 'tagged', messages },
      { headers: { 'x-svc-route-tag': 'night' } },
    );
    expect((await tagged.withResponse()).response.headers.get('x-svc-provider')).toBe('assistant-provider');
    expect((await whole('tagged')).headers.get('x-svc-provider')).toBe('gpt-provider');
    expect(gateway.simulator.requests.some(({ headers }) => 'x-svc-route-tag' in headers)).toBe(false);
  });
});

describe('a refusal of the request', () => {
  const tooLong = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } };
  const filtered = { status: 400, error: { code: 'content_filter', message: 'filtered' } };

  it('goes to the next target only if the route says so', async () => {
    await createRoute();
    await createRoute({ name: 'long', settings: { onContext: true } });
    await createRoute({ name: 'free', settings: { onFilter: true } });
    failGpt(tooLong);
    await expect(whole()).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
    await expect(whole('free')).rejects.toMatchObject({ status: 400 });
    expect((await whole('long')).headers.get('x-svc-provider')).toBe('assistant-provider');
    gateway.simulator.reset();
    failGpt(filtered);
    await expect(whole('long')).rejects.toMatchObject({ status: 400, code: 'content_filter' });
    expect((await whole('free')).headers.get('x-svc-provider')).toBe('assistant-provider');
  });
});

describe('money', () => {
  it('is charged to the budgets of each attempt’s model, exactly', async () => {
    await createRoute();
    const subject = { kind: 'VIRTUAL_KEY', id: key.id } as const;
    const all = await createBudget(organization, subject, { amountUsd: '5' });
    const ofGpt = await createBudget(organization, subject, { amountUsd: '5', model: gpt });
    const ofClaude = await createBudget(organization, subject, { amountUsd: '5', model: claude });
    failGpt({ headDelayMs: 5000 });
    const { headers } = await streamed('fast', hasty);
    const rows = await rowsOf(headers.get('x-request-id') ?? '', 2);
    expect(rows.map(({ modelAsked, estimateReason }) => [modelAsked, estimateReason])).toEqual([
      [gpt, 'timed_out'],
      [claude, undefined],
    ]);
    const [abandoned = 0, served = 0] = rows.map(costOf);
    expect([abandoned > 0, served > 0]).toEqual([true, true]);
    const spentIn = async (id: string) => (await wholeLedger(organization, id)).map(({ spent }) => spent);
    await expect.poll(() => spentIn(all)).toEqual([abandoned + served]);
    await expect.poll(() => spentIn(ofGpt)).toEqual([abandoned]);
    await expect.poll(() => spentIn(ofClaude)).toEqual([served]);
  });

  it('of a later target that is spent leaves that target out', async () => {
    await createRoute();
    const subject = { kind: 'VIRTUAL_KEY', id: key.id } as const;
    await createBudget(organization, subject, { amountUsd: '0.000001', model: claude });
    expect((await whole()).headers.get('x-svc-provider')).toBe('gpt-provider');
    failGpt();
    await expect(whole()).rejects.toMatchObject({ status: 503 });
    expect(vendorsCalled()).not.toContain('assistant-provider');
  });

  it('of the first target that is spent refuses the request', async () => {
    await createRoute();
    const subject = { kind: 'VIRTUAL_KEY', id: key.id } as const;
    await createBudget(organization, subject, { amountUsd: '0.000001', model: gpt });
    await expect(whole()).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
  });
});

async function rowsOf(requestId: string, count: number) {
  const of = { controlPlane: gateway.controlPlane, organization };
  return await until(
    async () => {
      const rows = (await recordedRequests(of)).filter((row) => row.requestId === requestId);
      return rows.length >= count ? rows : undefined;
    },
    { what: `${count} rows of ${requestId}` },
  );
}
