// Counting tokens with the official SDKs of four formats, at all five vendors: by the vendor's own counter where it has
// one, else by the gateway's estimate.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, CountTokensCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import type { VendorName } from '../../common/vendors.ts';
import { ownHeaders } from '../support/vendors.ts';
import { counterOf, countersOf, countFormats, home, useCounts } from './clients/counts.ts';
import { modelAt, secret, useGuardrail } from './clients/scene.ts';

const { clients, post, count } = useCounts();
const { sent } = clients;
const words = 'word '.repeat(400);

const requestHandler = new NodeHttpHandler();
afterAll(() => requestHandler.destroy());

/** The number of tokens, as the SDK of the format returns it. */
const sdks = {
  messages: async (model: string) => {
    const client = new Anthropic({ baseURL: clients.url, apiKey: clients.scene.key, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: words }];
    return (await client.messages.countTokens({ model, messages })).input_tokens;
  },
  responses: async (model: string) => {
    const client = new OpenAI({ baseURL: `${clients.url}/v1`, apiKey: clients.scene.key, maxRetries: 0 });
    return (await client.responses.inputTokens.count({ model, input: words })).input_tokens;
  },
  generate_content: async (model: string) => {
    const client = new GoogleGenAI({ apiKey: clients.scene.key, httpOptions: { baseUrl: clients.url } });
    return (await client.models.countTokens({ model, contents: words })).totalTokens;
  },
  converse: async (modelId: string) => {
    const client = new BedrockRuntimeClient({
      endpoint: clients.url,
      region: 'eu-west-1',
      token: { token: clients.scene.key },
      authSchemePreference: ['httpBearerAuth'],
      requestHandler,
      maxAttempts: 1,
    });
    const input = { converse: { messages: [{ role: 'user' as const, content: [{ text: words }] }] } };
    return (await client.send(new CountTokensCommand({ modelId, input }))).inputTokens;
  },
} as const;

describe.each(countFormats)('a client of %s', (format) => {
  it.each(countersOf(format))('at %s gets a number by %s', async (vendor, by) => {
    const tokens = await sdks[format](modelAt(vendor));
    expect(tokens).toBeGreaterThan(300);
    expect(tokens).toBeLessThan(900);
    const targets = clients.scene.gateway.simulator.requests.map(({ target }) => target);
    expect(targets).toEqual(by === 'the estimate' ? [] : [expect.stringMatching(counterOf[vendor])]);
  });

  it.each(countersOf(format))('at %s sees that the number is of %s', async (vendor, by) => {
    const { status, headers } = await count(format, vendor);
    expect(status).toBe(200);
    expect(headers.get('x-svc-estimated')).toBe(by === 'the estimate' ? 'true' : null);
    expect(headers.get('x-svc-provider')).toBe(vendor);
    expect(headers.get('x-svc-cost')).toBeNull();
  });

  it('gets the response of its own vendor byte for byte', async () => {
    const vendor = home[format];
    const responses = await Promise.all([1, 2].map(async () => (await count(format, vendor)).text()));
    clients.scene.gateway.simulator.script({ body: `${responses[0]}\n` });
    expect(await (await count(format, vendor)).text()).toBe(`${responses[0]}\n`);
  });

  it('sends the caller’s own key', async () => {
    const vendor = home[format];
    const own: Record<string, string> = ownHeaders[vendor];
    const headers = {
      ...{ authorization: null, ...own },
      ...(own.authorization && { authorization: `Bearer ${own.authorization.replace(/^Bearer /, '')}` }),
      ...{ 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true' },
    };
    const response = await post(format, modelAt(vendor), { headers });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    const {
      authorization = '',
      'x-api-key': key = '',
      'x-goog-api-key': other = '',
    } = clients.scene.received().headers;
    const [ownKey = ''] = Object.values(own);
    expect(`${authorization} ${String(key)} ${String(other)}`).toContain(ownKey.replace(/^Bearer /, ''));
  });
});

describe('the counter of the vendor of the format', () => {
  const sonnet = 'claude-sonnet-4-5';

  it('gets the bytes of a Messages request, with the model’s name alone changed', async () => {
    const body = (model: string) =>
      `{ "messages":[{"role":"user","content":"caf\\u00e9"}],\n "thinking": {"type":"enabled","budget_tokens":2e3}, "model" : "${model}"}`;
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'token-counting-2024-11-01' };
    const response = await post('messages', '', { body: body(`assistant-provider/${sonnet}`), headers });
    expect(response.status).toBe(200);
    expect(sent()).toBe(body(sonnet));
    expect(clients.scene.received().headers).toMatchObject(headers);
  });

  it('gets the bytes of a Responses request', async () => {
    const body = '{ "model":"gpt-4.1-mini", "instructions": "Be \\u0062rief.", "input" : "caf\\u00e9" }';
    expect((await post('responses', '', { body })).status).toBe(200);
    expect(sent()).toBe(body);
  });

  it('gets the bytes of contents alone, and of a Converse request', async () => {
    const contents = '{ "contents" :[{"parts":[{"text":"caf\\u00e9"}],"role":"user"}]}';
    expect((await post('generate_content', 'gemini-2.5-flash', { body: contents })).status).toBe(200);
    expect(sent()).toBe(contents);
    const converse = '{"input":{"converse":{ "messages":[{"role":"user","content":[{"text":"caf\\u00e9"}]}]}}}';
    expect((await post('converse', modelAt('managed-cloud-models'), { body: converse })).status).toBe(200);
    expect(sent()).toBe(converse);
  });

  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
  const whole = { contents, systemInstruction: { parts: [{ text: 'Be brief.' }] }, generationConfig: { topK: 3 } };
  const named = { generateContentRequest: { ...whole, model: 'models/gemini-2.5-flash' } };
  it.each([
    [
      'a whole request inside',
      { generateContentRequest: { model: 'models/search-provider/gemini-2.5-flash', ...whole } },
    ],
    ['a whole request inside, in the other spelling', { generate_content_request: { model: 'models/x', ...whole } }],
    ['a whole request that the SDK sends to another API of the vendor', whole],
  ])('gets the instruction and the tools of a generateContent request: %s', async (_form, body) => {
    const response = await post('generate_content', 'search-provider/gemini-2.5-flash', { body: JSON.stringify(body) });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    expect(JSON.parse(sent())).toEqual(named);
  });

  it.each([
    [
      'messages' as const,
      { model: sonnet, messages: [{ role: 'user', content: 'Hello' }] },
      { max_tokens: 9, stream: true, temperature: 0.5, metadata: { user_id: 'a' }, stop_sequences: ['x'] },
    ],
    [
      'responses' as const,
      { model: 'gpt-4.1-mini', input: 'Hello' },
      { max_output_tokens: 9, stream: true, store: false, include: [], temperature: 0.5, metadata: {} },
    ],
  ])('gets no fields that only a call of the model has: %s', async (format, fields, ofCalls) => {
    const body = JSON.stringify({ ...fields, ...ofCalls });
    const response = await post(format, '', { body });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    expect(await response.json()).toHaveProperty('input_tokens');
    expect(JSON.parse(sent())).toEqual(fields);
  });

  it('gets no fields of a Converse call', async () => {
    const messages = [{ role: 'user', content: [{ text: 'Hello' }] }];
    const converse = { messages, inferenceConfig: { maxTokens: 9 }, requestMetadata: { team: 'a' } };
    const body = JSON.stringify({ input: { converse } });
    const response = await post('converse', modelAt('managed-cloud-models'), { body });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    expect(JSON.parse(sent())).toEqual({ input: { converse: { messages } } });
  });

  it('gets no tools that it would run itself, as in a call', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const fields = { model: sonnet, messages: [{ role: 'user', content: 'Hello' }], tools };
    const response = await post('messages', '', { body: JSON.stringify(fields) });
    expect(response.headers.get('x-svc-dropped-params')).toBe('tools.web_search');
    expect(JSON.parse(sent())).toMatchObject({ tools: [] });
  });

  it.each([
    [
      'messages' as const,
      '',
      {
        model: sonnet,
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }],
      },
    ],
    ['responses' as const, '', { model: 'gpt-4.1-mini', input: 'Hello', prompt: { id: 'pmpt_1' } }],
    [
      'generate_content' as const,
      'gemini-2.5-flash',
      { generateContentRequest: { contents: [{ parts: [{ fileData: { fileUri: 'https://files.example/a' } }] }] } },
    ],
    [
      'converse' as const,
      modelAt('managed-cloud-models'),
      {
        input: {
          converse: {
            messages: [
              { role: 'user', content: [{ image: { format: 'png', source: { s3Location: { uri: 's3://b/a' } } } }] },
            ],
          },
        },
      },
    ],
  ])('gets nothing of the whole account with a stored key: %s', async (format, model, body) => {
    const response = await post(format, model, { body: JSON.stringify(body) });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it('counts for a model of the cloud by its name without the geography', async () => {
    const { headers } = await post('converse', 'managed-cloud-models/global.anthropic.claude-sonnet-5');
    expect(headers.get('x-svc-estimated')).toBeNull();
    expect(clients.scene.received().target).toContain('/model/anthropic.claude-sonnet-5/count-tokens');
  });

  it('gets large requests, which a worker writes', async () => {
    const body = `{ "model":"claude-sonnet-4-5", "max_tokens": 7, "messages":[{"role":"user","content":${JSON.stringify('large '.repeat(60_000))}}]}`;
    const response = await post('messages', '', { body });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    expect(((await response.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(50_000);
    expect(sent()).toBe(body.replace(' "max_tokens": 7,', ''));
  });
});

describe('the counter of a vendor with another format', () => {
  it.each(['assistant-provider', 'search-provider', 'managed-cloud-models'] as const)(
    'of %s gets the translated request, and its number in the format of the client',
    async (vendor) => {
      const tools = [
        { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false },
      ];
      const body = { model: modelAt(vendor), instructions: 'Be brief.', input: words, max_output_tokens: 9, tools };
      const response = await post('responses', '', { body: JSON.stringify(body) });
      expect(response.headers.get('x-svc-estimated')).toBeNull();
      expect(await response.json()).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
      for (const part of ['Be brief.', 'weather', words]) expect(sent()).toContain(part);
    },
  );

  it('gets large requests, which a worker writes', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'large '.repeat(60_000) }] }];
    const body = JSON.stringify({ contents });
    const response = await post('generate_content', modelAt('assistant-provider'), { body });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
    expect(((await response.json()) as { totalTokens: number }).totalTokens).toBeGreaterThan(50_000);
  });

  it('is not called for what its format cannot express', async () => {
    const body = { contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'https://files.example/a' } }] }] };
    const response = await post('generate_content', modelAt('assistant-provider'), { body: JSON.stringify(body) });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, 'true']);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('InvokeModel', () => {
  it('is counted by the estimate, because guardrails cannot inspect its encoded body', async () => {
    const message = {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 9,
      messages: [{ role: 'user', content: words }],
    };
    const input = { invokeModel: { body: Buffer.from(JSON.stringify(message)).toString('base64') } };
    const response = await post('converse', modelAt('managed-cloud-models'), { body: JSON.stringify({ input }) });
    expect(response.headers.get('x-svc-estimated')).toBe('true');
    expect(((await response.json()) as { inputTokens: number }).inputTokens).toBeGreaterThan(300);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });
});

describe('the SDK of the hosted studio', () => {
  it.each([
    ['gpt-4o-mini', 'studio-ai', []],
    [modelAt('gpt-provider'), 'gpt-provider', [expect.stringMatching(counterOf['gpt-provider'])]],
  ])('counts tokens of %s at %s', async (model, provider, targets) => {
    const client = new AzureOpenAI({
      ...{ endpoint: clients.url, apiKey: clients.scene.key, apiVersion: '2025-04-01-preview', maxRetries: 0 },
    });
    const { data, response } = await client.responses.inputTokens.count({ model, input: words }).withResponse();
    expect(data.input_tokens).toBeGreaterThan(300);
    expect(response.headers.get('x-svc-provider')).toBe(provider);
    expect(clients.scene.gateway.simulator.requests.map(({ target }) => target)).toEqual(targets);
  });

  it('counts at the path of the newest API too', async () => {
    const client = new OpenAI({ baseURL: `${clients.url}/openai/v1`, apiKey: clients.scene.key, maxRetries: 0 });
    const counted = await client.responses.inputTokens.count({ model: modelAt('gpt-provider'), input: words });
    expect(counted.input_tokens).toBeGreaterThan(300);
  });
});

describe.each(countFormats)('guardrails on counts of %s', (format) => {
  const guarded = useGuardrail(clients);
  const vendors: readonly VendorName[] = [home[format], 'assistant-provider', 'studio-ai'];

  it.each(vendors)('block at %s', async (vendor) => {
    await guarded('input', 'block');
    const response = await count(format, vendor, `It is ${secret}.`);
    expect([response.status, response.headers.get('x-svc-error-code')]).toEqual([400, 'guardrail_blocked']);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each(vendors)('redact at %s', async (vendor) => {
    await guarded('input', 'redact');
    expect((await count(format, vendor, `It is ${secret}.`)).status).toBe(200);
    const bodies = clients.scene.gateway.simulator.requests.map(({ body }) => body.toString());
    expect(bodies.join()).not.toContain(secret);
    expect(bodies.every((body) => body.includes('It is '))).toBe(true);
  });

  it('on responses change nothing', async () => {
    await guarded('output', 'block');
    const response = await count(format, home[format]);
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, null]);
  });
});
