// The status of a virtual key: one value that the server computes, in every response with a key, and a filter of lists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyStatus } from '../../../control-plane/services/key-status.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  databases,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

describe('the status of a key', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');

  it.each([
    ['active', { active: 1, ends_at: null, revoked_at: null }],
    ['active', { active: 1, ends_at: now + 1, revoked_at: null }],
    ['expired', { active: 1, ends_at: now, revoked_at: null }],
    ['inactive', { active: 0, ends_at: null, revoked_at: null }],
    ['inactive', { active: 0, ends_at: now - 1, revoked_at: null }],
    ['revoked', { active: 0, ends_at: now - 1, revoked_at: now - 1 }],
    ['revoked', { active: 1, ends_at: null, revoked_at: now }],
  ] as const)('is %s, in the order in which requests are refused: %j', (status, row) => {
    expect(keyStatus(row, now)).toBe(status);
  });
});

describe.each(databases)('the status of keys over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let remove: () => Promise<void>;
  let acme: TestTenant;
  let owner: string;

  beforeAll(async () => {
    const { env, drop } = await open();
    remove = drop;
    plane = await startOperatorsPlane({ env });
    acme = await createTenant(plane, await bootstrap(plane), 'acme');
    owner = acme.owner.token;
  });
  afterAll(async () => {
    await plane.close();
    await remove();
  });

  const get = (id: string) => plane.expect('VirtualKeys.Get', owner, { id });
  const list = (fields: object = {}, token = owner): Promise<JsonResponse> =>
    plane.expect('VirtualKeys.List', token, { organizationId: acme.id, pageSize: 500, ...fields });

  it('is in the response of every call with a key', async () => {
    const { virtualKey } = await createKey(plane, acme);
    const { id } = virtualKey;
    expect(virtualKey.status).toBe('KEY_STATUS_ACTIVE');
    const inactive = await plane.expect('VirtualKeys.Update', owner, { id, active: false });
    expect(inactive.status).toBe('KEY_STATUS_INACTIVE');
    const ended = { id, active: true, endsAt: '2020-01-01T00:00:00Z' };
    expect((await plane.expect('VirtualKeys.Update', owner, ended)).status).toBe('KEY_STATUS_EXPIRED');
    expect((await get(id)).status).toBe('KEY_STATUS_EXPIRED');
    expect((await plane.expect('VirtualKeys.Rotate', owner, { id })).virtualKey.status).toBe('KEY_STATUS_EXPIRED');
    expect((await plane.expect('VirtualKeys.Revoke', owner, { id })).status).toBe('KEY_STATUS_REVOKED');
    expect((await get(id)).status).toBe('KEY_STATUS_REVOKED');
    const [found] = (await list({ includeRevoked: true })).virtualKeys.filter((key: JsonResponse) => key.id === id);
    expect(found.status).toBe('KEY_STATUS_REVOKED');
  });

  it("is the key's own: a suspended AI system leaves it active", async () => {
    const system = await plane.expect('AiSystems.Create', owner, {
      organizationId: acme.id,
      name: freshName('system'),
    });
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const { virtualKey } = await createKey(plane, acme, { scope });
    await plane.expect('AiSystems.Update', owner, { id: system.id, active: false });
    expect((await get(virtualKey.id)).status).toBe('KEY_STATUS_ACTIVE');
  });

  it('filters a list by one or several values, in pages, by the same rule as one key', async () => {
    const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.admin.id };
    const past = '2020-01-01T00:00:00Z';
    for (const fields of [{}, { active: false }, { endsAt: past }, { active: false, endsAt: past }, {}, {}])
      await createKey(plane, acme, { scope, ...fields });
    const all: JsonResponse[] = (await list({ scope })).virtualKeys;
    for (const { id } of all.slice(-2)) await plane.expect('VirtualKeys.Revoke', owner, { id });
    const every: JsonResponse[] = (await list({ scope, includeRevoked: true })).virtualKeys;
    const counts: Record<string, number> = {};
    for (const status of ['ACTIVE', 'INACTIVE', 'EXPIRED', 'REVOKED']) {
      const { virtualKeys } = await list({ scope, statuses: [`KEY_STATUS_${status}`] });
      expect(virtualKeys).toEqual(every.filter((key) => key.status === `KEY_STATUS_${status}`));
      counts[status] = virtualKeys.length;
    }
    expect(counts).toEqual({ ACTIVE: 1, INACTIVE: 2, EXPIRED: 1, REVOKED: 2 });
    const two = { scope, statuses: ['KEY_STATUS_REVOKED', 'KEY_STATUS_EXPIRED'], pageSize: 2 };
    const first = await list(two);
    const second = await list({ ...two, pageToken: first.nextPageToken });
    expect([...first.virtualKeys, ...second.virtualKeys]).toEqual(
      every.filter(({ status }) => /REVOKED|EXPIRED/.test(status)),
    );
    expect(second.nextPageToken).toBe('');
  });

  it("filters only a member's own keys for that member", async () => {
    const { virtualKeys } = await list({ statuses: ['KEY_STATUS_ACTIVE'] }, acme.member.token);
    expect(virtualKeys).toEqual([]);
  });

  it('leaves out the playground’s keys of an hour if a list wants so, and no key that lasts', async () => {
    const hours = (number: number) => new Date(Date.now() + number * 3_600_000).toISOString();
    const entries = { 'made-for': 'playground' };
    const made: Record<string, string> = {};
    const variants = {
      hour: { metadata: { entries }, endsAt: hours(1) },
      day: { metadata: { entries }, endsAt: hours(24) },
      endless: { metadata: { entries } },
      other: { metadata: { entries: { ...entries, team: 'a' } }, endsAt: hours(1) },
      unmarked: { endsAt: hours(1) },
    };
    for (const [name, fields] of Object.entries(variants)) {
      const { virtualKey } = await createKey(plane, acme, fields);
      made[virtualKey.id] = name;
    }
    const shown = async (fields: object) => {
      const { virtualKeys, counts } = await list({ ...fields, withCounts: true, statuses: ['KEY_STATUS_ACTIVE'] });
      const active = counts.find(({ status }: JsonResponse) => status === 'KEY_STATUS_ACTIVE');
      expect(Number(active.count)).toBe(virtualKeys.length);
      return virtualKeys.flatMap(({ id }: JsonResponse) => made[id] ?? []);
    };
    expect(await shown({})).toEqual(['hour', 'day', 'endless', 'other', 'unmarked']);
    expect(await shown({ withoutPlayground: true })).toEqual(['day', 'endless', 'other', 'unmarked']);
  });

  it('is refused when no status has the name', async () => {
    const request = { organizationId: acme.id, statuses: ['KEY_STATUS_ACTIVE', 'KEY_STATUS_UNSPECIFIED'] };
    expect(await violated(plane.call('VirtualKeys.List', owner, request))).toEqual(['statuses[1]']);
  });
});
