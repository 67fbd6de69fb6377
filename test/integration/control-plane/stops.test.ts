// Stops and suspensions through the real server, over both databases: their fields, who may make, read and lift them,
// the records that proxies get, the audit log and the webhooks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import { stopsMax } from '../../../control-plane/services/stops.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { recordTypes } from '../../../proto/load.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freely,
  freshName,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

const hourMs = 3_600_000;
const inAnHour = () => new Date(Date.now() + hourMs).toISOString();
const gpt = { target: { provider: 'gpt-provider' }, reason: 'incident 4711' };

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('stops over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let proxyToken: string;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url }, rates: freely });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const call = (method: string, request: object, token = acme.owner.token) => plane.call(method, token, request);
  const as = (method: string, request: object = {}, token = acme.owner.token) => plane.expect(method, token, request);
  const own = (more: object = {}) => ({ organizationId: acme.id, ...gpt, ...more });
  const keyOf = async (tenant: TestTenant) =>
    (await createKey(plane, tenant, { scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id } })).value;
  /** What a proxy gets for a key: the platform's record, the organization's, and the kinds of the other signed ones. */
  const resolve = async (value: string, token = proxyToken) => {
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    const { platform: signed, signed: others } = await plane.expect('Access.Resolve', token, { keyHash, signed: true });
    const organization = others.find(({ kind }: { kind: string }) => kind === 'RECORD_KIND_ORGANIZATION');
    return {
      ref: signed?.ref,
      kinds: others.map(({ kind }: { kind: string }) => kind),
      platform: signed && recordTypes.platform.deserialize(signed.body),
      organization: organization && recordTypes.organization.deserialize(organization.body),
    };
  };

  it('are created, read and lifted; each change is an audit event, and the record has them meanwhile', async () => {
    const endsAt = inAnHour();
    const made = await as('Stops.Create', own({ target: { provider: 'gpt-provider', model: 'gpt-4o*' }, endsAt }));
    const shown = {
      ...{ id: made.id, organizationId: acme.id, reason: gpt.reason, createdBy: acme.owner.id, endsAt, ended: false },
      target: { provider: 'gpt-provider', model: 'gpt-4o*', directKeys: false, organization: false },
    };
    expect(await as('Stops.Get', { id: made.id })).toMatchObject(shown);
    const { match, _match, ...listed } = made;
    expect(match).toMatchObject({
      selector: 'gpt-provider/gpt-4o*',
      models: expect.arrayContaining(['gpt-provider/gpt-4o']),
    });
    expect((await as('Stops.List', { organizationId: acme.id })).stops).toEqual([{ ...listed, createdByName: 'Olga' }]);
    const { organization } = await resolve(await keyOf(acme));
    expect(organization.stops).toMatchObject([{ id: made.id, target: shown.target, reason: gpt.reason, endsAt }]);
    await as('Stops.Delete', { id: made.id });
    expect((await call('Stops.Get', { id: made.id })).code).toBe('NOT_FOUND');
    expect((await resolve(await keyOf(acme))).organization.stops).toEqual([]);
    const { events } = await as('Audit.List', { organizationId: acme.id, targetId: made.id });
    expect(events.map(({ action }: { action: string }) => action).toSorted()).toEqual(['Stops.Create', 'Stops.Delete']);
  });

  it.each<[string, object, string]>([
    ['nothing to stop', { target: {} }, 'target'],
    ['direct keys and a provider', { target: { provider: 'gpt-provider', directKeys: true } }, 'target'],
    ['an organization as a whole', { target: { organization: true } }, 'target.organization'],
    ['a provider that does not exist', { target: { provider: 'nobody' } }, 'target.provider'],
    ['a model that does not exist', { target: { model: 'gpt-provider/gpt-none' } }, 'target.model'],
    ['a model without a provider', { target: { model: 'gpt-4o' } }, 'target.model'],
    ['a route', { target: { model: 'route/fast' } }, 'target.model'],
    ['a reason of 201 characters', { reason: 'x'.repeat(201) }, 'reason'],
    ['no reason', { reason: '' }, 'reason'],
    ['a reason in two lines', { reason: 'one\ntwo' }, 'reason'],
    ['a provider key in the reason', { reason: 'sk-proj-Ab3dEf6hIj9kLm2nOp5q leaked' }, 'reason'],
    ['an end in the past', { endsAt: '2026-01-01T00:00:00Z' }, 'ends_at'],
  ])('are refused with %s', async (_what, fields, field) => {
    expect(await violated(call('Stops.Create', own(fields)))).toEqual([field]);
  });

  it('may select nothing known, if the operator insists', async () => {
    for (const target of [{ provider: 'nobody' }, { model: 'gpt-provider/gpt-none' }]) {
      const { id } = await as('Stops.Create', own({ target, allowUnmatched: true }));
      await as('Stops.Delete', { id });
    }
  });

  it('of an organization are hidden from others, who can neither make, read nor lift them', async () => {
    const { id } = await as('Stops.Create', own());
    for (const token of [other.owner.token, platform.token]) {
      expect((await call('Stops.Create', own(), token)).code).toBe('NOT_FOUND');
      for (const method of ['Stops.Get', 'Stops.Delete']) {
        expect((await call(method, { id }, token)).code).toBe('NOT_FOUND');
      }
      expect((await call('Stops.List', { organizationId: acme.id }, token)).code).toBe('NOT_FOUND');
    }
    expect(await violated(call('Stops.Create', gpt, other.owner.token))).toEqual(['organization_id']);
    expect((await call('Stops.Create', own(), acme.member.token)).code).toBe('PERMISSION_DENIED');
    expect((await resolve(await keyOf(other))).organization.stops).toEqual([]);
    await as('Stops.Delete', { id });
  });

  it('of the platform are in a record of its own, which every proxy gets, and organizations only read them', async () => {
    const bound = { name: freshName('bound'), organizationId: acme.id };
    const { value: boundToken } = await as('ProxyTokens.Create', bound, platform.token);
    const { id } = await as('Stops.Create', { ...gpt, target: { directKeys: true } }, platform.token);
    const key = await keyOf(acme);
    for (const token of [proxyToken, boundToken]) {
      const resolved = await resolve(key, token);
      expect(resolved).toMatchObject({ ref: 'platform:platform', platform: { stops: [{ id, reason: gpt.reason }] } });
      expect(resolved.organization.stops).toEqual([]);
      // Older proxies refuse a response whose signed records have a kind that they do not know.
      expect(resolved.kinds).not.toContain('RECORD_KIND_PLATFORM');
    }
    expect((await resolve('an unknown key')).platform).toBeFalsy();
    expect(await as('Stops.Get', { id })).toMatchObject({ id, reason: gpt.reason, createdBy: '' });
    expect((await as('Stops.List', { organizationId: acme.id })).stops).toMatchObject([{ id, createdBy: '' }]);
    expect((await call('Stops.Delete', { id })).code).toBe('NOT_FOUND');
    expect((await as('Stops.List', {}, platform.token)).stops).toMatchObject([{ id, createdBy: platform.id }]);
    await as('Stops.Delete', { id }, platform.token);
    expect((await resolve(key)).platform).toEqual({ stops: [], limits: [] });
  });

  it('are sent to webhooks: an organization’s to its own, the platform’s to all', async () => {
    for (const tenant of [acme, other]) {
      const webhook = { organizationId: tenant.id, name: freshName('hook'), url: 'https://hooks.example.com/' };
      await as('Webhooks.Create', webhook, tenant.owner.token);
    }
    const { id: ours } = await as('Stops.Create', own());
    const { id: theirs } = await as('Stops.Create', gpt, platform.token);
    await as('Stops.Delete', { id: ours });
    await as('Stops.Delete', { id: theirs }, platform.token);
    const sent = await store.snapshot((db) =>
      db.selectFrom('webhook_deliveries').select(['organization_id', 'payload']).orderBy('id').execute(),
    );
    const events = sent
      .map(({ organization_id, payload }) => ({ to: organization_id, ...JSON.parse(payload) }))
      .filter(({ type }) => type === 'stop.changed');
    const receivers = (stop: string, change: string) =>
      events.filter(({ data }) => data.stop.id === stop && data.change === change).map(({ to }) => to);
    for (const change of ['created', 'lifted']) {
      expect(receivers(ours, change)).toEqual([acme.id]);
      expect(receivers(theirs, change).toSorted()).toEqual([acme.id, other.id].toSorted());
    }
    expect(events[0].data).toMatchObject({
      ...{ change: 'created', organizationId: acme.id },
      stop: { id: ours, target: { provider: 'gpt-provider' }, reason: gpt.reason, endsAt: null },
    });
  });

  it('are bounded in number; ended ones do not count and are in no record', async () => {
    const crowded = await createTenant(plane, platform, freshName('org'));
    const request = { organizationId: crowded.id, ...gpt };
    const row = (number: number, ends_at: number | null) => ({
      id: `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      ...{ organization_id: crowded.id, provider: 'gpt-provider', model: null, direct_keys: 0 as const },
      ...{ reason: 'old', created_by: crowded.owner.id, ends_at, created_at: 0, revision: 1 },
    });
    await store.change({ actor: { kind: 'system', id: 'test' }, from: '', action: 'test' }, async ({ db, now }) => {
      const open = Array.from({ length: stopsMax - 1 }, (_, number) => row(number, null));
      const [ended, forgotten] = [row(1000, now - hourMs), row(1001, now - 8 * 24 * hourMs)];
      await db
        .insertInto('stops')
        .values([...open, ended, forgotten])
        .execute();
      return { result: undefined, organizationId: crowded.id, target: { kind: 'stop', id: '' }, invalidations: [] };
    });
    await as('Stops.Create', request, crowded.owner.token);
    expect(await refusal(call('Stops.Create', request, crowded.owner.token))).toMatchObject({
      reason: 'too_many_stops',
    });
    const listed = await as('Stops.List', { organizationId: crowded.id, pageSize: 500 }, crowded.owner.token);
    expect(listed.stops.filter(({ ended }: { ended: boolean }) => ended)).toHaveLength(1);
    expect((await resolve(await keyOf(crowded))).organization.stops).toHaveLength(stopsMax);
  });

  describe('a suspension', () => {
    it('has a reason, and an end that is in the record', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const key = await keyOf(tenant);
      const endsAt = inAnHour();
      const suspend = { id: tenant.id, reason: 'unpaid since May', endsAt };
      const suspended = { suspended: true, suspendedReason: suspend.reason, suspendedEndsAt: endsAt };
      expect(await as('Organizations.Suspend', suspend, platform.token)).toMatchObject(suspended);
      const { organization } = await resolve(key);
      expect(organization).toMatchObject({ active: false, stops: [{ target: { organization: true }, endsAt }] });
      expect((await call('Status.Get', {}, tenant.owner.token)).code).toBe('UNAUTHENTICATED');
      // Suspended anew without an end, until it is resumed.
      await as('Organizations.Suspend', { id: tenant.id }, platform.token);
      const lasting = await as('Organizations.Get', { id: tenant.id }, platform.token);
      expect([lasting.suspended, lasting.suspendedReason, lasting.suspendedEndsAt]).toEqual([
        true,
        undefined,
        undefined,
      ]);
      expect((await resolve(key)).organization).toMatchObject({ active: false, stops: [] });
      expect(await as('Organizations.Resume', { id: tenant.id }, platform.token)).toMatchObject({ suspended: false });
      expect((await resolve(key)).organization.active).toBe(true);
    });

    it('ends without a change', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const key = await keyOf(tenant);
      await as('Organizations.Suspend', { id: tenant.id, endsAt: inAnHour() }, platform.token);
      plane.clock.offsetMs = hourMs + 1;
      try {
        expect((await resolve(key)).organization).toMatchObject({ active: true, stops: [] });
        expect(await as('Organizations.Get', { id: tenant.id }, tenant.owner.token)).toMatchObject({
          suspended: false,
        });
      } finally {
        plane.clock.offsetMs = 0;
      }
    });

    it('is refused with an end in the past, or a key in its reason', async () => {
      const suspend = { id: other.id, reason: 'AKIAIOSFODNN7EXAMPLE leaked', endsAt: '2026-01-01T00:00:00Z' };
      const wrong = await violated(call('Organizations.Suspend', suspend, platform.token));
      expect(wrong.toSorted()).toEqual(['ends_at', 'reason']);
    });
  });
});
