// Custom providers through the real server, over both databases: their names and fields, their owners, and changes that
// stored keys prevent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

const name = () => freshName('vendor').replace(' ', '-');
const fields = { wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', baseUrl: 'https://api.example.com/v1' };
const prices = { input: '0.15', output: '0.6' };

describe.each(databases)('custom providers over $name', ({ open }) => {
  let drop: () => Promise<void>;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let proxy: string;

  beforeAll(async () => {
    const database = await open();
    drop = database.drop;
    const env = { ...database.env, GATEWAY_PRIVATE_UPSTREAMS: 'models.internal:8000' };
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    await plane.close();
    await drop();
  });

  const request = (more: object = {}) => ({ organizationId: acme.id, name: name(), ...fields, ...more });
  const create = (more: object = {}) => plane.call('Providers.Create', acme.owner.token, request(more));
  const created = (more: object = {}) => plane.expect('Providers.Create', acme.owner.token, request(more));
  const ofPlatform = (more: object = {}) =>
    plane.expect('Providers.Create', platform.token, { name: name(), ...fields, ...more });
  const keyFor = (provider: string, tenant = acme) => ({
    ...{ organizationId: tenant.id, provider, name: freshName('key'), secret: { apiKey: 'sk-test' } },
  });
  const storeKey = (provider: string, tenant = acme): Promise<JsonResponse> =>
    plane.expect('ProviderKeys.Create', tenant.owner.token, keyFor(provider, tenant));
  const resolved = async (tenant: TestTenant) => {
    const { value } = await createKey(plane, tenant);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    return (await plane.expect('Access.Resolve', proxy, { keyHash })).organization.providers as JsonResponse[];
  };

  it('are created, read, changed and deleted, and each change is an event', async () => {
    const model = {
      ...{ name: 'llama-3.3', maxInputTokens: 131072, capabilities: ['json_schema', 'tools'] },
      prices: { ...prices, tiers: [{ abovePromptTokens: 9, input: '1', output: '2', cacheWrite1h: '3' }] },
      traits: { reasoning: 'effort', forcedTools: 'false' },
    };
    const made = await created({ models: { models: [model, { name: 'bare' }] } });
    expect(made).toMatchObject({
      ...{ ...fields, organizationId: acme.id, keyForm: 'KEY_FORM_WIRE_FORMAT' },
      models: [
        {
          ...{ name: 'llama-3.3', maxInputTokens: 131072, capabilities: ['tools', 'json_schema'] },
          prices: { ...model.prices, asOf: new Date().toISOString().slice(0, 10) },
          traits: model.traits,
        },
        { name: 'bare', capabilities: [], prices: null, traits: {} },
      ],
    });
    expect(made.models[0].maxOutputTokens).toBeUndefined();
    expect(await plane.expect('Providers.Get', acme.admin.token, { id: made.id })).toEqual(made);

    const update = { id: made.id, keyForm: 'KEY_FORM_HEADER', keyHeader: 'X-Key', ifRevision: made.revision };
    const changed = await plane.expect('Providers.Update', acme.admin.token, update);
    expect(changed).toMatchObject({ keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-key', models: made.models });
    expect(await refusal(plane.call('Providers.Update', acme.admin.token, update))).toMatchObject({
      code: 'ABORTED',
    });
    const same = {
      id: made.id,
      keyForm: 'KEY_FORM_HEADER',
      keyHeader: 'x-key',
      baseUrl: `${fields.baseUrl}/`,
    };
    expect((await plane.expect('Providers.Update', acme.admin.token, same)).revision).toBe(changed.revision);
    const emptied = { id: made.id, keyForm: 'KEY_FORM_BEARER', models: {} };
    expect(await plane.expect('Providers.Update', acme.admin.token, emptied)).toMatchObject({
      ...{ keyForm: 'KEY_FORM_BEARER', models: [] },
    });
    await plane.expect('Providers.Delete', acme.owner.token, { id: made.id });
    expect((await plane.call('Providers.Get', acme.owner.token, { id: made.id })).code).toBe('NOT_FOUND');

    const trail = { organizationId: acme.id, targetId: made.id };
    const { events } = await plane.expect('Audit.List', acme.owner.token, trail);
    expect(events.map((event: JsonResponse) => [event.action, event.targetKind])).toEqual([
      ['Providers.Delete', 'provider'],
      ['Providers.Update', 'provider'],
      ['Providers.Update', 'provider'],
      ['Providers.Create', 'provider'],
    ]);
    expect(JSON.parse(events[2].before)).toMatchObject({ keyForm: 'KEY_FORM_WIRE_FORMAT' });
    expect(JSON.parse(events[2].after)).toMatchObject({ keyHeader: 'x-key' });
  });

  describe('names', () => {
    it.each(['', 'Vendor', 'a/b', 'a.b', 'a_b', '-a', 'a-', 'a'.repeat(64), 'sk-svc-abc', 'ä'])(
      'refuse %j',
      async (wrong) => {
        expect(await violated(create({ name: wrong }))).toEqual(['name']);
      },
    );

    it.each([
      'gpt-provider',
      'studio-ai',
      'openai',
      'azure',
      'azure-ai',
      'aws',
      'google',
      'none',
      'other',
      'deployments',
      'route',
    ])('are reserved: %s', async (reserved) => {
      expect((await refusal(create({ name: reserved }))).violations.name).toContain('reserved');
    });

    it('may have 63 characters', async () => {
      const made = await created({ name: `a${'-9'.repeat(31)}` });
      expect(made.name).toHaveLength(63);
    });

    it('are unique within an organization, and another one may have the same', async () => {
      const { name: taken } = await created();
      expect(await refusal(create({ name: taken }))).toMatchObject({ reason: 'name_taken' });
      const theirs = { organizationId: other.id, name: taken, ...fields };
      expect((await plane.call('Providers.Create', other.owner.token, theirs)).code).toBe('OK');
    });

    it("of the platform cannot be names of an organization's providers, nor the reverse", async () => {
      const { name: shared } = await ofPlatform();
      expect(await refusal(create({ name: shared }))).toMatchObject({ reason: 'name_taken' });
      const { name: own } = await created();
      for (const taken of [shared, own]) {
        const again = plane.call('Providers.Create', platform.token, { name: taken, ...fields });
        expect(await refusal(again)).toMatchObject({ reason: 'name_taken' });
      }
    });
  });

  describe('fields', () => {
    it.each([
      [{ wireFormat: 'WIRE_FORMAT_UNSPECIFIED' }, 'wire_format'],
      [{ keyForm: 'KEY_FORM_UNSPECIFIED' }, 'key_form'],
      [{ baseUrl: '' }, 'base_url'],
      [{ baseUrl: 'http://api.example.com' }, 'base_url'],
      [{ baseUrl: 'https://models.internal' }, 'base_url'],
      [{ baseUrl: 'https://169.254.169.254' }, 'base_url'],
      [{ baseUrl: 'https://{endpoint}.example.com' }, 'base_url'],
      [{ baseUrl: 'https://api.example.com/{region}' }, 'base_url'],
      [{ keyForm: 'KEY_FORM_HEADER' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'with space' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'a\r\nb' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'Transfer-Encoding' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'Content-Length' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'Host' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-svc-vk' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_HEADER', keyHeader: 'Project-Api-Key' }, 'key_header'],
      [{ keyForm: 'KEY_FORM_BEARER', keyHeader: 'x-key' }, 'key_header'],
      [{ keyHeader: 'x-key' }, 'key_header'],
    ])('refuse %j', async (wrong, field) => {
      expect(await violated(create(wrong))).toEqual([field]);
    });

    it.each([
      { baseUrl: 'http://models.internal:8000/v1' },
      { keyForm: 'KEY_FORM_HEADER', keyHeader: 'Authorization' },
      { keyForm: 'KEY_FORM_API_KEY_HEADER' },
      { wireFormat: 'WIRE_FORMAT_SEARCH_PROVIDER', keyForm: 'KEY_FORM_NONE' },
    ])('accept %j', async (more) => {
      const { id } = await created(more);
      await plane.expect('Providers.Delete', acme.owner.token, { id });
    });

    it.each([
      [{ name: '' }, 'name'],
      [{ name: 'a//b' }, 'name'],
      [{ name: 'gw-op-x' }, 'name'],
      [{ maxInputTokens: 0 }, 'max_input_tokens'],
      [{ maxOutputTokens: 1_000_000_001 }, 'max_output_tokens'],
      [{ capabilities: ['flying'] }, 'capabilities'],
      [{ traits: { constructor: 'true' } }, 'traits'],
      [{ traits: { reasoning: 'wildly' } }, 'traits[reasoning]'],
      [{ prices: { input: '0.1' } }, 'prices.output'],
      [{ prices: { ...prices, input: '1e3' } }, 'prices.input'],
      [{ prices: { ...prices, cacheRead: '-1' } }, 'prices.cache_read'],
      [{ prices: { ...prices, asOf: '2026-02-30' } }, 'prices.as_of'],
      [{ prices: { ...prices, tiers: [{ abovePromptTokens: 0, ...prices }] } }, 'prices.tiers[0].above_prompt_tokens'],
      [
        {
          prices: { ...prices, tiers: [5, 5].map((abovePromptTokens) => ({ abovePromptTokens, ...prices })) },
        },
        'prices.tiers[1].above_prompt_tokens',
      ],
      [
        { prices: { ...prices, tiers: [{ abovePromptTokens: 1, ...prices, cacheWrite1h: 'x' }] } },
        'prices.tiers[0].cache_write1h',
      ],
    ])('refuse the model %j', async (wrong, field) => {
      const models = { models: [{ name: 'good' }, { name: 'm', ...wrong }] };
      expect(await violated(create({ models }))).toEqual([`models.models[1].${field}`]);
    });

    it('refuse a model that is listed twice, more than a hundred models, and more than fits', async () => {
      const twice = { models: [{ name: 'm' }, { name: 'm' }] };
      expect(await violated(create({ models: twice }))).toEqual(['models.models[1].name']);
      const many = { models: Array.from({ length: 101 }, (_, i) => ({ name: `m${i}` })) };
      expect(await violated(create({ models: many }))).toEqual(['models.models']);
      const tiers = [1, 2, 3, 4].map((abovePromptTokens) => ({ abovePromptTokens, ...prices }));
      const large = many.models.slice(1).map(({ name: one }) => ({
        ...{ name: `${one}${'x'.repeat(200)}`, prices: { ...prices, tiers } },
      }));
      expect(await violated(create({ models: { models: large } }))).toEqual(['models.models']);
    });

    it('report all invalid fields at once', async () => {
      const wrong = { name: 'A', wireFormat: 'WIRE_FORMAT_UNSPECIFIED', baseUrl: 'x', keyHeader: 'y' };
      expect(await violated(create(wrong))).toEqual(['name', 'wire_format', 'base_url', 'key_header']);
    });
  });

  describe('of the platform', () => {
    it('can be read by every organization’s managers and changed by none', async () => {
      const { id, name: shared } = await ofPlatform();
      const ids = async (tenant: TestTenant) => {
        const list = { organizationId: tenant.id, pageSize: 500 };
        const { providers } = await plane.expect('Providers.List', tenant.admin.token, list);
        return providers.map((one: JsonResponse) => one.id) as string[];
      };
      for (const tenant of [acme, other]) {
        expect(await plane.expect('Providers.Get', tenant.admin.token, { id })).toMatchObject({
          name: shared,
        });
        expect(await ids(tenant)).toContain(id);
        for (const method of ['Providers.Update', 'Providers.Delete']) {
          expect((await plane.call(method, tenant.owner.token, { id })).code).toBe('NOT_FOUND');
        }
        expect((await plane.call('Providers.Get', tenant.member.token, { id })).code).toBe('PERMISSION_DENIED');
      }
      const own = await created();
      expect(await ids(acme)).toContain(own.id);
      expect(await ids(other)).not.toContain(own.id);
      const { providers } = await plane.expect('Providers.List', platform.token, { pageSize: 500 });
      const organizations = new Set(providers.map((one: JsonResponse) => one.organizationId));
      expect([...organizations]).toEqual([undefined]);
      const nobodys = plane.call('Providers.Create', acme.owner.token, { name: name(), ...fields });
      expect(await violated(nobodys)).toEqual(['organization_id']);
    });

    it('are in the record of every organization, beside its own', async () => {
      const shared = await ofPlatform({ keyForm: 'KEY_FORM_NONE' });
      const own = await created({ keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-key' });
      const names = async (tenant: TestTenant) => (await resolved(tenant)).map((one) => one.name);
      expect(await names(acme)).toEqual(expect.arrayContaining([shared.name, own.name]));
      expect(await names(other)).toContain(shared.name);
      expect(await names(other)).not.toContain(own.name);
      const record = (await resolved(acme)).find((one) => one.id === own.id);
      expect(record).toMatchObject({ ...fields, keyForm: 'KEY_FORM_HEADER', keyHeader: 'x-key' });
    });

    it('are limited in number, like an organization’s own', async () => {
      const tenant = await createTenant(plane, platform, freshName('many'));
      const next = () =>
        plane.call('Providers.Create', tenant.owner.token, {
          organizationId: tenant.id,
          name: name(),
          ...fields,
        });
      for (let i = 0; i < 32; i++) expect((await next()).code).toBe('OK');
      expect(await refusal(next())).toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'too_many_providers',
      });
    });
  });

  describe('and stored keys', () => {
    it('can be stored only for a provider that the organization may call', async () => {
      const own = await created();
      const shared = await ofPlatform();
      for (const provider of [own.name, shared.name]) expect((await storeKey(provider)).provider).toBe(provider);
      const foreign = plane.call('ProviderKeys.Create', other.owner.token, keyFor(own.name, other));
      expect(await violated(foreign)).toEqual(['provider']);
    });

    it('must fit the wire format and the key form', async () => {
      const cloud = { accessKeyId: 'A', secretAccessKey: 'B' };
      const withSecret = (provider: string, secret: object, settings = {}) =>
        plane.call('ProviderKeys.Create', acme.owner.token, { ...keyFor(provider), secret, settings });
      const wireFormat = 'WIRE_FORMAT_MANAGED_CLOUD_MODELS';
      const signing = await created({ wireFormat });
      expect((await withSecret(signing.name, cloud, { region: 'eu-west-1' })).code).toBe('OK');
      const bearer = await created({ wireFormat, keyForm: 'KEY_FORM_BEARER' });
      expect(await violated(withSecret(bearer.name, cloud))).toEqual(['secret']);
      expect(await violated(withSecret(bearer.name, { apiKey: 'k' }, { endpoint: 'x' }))).toEqual([
        'settings.endpoint',
      ]);
      const keyless = await created({ keyForm: 'KEY_FORM_NONE' });
      expect((await refusal(withSecret(keyless.name, { apiKey: 'k' }))).violations).toEqual({
        provider: 'takes no keys: its key form is KEY_FORM_NONE',
      });
      const key = await storeKey(bearer.name);
      const update = { id: key.id, secret: cloud };
      expect(await violated(plane.call('ProviderKeys.Update', acme.owner.token, update))).toEqual(['secret']);
    });

    it('prevent deleting or moving a provider until they are deleted', async () => {
      const own = await created();
      const key = await storeKey(own.name);
      await plane.expect('ProviderKeys.Update', acme.owner.token, { id: key.id, enabled: false });
      const inUse = { code: 'FAILED_PRECONDITION', reason: 'provider_in_use' };
      const call = (method: string, more = {}) => plane.call(method, acme.owner.token, { id: own.id, ...more });
      expect(await refusal(call('Providers.Delete'))).toMatchObject({
        ...inUse,
        message: '1 provider key is stored for it; they have to be deleted first',
      });
      const elsewhere = { baseUrl: 'https://elsewhere.example.com/v1' };
      expect(await refusal(call('Providers.Update', elsewhere))).toMatchObject(inUse);
      expect(await refusal(call('Providers.Update', { keyForm: 'KEY_FORM_NONE' }))).toMatchObject(inUse);
      // The same host gets the same key: the position of the key in the request needs no secret.
      expect((await call('Providers.Update', { keyForm: 'KEY_FORM_API_KEY_HEADER' })).code).toBe('OK');
      expect((await call('Providers.Update', { models: { models: [{ name: 'm' }] } })).code).toBe('OK');
      await plane.expect('ProviderKeys.Delete', acme.owner.token, { id: key.id });
      expect((await call('Providers.Update', elsewhere)).code).toBe('OK');
      expect((await call('Providers.Delete')).code).toBe('OK');
    });

    it('of any organization prevent deleting a provider of the platform', async () => {
      const shared = await ofPlatform();
      const key = await storeKey(shared.name, other);
      const remove = () => plane.call('Providers.Delete', platform.token, { id: shared.id });
      expect(await refusal(remove())).toMatchObject({ reason: 'provider_in_use' });
      await plane.expect('ProviderKeys.Delete', other.owner.token, { id: key.id });
      expect((await remove()).code).toBe('OK');
    });

    it('of another organization’s provider of the same name prevent nothing', async () => {
      const own = await created();
      const theirs = { organizationId: other.id, name: own.name, ...fields };
      await plane.expect('Providers.Create', other.owner.token, theirs);
      await storeKey(own.name, other);
      expect((await plane.call('Providers.Delete', acme.owner.token, { id: own.id })).code).toBe('OK');
    });
  });
});
