// Captured content at the control plane over both databases: what of proxies' reports is kept, its expiry and purge, and
// keys that are replaced while content is sealed to them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { resealCaptureKeys } from '../../../control-plane/reseal.ts';
import { reportedCapturesMax } from '../../../control-plane/services/capture-report.ts';
import { expireCaptures, keepCaptureKeys } from '../../../control-plane/services/capture-upkeep.ts';
import {
  type Captured,
  type CaptureWorld,
  openCaptureWorld,
  openingReason as reason,
} from '../../support/capture-world.ts';
import { captureRecord, ofOrganization, organizationKey, type SideFields, sealedSide } from '../../support/captures.ts';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import { createKey, createOwned, createPerson, freshName, refusal, violated } from '../../support/operators.ts';

const dayMs = 86_400_000;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('captured content over %s', (_name, fresh) => {
  let world: CaptureWorld;

  beforeAll(async () => {
    world = await openCaptureWorld(await fresh());
  });
  afterAll(() => world.close());

  it('are kept once, however often they are reported, also at once, and the first report counts', async () => {
    const captured = await world.capturing();
    const side = world.sideOf(captured, { text: 'the first' });
    const again = world.sideOf(captured, { id: side.id, text: 'the second' });
    expect(await world.report([side])).toEqual({ recorded: 1, dropped: 0 });
    const reports = await Promise.all([world.report([side]), world.report([again]), world.report([again, side])]);
    for (const { recorded, dropped } of reports) expect([recorded, dropped]).toEqual([0, 0]);
    const opened = await world.plane.expect('Captures.Get', captured.acme.owner.token, {
      ...{ organizationId: captured.acme.id, id: side.id, reason },
    });
    expect(opened.request.text).toBe('the first');
    const list = await world.plane.expect('Captures.ListSettings', captured.acme.owner.token, {
      organizationId: captured.acme.id,
    });
    expect(list.settings[0]).toMatchObject({ sides: '1', bytes: String(side.sealed?.length) });
  });

  it('are dropped unless a setting allows them: key, time, expiry, length, generation and side', async () => {
    const captured = await world.capturing({ sideBytesMax: 1024, retentionDays: 2 });
    const { acme } = captured;
    const theirs = await world.capturing();
    const inactive = await organizationKey(world.plane, acme);
    await world.plane.expect('VirtualKeys.Update', acme.owner.token, { id: inactive.id, active: false });
    const revoked = await organizationKey(world.plane, acme);
    await world.plane.expect('VirtualKeys.Revoke', acme.owner.token, { id: revoked.id });
    const now = Date.now();
    const side = (fields: SideFields = {}, more: object = {}) => ({ ...world.sideOf(captured, fields), ...more });
    const refused = {
      'a setting of another organization': side({ settingId: theirs.setting.id }),
      'a key of another organization': side({}, { keyId: theirs.key.id }),
      'an organization that is not the setting’s': side({}, { organizationId: theirs.acme.id }),
      'a key that is switched off': side({}, { keyId: inactive.id }),
      'a key that is revoked': side({}, { keyId: revoked.id }),
      'a request of three days ago': side({ id: uuidv7(now - 3 * dayMs), expiresAt: now + dayMs }),
      'a request of tomorrow': side({ id: uuidv7(now + dayMs) }),
      'an expiry beyond the retention': side({ expiresAt: now + 3 * dayMs }),
      'an expiry in the past': side({ expiresAt: now - 1 }),
      'a text that is too long': side({ text: 'x'.repeat(1025) }),
      'a key that does not exist': side({}, { generation: 2 }),
      'no side': side({}, { side: 'CAPTURE_SIDE_UNSPECIFIED' }),
      'no id': side({}, { id: 'mine' }),
      'a seal that is too short': side({}, { sealed: Buffer.alloc(47) }),
    };
    for (const [what, capture] of Object.entries(refused))
      expect([what, await world.report([capture])]).toEqual([what, { recorded: 0, dropped: 1 }]);
    expect(await world.rowsOf(acme)).toEqual([]);
    expect(await world.report([...Object.values(refused), side({ text: 'x'.repeat(1024) })])).toMatchObject({
      recorded: 1,
    });
    const many = Array.from({ length: reportedCapturesMax + 1 }, () => ({}));
    expect(await violated(world.plane.call('Captures.Report', world.proxyToken, { captures: many }))).toEqual([
      'captures',
    ]);
  });

  it('are of the keys that a setting names alone', async () => {
    const acme = await createOwned(world.plane, world.platform, freshName('acme'));
    const system = await world.plane.expect('AiSystems.Create', acme.owner.token, {
      organizationId: acme.id,
      name: 'checkout',
    });
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const ofSystem = (await createKey(world.plane, acme, { scope })).virtualKey.id;
    const key = await organizationKey(world.plane, acme);
    const targets = [
      { kind: 'CAPTURE_TARGET_KIND_AI_SYSTEM', id: system.id },
      { kind: 'CAPTURE_TARGET_KIND_VIRTUAL_KEY', id: key.id },
    ];
    for (const target of targets)
      await world.plane.expect('Captures.Enable', acme.owner.token, { ...ofOrganization(acme), target });
    const list = await world.plane.expect('Captures.ListSettings', acme.owner.token, { organizationId: acme.id });
    expect(list.settings.map(({ targetName }: { targetName: string }) => targetName)[0]).toBe('checkout');
    const record = await captureRecord(world.plane, world.proxyToken, key);
    if (record === null) throw new Error('nothing is captured');
    const [bySystem, byKey] = list.settings.map(({ id }: { id: string }) => id);
    const sent = (keyId: string, settingId: string) =>
      world.report([sealedSide(record, { organizationId: acme.id, keyId }, { settingId })]);
    expect(await sent(ofSystem, bySystem)).toEqual({ recorded: 1, dropped: 0 });
    expect(await sent(key.id, byKey)).toEqual({ recorded: 1, dropped: 0 });
    expect(await sent(key.id, bySystem)).toEqual({ recorded: 0, dropped: 1 });
    expect(await sent(ofSystem, byKey)).toEqual({ recorded: 0, dropped: 1 });
  });

  it('are not taken from a proxy of another organization', async () => {
    const captured = await world.capturing();
    const bound = await world.plane.expect('ProxyTokens.Create', world.platform.token, {
      name: 'bound',
      organizationId: world.other.id,
    });
    const called = await world.plane.call('Captures.Report', bound.value, { captures: [world.sideOf(captured)] });
    expect(called).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await world.rowsOf(captured.acme)).toEqual([]);
    const own = await world.plane.expect('ProxyTokens.Create', world.platform.token, {
      name: 'own',
      organizationId: captured.acme.id,
    });
    expect(await world.report([world.sideOf(captured)], own.value)).toEqual({ recorded: 1, dropped: 0 });
  });

  it('end at a number of bytes of each setting, and of all settings of an organization that were not purged', async () => {
    const captured = await world.capturing();
    const { acme, setting } = captured;
    const side = () => world.sideOf(captured);
    const bytesOf = (id: string, bytes: number) =>
      world.database.raw(`update capture_settings set bytes = ${bytes} where id = '${id}'`);
    const [mib, size] = [1024 * 1024, side().sealed?.length ?? 0];
    await bytesOf(setting.id, 256 * mib - 2 * size);
    expect(await world.report([side(), side(), side()])).toEqual({ recorded: 2, dropped: 1 });
    expect(await world.report([side()])).toEqual({ recorded: 0, dropped: 1 });

    await bytesOf(setting.id, 0);
    const other = await world.plane.expect('Captures.Enable', acme.owner.token, ofOrganization(acme));
    await world.plane.expect('Captures.Disable', acme.owner.token, { id: other.id });
    await bytesOf(other.id, 1024 * mib - size);
    expect(await world.report([side(), side()])).toEqual({ recorded: 1, dropped: 1 });
    await world.plane.expect('Captures.Disable', acme.owner.token, { id: other.id, purge: true });
    expect(await world.report([side()])).toEqual({ recorded: 1, dropped: 0 });
  });

  it('expire: they are not opened any more at once, and are deleted by the next task', async () => {
    const captured = await world.capturing();
    const { acme } = captured;
    const [old, kept] = [await world.keep(captured), await world.keep(captured)];
    await world.database.raw(`update captures set expires_at = ${Date.now() - 1} where id = '${old}'`);
    expect((await world.open(acme, old)).code).toBe('NOT_FOUND');
    expect(await expireCaptures({ store: world.store })).toBe(false);
    expect((await world.rowsOf(acme)).map(({ id }) => id)).toEqual([kept, kept]);
    expect((await world.open(acme, kept)).code).toBe('OK');
  });

  it('are purged at once when they are turned off, with late reports dropped; and kept otherwise', async () => {
    const [captured, kept] = [await world.capturing(), await world.capturing()];
    await world.keep(captured);
    const id = await world.keep(kept);
    const late = [world.sideOf(captured), world.sideOf(kept)];
    const disable = ({ acme, setting }: Captured, purge: boolean) =>
      world.plane.expect('Captures.Disable', acme.owner.token, { id: setting.id, purge });
    expect(await disable(captured, true)).toEqual({ purged: 2 });
    expect(await disable(kept, false)).toEqual({ purged: 0 });
    expect(await world.rowsOf(captured.acme)).toEqual([]);
    expect(await world.report(late)).toEqual({ recorded: 1, dropped: 1 });
    expect((await world.open(kept.acme, id)).code).toBe('OK');
    // It can still be purged later.
    expect(await disable(kept, true)).toEqual({ purged: 3 });
    expect(await world.rowsOf(kept.acme)).toEqual([]);
  });

  it('are purged with a key that is revoked or switched off, by owners only', async () => {
    for (const [method, fields] of [
      ['VirtualKeys.Revoke', {}],
      ['VirtualKeys.Update', { active: false }],
    ] as const) {
      const captured = await world.capturing();
      const { acme, key } = captured;
      await world.keep(captured);
      const admin = await createPerson(world.plane, acme, 'ROLE_ADMIN');
      const request = { id: key.id, ...fields, purgeCaptures: true };
      expect((await world.plane.call(method, admin.token, request)).code).toBe('PERMISSION_DENIED');
      expect(await world.rowsOf(acme)).toHaveLength(2);
      await world.plane.expect(method, acme.owner.token, request);
      expect(await world.rowsOf(acme)).toEqual([]);
      expect(await world.report([world.sideOf(captured)])).toEqual({ recorded: 0, dropped: 1 });
      const [event] = await world.audit(acme, { targetId: key.id });
      expect(JSON.parse(event.after)).toMatchObject({ capturesPurged: 2 });
    }
    const { acme, key } = await world.capturing();
    const active = world.plane.call('VirtualKeys.Update', acme.owner.token, { id: key.id, purgeCaptures: true });
    expect(await violated(active)).toEqual(['purge_captures']);
  });

  it('stay readable when the key is replaced after a month, until nothing is sealed to the old one', async () => {
    const captured = await world.capturing();
    const { acme, key } = captured;
    const before = await world.keep(captured, 'before');
    const upkeep = () => keepCaptureKeys({ store: world.store, masterKeys: parseSealKeys(world.plane.masterKey) });
    await upkeep();
    expect(await world.keysOf(acme)).toHaveLength(1);
    await world.database.raw(
      `update capture_keys set created_at = created_at - ${30 * dayMs} where organization_id = '${acme.id}'`,
    );
    const { revision } = await world.store.position();
    await upkeep();
    expect(await world.store.changesAfter(revision, 100)).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ kind: 'organization', ref: acme.id })]),
    });
    const record = await captureRecord(world.plane, world.proxyToken, key);
    expect(record?.generation).toBe(2);
    expect(record?.publicKey.equals(captured.record.publicKey)).toBe(false);
    if (record === null) throw new Error('nothing is captured');
    const after = await world.keep({ ...captured, record }, 'after');
    // A proxy that has the old record still.
    const late = await world.keep(captured, 'late');
    for (const id of [before, after, late]) expect((await world.open(acme, id)).code).toBe('OK');

    await world.database.raw(
      `update capture_keys set replaced_at = replaced_at - ${2 * dayMs} where organization_id = '${acme.id}' and replaced_at is not null`,
    );
    await upkeep();
    expect(await world.keysOf(acme)).toHaveLength(2);
    expect(await world.report([world.sideOf(captured)])).toEqual({ recorded: 0, dropped: 1 });
    await world.database.raw(`delete from captures where organization_id = '${acme.id}' and generation = 1`);
    await upkeep();
    expect((await world.keysOf(acme)).map(({ generation }) => generation)).toEqual([2]);
    expect((await world.open(acme, after)).code).toBe('OK');
    expect(await world.audit(acme, { action: 'Captures.KeepKeys' })).toHaveLength(2);
  });

  it('are sealed at rest: the private key under the master key, which reseal rotates', async () => {
    const captured = await world.capturing();
    const { acme } = captured;
    const id = await world.keep(captured, 'Rosebud');
    const stored = JSON.stringify([await world.rowsOf(acme), await world.keysOf(acme)]);
    for (const form of ['utf8', 'base64', 'hex'] as const)
      expect(stored).not.toContain(Buffer.from('Rosebud').toString(form).replace(/=+$/, ''));
    const newest = createSealKey();
    expect(await resealCaptureKeys(world.store, parseSealKeys(`${newest},${world.plane.masterKey}`))).toMatchObject({
      lost: [],
    });
    expect(await refusal(world.open(acme, id))).toMatchObject({ reason: 'capture_sealed' });
    expect((await resealCaptureKeys(world.store, parseSealKeys(createSealKey()))).lost).toContain(acme.id);
    await resealCaptureKeys(world.store, parseSealKeys(`${world.plane.masterKey},${newest}`));
    expect((await world.open(acme, id)).code).toBe('OK');
  });
});
