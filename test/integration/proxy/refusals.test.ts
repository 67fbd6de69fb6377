// The refusals of the specification, letter for letter, over a real socket, and the order in which they are decided.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { chatBody, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let other: TestOrganization;
let open: TestOrganization;

beforeAll(async () => {
  gateway = await startGateway();
  other = await gateway.createOrganization('other');
  open = await gateway.createOrganization('open');
  await open.api.call('Organizations/UpdateSettings', {
    id: open.id,
    settings: { access: { callerProviderKeys: true } },
  });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

const generic = '/v1/chat/completions';
const route = '/v1/gpt-provider/chat/completions';

interface Sent {
  readonly path?: string;
  readonly body?: string | null;
}

async function send(headers: Record<string, string>, { path = generic, body = chatBody() }: Sent = {}) {
  const response = await fetch(gateway.proxy.url + path, {
    method: 'POST',
    headers: { ...(body !== null && { 'content-type': 'application/json' }), ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as ReadResponse,
  };
}

interface ReadResponse {
  readonly error?: { readonly code: string; readonly message: string };
  readonly choices?: unknown[];
}

type Refusal = readonly [status: number, type: string, code: string, message: string];

function expectRefusal(response: Awaited<ReturnType<typeof send>>, [status, type, code, message]: Refusal) {
  expect({ status: response.status, body: response.body }).toEqual({
    status,
    body: { error: { message, type, param: null, code } },
  });
  expect(response.headers.get('x-svc-error-source')).toBe('gateway');
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

const required: Refusal = [
  401,
  'authentication_error',
  'virtual_key_required',
  'virtual key is required; send it as a bearer token, or in the `x-api-key` or `x-svc-vk` header',
];
const notFound: Refusal = [
  401,
  'authentication_error',
  'access_not_found',
  'access not found; the credential does not exist or has been revoked',
];
const inactive: Refusal = [403, 'permission_error', 'access_blocked', 'virtual key is inactive'];
const expired: Refusal = [403, 'permission_error', 'access_blocked', 'virtual key has expired'];
const needsVirtualKey: Refusal = [
  401,
  'authentication_error',
  'policy_access_denied',
  'a direct provider key must be sent with a virtual key in `x-svc-vk` so the organization is known',
];
const notEnabled: Refusal = [
  403,
  'permission_error',
  'policy_access_denied',
  'direct provider keys are not enabled for this organization; an owner can turn them on in the gateway settings',
];

/** With a body, without one, and with one that is not JSON: headers decide first. */
async function expectRefusals(headers: Record<string, string>, refusal: Refusal, path = generic) {
  for (const body of [chatBody(), null, '{broken']) expectRefusal(await send(headers, { path, body }), refusal);
}

describe('the six refusals', () => {
  it('401 virtual_key_required', async () => {
    await expectRefusals({}, required);
    await expectRefusals({}, required, route);
  });

  it('401 virtual_key_required for something else, with a hint that never repeats it', async () => {
    const [status, type, code, message] = required;
    const hint = (name: string) =>
      `the value of \`${name}\` is no virtual key of this gateway: they begin with \`sk-svc-\``;
    for (const [name, value, path] of [
      ['authorization', 'Bearer sk-proj-abcdef0123456789', generic],
      ['x-api-key', 'AIzaSyA-abcdef0123456789', generic],
      ['project-api-key', 'proj_abcdef0123456789', route],
    ] as const) {
      const seen = await send({ [name]: value }, { path });
      const error = { message, type, param: null, code, hint: hint(name) };
      expect([seen.status, seen.body]).toEqual([status, { error }]);
      expect(JSON.stringify(seen.body)).not.toContain('abcdef0123456789');
    }
  });

  it('401 access_not_found for malformed, unknown or revoked keys', async () => {
    await expectRefusals({ authorization: 'Bearer sk-svc-short' }, notFound);
    await expectRefusals({ 'x-api-key': createCredential('virtualKey') }, notFound);
    const key = await gateway.organization.createKey();
    expect((await send({ 'x-svc-vk': key.value })).status).toBe(200);
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: key.id });
    await until(async () => (await send({ 'x-svc-vk': key.value })).status === 401, { timeoutMs: 5000 });
    await expectRefusals({ 'x-svc-vk': key.value }, notFound);
  });

  it('403 access_blocked for an inactive key, a suspended system, person or organization', async () => {
    const { id, api, createKey } = other;
    const inactiveKey = await createKey({ active: false });
    await expectRefusals({ authorization: `Bearer ${inactiveKey.value}` }, inactive);

    const system = await api.call('AiSystems/Create', { organizationId: id, name: 'app' });
    const ofSystem = await createKey({ scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id } });
    await api.call('AiSystems/Update', { id: system.id, active: false });
    await expectRefusals({ 'api-key': ofSystem.value }, inactive);

    const person = await api.call('People/Create', {
      organizationId: id,
      name: 'member',
      role: 'ROLE_MEMBER',
    });
    const ofPerson = await createKey({ scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: person.id } });
    await api.call('People/Update', { id: person.id, active: false });
    await expectRefusals({ 'x-goog-api-key': ofPerson.value }, inactive);

    const good = await createKey();
    await gateway.platform.call('Organizations/Suspend', { id });
    await expectRefusals({ authorization: `Bearer ${good.value}` }, inactive);
    await gateway.platform.call('Organizations/Resume', { id });
    await until(async () => (await send({ 'x-svc-vk': good.value })).status === 200, { timeoutMs: 5000 });
  });

  it('403 access_blocked for an expired key', async () => {
    const key = await gateway.organization.createKey({ endsAt: new Date(Date.now() + 300).toISOString() });
    await until(async () => (await send({ 'x-svc-vk': key.value })).status !== 200, { timeoutMs: 5000 });
    await expectRefusals({ authorization: `Bearer ${key.value}` }, expired);
  });

  it('401 policy_access_denied for a direct key without x-svc-vk, even if other headers have a key', async () => {
    const { value } = await open.createKey();
    await expectRefusals({ 'x-svc-direct-key': 'true' }, needsVirtualKey);
    await expectRefusals({ 'x-svc-direct-key': 'True', authorization: `Bearer ${value}` }, needsVirtualKey);
    await expectRefusals({ 'x-svc-direct-key': 'true', 'project-api-key': value }, needsVirtualKey, route);
  });

  it('403 policy_access_denied if the organization has not enabled direct keys', async () => {
    const { value } = await gateway.organization.createKey();
    const provider = { authorization: 'Bearer sk-sim-own' };
    await expectRefusals({ 'x-svc-direct-key': 'true', 'x-svc-vk': value, ...provider }, notEnabled);
    await expectRefusals({ 'project-api-key': value, ...provider }, notEnabled, route);
    expect(gateway.simulator.requests).toHaveLength(0);
  });
});

describe('request headers', () => {
  it('with different keys are read in a fixed order, and the first key is used', async () => {
    const { value } = await gateway.organization.createKey();
    const second = await gateway.organization.createKey();
    const response = await fetch(gateway.proxy.url + generic, {
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        ['x-request-id', 'mine'],
        ['x-api-key', value],
        ['x-svc-vk', second.value],
      ],
      body: chatBody(),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toBe('mine');
  });

  it('of a provider route name two keys, which are both checked and must be of one organization', async () => {
    const project = (await open.createKey()).value;
    const caller = (await open.createKey()).value;
    const foreign = (await other.createKey()).value;
    const provider = { authorization: 'Bearer sk-sim-own' };
    const body = chatBody({ model: 'gpt-4o-mini' });
    const code = async (headers: Record<string, string>) => {
      const response = await send({ ...provider, ...headers }, { path: route, body });
      return response.body.error?.code ?? response.status;
    };
    expect(await code({ 'project-api-key': project })).toBe(200);
    expect(await code({ 'project-api-key': project, 'x-svc-vk': caller })).toBe(200);
    expect(await code({ 'x-svc-vk': caller })).toBe('project_key_required');
    expect(await code({ 'project-api-key': project, 'x-svc-vk': foreign })).toBe('conflicting_credentials');
    expect(await code({ 'project-api-key': project, 'x-svc-vk': createCredential('virtualKey') })).toBe(
      'access_not_found',
    );
    expect(await code({ 'project-api-key': project, authorization: `Bearer ${caller}` })).toBe('provider_key_required');
    expect(await code({ 'project-api-key': project, authorization: 'sk-sim-own' })).toBe('provider_key_required');
    expect(await code({ 'project-api-key': project, 'x-svc-direct-key': 'maybe' })).toBe('invalid_request');
  });

  it("send the caller's provider key, and only that, to the provider", async () => {
    const { value } = await open.createKey();
    const direct = { 'x-svc-direct-key': 'true', 'x-svc-vk': value };
    expect((await send({ ...direct, authorization: 'Bearer sk-sim-own' })).status).toBe(200);
    expect(gateway.simulator.requests.at(-1)?.headers.authorization).toBe('Bearer sk-sim-own');
    expect((await send({ ...direct, 'x-api-key': 'sk-sim-two' })).status).toBe(200);
    expect(gateway.simulator.requests.at(-1)?.headers.authorization).toBe('Bearer sk-sim-two');
    const missing = await send({ ...direct, authorization: `Bearer ${value}` });
    expect([missing.status, missing.body.error?.code]).toEqual([401, 'provider_key_required']);
    const stray = await send({ 'x-svc-vk': value, authorization: 'Bearer sk-sim-stray' });
    expect(stray.status).toBe(200);
    expect(JSON.stringify(gateway.simulator.requests.at(-1)?.headers)).not.toContain('stray');
  });
});
