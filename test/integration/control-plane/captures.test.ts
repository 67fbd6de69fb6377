// Captures at the control plane: who turns them on, who opens content, and who never does. The role matrix has every
// method over SQLite.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../../common/uuid.ts';
import { captureSettingsMax } from '../../../control-plane/services/captures.ts';
import {
  type Captured,
  type CaptureWorld,
  openCaptureWorld,
  openingReason as reason,
} from '../../support/capture-world.ts';
import { captureRecord, inDays, ofOrganization } from '../../support/captures.ts';
import { freshPostgres } from '../../support/databases.ts';
import { createKey, createPerson, createTenant, freshName, refusal, violated } from '../../support/operators.ts';

describe('captures over PostgreSQL', () => {
  let world: CaptureWorld;

  beforeAll(async () => {
    world = await openCaptureWorld(await freshPostgres());
  });
  afterAll(() => world.close());

  it('are on from an owner’s setting to its end, in the record that proxies get, and audited', async () => {
    const { acme, key, setting, record } = await world.capturing({ samplePerThousand: 250, retentionDays: 3 });
    expect(setting).toMatchObject({ active: true, samplePerThousand: 250, retentionDays: 3, sideBytesMax: 65_536 });
    expect(record.rules).toMatchObject([{ id: setting.id, samplePerThousand: 250, retentionDays: 3 }]);
    expect([record.publicKey.length, record.generation]).toEqual([32, 1]);
    const list = await world.plane.expect('Captures.ListSettings', acme.owner.token, { organizationId: acme.id });
    expect(list.settings).toMatchObject([{ id: setting.id, createdByName: 'Olga', sides: '0' }]);
    await world.plane.expect('Captures.Disable', acme.owner.token, { id: setting.id });
    expect(await captureRecord(world.plane, world.proxyToken, key)).toBeNull();
    const actions = (await world.audit(acme, { targetId: setting.id })).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['Captures.Disable', 'Captures.Enable']);
  });

  it('leave the record at their end, without a change', async () => {
    const { acme, key, setting } = await world.capturing();
    await world.database.raw(`update capture_settings set ends_at = ${Date.now() - 1} where id = '${setting.id}'`);
    expect(await captureRecord(world.plane, world.proxyToken, key)).toBeNull();
    const list = await world.plane.expect('Captures.ListSettings', acme.owner.token, { organizationId: acme.id });
    expect(list.settings).toMatchObject([{ active: false }]);
  });

  it.each<[string, object, string]>([
    ['no end', { endsAt: '' }, 'ends_at'],
    ['an end in the past', { endsAt: inDays(-1) }, 'ends_at'],
    ['an end in 31 days', { endsAt: inDays(31) }, 'ends_at'],
    ['a sample of nothing', { samplePerThousand: 0 }, 'sample_per_thousand'],
    ['a sample above all', { samplePerThousand: 1001 }, 'sample_per_thousand'],
    ['a retention of 31 days', { retentionDays: 31 }, 'retention_days'],
    ['more than 64 KiB a side', { sideBytesMax: 65_537 }, 'side_bytes_max'],
    ['no target', { target: undefined }, 'target.kind'],
  ])('are refused with %s', async (_what, fields, field) => {
    const request = { ...ofOrganization(world.other), ...fields };
    expect(await violated(world.plane.call('Captures.Enable', world.other.owner.token, request))).toEqual([field]);
  });

  it('are refused for another organization, its keys and AI systems, and above a number', async () => {
    const acme = await createTenant(world.plane, world.platform, freshName('acme'));
    const system = await world.plane.expect('AiSystems.Create', world.other.owner.token, {
      organizationId: world.other.id,
      name: freshName('s'),
    });
    const targets = {
      CAPTURE_TARGET_KIND_ORGANIZATION: world.other.id,
      CAPTURE_TARGET_KIND_AI_SYSTEM: system.id,
      CAPTURE_TARGET_KIND_VIRTUAL_KEY: (await createKey(world.plane, world.other)).virtualKey.id,
    };
    for (const [kind, id] of Object.entries(targets)) {
      const request = { ...ofOrganization(acme), target: { kind, id } };
      expect(await violated(world.plane.call('Captures.Enable', acme.owner.token, request))).toEqual(['target.id']);
    }
    const { id } = await world.plane.expect('Captures.Enable', acme.owner.token, ofOrganization(acme));
    await copySetting(id, captureSettingsMax - 1);
    const refused = await refusal(world.plane.call('Captures.Enable', acme.owner.token, ofOrganization(acme)));
    expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'too_many_captures' });
  });

  async function copySetting(id: string, copies: number): Promise<void> {
    const columns = `organization_id, target_kind, target_id, ends_at, sample_per_thousand, retention_days, side_bytes_max,
      sides, bytes, created_by, created_at, revision`;
    const ids = Array.from({ length: copies }, () => `('${uuidv7()}')`).join(', ');
    await world.database.raw(
      `with copies (copy) as (values ${ids})
       insert into capture_settings (id, ${columns}) select copy, ${columns} from copies, capture_settings where id = '${id}'`,
    );
  }

  it('are opened by an owner, with an audit event that has the reason and not the content', async () => {
    const captured = await world.capturing();
    const { acme, key } = captured;
    const id = await world.keep(captured, 'Rosebud');
    const shown = await world.plane.expect('Captures.Get', acme.owner.token, { organizationId: acme.id, id, reason });
    expect(shown).toMatchObject({
      ...{ id, requestId: id, keyId: key.id },
      request: { form: 'CAPTURE_FORM_BODY', text: 'request Rosebud', cut: false, unfinished: false },
      response: { form: 'CAPTURE_FORM_STREAM', text: 'response Rosebud' },
    });
    const events = await world.audit(acme, { targetId: id });
    expect(events).toMatchObject([{ action: 'capture.opened', actorId: acme.owner.id, targetKind: 'capture' }]);
    expect(JSON.parse(events[0].after)).toMatchObject({ id, sides: ['request', 'response'], reason });
    expect(JSON.stringify(await world.audit(acme))).not.toContain('Rosebud');
    expect(world.plane.logs.join('')).not.toContain('Rosebud');
  });

  it('are not opened without a reason of ten characters, and nothing is audited then', async () => {
    const captured = await world.capturing();
    const id = await world.keep(captured);
    for (const why of ['', 'too short', 'x'.repeat(501), 'two\nlines of reason'])
      expect(await violated(world.open(captured.acme, id, captured.acme.owner.token, why))).toEqual(['reason']);
    expect(await world.audit(captured.acme, { targetId: id })).toEqual([]);
  });

  it('are opened by people with a grant until it ends, is revoked, or its person leaves', async () => {
    const captured = await world.capturing();
    const { acme } = captured;
    const admin = await createPerson(world.plane, acme, 'ROLE_ADMIN');
    const member = await createPerson(world.plane, acme, 'ROLE_MEMBER');
    const id = await world.keep(captured);
    const code = async (token: string) => (await world.open(acme, id, token)).code;
    const kept = async (token: string) => {
      const called = await world.plane.call('Requests.Get', token, { organizationId: acme.id, id });
      return called.code === 'OK' && 'response' in called ? called.response.contentKept : called.code;
    };
    await writeRow(captured, id);
    const grant = (personId: string, endsAt = inDays(1)) =>
      world.plane.expect('Captures.Grant', acme.owner.token, { organizationId: acme.id, personId, endsAt });
    expect([await code(admin.token), await kept(admin.token)]).toEqual(['PERMISSION_DENIED', false]);
    expect([await code(member.token), await kept(acme.owner.token)]).toEqual(['PERMISSION_DENIED', true]);

    await grant(admin.id);
    expect([await code(admin.token), await kept(admin.token)]).toEqual(['OK', true]);
    await grant(member.id);
    expect(await code(member.token)).toBe('OK');
    const { readers } = await world.plane.expect('Captures.ListReaders', acme.owner.token, { organizationId: acme.id });
    expect(readers.map(({ personId }: { personId: string }) => personId).toSorted()).toEqual(
      [admin.id, member.id].toSorted(),
    );

    await world.database.raw(`update capture_readers set ends_at = ${Date.now() - 1} where person_id = '${admin.id}'`);
    expect([await code(admin.token), await kept(admin.token)]).toEqual(['PERMISSION_DENIED', false]);
    await world.plane.expect('Captures.Revoke', acme.owner.token, {
      organizationId: acme.id,
      personId: member.id,
    });
    expect(await code(member.token)).toBe('PERMISSION_DENIED');

    const leaving = await createPerson(world.plane, acme, 'ROLE_ADMIN');
    await grant(leaving.id);
    expect(await code(leaving.token)).toBe('OK');
    await world.plane.expect('People.Delete', acme.owner.token, { id: leaving.id });
    expect(await code(leaving.token)).toBe('UNAUTHENTICATED');
  });

  /** As the proxy that captured the request would report its row. */
  async function writeRow({ acme, key }: Captured, id: string): Promise<void> {
    const requests = [{ id, source: 0, facts: { status: 200, represents: 1 } }];
    const sources = [{ organizationId: acme.id, keyId: key.id }];
    await world.plane.expect('Requests.Report', world.proxyToken, { requests, sources });
  }

  it('have no readers of other organizations, of the platform, or that are machines, and no end beyond 30 days', async () => {
    const { acme } = await world.capturing();
    const machine = await world.plane.expect('ServiceAccounts.Create', acme.owner.token, {
      ...{ organizationId: acme.id, name: freshName('machine'), role: 'ROLE_ADMIN' },
    });
    const grant = (fields: object) =>
      world.plane.call('Captures.Grant', acme.owner.token, { organizationId: acme.id, endsAt: inDays(1), ...fields });
    for (const personId of [world.other.owner.id, world.platform.id, machine.id])
      expect(await violated(grant({ personId }))).toEqual(['person_id']);
    expect(await violated(grant({ personId: acme.owner.id, endsAt: inDays(31) }))).toEqual(['ends_at']);
  });

  it('are never opened by platform operators, other organizations, or under their names', async () => {
    const captured = await world.capturing();
    const { acme } = captured;
    const id = await world.keep(captured);
    expect((await world.open(acme, id, world.platform.token)).code).toBe('PERMISSION_DENIED');
    expect((await world.open(acme, id, world.other.owner.token)).code).toBe('NOT_FOUND');
    expect((await world.open(world.other, id, world.other.owner.token)).code).toBe('NOT_FOUND');
    // Somebody who could write the database could still not move content to an organization of their own.
    const [row] = await world.rowsOf(acme);
    const { acme: theirs } = await world.capturing();
    await world.database.raw(
      `update captures set organization_id = '${theirs.id}' where id = '${id}' and side = '${row?.side}'`,
    );
    const moved = await refusal(world.open(theirs, id));
    expect(moved).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'capture_sealed' });
  });

  it('are found by the request id that a caller chose: the newest one', async () => {
    const captured = await world.capturing();
    const [first, second] = [
      world.sideOf(captured, { requestId: 'mine', text: 'first' }),
      world.sideOf(captured, { id: uuidv7(Date.now() + 5), requestId: 'mine', text: 'second' }),
    ];
    await world.report([first, second]);
    const shown = await world.plane.expect('Captures.Get', captured.acme.owner.token, {
      ...{ organizationId: captured.acme.id, id: 'mine', reason },
    });
    expect(shown).toMatchObject({ id: second.id, requestId: 'mine', request: { text: 'second' } });
  });
});
