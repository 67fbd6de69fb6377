// A model name without a provider, as applications send it that were written for one vendor: which provider serves it,
// on each route, is decided by a fixed order, and the response says so.
import { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { VendorName } from '../../../common/vendors.ts';
import { chatBody, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { ownHeaders } from '../../support/vendors.ts';

let gateway: TestGateway;
let count = 0;

beforeAll(async () => {
  gateway = await startGateway();
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

/** A key of an organization that stores keys of these providers only. */
async function keyWith(providers: readonly VendorName[], settings: object = {}): Promise<string> {
  const organization = await gateway.createOrganization(`bare ${++count}`);
  await keepOnly(organization, providers);
  await organization.api.call('Organizations/UpdateSettings', { id: organization.id, settings });
  return (await organization.createKey()).value;
}

async function keepOnly(organization: TestOrganization, providers: readonly VendorName[]) {
  const { api, id: organizationId } = organization;
  await organization.storeProviderKeys();
  const { providerKeys } = (await api.call('ProviderKeys/List', { organizationId })) as {
    providerKeys: { id: string; provider: string }[];
  };
  for (const { id, provider } of providerKeys)
    if (!providers.includes(provider as VendorName)) await api.call('ProviderKeys/Delete', { id });
}

/** @returns the provider and model that were called, or the refusal */
async function ask(key: string, model: string, { path = '/v1/chat/completions', headers = {} } = {}) {
  const response = await fetch(gateway.proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: chatBody({ model, max_tokens: 9 }),
  });
  const provider = response.headers.get('x-svc-provider');
  const code = response.headers.get('x-svc-error-code');
  await response.text();
  // A provider was chosen, even if it does not know the model.
  return provider === null ? `${response.status} ${code}` : `${provider}/${response.headers.get('x-svc-model')}`;
}

const all = ['gpt-provider', 'studio-ai', 'managed-cloud-models', 'assistant-provider', 'search-provider'] as const;

describe('a bare name on the route of chat completions', () => {
  it.each<[string, readonly VendorName[], string]>([
    ['gpt-4o-mini', all, 'gpt-provider/gpt-4o-mini'],
    ['gpt-4o-mini', ['studio-ai', 'assistant-provider'], 'studio-ai/gpt-4o-mini'],
    ['gpt-4o-2024-08-06', all, 'gpt-provider/gpt-4o'],
    ['claude-sonnet-4-5', all, 'assistant-provider/claude-sonnet-4-5'],
    ['gemini-2.5-flash', all, 'search-provider/gemini-2.5-flash'],
    [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      all,
      'managed-cloud-models/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    ['gpt-newer-than-the-catalog', all, 'gpt-provider/gpt-newer-than-the-catalog'],
    ['gpt-newer-than-the-catalog', ['search-provider'], '400 invalid_request'],
    ['gpt-4o-mini', ['search-provider'], '400 invalid_request'],
    ['nobody/gpt-4o', all, '404 model_not_found'],
    ['sk-proj-0123456789abcdefghij', all, '400 invalid_request'],
    ['0123456789abcdef0123456789abcdef', all, '400 invalid_request'],
  ])('%s of an organization with %s is %s', async (model, providers, expected) => {
    expect(await ask(await keyWith(providers), model)).toBe(expected);
  });

  it('goes up as it was sent', async () => {
    await ask(await keyWith(all), 'gpt-4o-2024-08-06');
    const [request] = gateway.simulator.requests;
    expect(request?.json()).toMatchObject({ model: 'gpt-4o-2024-08-06' });
  });

  it('follows the allow-list of the key under its whole name', async () => {
    const organization = await gateway.createOrganization(`bare ${++count}`);
    await organization.storeProviderKeys();
    const key = (await organization.createKey({ allowedModels: { globs: ['assistant-provider/*'] } })).value;
    expect(await ask(key, 'claude-sonnet-4-5')).toBe('assistant-provider/claude-sonnet-4-5');
    expect(await ask(key, 'gpt-4o-mini')).toBe('403 model_not_allowed');
  });

  it('with the caller’s own key is the home vendor’s', async () => {
    const key = await keyWith([], { access: { callerProviderKeys: true } });
    const own = ownHeaders['gpt-provider'].authorization.replace('Bearer ', '');
    const headers = { 'x-svc-vk': key, authorization: `Bearer ${own}`, 'x-svc-direct-key': 'true' };
    expect(await ask(key, 'gpt-4o-mini', { headers })).toBe('gpt-provider/gpt-4o-mini');
    expect(await ask(key, 'claude-sonnet-4-5', { headers })).toBe('gpt-provider/claude-sonnet-4-5');
  });
});

describe('a bare name in the format of another vendor’s clients', () => {
  it.each<[string, readonly VendorName[], string]>([
    ['claude-newer-than-the-catalog', all, 'assistant-provider/claude-newer-than-the-catalog'],
    ['claude-newer-than-the-catalog', ['gpt-provider'], '404 model_not_found'],
    ['nobody/gpt-4o', all, '404 model_not_found'],
    ['0123456789abcdef0123456789abcdef', all, '404 model_not_found'],
    ['gpt%4o', ['gpt-provider'], '400 invalid_request'],
  ])('%s of an organization with %s is %s', async (model, providers, expected) => {
    expect(await ask(await keyWith(providers), model, { path: '/v1/messages' })).toBe(expected);
  });

  it('is not repeated, because it may be a key', async () => {
    const model = '0123456789abcdef0123456789abcdef';
    const response = await fetch(`${gateway.proxy.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await keyWith(all)}` },
      body: chatBody({ model, max_tokens: 9 }),
    });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain(model);
  });
});

describe('an alias of the organization', () => {
  const models = {
    aliases: {
      aliases: [
        { name: 'fast', model: 'anthropic/claude-haiku-4-5' },
        { name: 'gpt-4o', model: 'openai/gpt-4o-2024-11-20' },
        { name: 'team/best', model: 'gemini/gemini-2.5-pro' },
      ],
    },
  };

  it.each([
    ['fast', 'assistant-provider/claude-haiku-4-5'],
    ['gpt-4o', 'gpt-provider/gpt-4o-2024-11-20'],
    ['team/best', 'search-provider/gemini-2.5-pro'],
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o'],
    ['Fast', 'gpt-provider/Fast'],
  ])('makes %s mean %s', async (model, expected) => {
    expect(await ask(await keyWith(all, { models }), model)).toBe(expected);
  });

  it('is another organization’s name for nothing', async () => {
    await keyWith(all, { models });
    expect(await ask(await keyWith(['assistant-provider']), 'fast')).toBe('400 invalid_request');
  });

  it('is listed with the facts of its model, and only to keys that may call it', async () => {
    const key = await keyWith(all, { models });
    const get = async (path: string) => {
      const response = await fetch(gateway.proxy.url + path, { headers: { authorization: `Bearer ${key}` } });
      return (await response.json()) as { id: string; owned_by: string; data?: { id: string }[] };
    };
    expect((await get('/v1/models')).data?.slice(0, 3).map(({ id }) => id)).toEqual(['fast', 'gpt-4o', 'team/best']);
    expect(await get('/v1/models/fast')).toMatchObject({ id: 'fast', owned_by: 'assistant-provider' });
  });

  it('changes for a running proxy within a second', async () => {
    const organization = await gateway.createOrganization(`bare ${++count}`);
    const { id, api } = organization;
    const key = (await organization.createKey()).value;
    expect(await ask(key, 'fast')).toBe('gpt-provider/fast');
    const aliases = [{ name: 'fast', model: 'openai/gpt-4o-mini' }];
    await api.call('Organizations/UpdateSettings', { id, settings: { models: { aliases: { aliases } } } });
    await until(async () => (await ask(key, 'fast')) === 'gpt-provider/gpt-4o-mini', { timeoutMs: 10_000 });
    // A change of another setting keeps them.
    await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
    expect(await api.call('Organizations/Get', { id })).toMatchObject({
      settings: { models: { aliases: { aliases: [{ name: 'fast', model: 'gpt-provider/gpt-4o-mini' }] } } },
    });
    await api.call('Organizations/UpdateSettings', { id, settings: { models: { aliases: { aliases: [] } } } });
    await until(async () => (await ask(key, 'fast')) === 'gpt-provider/fast', { timeoutMs: 10_000 });
  });

  it('leads the caller’s own key to the home vendor only', async () => {
    const key = await keyWith([], { models, access: { callerProviderKeys: true } });
    const own = ownHeaders['gpt-provider'].authorization.replace('Bearer ', '');
    const headers = { 'x-svc-vk': key, authorization: `Bearer ${own}`, 'x-svc-direct-key': 'true' };
    expect(await ask(key, 'gpt-4o', { headers })).toBe('gpt-provider/gpt-4o-2024-11-20');
    expect(await ask(key, 'fast', { headers })).toBe('400 invalid_request');
  });
});

describe('the paths of the studio’s SDK', () => {
  it.each([
    ['/openai/deployments/gpt-4o-mini/chat/completions?api-version=2024-10-21', 'ignored', 'studio-ai/gpt-4o-mini'],
    ['/v1/deployments/gpt-4o-mini/chat/completions', 'ignored', 'studio-ai/gpt-4o-mini'],
    ['/openai/deployments/my-deployment/chat/completions', 'ignored', 'studio-ai/my-deployment'],
    ['/openai/deployments/gpt-provider%2Fgpt-4o/chat/completions', 'ignored', 'gpt-provider/gpt-4o'],
    ['/openai/v1/chat/completions', 'gpt-4o-mini', 'studio-ai/gpt-4o-mini'],
    ['/openai/v1/chat/completions', 'gpt-provider/gpt-4o', 'gpt-provider/gpt-4o'],
    ['/openai/deployments/a%252Fb/chat/completions', 'ignored', '400 invalid_request'],
  ])('%s with the model %s in the body calls %s', async (path, model, expected) => {
    expect(await ask(await keyWith(all), model, { path })).toBe(expected);
  });

  it('serve its official SDK, whole and streamed', async () => {
    const apiKey = await keyWith(all);
    const client = new AzureOpenAI({ endpoint: gateway.proxy.url, apiKey, apiVersion: '2024-10-21', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const whole = await client.chat.completions.create({ model: 'assistant-provider/claude-sonnet-4-5', messages });
    expect(whole.choices[0]?.finish_reason).toBe('stop');
    const streamed = await client.chat.completions.stream({ model: 'gpt-4o-mini', messages }).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toContain('simulated');
    expect(gateway.simulator.requests.map(({ target }) => target)).toEqual([
      expect.stringContaining('/v1/messages'),
      expect.stringContaining('/chat/completions'),
    ]);
  });
});
