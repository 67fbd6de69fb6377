// Virtual keys through the real server: idempotent creation, change, rotation with grace, revocation, and the effect of
// each in the change feed to proxies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential, isWellFormedCredential } from '../../../common/credential.ts';
import {
  bootstrap,
  type Called,
  createKey,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

describe.each(databases)('virtual keys over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let platform: Someone;
  let acme: TestTenant;
  let owner: string;
  let proxy: string;

  beforeAll(async () => {
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({ env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    owner = acme.owner.token;
    proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    await plane.close();
    await remove();
  });

  function violations(called: Called): Record<string, string> {
    if ('response' in called) throw new Error('it was accepted');
    return Object.fromEntries(called.detail.violations.map((v) => [v.field, v.description]));
  }

  function resolve(value: string): Promise<JsonResponse> {
    return plane.expect('Access.Resolve', proxy, { keyHash: Buffer.from(hashCredential(value), 'hex') });
  }

  const organizationScope = () => ({ kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id });

  describe('creating a virtual key', () => {
    it('returns the value once, and a proxy finds the key', async () => {
      const made = await createKey(plane, acme, { endsAt: '2031-01-31T12:00:00+02:00' });
      expect(isWellFormedCredential('virtualKey', made.value)).toBe(true);
      expect(made.virtualKey).toMatchObject({
        organizationId: acme.id,
        scope: organizationScope(),
        hint: made.value.slice(-4),
        active: true,
        endsAt: '2031-01-31T10:00:00.000Z',
        createdBy: acme.owner.id,
        rotatedValues: [],
      });
      expect((await resolve(made.value)).key).toMatchObject({ keyId: made.virtualKey.id, active: true });
      const seen = await plane.expect('VirtualKeys.Get', owner, { id: made.virtualKey.id });
      expect(JSON.stringify(seen)).not.toContain(made.value);
    });

    it('returns the same key without its value for the same client request id', async () => {
      const fields = {
        name: freshName('key'),
        clientRequestId: 'request-1',
        metadata: { entries: { b: '2', a: '1' } },
      };
      const first = await createKey(plane, acme, fields);
      const again = await createKey(plane, acme, { ...fields, metadata: { entries: { a: '1', b: '2' } } });
      expect(again.virtualKey).toEqual(first.virtualKey);
      expect(again.value).toBeUndefined();
    });

    it('creates one key when the same request arrives many times at once', async () => {
      const fields = { name: freshName('key'), clientRequestId: 'request-2' };
      const responses = await Promise.all(Array.from({ length: 8 }, () => createKey(plane, acme, fields)));
      expect(new Set(responses.map(({ virtualKey }) => virtualKey.id)).size).toBe(1);
      expect(responses.filter(({ value }) => value !== undefined)).toHaveLength(1);
    });

    it('refuses another request with a client request id that was used', async () => {
      const request = { organizationId: acme.id, scope: organizationScope(), clientRequestId: 'request-3' };
      await plane.expect('VirtualKeys.Create', owner, { ...request, name: freshName('key') });
      const called = await plane.call('VirtualKeys.Create', owner, { ...request, name: freshName('key') });
      expect(called).toMatchObject({ code: 'ALREADY_EXISTS', detail: { reason: 'client_request_id_taken' } });
    });

    it('reports all invalid fields at once', async () => {
      const called = await plane.call('VirtualKeys.Create', owner, {
        organizationId: acme.id,
        name: '',
        endsAt: '2027-02-30T00:00:00Z',
        allowedModels: { globs: ['gpt-provider/*', 'no spaces', ''] },
        metadata: { entries: { 'bad key!': 'x', good: '\u0007' } },
        clientRequestId: 'with space',
      });
      expect(called).toMatchObject({ code: 'INVALID_ARGUMENT', detail: { reason: 'invalid_request' } });
      expect(Object.keys(violations(called)).toSorted()).toEqual([
        'allowed_models.globs[1]',
        'allowed_models.globs[2]',
        'client_request_id',
        'ends_at',
        'metadata.entries',
        'metadata.entries[good]',
        'name',
        'scope.kind',
      ]);
    });

    it.each([
      ['scope.id', { scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: '00000000-0000-7000-8000-000000000000' } }],
      ['scope.id', { scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: '00000000-0000-7000-8000-000000000000' } }],
      ['scope.id', { scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'x' } }],
      ['scope.kind', { scope: { kind: 99, id: '' } }],
      ['allowed_models.globs', { allowedModels: { globs: Array(101).fill('a') } }],
      [
        'metadata.entries',
        { metadata: { entries: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, ''])) } },
      ],
      ['metadata.entries[a]', { metadata: { entries: { a: 'x'.repeat(513) } } }],
      ['ends_at', { endsAt: '2027-01-01' }],
      ['ends_at', { endsAt: '1969-12-31T23:59:59Z' }],
    ])('refuses a wrong %s', async (field, wrong) => {
      const request = {
        organizationId: acme.id,
        scope: organizationScope(),
        name: freshName('key'),
        ...wrong,
      };
      expect(Object.keys(violations(await plane.call('VirtualKeys.Create', owner, request)))).toEqual([field]);
    });

    it('is allowed to a member for their own keys only', async () => {
      const request = (scope: object) => ({ organizationId: acme.id, scope, name: freshName('key') });
      const mine = request({ kind: 'KEY_SCOPE_KIND_PERSON', id: acme.member.id });
      expect((await plane.call('VirtualKeys.Create', acme.member.token, mine)).code).toBe('OK');
      for (const scope of [organizationScope(), { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.admin.id }]) {
        expect((await plane.call('VirtualKeys.Create', acme.member.token, request(scope))).code).toBe(
          'PERMISSION_DENIED',
        );
      }
    });
  });

  describe('a member', () => {
    it('sees only the keys scoped to them', async () => {
      const mine = await createKey(plane, acme, {
        scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.member.id },
      });
      const others = await createKey(plane, acme);
      const listed = await plane.expect('VirtualKeys.List', acme.member.token, { organizationId: acme.id });
      const ids = listed.virtualKeys.map((key: JsonResponse) => key.id);
      expect(ids).toContain(mine.virtualKey.id);
      expect(ids).not.toContain(others.virtualKey.id);
      for (const method of ['VirtualKeys.Get', 'VirtualKeys.Rotate', 'VirtualKeys.Revoke']) {
        const called = await plane.call(method, acme.member.token, { id: others.virtualKey.id });
        expect([method, called.code]).toEqual([method, 'PERMISSION_DENIED']);
      }
      const narrowed = { organizationId: acme.id, scope: organizationScope() };
      expect((await plane.call('VirtualKeys.List', acme.member.token, narrowed)).code).toBe('PERMISSION_DENIED');
    });
  });

  describe('changing a virtual key', () => {
    it('keeps fields that the update does not contain, and clears an end with ""', async () => {
      const made = await createKey(plane, acme, {
        endsAt: '2031-01-01T00:00:00Z',
        metadata: { entries: { team: 'a' } },
      });
      const { id } = made.virtualKey;
      const inactive = await plane.expect('VirtualKeys.Update', owner, { id, active: false });
      expect(inactive).toMatchObject({
        active: false,
        endsAt: '2031-01-01T00:00:00.000Z',
        metadata: { team: 'a' },
      });
      expect((await resolve(made.value)).key.active).toBe(false);
      const cleared = await plane.expect('VirtualKeys.Update', owner, { id, active: true, endsAt: '' });
      expect(cleared).not.toHaveProperty('endsAt');
      expect((await resolve(made.value)).key).toMatchObject({ active: true, keyId: id });
      const emptied = await plane.expect('VirtualKeys.Update', owner, { id, metadata: { entries: {} } });
      expect(emptied.metadata).toEqual({});
    });

    it('has one winner under the same revision', async () => {
      const { virtualKey } = await createKey(plane, acme);
      const request = { id: virtualKey.id, ifRevision: virtualKey.revision };
      const codes = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => {
          const called = await plane.call('VirtualKeys.Update', owner, { ...request, name: freshName(name) });
          return called.code;
        }),
      );
      expect(codes.toSorted()).toEqual(['ABORTED', 'ABORTED', 'OK']);
    });

    it('refuses the name of another live key, and accepts the name of a revoked one', async () => {
      const first = await createKey(plane, acme);
      const second = await createKey(plane, acme);
      const request = { id: second.virtualKey.id, name: first.virtualKey.name };
      expect((await plane.call('VirtualKeys.Update', owner, request)).code).toBe('ALREADY_EXISTS');
      await plane.expect('VirtualKeys.Revoke', owner, { id: first.virtualKey.id });
      expect((await plane.call('VirtualKeys.Update', owner, request)).code).toBe('OK');
    });
  });

  describe('rotating a virtual key', () => {
    it('ends the old value at once without a grace', async () => {
      const made = await createKey(plane, acme);
      const rotated = await plane.expect('VirtualKeys.Rotate', owner, { id: made.virtualKey.id });
      expect(rotated.virtualKey).toMatchObject({
        id: made.virtualKey.id,
        hint: rotated.value.slice(-4),
        rotatedValues: [],
      });
      expect((await resolve(made.value)).key).toBeUndefined();
      expect((await resolve(rotated.value)).key.keyId).toBe(made.virtualKey.id);
    });

    it('keeps the old value until the end of the grace', async () => {
      const made = await createKey(plane, acme);
      const request = { id: made.virtualKey.id, graceSeconds: 60 };
      const rotated = await plane.expect('VirtualKeys.Rotate', owner, request);
      const [old] = rotated.virtualKey.rotatedValues;
      expect(old.hint).toBe(made.value.slice(-4));
      expect((await resolve(made.value)).key).toMatchObject({
        valueEndsAt: old.endsAt,
        keyId: made.virtualKey.id,
      });
      plane.clock.offsetMs += 60_001;
      expect((await resolve(made.value)).key).toBeUndefined();
      const seen = await plane.expect('VirtualKeys.Get', owner, { id: made.virtualKey.id });
      expect(seen.rotatedValues).toEqual([]);
    });

    it('never prolongs an older value, and without grace ends them all', async () => {
      const made = await createKey(plane, acme);
      const { id } = made.virtualKey;
      const first = await plane.expect('VirtualKeys.Rotate', owner, { id, graceSeconds: 100 });
      const second = await plane.expect('VirtualKeys.Rotate', owner, { id, graceSeconds: 1000 });
      const ends = second.virtualKey.rotatedValues.map((value: JsonResponse) => Date.parse(value.endsAt));
      expect(ends[0] - ends[1]).toBeGreaterThan(800_000);
      const last = await plane.expect('VirtualKeys.Rotate', owner, { id });
      expect(last.virtualKey.rotatedValues).toEqual([]);
      for (const { value } of [made, first, second]) expect((await resolve(value)).key).toBeUndefined();
    });

    it('keeps at most ten older values, and none for more than thirty days', async () => {
      const { id } = (await createKey(plane, acme)).virtualKey;
      const tooLong = await plane.call('VirtualKeys.Rotate', owner, { id, graceSeconds: 30 * 24 * 3600 + 1 });
      expect(violations(tooLong)).toHaveProperty('grace_seconds');
      for (let i = 0; i < 10; i++) await plane.expect('VirtualKeys.Rotate', owner, { id, graceSeconds: 3600 });
      const called = await plane.call('VirtualKeys.Rotate', owner, { id, graceSeconds: 3600 });
      expect(called).toMatchObject({ code: 'FAILED_PRECONDITION', detail: { reason: 'too_many_values' } });
      expect((await plane.expect('VirtualKeys.Get', owner, { id })).rotatedValues).toHaveLength(10);
    });
  });

  describe('revoking a virtual key', () => {
    it('is final, and returns the same when repeated', async () => {
      const made = await createKey(plane, acme, { clientRequestId: 'revoked' });
      const { id, name } = made.virtualKey;
      const revoked = await plane.expect('VirtualKeys.Revoke', owner, { id });
      expect(revoked).toMatchObject({ id, hint: made.value.slice(-4), rotatedValues: [] });
      expect(await plane.expect('VirtualKeys.Revoke', owner, { id })).toEqual(revoked);
      expect((await resolve(made.value)).key).toBeUndefined();
      for (const method of ['VirtualKeys.Update', 'VirtualKeys.Rotate']) {
        const called = await plane.call(method, owner, { id, active: true });
        expect(called).toMatchObject({ code: 'FAILED_PRECONDITION', detail: { reason: 'key_revoked' } });
      }
      const again = await createKey(plane, acme, { name, clientRequestId: 'revoked' });
      expect(again).toMatchObject({ virtualKey: { id, revokedAt: revoked.revokedAt } });
      const listed = await plane.expect('VirtualKeys.List', owner, {
        organizationId: acme.id,
        pageSize: 500,
      });
      expect(listed.virtualKeys.map((key: JsonResponse) => key.id)).not.toContain(id);
      const all = { organizationId: acme.id, pageSize: 500, includeRevoked: true };
      const withRevoked = await plane.expect('VirtualKeys.List', owner, all);
      expect(withRevoked.virtualKeys.find((key: JsonResponse) => key.id === id)).toMatchObject(revoked);
    });

    it('keeps the last characters of its newest value, by which callers that still use it are found', async () => {
      const { id } = (await createKey(plane, acme)).virtualKey;
      const { value } = await plane.expect('VirtualKeys.Rotate', owner, { id, graceSeconds: 3600 });
      await plane.expect('VirtualKeys.Revoke', owner, { id });
      expect(await plane.expect('VirtualKeys.Get', owner, { id })).toMatchObject({ hint: value.slice(-4) });
      const system = await plane.expect('AiSystems.Create', owner, {
        ...{ organizationId: acme.id, name: freshName('system') },
      });
      const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
      const made = await createKey(plane, acme, { scope });
      await plane.expect('AiSystems.Delete', owner, { id: system.id });
      const left = await plane.expect('VirtualKeys.Get', owner, { id: made.virtualKey.id });
      expect(left).toMatchObject({ status: 'KEY_STATUS_REVOKED', hint: made.value.slice(-4) });
    });
  });
});
