// Tests of provider keys at their vendors, and what is known of a key: over both databases, with a vendor that responds
// as each test wants, and for each vendor with the simulator.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PrivateUpstreams } from '../../../common/private-upstreams.ts';
import { vendorNames } from '../../../common/vendors.ts';
import { freeCall } from '../../../control-plane/vendors/free-call.ts';
import { createKeyTests } from '../../../control-plane/vendors/key-tests.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  bootstrap,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { storedKeys, vendorSettings } from '../../support/vendors.ts';

const apiKey = 'sk-test-0123456789abcdefghij';

describe.each(databases)('tests of provider keys over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let acme: TestTenant;
  let other: TestTenant;
  let owner: string;
  let proxy: string;
  let vendor: Server;
  let port: number;
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  const received: IncomingMessage[] = [];

  beforeAll(async () => {
    vendor = createServer((request, response) => {
      received.push(request);
      respond(request, response);
    });
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
    ({ port } = vendor.address() as AddressInfo);
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({
      env: {
        ...env,
        GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${port}/v1`,
        GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
      },
      webhookNetwork: { resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]) },
    });
    const platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    owner = acme.owner.token;
    proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    vendor.closeAllConnections();
    vendor.close();
    await plane.close();
    await remove();
  });

  const status = (code: number, body: unknown = {}) => {
    respond = (_request, response) => void response.writeHead(code).end(JSON.stringify(body));
  };
  const request = (fields: object = {}) => ({
    organizationId: acme.id,
    ...{ provider: 'gpt-provider', name: freshName('key'), secret: { apiKey }, ...fields },
  });
  const create = (fields: object = {}): Promise<JsonResponse> =>
    plane.expect('ProviderKeys.Create', owner, request(fields));
  const test = (id: string): Promise<JsonResponse> => plane.expect('ProviderKeys.Test', owner, { id });
  const get = (id: string): Promise<JsonResponse> => plane.expect('ProviderKeys.Get', owner, { id });

  it('stores a key that the vendor accepts as working, after one free call with it', async () => {
    status(200, { data: [] });
    received.length = 0;
    const made = await create({ test: true });
    expect(made).toMatchObject({ state: 'PROVIDER_KEY_STATE_WORKING', stateDetail: '' });
    expect(received.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['GET', '/v1/models', `Bearer ${apiKey}`],
    ]);
    expect(await get(made.id)).toEqual(made);
    const { providerKeys } = await plane.expect('ProviderKeys.List', owner, { organizationId: acme.id });
    expect(providerKeys.find(({ id }: JsonResponse) => id === made.id)).toEqual(made);
  });

  it("refuses a key that the vendor refuses, with the vendor's words and nothing of the key", async () => {
    status(401, {
      error: { message: `Incorrect API key provided: ${apiKey}, or sk-test-********ghij.\nSee the docs.` },
    });
    const wanted = request({ test: true });
    const refused = await refusal(plane.call('ProviderKeys.Create', owner, wanted));
    expect(refused).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'provider_key_refused',
      message: expect.stringContaining('status 401: Incorrect API key provided: [key]'),
    });
    expect(refused.message).not.toMatch(/0123456789|ghij|\n/);
    expect(plane.logs.join('')).not.toContain(apiKey);
    const { providerKeys } = await plane.expect('ProviderKeys.List', owner, { organizationId: acme.id });
    expect(providerKeys.map(({ name }: JsonResponse) => name)).not.toContain(wanted.name);
    // Without a test it is stored all the same, and no call is made.
    received.length = 0;
    expect((await create({ name: wanted.name })).state).toBe('PROVIDER_KEY_STATE_UNTESTED');
    expect(received).toHaveLength(0);
  });

  it.each([
    [403, 'UNTESTED', 'status 403: no right to list'],
    [404, 'UNTESTED', 'status 404: no right to list'],
    [302, 'UNTESTED', 'status 302: no right to list'],
    [500, 'UNTESTED', 'status 500: no right to list'],
    [429, 'LIMITED', 'status 429: no right to list'],
    [402, 'LIMITED', 'status 402: no right to list'],
    [400, 'UNTESTED', 'status 400: no right to list'],
  ])('stores a key after a response with status %i as %s', async (code, state, detail) => {
    respond = (_request, response) => {
      response.writeHead(code, { location: `http://127.0.0.1:${port}/v1/other` });
      response.end(JSON.stringify({ error: { message: 'no right to list' } }));
    };
    received.length = 0;
    expect(await create({ test: true })).toMatchObject({
      state: `PROVIDER_KEY_STATE_${state}`,
      stateDetail: detail,
    });
    expect(received).toHaveLength(1);
  });

  it('waits for no silent vendor, and for few at once', async () => {
    const waiting: ServerResponse[] = [];
    respond = (_request, response) => void waiting.push(response);
    const running = [1, 2, 3, 4].map(() => create({ test: true }));
    await until(async () => waiting.length === 4);
    expect(await refusal(plane.call('ProviderKeys.Create', owner, request({ test: true })))).toMatchObject({
      reason: 'too_many_requests',
    });
    for (const response of waiting) response.destroy();
    const details = (await Promise.all(running)).map(({ stateDetail }) => stateDetail);
    expect(details).toEqual(Array(4).fill('no response (ECONNRESET)'));
    const [timeoutMs, network] = [20, {}];
    const tests = createKeyTests({
      ...{ templates: new Map(), endpointHostSuffixes: [], denyCidrs: [], timeoutMs, network },
      privateUpstreams: new PrivateUpstreams([{ hostAndPort: `127.0.0.1:${port}`, organization: undefined }]),
    });
    const settings = { baseUrl: `http://127.0.0.1:${port}/v1` };
    const key = { organizationId: acme.id, provider: 'gpt-provider', settings, secret: { apiKey } } as const;
    expect(await tests.test(key)).toEqual({ state: 'untested', detail: 'no response within 20 ms' });
  });

  it('reads no more of an endless refusal than its beginning', async () => {
    respond = (_request, response) => {
      response.writeHead(500);
      const endless = () =>
        void (response.write('x'.repeat(64 * 1024)) ? setImmediate(endless) : response.once('drain', endless));
      endless();
    };
    expect(await create({ test: true })).toMatchObject({ stateDetail: 'status 500' });
  });

  it('tests a stored key again, and an audit event shows it', async () => {
    const { id } = await create();
    expect(await get(id)).toMatchObject({ state: 'PROVIDER_KEY_STATE_UNTESTED', stateDetail: '' });
    status(401, { error: { message: 'gone' } });
    expect(await test(id)).toMatchObject({ state: 'PROVIDER_KEY_STATE_REFUSED', stateDetail: 'status 401: gone' });
    status(200);
    const tested = await test(id);
    expect(tested.state).toBe('PROVIDER_KEY_STATE_WORKING');
    expect(await get(id)).toEqual(tested);
    const [event] = (await plane.expect('Audit.List', owner, { organizationId: acme.id, targetId: id })).events;
    expect(event).toMatchObject({ action: 'ProviderKeys.Test' });
    expect(JSON.stringify(event)).not.toContain(apiKey);
  });

  it('forgets the state when the secret or the host changes, and not when the name does', async () => {
    status(200);
    const { id } = await create({ test: true });
    expect((await plane.expect('ProviderKeys.Update', owner, { id, weight: 7 })).state).toBe(
      'PROVIDER_KEY_STATE_WORKING',
    );
    const secret = { apiKey: `${apiKey}2` };
    expect((await plane.expect('ProviderKeys.Update', owner, { id, secret })).state).toBe(
      'PROVIDER_KEY_STATE_UNTESTED',
    );
  });

  it('shows what proxies report, until a test shows something else', async () => {
    status(200);
    const { id } = await create({ test: true });
    const report = (cause: string, at = new Date().toISOString(), model?: string) =>
      plane.expect('ProviderKeys.ReportRefused', proxy, {
        keys: [{ organizationId: acme.id, providerKeyId: id, cause: `PROVIDER_KEY_REFUSAL_${cause}`, at, model }],
      });
    // Older than the test.
    await report('KEY', new Date(Date.now() - 60_000).toISOString());
    expect((await get(id)).state).toBe('PROVIDER_KEY_STATE_WORKING');
    await test(id);
    await report('ACCESS', undefined, 'gpt-provider/gpt-4o');
    expect((await get(id)).state).toBe('PROVIDER_KEY_STATE_WORKING');
    await report('QUOTA');
    expect((await get(id)).state).toBe('PROVIDER_KEY_STATE_LIMITED');
    // Within the hour of the last notice, and after a test that found it working.
    await test(id);
    await report('KEY');
    expect(await get(id)).toMatchObject({
      state: 'PROVIDER_KEY_STATE_REFUSED',
      stateDetail: 'the vendor refused it to a proxy (401)',
    });
  });

  it('reaches no host that requests may not reach, and nobody else', async () => {
    status(200);
    const { id } = await create();
    for (const token of [other.owner.token, acme.member.token]) {
      expect((await refusal(plane.call('ProviderKeys.Test', token, { id }))).code).toMatch(
        /NOT_FOUND|PERMISSION_DENIED/,
      );
    }
    received.length = 0;
    // A public name that leads to a private address; an address that nobody listed is refused when it is written.
    const settings = { baseUrl: `https://models.example:${port}/v1` };
    expect(await create({ test: true, settings })).toMatchObject({
      state: 'PROVIDER_KEY_STATE_UNTESTED',
      stateDetail: 'its host is not one that the gateway may reach',
    });
    const local = { settings: { baseUrl: `https://127.0.0.1:${port + 1}/v1` }, test: true };
    expect((await refusal(plane.call('ProviderKeys.Create', owner, request(local)))).code).toBe('INVALID_ARGUMENT');
    expect(received).toHaveLength(0);
  });

  it('uses the wire format and the key form of a custom provider', async () => {
    status(200);
    const name = freshName('house').replace(' ', '-');
    await plane.expect('Providers.Create', owner, {
      organizationId: acme.id,
      ...{ name, wireFormat: 'WIRE_FORMAT_ASSISTANT_PROVIDER', baseUrl: `http://127.0.0.1:${port}/house` },
      ...{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-house-key' },
    });
    received.length = 0;
    expect((await create({ provider: name, test: true })).state).toBe('PROVIDER_KEY_STATE_WORKING');
    expect(received.map(({ url, headers }) => [url, headers['x-house-key'], headers['x-api-key']])).toEqual([
      ['/house/v1/models?limit=1', apiKey, undefined],
    ]);
  });
});

describe('tests of keys at each vendor', () => {
  let plane: OperatorsPlane;
  let acme: TestTenant;
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
    plane = await startOperatorsPlane({ env: vendorEnvironment(simulator) });
    acme = await createTenant(plane, await bootstrap(plane), 'acme');
  });
  afterAll(async () => {
    await plane.close();
    await simulator.close();
  });

  const create = (fields: object) =>
    plane.call('ProviderKeys.Create', acme.owner.token, {
      organizationId: acme.id,
      ...{ name: freshName('key'), test: true, ...fields },
    });

  it.each(vendorNames)('accept a good key of %s and refuse a bad one', async (provider) => {
    const isTested = provider !== 'managed-cloud-models';
    const good = await create({ provider, ...storedKeys[provider] });
    expect(good).toMatchObject({
      response: {
        state: isTested ? 'PROVIDER_KEY_STATE_WORKING' : 'PROVIDER_KEY_STATE_UNTESTED',
        stateDetail: isTested ? '' : 'there is no free call by which its key can be tested',
      },
    });
    if (!isTested) return;
    const bad = { ...storedKeys[provider], secret: { apiKey: 'made-up-0123456789' } };
    expect(await create({ provider, ...bad })).toMatchObject({ detail: { reason: 'provider_key_refused' } });
  });
});

describe('the free call', () => {
  const server = { keyForm: 'wire_format', keyHeader: null, apiVersion: undefined } as const;

  it.each([
    ['https://x.openai.azure.com', 'https://x.openai.azure.com/openai/v1/models'],
    ['https://x.openai.azure.com/openai/v1', 'https://x.openai.azure.com/openai/v1/models'],
    ['https://x.openai.azure.com/openai', 'https://x.openai.azure.com/openai/models?api-version=2024-10-21'],
    [
      'https://x.services.ai.azure.com/models',
      'https://x.services.ai.azure.com/models/info?api-version=2024-05-01-preview',
    ],
    ['https://one-model.example', undefined],
  ])('of the studio at %s is %s', (baseUrl, url) => {
    const call = freeCall({ ...server, wireFormat: 'studio-ai', baseUrl }, { apiKey: 'key' });
    expect([call?.url, call?.headers['api-key']]).toEqual([url, url && 'key']);
    const withToken = freeCall({ ...server, wireFormat: 'studio-ai', baseUrl }, { apiKey: 'eyJh' });
    expect(withToken?.headers.authorization).toBe(url && 'Bearer eyJh');
  });

  it.each([
    ['bearer', null, { authorization: 'Bearer key' }],
    ['api_key_header', null, { 'api-key': 'key' }],
    ['header', 'x-key', { 'x-key': 'key' }],
    ['none', null, {}],
  ] as const)('has the key in the form %s', (keyForm, keyHeader, headers) => {
    const call = freeCall(
      { ...server, keyForm, keyHeader, wireFormat: 'responses', baseUrl: 'https://a.example/v1' },
      { apiKey: 'key' },
    );
    expect(call).toEqual({ url: 'https://a.example/v1/models', headers });
  });
});

function vendorEnvironment(simulator: Simulator): Record<string, string> {
  const settings = Object.entries(vendorSettings(simulator.baseUrls, simulator.port));
  return Object.fromEntries(settings.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
