// Custom providers end to end: an operator adds them over the JSON API, proxies learn of them from the feed, and
// callers reach model servers with several forms of keys on the generic route. Control plane, proxy and servers are
// real.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providersByName } from '../../../proxy/providers/index.ts';
import type { OperatorApi } from '../../../quickstart/operator-api.ts';
import { type ModelServerKeys, type Simulator, startSimulator } from '../../../simulator/index.ts';
import { admission, chat, type Reply } from '../../support/chat-requests.ts';
import { chatRequest, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';

const stored = 'sk-sim-stored-for-models-0123';
const own = 'sk-sim-the-callers-own-0123';
const keyHeaders = ['authorization', 'api-key', 'x-api-key', 'x-models-key'];

let keyless: Simulator;
let bearer: Simulator;
let named: Simulator;
let gateway: TestGateway;
let acme: TestOrganization;
let other: TestOrganization;
let key: string;
let otherKey: string;

beforeAll(async () => {
  const start = (modelServer?: ModelServerKeys) =>
    startSimulator({ host: '127.0.0.1', port: 0, ...(modelServer && { modelServer }) });
  keyless = await start('none');
  bearer = await start();
  named = await start({ header: 'x-models-key' });
  const listed = [keyless, bearer, named].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const env = { GATEWAY_PRIVATE_UPSTREAMS: listed };
  gateway = await startGateway({ controlPlane: env, proxy: env });
  acme = gateway.organization;
  other = await gateway.createOrganization('other');
  key = (await acme.createKey()).value;
  otherKey = (await other.createKey()).value;
});
afterAll(async () => {
  await gateway.close();
  for (const server of [keyless, bearer, named]) await server.close();
});
beforeEach(() => {
  for (const server of [keyless, bearer, named]) server.reset();
});

/** The server's last request: its path, model and key headers. */
function received(server: Simulator): object | undefined {
  const last = server.requests.at(-1);
  if (last === undefined) return undefined;
  const keys = Object.fromEntries(
    keyHeaders.flatMap((name) => (last.headers[name] ? [[name, last.headers[name]]] : [])),
  );
  return { target: last.target, model: (last.json() as { model: string }).model, keys };
}

async function add(api: OperatorApi, fields: object): Promise<string> {
  const made = await api.call('Providers/Create', { wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', ...fields });
  return String(made.id);
}

function storeKey(organization: TestOrganization, provider: string, apiKey = stored) {
  const fields = {
    organizationId: organization.id,
    provider,
    name: `key of ${provider}`,
    secret: { apiKey },
  };
  return organization.api.call('ProviderKeys/Create', fields);
}

function ask(model: string, value = key, headers: Record<string, string> = {}): Promise<Reply> {
  return chat(value, { model }, headers)(gateway.proxy);
}

/** The response once the proxy knows of the change. */
function untilResponse(outcome: string, question: () => Promise<Reply>): Promise<Reply> {
  return until(async () => {
    const reply = await question();
    return reply.outcome === outcome && reply;
  });
}

describe('a model server in the cluster', () => {
  beforeAll(async () => {
    const base = { organizationId: acme.id };
    const amounts = { input: '0.02', output: '0.06' };
    const prices = { ...amounts, tiers: [{ abovePromptTokens: 9, ...amounts, cacheWrite1h: '0.1' }] };
    const capabilities = { forcedTools: 'false' };
    const models = [
      { name: 'gpt-4o-mini', maxOutputTokens: 4096, capabilities: ['tools'], prices, traits: capabilities },
    ];
    await add(acme.api, {
      ...{ ...base, name: 'in-cluster', baseUrl: `${keyless.url}/v1`, keyForm: 'KEY_FORM_NONE' },
      models: { models },
    });
    await add(acme.api, {
      ...base,
      name: 'by-bearer',
      baseUrl: `${bearer.url}/v1/`,
      keyForm: 'KEY_FORM_BEARER',
    });
    await add(acme.api, {
      ...{ ...base, name: 'by-header', baseUrl: `${named.url}/v1`, keyForm: 'KEY_FORM_HEADER' },
      keyHeader: 'X-Models-Key',
    });
    await storeKey(acme, 'by-bearer');
    await storeKey(acme, 'by-header');
    await untilResponse('200', () => ask('by-header/gpt-4o-mini'));
  });

  it('is shown over JSON as it was configured', async () => {
    const { providers } = await acme.api.call('Providers/List', { organizationId: acme.id });
    const asOf = expect.stringMatching(/^20\d\d-\d\d-\d\d$/);
    const amounts = { input: '0.02', output: '0.06' };
    expect(providers).toContainEqual({
      ...{ id: expect.any(String), organizationId: acme.id, name: 'in-cluster' },
      ...{ wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', baseUrl: `${keyless.url}/v1`, keyForm: 'KEY_FORM_NONE' },
      passedFields: [],
      models: [
        {
          ...{ name: 'gpt-4o-mini', maxOutputTokens: 4096, capabilities: ['tools'] },
          traits: { forcedTools: 'false' },
          prices: {
            ...{ ...amounts, asOf, serviceTiers: {}, surcharges: {} },
            tiers: [{ abovePromptTokens: 9, ...amounts, cacheWrite1h: '0.1' }],
          },
        },
      ],
      ...{ createdAt: expect.any(String), revision: expect.any(String) },
    });
  });

  it('without keys is sent none', async () => {
    const reply = await ask('in-cluster/gpt-4o-mini');
    expect(reply).toMatchObject({
      outcome: '200',
      headers: { 'x-svc-provider': 'in-cluster', 'x-svc-model': 'gpt-4o-mini' },
    });
    expect(received(keyless)).toEqual({ target: '/v1/chat/completions', model: 'gpt-4o-mini', keys: {} });
  });

  it('counts no tokens: the gateway estimates them', async () => {
    const response = await fetch(`${gateway.proxy.url}/v1/responses/input_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'in-cluster/gpt-4o-mini', input: 'Hello' }),
    });
    expect([response.status, response.headers.get('x-svc-estimated')]).toEqual([200, 'true']);
    expect(keyless.requests).toEqual([]);
  });

  it('streams like any other', async () => {
    const url = `${gateway.proxy.url}/v1/chat/completions`;
    const response = await fetch(url, chatRequest(key, { model: 'in-cluster/gpt-4o-mini', stream: true }));
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('gets the stored key as a bearer token', async () => {
    expect((await ask('by-bearer/gpt-4o-mini')).outcome).toBe('200');
    expect(received(bearer)).toMatchObject({ keys: { authorization: `Bearer ${stored}` } });
  });

  it('gets the stored key in the header that it names, and in no other', async () => {
    expect((await ask('by-header/gpt-4o-mini')).outcome).toBe('200');
    expect(received(named)).toMatchObject({ keys: { 'x-models-key': stored } });
  });

  it('is called with models that are not listed', async () => {
    expect((await ask('in-cluster/gpt-4o')).outcome).toBe('200');
  });

  it('is no name of a route, and hides no other provider', async () => {
    const url = `${gateway.proxy.url}/v1/in-cluster/chat/completions`;
    const response = await fetch(url, chatRequest(key, { model: 'gpt-4o-mini' }, { 'project-api-key': key }));
    expect(await response.json()).toMatchObject({ error: { code: 'route_not_found' } });
    expect((await ask('in-clusters/gpt-4o-mini')).outcome).toBe('404 model_not_found');
  });

  it('belongs to its organization alone', async () => {
    expect((await ask('in-cluster/gpt-4o-mini', otherKey)).outcome).toBe('404 model_not_found');
  });

  it('cannot be called by a key that does not allow it', async () => {
    const { value } = await acme.createKey({ allowedModels: { globs: ['gpt-provider/*', 'by-bearer/*'] } });
    expect((await ask('in-cluster/gpt-4o-mini', value)).outcome).toBe('403 model_not_allowed');
    expect((await ask('by-bearer/gpt-4o-mini', value)).outcome).toBe('200');
  });

  it.each([
    ['by-bearer', () => bearer],
    ['in-cluster', () => keyless],
  ] as const)('that refuses the gateway’s key is a 502 without its message: %s', async (name, server) => {
    server().script({ status: 401, error: { message: 'a private text' } });
    const reply = await ask(`${name}/gpt-4o-mini`);
    expect(reply.outcome).toBe('502 upstream_authentication_failed');
    expect(reply.message).not.toContain('a private text');
  });

  it('is in metrics and the access log by its name', async () => {
    await ask('in-cluster/gpt-4o-mini');
    const line = await until(() => gateway.logs.find((one) => one.includes('"provider":"in-cluster"')));
    expect(line).toContain('"model":"gpt-4o-mini"');
    const labels = { provider: 'in-cluster', model: 'gpt-4o-mini', kind: 'input' };
    expect(await metric(gateway.proxy, 'gateway_tokens_total', labels)).toBeGreaterThan(0);
  });
});

describe('the caller’s own key', () => {
  const headers = { 'x-svc-direct-key': 'true', authorization: `Bearer ${own}` };
  beforeAll(async () => {
    const settings = { access: { callerProviderKeys: true } };
    await acme.api.call('Organizations/UpdateSettings', { id: acme.id, settings });
    await untilResponse('200', () => ask('by-bearer/gpt-4o-mini', key, { 'x-svc-vk': key, ...headers }));
  });

  it('is sent to the address and in the header of the configuration', async () => {
    expect((await ask('by-header/gpt-4o-mini', key, { 'x-svc-vk': key, ...headers })).outcome).toBe('200');
    expect(received(named)).toMatchObject({ keys: { 'x-models-key': own } });
  });

  it('is not sent to a server that takes no key', async () => {
    expect((await ask('in-cluster/gpt-4o-mini', key, { 'x-svc-vk': key, ...headers })).outcome).toBe('200');
    expect(received(keyless)).toMatchObject({ keys: {} });
  });
});

describe('GET /v1/models', () => {
  const listed = async (value: string) => {
    const response = await fetch(`${gateway.proxy.url}/v1/models`, { headers: { 'x-api-key': value } });
    const { data } = (await response.json()) as { data: { id: string; owned_by: string; created: number }[] };
    return data.filter(({ owned_by }) => !providersByName.has(owned_by));
  };

  it('lists the configured models that the key may call', async () => {
    const created = expect.closeTo(Date.now() / 1000, -3);
    const facts = { capabilities: ['tools'], max_output_tokens: 4096, pricing: expect.any(Object) };
    const entry = { id: 'in-cluster/gpt-4o-mini', object: 'model', created, owned_by: 'in-cluster', ...facts };
    expect(await listed(key)).toEqual([entry]);
    expect(await listed(otherKey)).toEqual([]);
    const { value } = await acme.createKey({ allowedModels: { globs: ['by-bearer/*'] } });
    expect(await listed(value)).toEqual([]);
    const one = await fetch(`${gateway.proxy.url}/v1/models/in-cluster%2Fgpt-4o-mini`, {
      headers: { 'x-api-key': key },
    });
    expect(await one.json()).toEqual(entry);
  });
});

describe('a provider of the platform', () => {
  it('reaches every present and future organization, and is gone everywhere once it is deleted', async () => {
    expect((await ask('shared/gpt-4o-mini', otherKey)).outcome).toBe('404 model_not_found');
    const fields = { name: 'shared', baseUrl: `${keyless.url}/v1`, keyForm: 'KEY_FORM_NONE' };
    const id = await add(gateway.platform, fields);
    const late = (await (await gateway.createOrganization('late')).createKey()).value;
    for (const value of [key, otherKey, late]) {
      await untilResponse('200', () => ask('shared/gpt-4o-mini', value));
    }
    const moved = { id, baseUrl: `${bearer.url}/v1` };
    await gateway.platform.call('Providers/Update', moved);
    await until(async () => {
      bearer.reset();
      await ask('shared/gpt-4o-mini', otherKey);
      return bearer.requests.length > 0;
    });
    await gateway.platform.call('Providers/Delete', { id });
    for (const value of [key, otherKey, late]) {
      await untilResponse('404 model_not_found', () => ask('shared/gpt-4o-mini', value));
    }
  });

  it('reaches a proxy that is bound to one organization', async () => {
    const bound = await gateway.platform.call('ProxyTokens/Create', {
      name: 'bound',
      organizationId: other.id,
    });
    const proxy = await gateway.startProxy({ GATEWAY_PROXY_TOKEN: String(bound.value) });
    expect((await admission(otherKey)(proxy)).outcome).toBe('200');
    const id = await add(gateway.platform, {
      ...{ name: 'for-all', baseUrl: `${keyless.url}/v1`, keyForm: 'KEY_FORM_NONE' },
    });
    await untilResponse('200', () => chat(otherKey, { model: 'for-all/gpt-4o-mini' })(proxy));
    await gateway.platform.call('Providers/Delete', { id });
  });

  it('is called with the key that each organization stores for it', async () => {
    await add(gateway.platform, { name: 'vendor', baseUrl: `${bearer.url}/v1` });
    await storeKey(other, 'vendor', 'sk-sim-of-other-0123456789');
    await untilResponse('200', () => ask('vendor/gpt-4o-mini', otherKey));
    expect(received(bearer)).toMatchObject({ keys: { authorization: 'Bearer sk-sim-of-other-0123456789' } });
    const acmeWithout = (await (await gateway.createOrganization('without')).createKey()).value;
    expect((await ask('vendor/gpt-4o-mini', acmeWithout)).outcome).toBe('404 provider_not_configured');
  });
});

describe('two organizations with one name of a provider', () => {
  it('each reach their own server with their own key', async () => {
    for (const [organization, server, apiKey] of [
      [acme, bearer, 'sk-sim-twin-of-acme-01234'],
      [other, named, 'sk-sim-twin-of-other-0123'],
    ] as const) {
      const baseUrl = `${server.url}/v1`;
      const form = server === named ? { keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-models-key' } : {};
      await add(organization.api, { organizationId: organization.id, name: 'twin', baseUrl, ...form });
      await storeKey(organization, 'twin', apiKey);
    }
    await untilResponse('200', () => ask('twin/gpt-4o-mini'));
    await untilResponse('200', () => ask('twin/gpt-4o-mini', otherKey));
    expect(received(bearer)).toMatchObject({ keys: { authorization: 'Bearer sk-sim-twin-of-acme-01234' } });
    expect(received(named)).toMatchObject({ keys: { 'x-models-key': 'sk-sim-twin-of-other-0123' } });
    // Also with callers' keys: cached base URLs are not keyed by the provider's name.
    const headers = { 'x-svc-direct-key': 'true', authorization: `Bearer ${own}` };
    const settings = { access: { callerProviderKeys: true } };
    await other.api.call('Organizations/UpdateSettings', { id: other.id, settings });
    await untilResponse('200', () => ask('twin/gpt-4o-mini', otherKey, { 'x-svc-vk': otherKey, ...headers }));
    expect(received(named)).toMatchObject({ keys: { 'x-models-key': own } });
    bearer.reset();
    expect((await ask('twin/gpt-4o-mini', key, { 'x-svc-vk': key, ...headers })).outcome).toBe('200');
    expect(received(bearer)).toMatchObject({ keys: { authorization: `Bearer ${own}` } });
  });
});
