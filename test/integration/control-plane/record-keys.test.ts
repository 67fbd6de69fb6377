// The record key of an organization: it exists from the organization's creation on, reaches proxies alone, is sealed at
// rest, and is rotated at most every 90 days.
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { resealRecordKeys } from '../../../control-plane/reseal.ts';
import { keepRecordKeys } from '../../../control-plane/services/record-key-upkeep.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';

const dayMs = 86_400_000;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('record keys over %s', (name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;
  let proxyToken: string;

  beforeAll(async () => {
    database = await fresh();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    store = await database.open();
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const tenant = () => createTenant(plane, platform, freshName('tenant'));
  /** As a proxy resolves them. */
  async function keysOf(acme: TestTenant): Promise<{ generation: number; key: Buffer; createdAt: string }[]> {
    const { value } = await createKey(plane, acme);
    const keyHash = hash('sha256', value, 'buffer');
    const { organization } = await plane.expect('Access.Resolve', proxyToken, { keyHash });
    return organization.recordKeys;
  }
  const rotate = ({ id, owner }: TestTenant) => plane.expect('Organizations.RotateRecordKey', owner.token, { id });
  const storedOf = (id: string) =>
    store.snapshot((db) => db.selectFrom('record_keys').selectAll().where('organization_id', '=', id).execute());
  const replacedAgo = ({ id }: TestTenant, ms: number) =>
    database.raw(
      `update record_keys set replaced_at = replaced_at - ${ms} where organization_id = '${id}' and replaced_at is not null`,
    );
  async function auditOf(acme: TestTenant): Promise<JsonResponse[]> {
    const { events } = await plane.expect('Audit.List', acme.owner.token, { organizationId: acme.id });
    return events.filter((event: JsonResponse) => event.targetKind === 'record_key');
  }

  it('exist from the creation of an organization on, 32 bytes of its own each', async () => {
    const [one, other] = [await keysOf(await tenant()), await keysOf(await tenant())];
    for (const keys of [one, other]) expect(keys).toMatchObject([{ generation: 1 }]);
    const [first, second] = [one[0]?.key, other[0]?.key];
    expect([first?.length, second?.length]).toEqual([32, 32]);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(false);
  });

  it('are sealed in the database, and in no response to operators, audit event or log line', async () => {
    const acme = await tenant();
    const response = JSON.stringify(await rotate(acme));
    const keys = (await keysOf(acme)).map(({ key }) => key);
    const stored = await storedOf(acme.id);
    const shown = [
      response,
      JSON.stringify(stored),
      JSON.stringify(await auditOf(acme)),
      JSON.stringify(await plane.expect('Organizations.Get', acme.owner.token, { id: acme.id })),
      ...plane.logs,
    ].join();
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      for (const form of ['base64', 'base64url', 'hex'] as const) expect(shown).not.toContain(key.toString(form));
      for (const { secret } of stored) expect(Buffer.from(secret, 'base64').includes(key)).toBe(false);
    }
  });

  it('are rotated: the new generation comes first, the one before stays', async () => {
    const acme = await tenant();
    const [before] = await keysOf(acme);
    const rotated = await rotate(acme);
    const after = await keysOf(acme);
    expect(after.map(({ generation }) => generation)).toEqual([2, 1]);
    expect(after[1]).toEqual(before);
    expect(after[0]?.key.equals(before?.key ?? Buffer.alloc(0))).toBe(false);
    expect(rotated).toMatchObject({ generation: 2, createdAt: after[0]?.createdAt });
    expect(Date.parse(rotated.previousEndsAt) - Date.parse(rotated.createdAt)).toBe(90 * dayMs);
    const [event] = await auditOf(acme);
    expect(event).toMatchObject({ action: 'Organizations.RotateRecordKey', targetId: acme.id });
    expect(JSON.parse(event.after).recordKeys).toMatchObject([
      { generation: 2 },
      { generation: 1, replacedAt: rotated.createdAt },
    ]);
  });

  it('are not rotated again before 90 days are over, and then the oldest generation is dropped', async () => {
    const acme = await tenant();
    await rotate(acme);
    await replacedAgo(acme, 90 * dayMs - 600_000);
    const refused = await refusal(plane.call('Organizations.RotateRecordKey', acme.owner.token, { id: acme.id }));
    expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'record_key_rotated' });
    expect((await keysOf(acme)).map(({ generation }) => generation)).toEqual([2, 1]);
    await replacedAgo(acme, 600_000);
    expect((await rotate(acme)).generation).toBe(3);
    expect((await storedOf(acme.id)).map(({ generation }) => generation).toSorted()).toEqual([2, 3]);
  });

  it('lose the generation before when it was replaced 90 days ago, and proxies learn of it', async () => {
    const acme = await tenant();
    await rotate(acme);
    const upkeep = () => keepRecordKeys({ store, masterKeys: parseSealKeys(plane.masterKey) });
    await replacedAgo(acme, 90 * dayMs - 600_000);
    await upkeep();
    expect(await storedOf(acme.id)).toHaveLength(2);
    await replacedAgo(acme, 600_000);
    const { revision } = await store.position();
    await upkeep();
    expect((await keysOf(acme)).map(({ generation }) => generation)).toEqual([2]);
    const { changes } = await store.changesAfter(revision, 100);
    expect(changes).toContainEqual(expect.objectContaining({ kind: 'organization', ref: acme.id, state: 'changed' }));
    expect((await auditOf(acme))[0]).toMatchObject({
      action: 'Organizations.DropRecordKey',
      ...{ actorKind: 'system', actorId: 'record-keys' },
    });
  });

  it('are made for organizations of an older version, once, whichever replica is first', async () => {
    const acme = await tenant();
    await database.raw(`delete from record_keys where organization_id = '${acme.id}'`);
    await change(store, (tx) => insertOrganization(tx, { id: 'older' }).then(() => undefined));
    expect(await keysOf(acme)).toEqual([]);
    const deps = { store, masterKeys: parseSealKeys(plane.masterKey) };
    // Only PostgreSQL has several replicas, which may do it at once.
    const next = async () => keepRecordKeys({ ...deps, store: await database.open() });
    await (name === 'SQLite' ? keepRecordKeys(deps).then(next) : Promise.all([keepRecordKeys(deps), next()]));
    expect(await keysOf(acme)).toMatchObject([{ generation: 1 }]);
    expect(await storedOf('older')).toHaveLength(1);
    const actions = (await auditOf(acme)).map(({ action }) => action);
    expect(actions).toEqual(['Organizations.CreateRecordKey']);
    const { revision } = await store.position();
    await keepRecordKeys(deps);
    expect((await store.position()).revision).toBe(revision);
  });

  it('are made when a control plane starts', async () => {
    const acme = await tenant();
    await database.raw(`delete from record_keys where organization_id = '${acme.id}'`);
    const env = { GATEWAY_DATABASE_URL: database.url };
    const next = await startOperatorsPlane({ env, masterKey: plane.masterKey });
    try {
      await expect.poll(() => storedOf(acme.id)).toHaveLength(1);
    } finally {
      await next.close();
    }
  });

  it('keep their value when the master key is rotated, and are reported if no master key opens them', async () => {
    const acme = await tenant();
    const before = await keysOf(acme);
    const newest = createSealKey();
    expect(await resealRecordKeys(store, parseSealKeys(`${newest},${plane.masterKey}`))).toMatchObject({ lost: [] });
    expect(await keysOf(acme)).toEqual([]);
    expect(plane.logs.join('')).toContain('a record key cannot be unsealed');
    await resealRecordKeys(store, parseSealKeys(`${plane.masterKey},${newest}`));
    expect(await keysOf(acme)).toEqual(before);
    expect((await resealRecordKeys(store, parseSealKeys(createSealKey()))).lost).toContain(acme.id);
  });

  it('do not open in the row of another organization or generation', async () => {
    const [acme, other] = [await tenant(), await tenant()];
    const [row] = await storedOf(acme.id);
    await database.raw(`update record_keys set secret = '${row?.secret}' where organization_id = '${other.id}'`);
    await database.raw(`update record_keys set generation = 2 where organization_id = '${acme.id}'`);
    expect([await keysOf(acme), await keysOf(other)]).toEqual([[], []]);
  });
});
