// Clients of the Messages API and the vendor of that format: what passes as it is, what does not, and refusals in the
// SDK's own errors.
import { type APIError, AuthenticationError, BadRequestError, PermissionDeniedError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { ownHeaders } from '../support/vendors.ts';
import { hello, useMessagesClient } from './clients/messages.ts';

const { clients, client, create } = useMessagesClient();
const { sent } = clients;

describe('the vendor of the format', () => {
  const vendor = 'assistant-provider';
  const call = async (body: string, headers: Record<string, string> = {}) =>
    fetch(`${clients.scene.gateway.proxy.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': clients.scene.key,
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
    expect(clients.scene.received().headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01,two-2026-01-01',
    });
  });

  it('gets the version and betas of a request that a worker writes', async () => {
    const body = text(`, "system": ${JSON.stringify('large '.repeat(60_000))}`);
    const response = await call(body, { 'anthropic-beta': 'one-2025-01-01' });
    expect(response.status).toBe(200);
    expect(sent()).toBe(body);
    expect(clients.scene.received().headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-2025-01-01',
    });
  });

  it('gets nothing else changed than the model’s name', async () => {
    const body = text('').replace('"claude-sonnet-4-5"', '"assistant-provider/claude-sonnet-4-5"');
    expect((await call(body)).status).toBe(200);
    expect(sent()).toBe(text(''));
  });

  it('responds with its own bytes', async () => {
    const direct = await fetch(`${clients.scene.gateway.simulator.baseUrls[vendor]}/v1/messages`, {
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
    clients.scene.gateway.simulator.script({ status, error: { message: 'prompt is too long: 7 > 5' } });
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
    expect(response.headers.get('x-svc-dropped-params')).toBe('tools.web_search');
    expect(sent()).toContain('"tools": []');
  });

  it.each([
    ['container', ', "container": "container_1"'],
    ['mcp_servers', ', "mcp_servers": [{"type":"url","url":"https://mcp.example","name":"x"}]'],
    ['fallbacks', ', "fallbacks": [{"model":"claude-opus-5"}]'],
    ['fallbacks', ', "fallbacks": "default"'],
  ])('does not get %s with a stored key', async (param, fields) => {
    const response = await call(text(fields));
    expect(response.status).toBe(400);
    expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
    expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.stringContaining(param) } });
  });

  it('does not get a file of the account, which the refusal names where the client wrote it', async () => {
    const file = '{"type":"document","source":{"type":"file","file_id":"file_1"}}';
    const messages = `[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":[${file}]}]`;
    const response = await call(`{"model":"claude-sonnet-4-5","max_tokens":9,"system":"Hi","messages":${messages}}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('messages[2].content[0].source');
  });

  it('gets the caller’s own key and everything that it can reach', async () => {
    const own = {
      'x-svc-vk': clients.scene.key,
      'x-svc-direct-key': 'true',
      'x-api-key': ownHeaders[vendor].authorization,
    };
    await call(text(', "container": "container_1", "fallbacks": "default"'), own);
    expect(sent()).toContain('container_1');
    expect(sent()).toContain('"fallbacks": "default"');
  });
});

describe('under a budget', () => {
  it.each([
    ['speed', ', "speed": "fast"'],
    ['inference_geo', ', "inference_geo": "us"'],
  ])('%s is refused, because no reservation covers what it costs', async (param, fields) => {
    const { organization, proxy } = clients.scene.gateway;
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
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
    await create('assistant-provider', { messages: hello });
  });
});

describe('refusals', () => {
  const thrown = (pending: Promise<unknown>) => pending.catch((error: unknown) => error as APIError);

  it('of a key, a model and a field are the SDK’s own errors', async () => {
    const { id } = await clients.scene.gateway.organization.createKey({ allowedModels: { globs: ['gpt-provider/*'] } });
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
    const { value } = await clients.scene.gateway.organization.createKey({
      allowedModels: { globs: ['gpt-provider/*'] },
    });
    const error = await thrown(
      client({ apiKey: value }).messages.create({ model: 'claude-sonnet-4-5', max_tokens: 1, messages: hello }),
    );
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect((error as APIError).error).toMatchObject({
      error: { type: 'permission_error', details: { error_code: 'model_not_allowed' } },
    });
  });
});
