// Tools that a vendor runs, offered by the official SDKs: off, on by class, demanded, at a vendor of another format,
// and under a budget.
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { VendorName } from '../../common/vendors.ts';
import { hello } from './clients/messages.ts';
import { modelAt, useScene } from './clients/scene.ts';

const clients = useScene();
const { sent } = clients;
const webSearch = { type: 'web_search_20250305' as const, name: 'web_search' as const };
const code = { type: 'code_execution_20250825' as const, name: 'code_execution' as const };

/** Offers both classes by the SDK of a vendor's format. @returns what `x-svc-dropped-params` names */
const offers = {
  messages: async (vendor: VendorName, more: object = {}) => {
    const client = new Anthropic({
      baseURL: clients.scene.gateway.proxy.url,
      apiKey: clients.scene.key,
      maxRetries: 0,
    });
    const params = { model: modelAt(vendor), max_tokens: 100, messages: hello, tools: [webSearch, code], ...more };
    const { response } = await client.messages.create(params).withResponse();
    return response.headers.get('x-svc-dropped-params') ?? '';
  },
  generate_content: async (vendor: VendorName) => {
    const httpOptions = { baseUrl: clients.scene.gateway.proxy.url };
    const client = new GoogleGenAI({ apiKey: clients.scene.key, httpOptions });
    const tools = [{ googleSearch: {} }, { codeExecution: {} }];
    const response = await client.models.generateContent({
      ...{ model: modelAt(vendor), contents: 'Hello', config: { tools } },
    });
    return response.sdkHttpResponse?.headers?.['x-svc-dropped-params'] ?? '';
  },
};

async function allow(egress: boolean, execution: boolean): Promise<void> {
  const { organization } = clients.scene.gateway;
  await organization.api.call('Organizations/UpdateSettings', {
    ...{ id: organization.id, settings: { ownTools: { egress, execution } } },
  });
}

const formats = [
  ['messages', 'assistant-provider', 'web_search', 'code_execution'],
  ['generate_content', 'search-provider', 'googleSearch', 'codeExecution'],
] as const;

describe.each(formats)('tools of a client of %s', (format, vendor, search, execution) => {
  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])('reach its own vendor with egress %s and execution %s', async (allowsEgress, allowsExecution) => {
    await allow(allowsEgress, allowsExecution);
    // The proxy learns of the change by its feed.
    const dropped = expect.poll(() => offers[format](vendor));
    await dropped.toSatisfy(
      (names: string) => names.includes(search) !== allowsEgress && names.includes(execution) !== allowsExecution,
    );
    expect([sent().includes(search), sent().includes(execution)]).toEqual([allowsEgress, allowsExecution]);
  });

  it('are still lost at a vendor of another format', async () => {
    await allow(true, true);
    await expect.poll(() => offers[format](vendor)).toBe('');
    const dropped = await offers[format]('gpt-provider');
    expect([dropped.includes(search), dropped.includes(execution)]).toEqual([true, true]);
    expect(sent()).not.toContain(search);
  });
});

describe('a search that the vendor reports', () => {
  beforeAll(() => allow(true, true));

  it('is charged at the price of a search', async () => {
    await expect.poll(() => offers.messages('assistant-provider')).toBe('');
    const cost = async () => {
      const { gateway, key } = clients.scene;
      const response = await fetch(`${gateway.proxy.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 100, messages: hello, tools: [webSearch] }),
      });
      expect(response.status).toBe(200);
      return Number(response.headers.get('x-svc-cost'));
    };
    const without = await cost();
    clients.scene.gateway.simulator.script({ citations: [{ uri: 'https://a.example', title: 'A' }] });
    expect((await cost()) - without).toBeGreaterThan(0.0099);
  });
});

describe('under a budget', () => {
  it('a tool whose cost no reservation covers is refused, and one with a price is not', async () => {
    const { gateway } = clients.scene;
    const { organization } = gateway;
    await allow(true, true);
    await expect.poll(() => offers.messages('assistant-provider')).toBe('');
    const { id, value } = await organization.createKey();
    const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id };
    const budget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '500', period: 'BUDGET_PERIOD_MONTH' };
    await organization.api.call('Limits/Create', { organizationId: organization.id, subject, ...budget });
    const client = new Anthropic({ baseURL: gateway.proxy.url, apiKey: value, maxRetries: 0 });
    const create = (tools: Anthropic.ToolUnion[]) =>
      client.messages.create({ model: modelAt('assistant-provider'), max_tokens: 100, messages: hello, tools });
    await expect.poll(() => create([code]).catch((error: unknown) => error)).toBeInstanceOf(BadRequestError);
    await expect(create([code])).rejects.toThrow('tools[0]');
    expect((await create([{ ...webSearch, max_uses: 2 }])).type).toBe('message');
  });
});

describe('a demanded tool', () => {
  it('is refused with its class off, and passes with it on', async () => {
    const demand = { tool_choice: { type: 'tool', name: 'web_search' } };
    await allow(false, true);
    const error = () => offers.messages('assistant-provider', demand).catch((thrown: unknown) => thrown);
    await expect.poll(error).toBeInstanceOf(BadRequestError);
    await allow(true, true);
    await expect.poll(error).not.toBeInstanceOf(BadRequestError);
  });
});
