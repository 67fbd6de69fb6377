// GATEWAY_CLIENT_FORMATS: the routes of formats that it leaves out are unknown paths, whatever key or header a request
// has; lists of models have the shape of a format that is served.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';

let gateway: TestGateway;
let headers: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  headers = { 'content-type': 'application/json', 'x-svc-vk': (await gateway.organization.createKey()).value };
});
afterAll(() => gateway.close());

async function statusOf(proxy: TestProxy, path: string, body?: object, mark?: Record<string, string>) {
  const response = await fetch(proxy.url + path, {
    headers: { ...headers, ...mark },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const turns = [{ role: 'user', content: 'hello' }];
const model = 'gpt-provider/gpt-4o-mini';
const calls = {
  '/v1/chat/completions': { model, messages: turns },
  '/v1/gpt-provider/chat/completions': { model: 'gpt-4o-mini', messages: turns },
  '/v1/messages': { model, max_tokens: 9, messages: turns },
  '/messages/count_tokens': { model, messages: turns },
  '/v1/responses': { model, input: 'hello' },
  [`/v1beta/models/${model}:generateContent`]: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
};
const unknown = { status: 404, body: { error: expect.objectContaining({ code: 'route_not_found', param: null }) } };

describe('a proxy that serves Messages alone', () => {
  let proxy: TestProxy;
  beforeAll(async () => {
    proxy = await gateway.startProxy({ GATEWAY_CLIENT_FORMATS: 'messages' });
  });

  it.each(Object.entries(calls))('%s', async (path, body) => {
    const seen = await statusOf(proxy, path, body);
    if (path.includes('messages')) expect(seen.status).toBe(200);
    else expect(seen).toEqual(unknown);
  });

  it('has no other method and no list of models of the formats that are off', async () => {
    expect(await statusOf(proxy, '/v1/chat/completions')).toEqual(unknown);
    expect(await statusOf(proxy, '/v1/models')).toEqual(unknown);
    expect(await statusOf(proxy, '/v1beta/models')).toEqual(unknown);
    expect(await statusOf(proxy, '/v1/models', undefined, { 'x-goog-api-client': 'a' })).toEqual(unknown);
    const list = await statusOf(proxy, '/v1/models', undefined, { 'anthropic-version': '2023-06-01' });
    expect(list).toMatchObject({ status: 200, body: { has_more: expect.any(Boolean) } });
  });
});

describe('a proxy without Messages and chat completions', () => {
  let proxy: TestProxy;
  beforeAll(async () => {
    proxy = await gateway.startProxy({ GATEWAY_CLIENT_FORMATS: 'responses,generate_content' });
  });

  it.each(Object.entries(calls))('%s', async (path, body) => {
    const seen = await statusOf(proxy, path, body);
    if (/responses|generateContent/.test(path)) expect(seen.status).toBe(200);
    else expect(seen).toEqual(unknown);
  });

  it('lists models in the shape of a format that is served', async () => {
    const marked = await statusOf(proxy, '/v1/models', undefined, { 'anthropic-version': '2023-06-01' });
    expect(marked).toMatchObject({ status: 200, body: { object: 'list' } });
  });
});
