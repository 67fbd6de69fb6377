// The attached key in a full proxy, the sidecar of a single tenant: requests without a virtual key use it, all others
// are unaffected.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { chatRequest, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { startNode } from '../../support/process.ts';
import { ownHeaders, ownPath } from '../../support/vendors.ts';

let gateway: TestGateway;
let proxy: TestProxy;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  const { api, id } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = await gateway.organization.createKey();
  proxy = await gateway.startProxy({ GATEWAY_ATTACH_KEY: key.value });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

let requests = 0;

async function chat(headers: Record<string, string>, path = '/v1/chat/completions', fields: object = {}) {
  const id = `attach-${++requests}`;
  const { body } = chatRequest('', fields);
  const result = await fetch(`${proxy.url}${path}`, {
    ...{ method: 'POST', body: body ?? null },
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers },
  });
  const reply = (await result.json()) as { error?: { code: string } };
  return { status: result.status, code: reply.error?.code, line: await accessLine(gateway, id) };
}

describe('a request', () => {
  it.each([
    ['without any credential', {}],
    ['with the SDK’s dummy', { authorization: 'Bearer attached-by-model-gateway' }],
    ['with a provider key without the flag for its use', { 'x-api-key': 'sk-other' }],
  ])('%s uses the attached key', async (_, headers: Record<string, string>) => {
    const { status, line } = await chat(headers);
    expect(status).toBe(200);
    expect(line).toMatchObject({ key_id: key.id, direct_key: false });
  });

  it('with its own key uses that key', async () => {
    const own = await gateway.organization.createKey();
    for (const headers of [
      { authorization: `Bearer ${own.value}` },
      { 'api-key': own.value },
      { 'x-svc-vk': own.value },
    ])
      expect((await chat(headers as Record<string, string>)).line).toMatchObject({ key_id: own.id });
  });

  it.each([
    ['that does not exist', () => createCredential('virtualKey'), 'access_not_found'],
    ['that is malformed', () => 'sk-svc-short', 'access_not_found'],
  ])('with a key %s is refused as usual', async (_, value, code) => {
    expect(await chat({ authorization: `Bearer ${value()}` })).toMatchObject({ status: 401, code });
  });
});

describe('the caller’s own provider key', () => {
  const { authorization } = ownHeaders['gpt-provider'];

  it('is used on the generic route with the flag', async () => {
    const { status, line } = await chat({ authorization, 'x-svc-direct-key': 'true' });
    expect(status).toBe(200);
    expect(line).toMatchObject({ key_id: key.id, direct_key: true });
    expect(gateway.simulator.requests[0]?.headers.authorization).toBe(authorization);
  });

  it('is used on the provider’s own route, with the attached key as the project key', async () => {
    const path = `${ownPath('gpt-provider')}/chat/completions`;
    const { status, line } = await chat({ authorization }, path, { model: 'gpt-4o-mini' });
    expect(status).toBe(200);
    expect(line).toMatchObject({ key_id: key.id, direct_key: true });
  });

  it('on the provider’s own route beside a virtual key in another header: the project key is missing, and none is attached', async () => {
    const path = `${ownPath('gpt-provider')}/chat/completions`;
    const own = await gateway.organization.createKey();
    expect(await chat({ authorization, 'x-svc-vk': own.value }, path)).toMatchObject({
      ...{ status: 401, code: 'project_key_required' },
    });
  });

  it('that is announced by the flag but not sent: the provider key is required, not the virtual one', async () => {
    expect(await chat({ 'x-svc-direct-key': 'true' })).toMatchObject({
      status: 401,
      code: 'provider_key_required',
    });
  });
});

describe('a proxy with an unusable key', () => {
  it.each([
    ['is malformed', { GATEWAY_ATTACH_KEY: 'not-a-key-that-may-be-seen' }, 'is not a virtual key'],
    ['is in an empty file', { GATEWAY_ATTACH_KEY_FILE: '/dev/null' }, 'is empty'],
    ['would serve callers on every address', { GATEWAY_LISTEN: '0.0.0.0:0' }, 'must be on loopback'],
  ])(
    'exits with 64 and a message because the key %s, without showing the key',
    async (_, env: Record<string, string>, words) => {
      const own = createCredential('virtualKey');
      const isGiven = 'GATEWAY_ATTACH_KEY' in env || 'GATEWAY_ATTACH_KEY_FILE' in env;
      const child = startNode(['proxy/main.ts'], {
        env: { ...(!isGiven && { GATEWAY_ATTACH_KEY: own }), ...env },
      });
      expect(await child.exited).toBe(64);
      expect(child.stderr()).toContain(words);
      expect(child.stderr() + child.stdout()).not.toMatch(new RegExp(`${own}|not-a-key`));
    },
  );
});
