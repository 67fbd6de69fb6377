// Priority classes and weights of keys, and weights of organizations, through the real server and over both databases:
// who may set them, and what proxies get.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import {
  bootstrap,
  createKey,
  createPerson,
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

describe.each(databases)('priorities over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let platform: Someone;
  let acme: TestTenant;
  let proxy: string;

  beforeAll(async () => {
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    await plane.close();
    await remove();
  });

  const records = (value: string): Promise<JsonResponse> =>
    plane.expect('Access.Resolve', proxy, { keyHash: Buffer.from(hashCredential(value), 'hex') });
  const batch = 'KEY_PRIORITY_CLASS_BATCH';
  const interactive = 'KEY_PRIORITY_CLASS_INTERACTIVE';

  it('are the usual ones unless they are set, and then no part of a record', async () => {
    const { virtualKey, value } = await createKey(plane, acme);
    expect(virtualKey).toMatchObject({ priorityClass: interactive, weight: 100 });
    const { key, organization } = await records(value);
    for (const record of [key, organization]) {
      expect(record).not.toHaveProperty('weight');
      expect(record).not.toHaveProperty('priorityClass');
    }
    const shown = await plane.expect('Organizations.Get', acme.owner.token, { id: acme.id });
    expect(shown).toMatchObject({ weight: 100 });
  });

  it('of a key are set when it is created or changed, and reach proxies', async () => {
    const { virtualKey, value } = await createKey(plane, acme, { priorityClass: batch, weight: 7 });
    expect(virtualKey).toMatchObject({ priorityClass: batch, weight: 7 });
    expect((await records(value)).key).toMatchObject({ priorityClass: batch, weight: 7 });
    const { id } = virtualKey;
    const renamed = await plane.expect('VirtualKeys.Update', acme.owner.token, { id, name: freshName('key') });
    expect(renamed).toMatchObject({ priorityClass: batch, weight: 7 });
    const fields = { id, priorityClass: interactive, weight: 1000 };
    expect(await plane.expect('VirtualKeys.Update', acme.owner.token, fields)).toMatchObject(fields);
    const { key } = await records(value);
    expect(key).toMatchObject({ weight: 1000 });
    expect(key).not.toHaveProperty('priorityClass');
  });

  it('are part of what a client request id stands for', async () => {
    const fields = {
      name: freshName('key'),
      clientRequestId: freshName('request').replace(' ', '-'),
      priorityClass: batch,
    };
    const first = await createKey(plane, acme, fields);
    expect((await createKey(plane, acme, fields)).virtualKey).toEqual(first.virtualKey);
    const { priorityClass: _, ...usual } = fields;
    expect(await refusal(plane.call('VirtualKeys.Create', acme.owner.token, keyRequest(usual)))).toMatchObject({
      code: 'ALREADY_EXISTS',
    });
  });

  const keyRequest = (fields: object) => ({
    organizationId: acme.id,
    scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id },
    ...fields,
  });

  it('have bounds', async () => {
    for (const weight of [0, 1001]) {
      const request = keyRequest({ name: freshName('key'), weight });
      expect(await violated(plane.call('VirtualKeys.Create', acme.owner.token, request))).toEqual(['weight']);
      const ofOrganization = { id: acme.id, weight };
      expect(await violated(plane.call('Organizations.SetWeight', platform.token, ofOrganization))).toEqual(['weight']);
    }
  });

  it('of their own key a member makes batch, but no heavier', async () => {
    const member = await createPerson(plane, acme, 'ROLE_MEMBER');
    const own = { ...keyRequest({ name: freshName('key') }), scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: member.id } };
    const heavy = plane.call('VirtualKeys.Create', member.token, { ...own, weight: 1000 });
    expect(await refusal(heavy)).toMatchObject({ code: 'PERMISSION_DENIED' });
    const made = await plane.expect('VirtualKeys.Create', member.token, { ...own, priorityClass: batch });
    expect(made.virtualKey).toMatchObject({ priorityClass: batch, weight: 100 });
  });

  it('of an organization are set by the platform alone, and reach proxies', async () => {
    const tenant = await createTenant(plane, platform, freshName('org'));
    const { value } = await createKey(plane, tenant);
    const request = { id: tenant.id, weight: 300 };
    expect(await refusal(plane.call('Organizations.SetWeight', tenant.owner.token, request))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await plane.expect('Organizations.SetWeight', platform.token, request)).toMatchObject({ weight: 300 });
    expect((await records(value)).organization).toMatchObject({ weight: 300 });
    const stale = plane.call('Organizations.SetWeight', platform.token, { ...request, weight: 5, ifRevision: '1' });
    expect(await refusal(stale)).toMatchObject({ code: 'ABORTED' });
  });
});
