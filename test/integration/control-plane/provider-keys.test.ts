// Provider keys through the real server: the secrets and settings that each provider accepts, and that a secret is
// never returned.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { hashCredential } from '../../../common/credential.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { resealProviderSecrets } from '../../../control-plane/reseal.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import {
  bootstrap,
  type Called,
  createKey,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { silentLog } from '../../support/silent-log.ts';

let directory: string;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let owner: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-provider-keys-'));
  plane = await startOperatorsPlane({
    env: {
      GATEWAY_PRIVATE_UPSTREAMS: 'models.internal:8000, 10.0.0.5:443, 169.254.169.254:80',
      GATEWAY_DATABASE_URL: `sqlite:${join(directory, 'test.db')}`,
    },
  });
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
  owner = acme.owner.token;
});
afterAll(async () => {
  await plane.close();
  rmSync(directory, { recursive: true, force: true });
});

const secret = { apiKey: 'sk-canary-0123456789-abcd' };

function request(fields: object): object {
  return {
    organizationId: acme.id,
    provider: 'gpt-provider',
    name: freshName('provider key'),
    secret,
    ...fields,
  };
}

function create(fields: object): Promise<Called> {
  return plane.call('ProviderKeys.Create', owner, request(fields));
}

async function violations(calling: Promise<Called>): Promise<Record<string, string>> {
  const called = await calling;
  if ('response' in called) throw new Error('it was accepted');
  return Object.fromEntries(called.detail.violations.map((v) => [v.field, v.description]));
}

describe('a provider key', () => {
  it('shows its last four characters and never more', async () => {
    const made = await plane.expect('ProviderKeys.Create', owner, request({ priority: 2, weight: 10 }));
    expect(made).toMatchObject({ hint: 'abcd', priority: 2, weight: 10, enabled: true });
    const responses = [
      made,
      await plane.expect('ProviderKeys.Get', owner, { id: made.id }),
      await plane.expect('ProviderKeys.List', owner, { organizationId: acme.id }),
      await plane.expect('ProviderKeys.Update', owner, { id: made.id, enabled: false }),
      await plane.expect('ProviderKeys.Delete', owner, { id: made.id }),
    ];
    expect(JSON.stringify(responses)).not.toContain(secret.apiKey);
    expect((await plane.call('ProviderKeys.Get', owner, { id: made.id })).code).toBe('NOT_FOUND');
  });

  it.each([
    ['', 'abcd'],
    ['b', 'token-ab'],
    ['23', 'token-ab-123'],
    ['123', `${'x'.repeat(16)}123`],
    ['tail', `${'x'.repeat(16)}tail`],
  ])('shows no more than a fifth of a short secret: %j', async (hint, apiKey) => {
    const made = await plane.expect('ProviderKeys.Create', owner, request({ secret: { apiKey } }));
    expect(made.hint).toBe(hint);
    const update = { id: made.id, secret: { apiKey: `${'x'.repeat(16)}last` } };
    expect((await plane.expect('ProviderKeys.Update', owner, update)).hint).toBe('last');
  });

  it('is created with the canonical provider name only', async () => {
    expect(await violations(create({ provider: 'openai' }))).toEqual({
      provider: 'must be the canonical name, which is gpt-provider',
    });
    expect(await violations(create({ provider: 'constructor' }))).toHaveProperty('provider');
  });

  it.each([
    ['gpt-provider', {}, 'secret.api_key'],
    ['gpt-provider', null, 'secret'],
    ['gpt-provider', { apiKey: 'with space' }, 'secret.api_key'],
    ['gpt-provider', { apiKey: 'line\n' }, 'secret.api_key'],
    ['gpt-provider', { apiKey: 'sk-svc-abc' }, 'secret.api_key'],
    ['gpt-provider', { apiKey: 'x'.repeat(8193) }, 'secret.api_key'],
    ['gpt-provider', { apiKey: 'a', accessKeyId: 'b' }, 'secret'],
    ['managed-cloud-models', { accessKeyId: 'a' }, 'secret'],
    ['managed-cloud-models', { sessionToken: 'a' }, 'secret'],
    ['managed-cloud-models', { apiKey: 'a', accessKeyId: 'b', secretAccessKey: 'c' }, 'secret'],
  ])('of %s refuses the secret %j', async (provider, wrong, field) => {
    const found = await violations(create({ provider, secret: wrong }));
    expect(Object.keys(found)).toEqual([field]);
  });

  it.each([
    ['managed-cloud-models', { accessKeyId: 'A'.repeat(20), secretAccessKey: 'b' }, 'AAAA'],
    ['managed-cloud-models', { apiKey: 'c' }, ''],
    ['studio-ai', { apiKey: 'c' }, ''],
  ])('of %s accepts the secret %j', async (provider, given, hint) => {
    expect(await create({ provider, secret: given })).toMatchObject({ code: 'OK', response: { hint } });
  });
});

describe('the settings of a provider key', () => {
  it.each([
    'https://api.example.com/v1',
    'https://api.example.com:8443',
    'http://models.internal:8000/v1',
    'https://models.internal:8000',
    'https://10.0.0.5',
    'https://[2606:4700::1111]/v1',
  ])('accept the base URL %s', async (baseUrl) => {
    expect(await create({ settings: { baseUrl } })).toMatchObject({
      code: 'OK',
      response: { settings: { baseUrl } },
    });
  });

  it.each([
    'http://api.example.com',
    'https://user:pass@api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com#x',
    'ftp://api.example.com',
    'not a url',
    'https://localhost',
    'https://models.internal',
    'http://models.internal:8001',
    'https://127.0.0.1',
    'https://0x7f.1',
    'https://2130706433',
    'https://10.0.0.6',
    'https://192.168.1.1',
    'https://[::1]',
    'https://[fd00::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://metadata.google.internal',
    'https://metadata.google.internal.',
    'http://169.254.169.254',
    'https://[::ffff:169.254.169.254]',
    `https://api.example.com/${'x'.repeat(2048)}`,
  ])('refuse the base URL %s', async (baseUrl) => {
    expect(Object.keys(await violations(create({ settings: { baseUrl } })))).toEqual(['settings.base_url']);
  });

  it.each([
    ['studio-ai', { endpoint: 'Bad_Name' }, 'settings.endpoint'],
    ['studio-ai', { endpoint: 'evil.com/' }, 'settings.endpoint'],
    ['gpt-provider', { endpoint: 'good' }, 'settings.endpoint'],
    ['managed-cloud-models', { region: 'eu-west' }, 'settings.region'],
    ['gpt-provider', { region: 'eu-west-1' }, 'settings.region'],
    ['studio-ai', { apiVersion: '../x' }, 'settings.api_version'],
  ])('refuse for %s %j', async (provider, settings, field) => {
    const found = await violations(create({ provider, settings, secret: { apiKey: 'k' } }));
    expect(Object.keys(found)).toEqual([field]);
  });

  it('change one by one and are cleared with ""', async () => {
    const settings = { endpoint: 'my-resource', apiVersion: '2024-10-21' };
    const made = await plane.expect('ProviderKeys.Create', owner, request({ provider: 'studio-ai', settings }));
    const update = { id: made.id, settings: { apiVersion: '2025-01-01' } };
    const changed = await plane.expect('ProviderKeys.Update', owner, update);
    expect(changed.settings).toMatchObject({ endpoint: 'my-resource', apiVersion: '2025-01-01' });
    const cleared = await plane.expect('ProviderKeys.Update', owner, {
      id: made.id,
      settings: { endpoint: '' },
    });
    expect(cleared.settings.endpoint).toBeUndefined();
    expect(cleared.settings.apiVersion).toBe('2025-01-01');
  });

  it('cannot change the host of a stored secret without the secret', async () => {
    const made = await plane.expect('ProviderKeys.Create', owner, request({}));
    const update = { id: made.id, settings: { baseUrl: 'https://elsewhere.example.com' } };
    expect(await violations(plane.call('ProviderKeys.Update', acme.admin.token, update))).toHaveProperty('secret');
    const withSecret = { ...update, secret: { apiKey: 'another' } };
    expect((await plane.call('ProviderKeys.Update', acme.admin.token, withSecret)).code).toBe('OK');
  });
});

describe('master keys', () => {
  it('are rotated: update and reseal write under the newest key, and the oldest one can be removed', async () => {
    const { value } = await createKey(plane, acme);
    const proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    const marker = freshName('rotated');
    await plane.expect('ProviderKeys.Create', owner, request({ name: marker, secret: { apiKey: 'k-rotated' } }));
    const newest = createSealKey();
    const url = `sqlite:${join(directory, 'test.db')}`;
    const store = await openStore({ url, log: silentLog, clock: systemClock });
    const { lost } = await resealProviderSecrets(store, parseSealKeys(`${newest},${plane.masterKey}`));
    await store.close();
    expect(lost).toEqual([]);
    const onlyNewest = await startOperatorsPlane({ masterKey: newest, env: { GATEWAY_DATABASE_URL: url } });
    try {
      const keyHash = Buffer.from(hashCredential(value), 'hex');
      const resolved = await onlyNewest.expect('Access.Resolve', proxy, { keyHash });
      const secrets = resolved.organization.providerKeys.map((key: JsonResponse) => key.secret.apiKey);
      expect(secrets).toContain('k-rotated');
    } finally {
      await onlyNewest.close();
    }
  });
});
