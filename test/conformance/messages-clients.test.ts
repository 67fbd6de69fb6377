// The official SDK of the Messages API as a client of all five vendors: what it reads, and what each vendor gets.
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { createLimit } from '../support/limited-callers.ts';
import { png } from '../support/png.ts';
import { ownHeaders, plainModels } from '../support/vendors.ts';
import { type Scene, startScene } from './providers/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'max_tokens'> & {
  readonly max_tokens?: number;
};

const client = (options: object = {}) =>
  new Anthropic({ baseURL: scene.gateway.proxy.url, apiKey: scene.key, maxRetries: 0, ...options });
const models: Record<VendorName, string> = { ...plainModels, 'gpt-provider': 'gpt-4.1-mini' };
const modelAt = (vendor: VendorName, model = models[vendor]) => `${vendor}/${model}`;
const create = (vendor: VendorName, params: Params, model?: string) =>
  client().messages.create({ model: modelAt(vendor, model), max_tokens: 4096, ...params });
/** The body that the vendor received last. */
const sent = () => scene.received().body.toString();
const hello = [{ role: 'user' as const, content: 'Hello' }];

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe.each(vendorNames)('a model of %s', (vendor) => {
  it('returns text with its usage', async () => {
    const { data, response } = await client()
      .messages.create({ model: modelAt(vendor), max_tokens: 100, system: 'Be brief.', messages: hello })
      .withResponse();
    expect(data).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn', stop_sequence: null });
    expect(data.id).toMatch(/^msg_/);
    expect(data.content).toEqual([
      expect.objectContaining({ type: 'text', text: expect.stringContaining('simulated') }),
    ]);
    expect(data.usage.input_tokens).toBeGreaterThan(0);
    expect(data.usage.output_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-svc-provider')).toBe(vendor);
    expect(sent()).toContain('Be brief.');
  });

  it('streams the events that the SDK folds into a message', async () => {
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 100, messages: hello });
    const types: string[] = [];
    stream.on('streamEvent', ({ type }) => types.push(type));
    const message = await stream.finalMessage();
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('simulated') });
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    const order = types.filter((type, at) => type !== types[at - 1] && type !== 'ping');
    expect(order).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
  });

  it.each(['whole', 'streamed'])('calls tools in parallel and reads their results, %s', async (form) => {
    scene.gateway.simulator.script({
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    });
    const params = { model: modelAt(vendor), max_tokens: 4096, messages: hello, tools: [weather] };
    const first =
      form === 'whole' ? await client().messages.create(params) : await client().messages.stream(params).finalMessage();
    expect(first.stop_reason).toBe('tool_use');
    const calls = first.content.filter((block) => block.type === 'tool_use');
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['weather', { city: 'Oslo' }],
      ['weather', { city: 'Rome' }],
    ]);
    const second = await create(vendor, {
      tools: [weather],
      messages: [
        ...hello,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: calls[0]?.id ?? '', content: 'rain' },
            { type: 'tool_result', tool_use_id: calls[1]?.id ?? '', content: [{ type: 'text', text: 'sun' }] },
            { type: 'text', text: 'Where is it dry?' },
          ],
        },
      ],
    });
    expect(second.stop_reason).toBe('end_turn');
    const body = sent();
    expect(body.indexOf('rain')).toBeLessThan(body.indexOf('sun'));
    expect(body).toContain('Where is it dry?');
  });

  it('sees images, also in results of tools', async () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
    };
    await create(vendor, {
      tools: [weather],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }] },
      ],
    });
    expect(sent().split(png)).toHaveLength(3);
  });

  it('responds in the form of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const { content } = await create(vendor, {
      messages: hello,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(content[0]?.type).toBe('text');
    expect(sent()).toMatch(/"properties\\?":\{\\?"a\\?"/);
  });

  it('stops at a text', async () => {
    await create(vendor, { messages: hello, stop_sequences: ['END'] });
    expect(sent()).toContain('"END"');
  });

  it('fails with the error that the SDK knows', async () => {
    scene.gateway.simulator.script({ status: 400, error: { message: 'the request is wrong' } });
    const error: unknown = await create(vendor, { messages: hello }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as APIError).error).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('the request is wrong') },
    });
  });

  it('ends a cut stream with an error, not with an end', async () => {
    scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    const stream = client().messages.stream({ model: modelAt(vendor), max_tokens: 100, messages: hello });
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(APIError);
  });
});

describe('thinking', () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 2048 };
  const thinkers = [
    ['assistant-provider', 'claude-sonnet-4-5'],
    ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ] as const;

  it.each(thinkers)('of %s/%s keeps its signature over turns, whole and streamed', async (vendor, model) => {
    for (const form of ['whole', 'streamed']) {
      scene.gateway.simulator.script({
        reasoning: 'Let me think.',
        toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }],
      });
      const params = { model: modelAt(vendor, model), max_tokens: 4096, thinking, tools: [weather], messages: hello };
      const first =
        form === 'whole'
          ? await client().messages.create(params)
          : await client().messages.stream(params).finalMessage();
      const [thought, call] = first.content;
      expect(thought).toMatchObject({
        type: 'thinking',
        thinking: 'Let me think.',
        signature: expect.stringMatching(/.{20}/),
      });
      if (thought?.type !== 'thinking' || call?.type !== 'tool_use') throw new Error('thinking, then a call');
      await client().messages.create({
        ...params,
        messages: [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'rain' }] },
        ],
      });
      expect(sent()).toContain(thought.signature);
    }
  });

  it.each([
    ['gpt-provider', 'gpt-5'],
    ['search-provider', 'gemini-2.5-flash'],
  ] as const)(
    'of %s/%s is requested by its effort, and is no thinking of Claude when it comes back',
    async (vendor, model) => {
      scene.gateway.simulator.script({ reasoning: 'Let me think.' });
      const params = { model: modelAt(vendor, model), max_tokens: 4096, thinking, messages: hello };
      const { content } = await client().messages.create(params);
      expect(sent()).toMatch(/"reasoning_effort":"low"|thinkingConfig/);
      const messages = [...hello, { role: 'assistant' as const, content }, ...hello];
      await create('assistant-provider', { messages });
      expect(sent()).not.toContain('Let me think');
    },
  );
});

describe('the vendor of the format', () => {
  const vendor = 'assistant-provider';
  const call = async (body: string, headers: Record<string, string> = {}) =>
    fetch(`${scene.gateway.proxy.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': scene.key,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        ...headers,
      },
      body,
    });
  const text = (fields: string) =>
    `{ "max_tokens": 1e2, "model" : "claude-sonnet-4-5",\n "messages":[{"role":"user","content":"caf\\u00e9"}]${fields} }`;

  it('gets the bytes of a bare model’s request, with version and betas', async () => {
    const body = text(', "metadata": {"user_id": "u-1"}');
    const response = await call(body, { 'anthropic-beta': 'one-2025-01-01,two-2026-01-01' });
    expect(response.status).toBe(200);
    expect(sent()).toBe(body);
    expect(scene.received().headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01,two-2026-01-01',
    });
  });

  it('gets nothing else changed than the model’s name', async () => {
    const body = text('').replace('"claude-sonnet-4-5"', '"assistant-provider/claude-sonnet-4-5"');
    expect((await call(body)).status).toBe(200);
    expect(sent()).toBe(text(''));
  });

  it('responds with its own bytes', async () => {
    const direct = await fetch(`${scene.gateway.simulator.baseUrls[vendor]}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': 'sk-ant-sim-own-0123456789',
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
      body: text(', "stream": true'),
    });
    const withoutIds = (events: string) => events.replaceAll(/msg_\w+/g, 'msg_');
    expect(withoutIds(await (await call(text(', "stream": true'))).text())).toBe(withoutIds(await direct.text()));
  });

  it.each([400, 429, 529])('responds with its own error of status %i', async (status) => {
    scene.gateway.simulator.script({ status, error: { message: 'prompt is too long: 7 > 5' } });
    const response = await call(text(''));
    expect(response.status).toBe(status);
    const { error, request_id: requestId } = (await response.json()) as {
      error: { message: string };
      request_id: string;
    };
    expect(error.message).toBe('prompt is too long: 7 > 5');
    expect(requestId).toMatch(/^req_/);
  });

  it('is not offered tools that it would run itself, and the response names them', async () => {
    const response = await call(text(', "tools": [{"type":"web_search_20250305","name":"web_search"}]'));
    expect(response.headers.get('x-svc-dropped-params')).toBe('?');
    expect(sent()).toContain('"tools": []');
  });

  it.each([
    ['container', ', "container": "container_1"'],
    ['mcp_servers', ', "mcp_servers": [{"type":"url","url":"https://mcp.example","name":"x"}]'],
  ])('is not asked for %s with a stored key', async (param, fields) => {
    const response = await call(text(fields));
    expect(response.status).toBe(400);
    expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
    expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.stringContaining(param) } });
  });

  it('gets the caller’s own key and everything that it can reach', async () => {
    const own = { 'x-svc-vk': scene.key, 'x-svc-direct-key': 'true', 'x-api-key': ownHeaders[vendor].authorization };
    await call(text(', "container": "container_1"'), own);
    expect(sent()).toContain('container_1');
  });
});

describe('under a budget', () => {
  it.each([
    ['speed', ', "speed": "fast"'],
    ['inference_geo', ', "inference_geo": "us"'],
  ])('%s is refused, because no reservation covers what it costs', async (param, fields) => {
    const { organization, proxy } = scene.gateway;
    const { id, value } = await organization.createKey();
    const { api, id: organizationId } = organization;
    const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id };
    const budget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '5', period: 'BUDGET_PERIOD_MONTH' };
    await api.call('Limits/Create', { organizationId, subject, ...budget });
    const body = `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]${fields}}`;
    const headers = { 'x-api-key': value, 'content-type': 'application/json' };
    const response = await fetch(`${proxy.url}/v1/messages`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(param) } });
    expect(scene.gateway.simulator.requests).toEqual([]);
    await create('assistant-provider', { messages: hello });
  });
});

describe('refusals', () => {
  const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error as APIError);

  it('of a key, a model and a field are the SDK’s own errors', async () => {
    const { id } = await scene.gateway.organization.createKey({ allowedModels: { globs: ['gpt-provider/*'] } });
    expect(id).toBeDefined();
    const unknown = await thrown(
      client({ apiKey: 'vk_live_0123456789abcdefghijklmnopqrstuv' }).messages.create({
        model: 'x',
        max_tokens: 1,
        messages: hello,
      }),
    );
    expect(unknown).toBeInstanceOf(AuthenticationError);
    const field = await thrown(create('gpt-provider', { messages: hello, max_tokens: 0 }));
    expect(field).toBeInstanceOf(BadRequestError);
  });

  it('name the field as the client wrote it', async () => {
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'a' }] },
      { role: 'assistant' as const, content: 'b' },
      { role: 'user' as const, content: [{ type: 'image', source: { type: 'url', url: 'ftp://x' } } as never] },
    ];
    const error = (await thrown(create('search-provider', { messages, system: 'Be brief.' }))) as APIError;
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain('messages[2]');
  });

  it('of a model that the key may not call', async () => {
    const { value } = await scene.gateway.organization.createKey({ allowedModels: { globs: ['gpt-provider/*'] } });
    const error = await thrown(
      client({ apiKey: value }).messages.create({ model: 'claude-sonnet-4-5', max_tokens: 1, messages: hello }),
    );
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect((error as APIError).error).toMatchObject({
      error: { type: 'permission_error', details: { error_code: 'model_not_allowed' } },
    });
  });
});

describe('counting tokens', () => {
  it.each(vendorNames)('for %s is an estimate that calls no model', async (vendor) => {
    const params = { model: modelAt(vendor), messages: [{ role: 'user' as const, content: 'word '.repeat(400) }] };
    const { data, response } = await client().messages.countTokens(params).withResponse();
    expect(data.input_tokens).toBeGreaterThan(300);
    expect(data.input_tokens).toBeLessThan(900);
    expect(response.headers.get('x-svc-estimated')).toBe('true');
    expect(scene.gateway.simulator.requests).toEqual([]);
  });

  it('counts as a request, and not as tokens', async () => {
    const { organization } = scene.gateway;
    const limited = await organization.createKey();
    await createLimit(organization, ['VIRTUAL_KEY', limited.id], ['REQUESTS_PER_MINUTE', 2]);
    await createLimit(organization, ['VIRTUAL_KEY', limited.id], ['TOKENS_PER_MINUTE', 1]);
    const counting = () =>
      client({ apiKey: limited.value }).messages.countTokens({ model: modelAt('gpt-provider'), messages: hello });
    await counting();
    await counting();
    await expect(counting()).rejects.toBeInstanceOf(RateLimitError);
  });
});
