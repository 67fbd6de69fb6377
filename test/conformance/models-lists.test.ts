// The list of models as the official SDKs of three vendors read it from one path: whole pages, single models, facts
// about them, and errors of the SDK's own classes.
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import { ApiError as GoogleError, GoogleGenAI, type Model } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DescribedRequests, watchRequests } from '../support/described-requests.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let described: DescribedRequests;
let key: string;
let ids: readonly string[];
const claude = 'assistant-provider/claude-sonnet-4-5';

beforeAll(async () => {
  gateway = await startGateway();
  described = watchRequests(gateway.proxy.port);
  const organization = await gateway.createOrganization('lists');
  await organization.storeProviderKeys();
  key = (await organization.createKey({ allowedModels: { globs: ['assistant-provider/*', 'gpt-provider/gpt-4o*'] } }))
    .value;
  ids = (await openai().models.list()).data.map(({ id }) => id);
});
afterAll(async () => {
  await gateway.close();
  described.close();
});

const openai = () => new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = (apiKey = key) => new Anthropic({ baseURL: gateway.proxy.url, apiKey, maxRetries: 0 });
const google = (apiKey = key, apiVersion = 'v1beta') =>
  new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: gateway.proxy.url } });

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

describe('a client of chat completions', () => {
  it('gets context, output limit, capabilities and prices of each token', async () => {
    const model = await openai().models.retrieve('gpt-provider/gpt-4o-mini');
    expect(model).toEqual({
      id: 'gpt-provider/gpt-4o-mini',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'gpt-provider',
      context_length: 128_000,
      max_output_tokens: 16_384,
      capabilities: ['tools', 'vision', 'json_schema'],
      pricing: { prompt: '0.00000015', completion: '0.0000006', input_cache_read: '0.000000075' },
    });
  });

  it('gets the organization’s own price', async () => {
    const organization = await gateway.createOrganization('dear');
    const prices = { input: '1000', output: '2.5' };
    const { api, id: organizationId } = organization;
    await api.call('Prices/Create', { organizationId, model: 'gpt-provider/gpt-4o', prices });
    const { value: apiKey } = await organization.createKey();
    const client = new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey });
    expect(await client.models.retrieve('gpt-provider/gpt-4o')).toMatchObject({
      pricing: { prompt: '0.001', completion: '0.0000025' },
    });
  });
});

describe('a client of the Messages API', () => {
  it('pages through all models, newest first, each once', async () => {
    const models = await collect(anthropic().models.list({ limit: 7 }));
    expect(models.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
    const created = models.map(({ created_at }) => Date.parse(created_at));
    expect(created).toEqual(created.toSorted((a, b) => b - a));
  });

  it('pages backwards to the same entries', async () => {
    const { data: first, last_id: lastId } = await anthropic().models.list({ limit: 5 });
    const back = await anthropic().models.list({ limit: 4, before_id: lastId ?? '' });
    expect(back.data).toEqual(first.slice(0, 4));
    expect(back.has_more).toBe(false);
  });

  it('reads one model with its limits', async () => {
    expect(await anthropic().models.retrieve(claude)).toMatchObject({
      type: 'model',
      id: claude,
      display_name: claude,
      lifecycle: 'active',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
    });
  });

  it.each([
    ['an unknown model', () => anthropic().models.retrieve('nobody/x'), '404 not_found_error', 'model_not_found'],
    ['an unknown key', () => anthropic('sk-svc-x').models.list(), '401 authentication_error', 'access_not_found'],
    [
      'a page after nothing',
      () => anthropic().models.list({ after_id: 'x' }),
      '400 invalid_request_error',
      'invalid_request',
    ],
    ['a limit of 0', () => anthropic().models.list({ limit: 0 }), '400 invalid_request_error', 'invalid_request'],
  ])('gets the SDK’s own error for %s', async (_, call, stated, code) => {
    const [status, type] = stated.split(' ');
    const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnthropicError);
    expect(error).toMatchObject({
      status: Number(status),
      error: { type: 'error', error: { type, details: { error_code: code } }, request_id: expect.any(String) },
      requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

describe('a client of generateContent', () => {
  it.each(['v1', 'v1beta'])('pages through all models of %s, each once', async (version) => {
    const models = await collect(await google(key, version).models.list({ config: { pageSize: 6 } }));
    expect(models.map(({ name }) => name).toSorted()).toEqual(ids.map((id) => `models/${id}`).toSorted());
  });

  it('reads one model with its limits', async () => {
    const model: Model = await google().models.get({ model: claude });
    expect(model).toMatchObject({ name: `models/${claude}`, inputTokenLimit: 200_000, outputTokenLimit: 64_000 });
  });

  it.each([
    ['an unknown model', () => google().models.get({ model: 'nobody/x' }), '404 NOT_FOUND', 'model_not_found'],
    ['an unknown key', () => google('sk-svc-x').models.list(), '401 UNAUTHENTICATED', 'access_not_found'],
    [
      'a page that never was',
      () => google().models.list({ config: { pageToken: 'x' } }),
      '400 INVALID_ARGUMENT',
      'invalid_request',
    ],
  ])('gets the SDK’s own error for %s', async (_, call, stated, code) => {
    const [status, word] = stated.split(' ');
    const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GoogleError);
    expect(error).toMatchObject({ status: Number(status) });
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'model-gateway' };
    expect(JSON.parse((error as GoogleError).message).error).toMatchObject({
      code: Number(status),
      status: word,
      details: [info],
    });
  });
});
