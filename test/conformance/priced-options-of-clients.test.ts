// Options that cost more than the usual price, sent by the official SDK of each client format: refused where the
// organization does not allow them, with the error that the SDK makes of it, and passed to the vendor where it does.
import Anthropic, { BadRequestError, type ClientOptions } from '@anthropic-ai/sdk';
import { ConverseCommand, InvokeModelCommand, ValidationException } from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI, ServiceTier } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { ownHeaders } from '../support/vendors.ts';
import { thrown, useConverseClient } from './clients/converse.ts';
import { modelAt } from './clients/scene.ts';

const { clients, client: cloud } = useConverseClient();
const { sent } = clients;
const hello = [{ role: 'user' as const, content: 'Hello' }];
const url = () => clients.scene.gateway.proxy.url;

const openai = () => new OpenAI({ baseURL: `${url()}/v1`, apiKey: clients.scene.key, maxRetries: 0 });
const anthropic = (options: ClientOptions = {}) =>
  new Anthropic({ baseURL: url(), apiKey: clients.scene.key, maxRetries: 0, ...options });

const claude = modelAt('assistant-provider', 'claude-opus-5');
const gpt = modelAt('gpt-provider');
const onCloud = modelAt('managed-cloud-models');

const chat = (tier: 'priority' | 'auto' | 'flex') =>
  openai().chat.completions.create({ model: gpt, messages: hello, service_tier: tier });
const responses = (tier: 'priority' | 'default' | 'flex') =>
  openai().responses.create({ model: gpt, input: 'Hello', service_tier: tier });
const message = (fields: Partial<Anthropic.Beta.MessageCreateParamsNonStreaming>, model = claude) =>
  anthropic().beta.messages.create({ model, max_tokens: 100, messages: hello, ...fields });
const generate = (tier: ServiceTier) =>
  new GoogleGenAI({ apiKey: clients.scene.key, httpOptions: { baseUrl: url() } }).models.generateContent({
    model: modelAt('search-provider'),
    contents: 'Hello',
    config: { serviceTier: tier },
  });
const converse = (fields: object, modelId = onCloud) =>
  cloud().send(new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'Hello' }] }], ...fields }));
const invoke = (latency: 'standard' | 'optimized') =>
  cloud().send(
    new InvokeModelCommand({
      modelId: onCloud,
      body: JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages: hello }),
      performanceConfigLatency: latency,
    }),
  );

/** The simulator's only model with faster processing. */
const fastOnCloud = modelAt('managed-cloud-models', 'amazon.nova-pro-v1:0');
const optimized = () => converse({ performanceConfig: { latency: 'optimized' } }, fastOnCloud);

const longPrompts = { betas: ['context-1m-2025-08-07'] };

/** The field, the request, the SDK's error. */
const dear = [
  ['service_tier', 'chat completions', () => chat('priority'), OpenAI.BadRequestError],
  ['service_tier', 'Responses', () => responses('priority'), OpenAI.BadRequestError],
  ['speed', 'Messages', () => message({ speed: 'fast' }), BadRequestError],
  ['inference_geo', 'Messages', () => message({ inference_geo: 'us' }), BadRequestError],
  ['anthropic-beta', 'Messages', () => message(longPrompts), BadRequestError],
  ['serviceTier', 'generateContent', () => generate(ServiceTier.PRIORITY), ApiError],
  ['serviceTier', 'Converse', () => converse({ serviceTier: { type: 'priority' } }), ValidationException],
  ['performanceConfig', 'Converse', optimized, ValidationException],
  ['performanceConfigLatency', 'InvokeModel', () => invoke('optimized'), ValidationException],
] as const;

async function allow(allowed: boolean): Promise<void> {
  const { organization } = clients.scene.gateway;
  await organization.api.call('Organizations/UpdateSettings', {
    ...{ id: organization.id, settings: { pricedOptions: { allowed } } },
  });
  // The proxy learns of the change by its feed.
  const passes = () =>
    chat('priority').then(
      () => true,
      () => false,
    );
  await until(async () => (await passes()) === allowed, { what: 'the setting to reach the proxy' });
  clients.scene.gateway.simulator.reset();
}

describe('where priced options are not allowed', () => {
  beforeAll(() => allow(false));
  afterAll(() => allow(true));

  it.each(dear)('%s of %s is the SDK’s own error', async (field, _format, send, kind) => {
    const error = await thrown(send());
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toContain(`${field} changes the price of a request, and the organization does not allow`);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it('the error has the code and the field, as each SDK shows them', async () => {
    const named = { status: 400, code: 'unsupported_parameter', param: 'service_tier' };
    expect(await thrown(chat('priority'))).toMatchObject(named);
    expect(await thrown(responses('priority'))).toMatchObject(named);
    const details = { error_code: 'unsupported_parameter' };
    expect(await thrown(message({ speed: 'fast' }))).toMatchObject({ status: 400, error: { error: { details } } });
    expect(await thrown(generate(ServiceTier.PRIORITY))).toMatchObject({ status: 400 });
    expect(await thrown(invoke('optimized'))).toMatchObject({ code: 'unsupported_parameter' });
  });

  it('an option is refused at a vendor that would not get it, too', async () => {
    expect(await thrown(message({ speed: 'fast' }, gpt))).toBeInstanceOf(BadRequestError);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it.each([
    ['the usual tier of chat completions', () => chat('auto'), '"service_tier":"auto"'],
    ['a cheaper tier of chat completions', () => chat('flex'), '"service_tier":"flex"'],
    ['the usual tier of Responses', () => responses('default'), '"service_tier":"default"'],
    ['the usual speed', () => message({ speed: 'standard', inference_geo: 'global' }), '"speed":"standard"'],
    ['another beta', () => message({ betas: ['context-management-2025-06-27'] }), '"Hello"'],
    ['the usual tier of generateContent', () => generate(ServiceTier.STANDARD), '"serviceTier":"standard"'],
    ['the usual tier of Converse', () => converse({ serviceTier: { type: 'default' } }), '{"type":"default"}'],
    ['the usual latency', () => converse({ performanceConfig: { latency: 'standard' } }), '"latency":"standard"'],
    ['the usual latency of InvokeModel', () => invoke('standard'), '"Hello"'],
  ])('%s reaches the vendor', async (_what, send, text) => {
    await send();
    expect(sent().replaceAll(/\s/g, '')).toContain(text);
  });

  it('tokens are counted, because that costs nothing', async () => {
    const params = { model: claude, messages: hello, ...longPrompts };
    expect((await anthropic().beta.messages.countTokens({ ...params, speed: 'fast' })).input_tokens).toBeGreaterThan(0);
  });

  it('the caller’s own key may use them', async () => {
    const own = anthropic({
      apiKey: ownHeaders['assistant-provider'].authorization,
      defaultHeaders: { 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true' },
    });
    await own.beta.messages.create({ model: claude, max_tokens: 100, messages: hello, speed: 'fast', ...longPrompts });
    expect(sent()).toContain('"speed":"fast"');
  });
});

describe('where priced options are allowed', () => {
  it.each([
    ['service_tier', () => chat('priority'), '"service_tier":"priority"'],
    ['service_tier', () => responses('priority'), '"service_tier":"priority"'],
    ['speed', () => message({ speed: 'fast' }), '"speed":"fast"'],
    ['inference_geo', () => message({ inference_geo: 'us' }), '"inference_geo":"us"'],
    ['anthropic-beta', () => message(longPrompts), '"Hello"'],
    ['serviceTier', () => generate(ServiceTier.PRIORITY), '"serviceTier":"priority"'],
    ['serviceTier', () => converse({ serviceTier: { type: 'priority' } }), '{"type":"priority"}'],
    ['performanceConfig', optimized, '"latency":"optimized"'],
  ])('%s reaches the vendor', async (field, send, text) => {
    await send();
    expect(sent().replaceAll(/\s/g, '')).toContain(text);
    if (field === 'anthropic-beta') expect(clients.scene.received().headers[field]).toBe(longPrompts.betas[0]);
  });

  it('an option of another format is dropped and named, as ever', async () => {
    const { response } = await anthropic()
      .beta.messages.create({ model: gpt, max_tokens: 100, messages: hello, speed: 'fast' })
      .withResponse();
    expect(response.headers.get('x-svc-dropped-params')).toContain('speed');
  });
});
