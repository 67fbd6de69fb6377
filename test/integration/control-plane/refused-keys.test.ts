// Proxies' reports of provider keys that a vendor refuses, over both databases: however many proxies report a key, its
// organization gets one audit event and one webhook notice per key and hour.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallError } from '../../../control-plane/rpc/errors.ts';
import {
  createReportRefusedKeys,
  noticeEveryMs,
  refusedKeysMax,
} from '../../../control-plane/services/refused-keys.ts';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import type { RefusedProviderKey__Output } from '../../../proto/generated/gateway/v1/RefusedProviderKey.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

const apiKey = 'sk-sim-refused-0123456789';

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('refused provider keys over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let proxy: JsonResponse;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxy = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
    store = await database.open();
    for (const tenant of [acme, other]) {
      const webhook = { organizationId: tenant.id, name: 'pager', url: 'https://pager.example/hook' };
      await plane.expect('Webhooks.Create', tenant.owner.token, webhook);
    }
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const providerKey = async (tenant = acme): Promise<JsonResponse> => {
    const request = { organizationId: tenant.id, provider: 'gpt-provider', name: freshName('key'), secret: { apiKey } };
    return await plane.expect('ProviderKeys.Create', tenant.owner.token, request);
  };
  const refused = (
    providerKeyId: string,
    more: Partial<RefusedProviderKey__Output> = {},
  ): RefusedProviderKey__Output => ({
    ...{ organizationId: acme.id, providerKeyId, cause: 'PROVIDER_KEY_REFUSAL_KEY' },
    ...{ at: new Date().toISOString(), ...more },
  });
  const ofModel = (model: string) => ({ cause: 'PROVIDER_KEY_REFUSAL_ACCESS', model }) as const;
  const report = (keys: readonly object[], token: string = proxy.value) =>
    plane.call('ProviderKeys.ReportRefused', token, { keys });
  const eventsOf = async (id: string, tenant = acme): Promise<JsonResponse[]> => {
    const request = { organizationId: tenant.id, targetId: id };
    const { events } = await plane.expect('Audit.List', tenant.owner.token, request);
    return events.filter(({ action }: JsonResponse) => action === 'ProviderKeys.FindRefused');
  };
  const noticesOf = async (id: string): Promise<JsonResponse[]> => {
    const rows = await store.snapshot((db) =>
      db.selectFrom('webhook_deliveries').select('payload').where('type', '=', 'provider_key.refused').execute(),
    );
    return rows.map(({ payload }) => JSON.parse(payload)).filter(({ data }) => data.providerKeyId === id);
  };
  const age = (id: string, ms: number) =>
    store.ledger(({ db, now }) =>
      db
        .updateTable('provider_key_refusals')
        .set({ noted_at: now - ms })
        .where('provider_key_id', '=', id)
        .execute(),
    );

  it('become an audit event and a webhook notice that name the key, and nothing of its secret', async () => {
    const { id, name } = await providerKey();
    const key = refused(id);
    expect(await report([key])).toMatchObject({ code: 'OK' });
    const [event, ...more] = await eventsOf(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      ...{ actorKind: 'system', actorId: 'control-plane', organizationId: acme.id },
      ...{ targetKind: 'provider_key', targetId: id },
    });
    const about = { provider: 'gpt-provider', name, cause: 'key', model: null };
    expect(JSON.parse(event.after)).toEqual({ ...about, at: key.at, proxy: proxy.proxyToken.id });
    const notices = await noticesOf(id);
    expect(notices).toEqual([
      {
        type: 'provider_key.refused',
        timestamp: key.at,
        data: { organizationId: acme.id, providerKeyId: id, ...about },
      },
    ]);
    expect(JSON.stringify([event, notices])).not.toContain(apiKey.slice(-4));
    expect(await store.snapshot((db) => verifyAuditChain(db))).toMatchObject({ intact: true });
  });

  it('are noticed once, though fifty proxies report the same key at the same time', async () => {
    const { id } = await providerKey();
    await Promise.all(Array.from({ length: 50 }, () => report([refused(id), refused(id)])));
    expect([(await eventsOf(id)).length, (await noticesOf(id)).length]).toEqual([1, 1]);
  });

  it('are noticed again after an hour, and not before', async () => {
    const { id } = await providerKey();
    await report([refused(id)]);
    await age(id, noticeEveryMs - 60_000);
    await report([refused(id, { cause: 'PROVIDER_KEY_REFUSAL_QUOTA' })]);
    expect(await eventsOf(id)).toHaveLength(1);
    await age(id, noticeEveryMs);
    await report([refused(id, { cause: 'PROVIDER_KEY_REFUSAL_QUOTA' })]);
    expect((await noticesOf(id)).map(({ data }) => data.cause)).toEqual(['key', 'quota']);
  });

  it('are noticed at once if the key was changed in between', async () => {
    const { id } = await providerKey();
    await report([refused(id)]);
    await plane.expect('ProviderKeys.Update', acme.owner.token, {
      id,
      secret: { apiKey: 'sk-sim-mistyped-0123456789' },
    });
    await report([refused(id)]);
    await report([refused(id)]);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  it('for one model name the first of them, and do not hide that all are refused', async () => {
    const { id } = await providerKey();
    await report([refused(id, ofModel('gpt-provider/gpt-4o')), refused(id, ofModel('gpt-provider/o3'))]);
    await report([refused(id)]);
    expect((await noticesOf(id)).map(({ data }) => [data.cause, data.model])).toEqual([
      ['access', 'gpt-provider/gpt-4o'],
      ['key', null],
    ]);
  });

  it.each([
    ['invisible characters', 'gpt-provider/gpt\u0000'],
    ['a credential', `gpt-provider/gw-proxy-${'A'.repeat(43)}`],
    ['too many characters', `gpt-provider/${'x'.repeat(300)}`],
  ])('leave out a model name with %s', async (_what, model) => {
    const { id } = await providerKey();
    expect(await report([refused(id, ofModel(model))])).toMatchObject({ code: 'OK' });
    expect((await noticesOf(id)).map(({ data }) => data.model)).toEqual([null]);
  });

  it('are not of the future, if the clock of the proxy is ahead', async () => {
    const { id } = await providerKey();
    await report([refused(id, { at: new Date(Date.now() + 3_600_000).toISOString() })]);
    const [notice] = await noticesOf(id);
    expect(Date.parse(notice?.timestamp)).toBeLessThan(Date.now() + 60_000);
  });

  it('that are missing, disabled or of another organization are ignored, and the others noticed', async () => {
    const [mine, disabled, foreign] = [await providerKey(), await providerKey(), await providerKey(other)];
    await plane.expect('ProviderKeys.Update', acme.owner.token, { id: disabled.id, enabled: false });
    const ids = [randomUUID(), disabled.id, foreign.id, mine.id];
    expect(await report(ids.map((id) => refused(id)))).toMatchObject({ code: 'OK' });
    const events = await Promise.all([eventsOf(disabled.id), eventsOf(foreign.id, other), eventsOf(mine.id)]);
    expect(events.map(({ length }) => length)).toEqual([0, 0, 1]);
  });

  it('of another organization than the proxy’s are refused as a whole', async () => {
    const [mine, foreign] = [await providerKey(), await providerKey(other)];
    const request = { name: freshName('bound'), organizationId: acme.id };
    const { value } = await plane.expect('ProxyTokens.Create', platform.token, request);
    const keys = [refused(mine.id), refused(foreign.id, { organizationId: other.id })];
    expect(await refusal(report(keys, value))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect([await eventsOf(mine.id), await eventsOf(foreign.id, other)]).toEqual([[], []]);
    expect(await report([refused(foreign.id)], value)).toMatchObject({ code: 'OK' });
    expect(await eventsOf(foreign.id, other)).toEqual([]);
    expect(await report([refused(mine.id)], value)).toMatchObject({ code: 'OK' });
    expect(await eventsOf(mine.id)).toHaveLength(1);
  });

  it('of an organization without a turn are to be reported again, and the others are noticed', async () => {
    const [mine, foreign] = [await providerKey(), await providerKey(other)];
    const caller = { kind: 'proxy', id: 'proxy-1', organizationId: undefined, from: '192.0.2.1' } as const;
    const busy = createReportRefusedKeys({
      store,
      inOrder: async (organizationId, work) => {
        if (organizationId === acme.id) throw new CallError('too_many_requests', 'busy');
        await work();
      },
    });
    const keys = [refused(mine.id), refused(foreign.id, { organizationId: other.id })];
    expect(await busy(caller, { keys })).toEqual({ laterProviderKeyIds: [mine.id] });
    expect(await eventsOf(mine.id)).toEqual([]);
    expect(await eventsOf(foreign.id, other)).toHaveLength(1);
  });

  it('do not keep a key from being deleted', async () => {
    const { id } = await providerKey();
    await report([refused(id)]);
    await plane.expect('ProviderKeys.Delete', acme.owner.token, { id });
    const rows = await store.snapshot((db) =>
      db.selectFrom('provider_key_refusals').selectAll().where('provider_key_id', '=', id).execute(),
    );
    expect(rows).toEqual([]);
  });

  it('are at most a hundred per report, and every wrong field is named', async () => {
    const { id } = await providerKey();
    const missing = Array.from({ length: refusedKeysMax }, () => refused(randomUUID()));
    expect(await report(missing)).toMatchObject({ code: 'OK' });
    expect(await violated(report([...missing, refused(id)]))).toEqual(['keys']);
    const wrong = { organizationId: 'x', providerKeyId: '', cause: 'PROVIDER_KEY_REFUSAL_NOT_TRIED', at: 'soon' };
    const fields = ['organization_id', 'provider_key_id', 'cause', 'at'];
    expect(await violated(report([refused(id), { ...refused(id), ...wrong }]))).toEqual(
      fields.map((name) => `keys[1].${name}`),
    );
    expect(await eventsOf(id)).toEqual([]);
  });
});
