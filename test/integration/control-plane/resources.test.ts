// The life of every resource through the real server: stored fields, responses, and refusals with their messages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bootstrap,
  type Called,
  createKey,
  createPerson,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

describe.each(databases)('resources over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let platform: Someone;
  let acme: TestTenant;
  let owner: string;

  beforeAll(async () => {
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    owner = acme.owner.token;
  });
  afterAll(async () => {
    await plane.close();
    await remove();
  });

  function violations(called: Called): Record<string, string> {
    if ('response' in called) throw new Error('it was accepted');
    return Object.fromEntries(called.detail.violations.map((v) => [v.field, v.description]));
  }

  async function codeOf(method: string, token: string, request: object): Promise<string> {
    return (await plane.call(method, token, request)).code;
  }

  describe('organizations', () => {
    it('are created with a first owner and that owner’s token', async () => {
      const made = await plane.expect('Organizations.Create', platform.token, {
        name: '  Ünion  ',
        owner: { name: 'Olga', email: 'olga@example.com' },
      });
      expect(made.organization).toMatchObject({ name: 'Ünion', suspended: false, allowedModels: [] });
      expect(made.organization.settings.access.callerProviderKeys).toBe(false);
      expect(made.owner).toMatchObject({ role: 'ROLE_OWNER', active: true, email: 'olga@example.com' });
      const seen = await plane.expect('Organizations.List', made.ownerToken);
      expect(seen.organizations.map((organization: JsonResponse) => organization.id)).toEqual([made.organization.id]);
    });

    it('have unique names', async () => {
      const request = { name: 'acme', owner: { name: 'x' } };
      const called = await plane.call('Organizations.Create', platform.token, request);
      expect(called).toMatchObject({ code: 'ALREADY_EXISTS', detail: { reason: 'name_taken' } });
      expect(violations(called)).toHaveProperty('name');
    });

    it('let an owner and an admin enable callers’ provider keys, and no other role', async () => {
      const request = (enabled: boolean) => ({
        id: acme.id,
        settings: { access: { callerProviderKeys: enabled } },
      });
      for (const who of [acme.owner, acme.admin]) {
        for (const enabled of [true, false]) {
          const seen = await plane.expect('Organizations.UpdateSettings', who.token, request(enabled));
          expect(seen.settings.access.callerProviderKeys).toBe(enabled);
        }
      }
      for (const who of [acme.member, platform]) {
        expect(await codeOf('Organizations.UpdateSettings', who.token, request(true))).toBe('PERMISSION_DENIED');
      }
      const seen = await plane.expect('Organizations.Get', owner, { id: acme.id });
      expect(seen.settings.access.callerProviderKeys).toBe(false);
    });

    it('keep fields that an update does not contain', async () => {
      const id = acme.id;
      await plane.expect('Organizations.UpdateSettings', owner, {
        id,
        allowedModels: { globs: ['gpt-provider/*', 'gpt-provider/*'] },
      });
      const seen = await plane.expect('Organizations.UpdateSettings', owner, { id, name: 'acme' });
      expect(seen.allowedModels).toEqual(['gpt-provider/*']);
      const cleared = await plane.expect('Organizations.UpdateSettings', owner, {
        id,
        allowedModels: { globs: [] },
      });
      expect(cleared.allowedModels).toEqual([]);
    });

    it('refuse their people while suspended', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const request = { id: tenant.id };
      expect((await plane.expect('Organizations.Suspend', platform.token, request)).suspended).toBe(true);
      expect(await codeOf('Organizations.Get', tenant.owner.token, request)).toBe('UNAUTHENTICATED');
      expect((await plane.expect('Organizations.Resume', platform.token, request)).suspended).toBe(false);
      expect(await codeOf('Organizations.Get', tenant.owner.token, request)).toBe('OK');
    });
  });

  describe('people', () => {
    it('are created, changed and deleted with their keys and tokens', async () => {
      const somebody = await createPerson(plane, acme, 'ROLE_MEMBER');
      const key = await createKey(plane, acme, { scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: somebody.id } });
      const request = { id: somebody.id, email: 'some@body.org', name: 'Some Body' };
      expect(await plane.expect('People.Update', owner, request)).toMatchObject({ email: 'some@body.org' });
      expect(await plane.expect('People.Update', owner, { id: somebody.id, email: '' })).not.toHaveProperty('email');
      expect(await plane.expect('People.Delete', owner, { id: somebody.id })).toEqual({ keysRevoked: 1 });
      expect(await codeOf('People.Get', owner, { id: somebody.id })).toBe('NOT_FOUND');
      expect(await codeOf('People.Get', somebody.token, { id: somebody.id })).toBe('UNAUTHENTICATED');
      const revoked = await plane.expect('VirtualKeys.Get', owner, { id: key.virtualKey.id });
      expect(revoked).toHaveProperty('revokedAt');
    });

    it('of an organization cannot be platform operators, or the reverse', async () => {
      const inside = { organizationId: acme.id, name: 'x', role: 'ROLE_PLATFORM_OPERATOR' };
      expect(violations(await plane.call('People.Create', owner, inside))).toHaveProperty('role');
      const outside = { name: 'x', role: 'ROLE_OWNER' };
      expect(violations(await plane.call('People.Create', platform.token, outside))).toHaveProperty('role');
      expect(violations(await plane.call('People.Create', owner, { name: 'x', role: 'ROLE_OWNER' }))).toEqual({
        organization_id: 'is required',
      });
    });

    it('of the platform create and remove each other', async () => {
      const request = { name: 'second', role: 'ROLE_PLATFORM_OPERATOR' };
      const second = await plane.expect('People.Create', platform.token, request);
      expect(second).not.toHaveProperty('organizationId');
      const listed = await plane.expect('People.List', platform.token);
      expect(listed.people).toHaveLength(2);
      expect(await plane.expect('People.Delete', platform.token, { id: second.id })).toEqual({
        keysRevoked: 0,
      });
    });

    it('with the role of a member see themselves and no other', async () => {
      expect(await codeOf('People.Get', acme.member.token, { id: acme.member.id })).toBe('OK');
      expect(await codeOf('People.Get', acme.member.token, { id: acme.owner.id })).toBe('PERMISSION_DENIED');
    });
  });

  describe('the last active owner', () => {
    const lastOwner = { code: 'FAILED_PRECONDITION', detail: { reason: 'last_owner' } };

    it('can neither be deleted, be suspended nor lose the role', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const { id, token } = tenant.owner;
      expect(await plane.call('People.Delete', token, { id })).toMatchObject(lastOwner);
      expect(await plane.call('People.Update', token, { id, active: false })).toMatchObject(lastOwner);
      expect(await plane.call('People.Update', token, { id, role: 'ROLE_ADMIN' })).toMatchObject(lastOwner);
      expect(await codeOf('People.Update', token, { id, name: 'still here' })).toBe('OK');
    });

    it('is not replaced by an owner who is suspended', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const { id, token } = tenant.owner;
      const second = await createPerson(plane, tenant, 'ROLE_OWNER');
      await plane.expect('People.Update', token, { id: second.id, active: false });
      expect(await plane.call('People.Delete', token, { id })).toMatchObject(lastOwner);
      await plane.expect('People.Update', token, { id: second.id, active: true });
      expect(await codeOf('People.Delete', token, { id })).toBe('OK');
    });

    it('remains when all owners leave at once', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const owners = [tenant.owner];
      for (let i = 0; i < 4; i++) owners.push(await createPerson(plane, tenant, 'ROLE_OWNER'));
      const codes = await Promise.all(owners.map(({ id, token }) => codeOf('People.Delete', token, { id })));
      expect(codes.filter((code) => code === 'OK')).toHaveLength(4);
    });

    it('of the platform has the same protection', async () => {
      const { id, token } = platform;
      expect(await plane.call('People.Delete', token, { id })).toMatchObject(lastOwner);
      expect(await plane.call('People.Update', token, { id, active: false })).toMatchObject(lastOwner);
    });
  });

  describe('an admin without owner rights', () => {
    it('can neither create, change nor remove an owner', async () => {
      const { token } = acme.admin;
      const victim = await createPerson(plane, acme, 'ROLE_OWNER');
      const requests: [string, object][] = [
        ['People.Create', { organizationId: acme.id, name: 'x', role: 'ROLE_OWNER' }],
        ['People.Update', { id: acme.admin.id, role: 'ROLE_OWNER' }],
        ['People.Update', { id: acme.member.id, role: 'ROLE_OWNER' }],
        ['People.Update', { id: victim.id, role: 'ROLE_MEMBER' }],
        ['People.Update', { id: victim.id, active: false }],
        ['People.Update', { id: victim.id, email: 'mine@example.com' }],
        ['People.Delete', { id: victim.id }],
        ['OperatorTokens.Create', { personId: victim.id, name: 'x' }],
        ['OperatorTokens.List', { personId: victim.id }],
      ];
      for (const [method, request] of requests) {
        expect([method, request, await codeOf(method, token, request)]).toEqual([method, request, 'PERMISSION_DENIED']);
      }
    });

    it('cannot revoke an owner’s token', async () => {
      const listed = await plane.expect('OperatorTokens.List', owner, { personId: acme.owner.id });
      const request = { id: listed.operatorTokens[0].id };
      expect(await codeOf('OperatorTokens.Revoke', acme.admin.token, request)).toBe('PERMISSION_DENIED');
    });

    it('gets no key value that acts for an owner', async () => {
      const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.owner.id };
      const create = { organizationId: acme.id, scope, name: freshName('key') };
      expect(await codeOf('VirtualKeys.Create', acme.admin.token, create)).toBe('PERMISSION_DENIED');
      const { id } = (await createKey(plane, acme, { scope })).virtualKey;
      expect(await codeOf('VirtualKeys.Rotate', acme.admin.token, { id })).toBe('PERMISSION_DENIED');
      expect(await codeOf('VirtualKeys.Revoke', acme.admin.token, { id })).toBe('OK');
    });

    it('cannot use the token of a person who became an owner', async () => {
      const somebody = await plane.expect('People.Create', owner, {
        organizationId: acme.id,
        name: freshName('person'),
        role: 'ROLE_MEMBER',
      });
      const token = await plane.expect('OperatorTokens.Create', acme.admin.token, {
        personId: somebody.id,
        name: 'kept by the admin',
      });
      await plane.expect('People.Update', owner, { id: somebody.id, role: 'ROLE_OWNER' });
      expect(await codeOf('Organizations.Get', token.value, { id: acme.id })).toBe('UNAUTHENTICATED');
    });
  });

  describe('AI systems', () => {
    it('are deleted with their keys', async () => {
      const system = await plane.expect('AiSystems.Create', owner, { organizationId: acme.id, name: 'bot' });
      const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
      const keys = [await createKey(plane, acme, { scope }), await createKey(plane, acme, { scope })];
      await plane.expect('VirtualKeys.Revoke', owner, { id: keys[0]?.virtualKey.id });
      expect(await plane.expect('AiSystems.Delete', owner, { id: system.id })).toEqual({ keysRevoked: 1 });
      for (const { virtualKey } of keys) {
        expect(await plane.expect('VirtualKeys.Get', owner, { id: virtualKey.id })).toHaveProperty('revokedAt');
      }
      const again = { organizationId: acme.id, scope, name: freshName('key') };
      expect(violations(await plane.call('VirtualKeys.Create', owner, again))).toHaveProperty('scope.id');
    });

    it('are changed at the expected revision only', async () => {
      const made = await plane.expect('AiSystems.Create', owner, {
        organizationId: acme.id,
        name: freshName('bot'),
      });
      const update = { id: made.id, ifRevision: made.revision, active: false };
      const changed = await plane.expect('AiSystems.Update', owner, update);
      expect(changed.active).toBe(false);
      expect(Number(changed.revision)).toBeGreaterThan(Number(made.revision));
      const called = await plane.call('AiSystems.Update', owner, update);
      expect(called).toMatchObject({ code: 'ABORTED', detail: { reason: 'revision_mismatch' } });
    });

    it('get no new revision for an update without a change', async () => {
      const made = await plane.expect('AiSystems.Create', owner, {
        organizationId: acme.id,
        name: freshName('bot'),
      });
      const same = await plane.expect('AiSystems.Update', owner, {
        id: made.id,
        name: made.name,
        active: true,
      });
      expect(same).toEqual(made);
    });
  });

  describe('operator tokens', () => {
    it('last at most 90 days', async () => {
      const request = (days: number) => ({ personId: acme.owner.id, name: 'token', days });
      for (const days of [0, 91]) {
        const called = await plane.call('OperatorTokens.Create', owner, request(days));
        expect(violations(called)).toEqual({ days: 'must be a whole number from 1 to 90' });
      }
      const made = await plane.expect('OperatorTokens.Create', owner, {
        personId: acme.owner.id,
        name: 'default',
      });
      const { createdAt, endsAt } = made.operatorToken;
      expect(Date.parse(endsAt) - Date.parse(createdAt)).toBe(90 * 24 * 3_600_000);
    });

    it('can be created by members only for themselves', async () => {
      const { token, id } = acme.member;
      expect(await codeOf('OperatorTokens.Create', token, { personId: id, name: 'mine' })).toBe('OK');
      const another = { personId: acme.admin.id, name: 'x' };
      expect(await codeOf('OperatorTokens.Create', token, another)).toBe('PERMISSION_DENIED');
    });

    it('stop working as soon as their revocation is acknowledged', async () => {
      const made = await plane.expect('OperatorTokens.Create', owner, {
        personId: acme.owner.id,
        name: 'short',
      });
      const { id } = made.operatorToken;
      expect(await plane.expect('OperatorTokens.Revoke', made.value, { id })).toHaveProperty('revokedAt');
      expect(await codeOf('Organizations.List', made.value, {})).toBe('UNAUTHENTICATED');
    });
  });

  describe('proxy tokens', () => {
    it('can be bound only to organizations that exist', async () => {
      const bound = { name: 'bound', organizationId: acme.id };
      expect((await plane.expect('ProxyTokens.Create', platform.token, bound)).proxyToken).toMatchObject(bound);
      const nowhere = { name: 'x', organizationId: '00000000-0000-7000-8000-000000000000' };
      expect(violations(await plane.call('ProxyTokens.Create', platform.token, nowhere))).toHaveProperty(
        'organization_id',
      );
    });
  });
});
