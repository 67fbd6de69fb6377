// Limits through the real server, over both databases: their subjects, their valid fields, who sees them, and that they
// are deleted with their subject. Tests of budgets alone are in budgets.test.ts.
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

const kinds = ['REQUESTS_PER_MINUTE', 'TOKENS_PER_MINUTE', 'CONCURRENT_REQUESTS'] as const;
const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '60' };

function subject(kind: 'ORGANIZATION' | 'AI_SYSTEM' | 'PERSON' | 'VIRTUAL_KEY', id: string) {
  return { kind: `LIMIT_SUBJECT_KIND_${kind}`, id };
}

describe.each(databases)('limits over $name', ({ open }) => {
  let drop: () => Promise<void>;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let proxy: string;

  beforeAll(async () => {
    const database = await open();
    drop = database.drop;
    plane = await startOperatorsPlane({ env: database.env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
  });
  afterAll(async () => {
    await plane.close();
    await drop();
  });

  const owner = (method: string, request: object, tenant = acme): Promise<JsonResponse> =>
    plane.expect(method, tenant.owner.token, request);
  const request = (more: object, by = acme.owner) =>
    plane.call('Limits.Create', by.token, {
      ...{ organizationId: acme.id, subject: subject('ORGANIZATION', acme.id), ...rate },
      ...more,
    });
  const limitOn = (on: object, more: object = {}, tenant = acme): Promise<JsonResponse> =>
    owner('Limits.Create', { organizationId: tenant.id, subject: on, ...rate, ...more }, tenant);
  const systemOf = async (tenant: TestTenant): Promise<string> =>
    (await owner('AiSystems.Create', { organizationId: tenant.id, name: freshName('system') }, tenant)).id;
  const keyOf = async (scopeKind: string, scopeId: string) => {
    const made = await createKey(plane, acme, {
      scope: { kind: `KEY_SCOPE_KIND_${scopeKind}`, id: scopeId },
    });
    return { id: made.virtualKey.id as string, value: made.value as string };
  };
  const idsOf = async (by: Someone, more: object = {}): Promise<string[]> => {
    const request = { organizationId: acme.id, pageSize: 500, ...more };
    const { limits } = await plane.expect('Limits.List', by.token, request);
    return limits.map((limit: JsonResponse) => limit.id);
  };
  const trailOf = async (targetId: string): Promise<JsonResponse[]> =>
    (await owner('Audit.List', { organizationId: acme.id, targetId })).events;
  const resolved = (value: string) =>
    plane.expect('Access.Resolve', proxy, { keyHash: Buffer.from(hashCredential(value), 'hex') });

  it('are created, read, changed and deleted, and each change is an event', async () => {
    const on = subject('ORGANIZATION', acme.id);
    const made = await limitOn(on, { count: '60', model: 'gpt-provider/*' });
    expect(made).toMatchObject({
      ...{ organizationId: acme.id, subject: on, ...rate, model: 'gpt-provider/*' },
      createdAt: expect.stringMatching(/^20.*Z$/),
    });
    expect(made.amountUsd).toBeUndefined();
    expect(made.period).toBeUndefined();
    const { match: _match, _match: _oneof, ...stored } = made;
    expect(await plane.expect('Limits.Get', acme.admin.token, { id: made.id })).toEqual({
      ...stored,
      subjectName: 'acme',
    });

    const update = { id: made.id, count: '61', ifRevision: made.revision };
    const changed = await plane.expect('Limits.Update', acme.admin.token, update);
    expect(changed).toEqual({ ...stored, count: '61', revision: expect.any(String) });
    expect(Number(changed.revision)).toBeGreaterThan(Number(made.revision));
    expect(await refusal(plane.call('Limits.Update', acme.admin.token, update))).toMatchObject({
      ...{ code: 'ABORTED', reason: 'revision_mismatch' },
    });
    expect(await owner('Limits.Update', { id: made.id, count: '61' })).toEqual(changed);
    expect(await owner('Limits.Update', { id: made.id })).toEqual(changed);
    await owner('Limits.Delete', { id: made.id });
    expect((await plane.call('Limits.Get', acme.owner.token, { id: made.id })).code).toBe('NOT_FOUND');

    const events = await trailOf(made.id);
    expect(events.map((event) => [event.action, event.targetKind])).toEqual([
      ['Limits.Delete', 'limit'],
      ['Limits.Update', 'limit'],
      ['Limits.Create', 'limit'],
    ]);
    expect(JSON.parse(events[1]?.before)).toMatchObject({ count: '60', subject: on });
    expect(JSON.parse(events[1]?.after)).toMatchObject({ count: '61' });
    expect(JSON.parse(events[0]?.before)).toMatchObject({ count: '61', model: 'gpt-provider/*' });
  });

  it.each(['1', '1000000000'])('accept a count of %s of every kind', async (count) => {
    for (const kind of kinds) {
      const on = subject('AI_SYSTEM', await systemOf(acme));
      const made = await limitOn(on, { kind: `LIMIT_KIND_${kind}`, count });
      expect(made).toMatchObject({ kind: `LIMIT_KIND_${kind}`, count });
    }
  });

  it.each([
    [{ kind: 'LIMIT_KIND_UNSPECIFIED' }, 'kind'],
    [{ count: undefined }, 'count'],
    [{ count: '0' }, 'count'],
    [{ count: '1000000001' }, 'count'],
    [{ count: '18446744073709551615' }, 'count'],
    [{ model: '' }, 'model'],
    [{ model: 'gpt provider/*' }, 'model'],
    [{ model: `a/${'b'.repeat(320)}` }, 'model'],
    [{ amountUsd: '5' }, 'amount_usd'],
    [{ period: 'BUDGET_PERIOD_DAY' }, 'period'],
    [{ subject: undefined }, 'subject.kind'],
    [{ subject: { kind: 'LIMIT_SUBJECT_KIND_UNSPECIFIED', id: 'x' } }, 'subject.kind'],
    [{ subject: subject('PERSON', 'somebody') }, 'subject.id'],
  ])('refuse %j', async (wrong, field) => {
    expect(await violated(request(wrong))).toEqual([field]);
  });

  it('report all invalid fields at once', async () => {
    const wrong = { subject: {}, kind: 'LIMIT_KIND_UNSPECIFIED', count: '0', model: ' ', amountUsd: '1' };
    expect(await violated(request(wrong))).toEqual(['subject.kind', 'kind', 'count', 'amount_usd', 'model']);
  });

  it('keep their subject, kind and model: only the count may be changed', async () => {
    const on = subject('AI_SYSTEM', await systemOf(acme));
    const narrow = await limitOn(on, { model: 'gpt-provider/*' });
    const wide = await limitOn(on);
    const change = (id: string, more: object) => plane.call('Limits.Update', acme.owner.token, { id, ...more });
    const forEver = 'cannot be changed: delete the limit and create another';
    for (const [id, field, value] of [
      [narrow.id, 'kind', 'LIMIT_KIND_TOKENS_PER_MINUTE'],
      [narrow.id, 'kind', 'LIMIT_KIND_BUDGET'],
      [narrow.id, 'subject', subject('AI_SYSTEM', await systemOf(acme))],
      [narrow.id, 'subject', subject('PERSON', on.id)],
      [narrow.id, 'model', 'gpt-provider/gpt-4o'],
      [narrow.id, 'model', ''],
      [wide.id, 'model', '*'],
    ] as const) {
      const refused = await refusal(change(id, { count: '1', [field]: value }));
      expect(refused.violations).toEqual({ [field]: forEver });
    }
    expect(await violated(change(narrow.id, { count: '0' }))).toEqual(['count']);
    const ofBudgets = { amountUsd: '1', period: 'BUDGET_PERIOD_DAY' };
    expect(await violated(change(narrow.id, ofBudgets))).toEqual(['amount_usd', 'period']);
    const same = { subject: on, kind: rate.kind, count: '7' };
    for (const [id, model] of [
      [narrow.id, 'gpt-provider/*'],
      [wide.id, ''],
    ]) {
      const { id: itself, subject: its, kind, count } = await owner('Limits.Update', { id, ...same, model });
      expect({ itself, subject: its, kind, count }).toEqual({ itself: id, ...same });
    }
  });

  describe('are of one organization', () => {
    it("and on no subject that is missing or another organization's", async () => {
      const stranger = await createPerson(plane, other, 'ROLE_MEMBER');
      const theirKey = (await createKey(plane, other)).virtualKey.id;
      const nobody = '01890000-0000-7000-8000-000000000000';
      for (const on of [
        subject('ORGANIZATION', other.id),
        subject('AI_SYSTEM', await systemOf(other)),
        subject('PERSON', stranger.id),
        subject('PERSON', platform.id),
        subject('VIRTUAL_KEY', theirKey),
        subject('AI_SYSTEM', acme.member.id),
        subject('PERSON', nobody),
      ]) {
        expect([on, await violated(request({ subject: on }))]).toEqual([on, ['subject.id']]);
      }
    });

    it('and listed in pages of it, or of one subject', async () => {
      const tenant = await createTenant(plane, platform, freshName('org'));
      const on = subject('AI_SYSTEM', await systemOf(tenant));
      const ofSystem: string[] = [];
      for (const kind of kinds) {
        await limitOn(subject('ORGANIZATION', tenant.id), { kind: `LIMIT_KIND_${kind}` }, tenant);
        ofSystem.push((await limitOn(on, { kind: `LIMIT_KIND_${kind}` }, tenant)).id);
      }
      const organizationId = tenant.id;
      const all = (await owner('Limits.List', { organizationId }, tenant)).limits;
      expect(all).toHaveLength(6);
      const first = await owner('Limits.List', { organizationId, pageSize: 4 }, tenant);
      const next = { organizationId, pageSize: 4, pageToken: first.nextPageToken };
      const second = await owner('Limits.List', next, tenant);
      expect([...first.limits, ...second.limits]).toEqual(all);
      expect(second.nextPageToken).toBe('');
      const narrowed = await owner('Limits.List', { organizationId, subject: on }, tenant);
      expect(narrowed.limits.map((limit: JsonResponse) => limit.id)).toEqual(ofSystem);
      const wrong = { organizationId, subject: { kind: on.kind, id: 'x' } };
      expect(await violated(plane.call('Limits.List', tenant.owner.token, wrong))).toEqual(['subject.id']);
    });

    it('and at most 32 on one subject', async () => {
      const on = subject('AI_SYSTEM', await systemOf(acme));
      const ids: string[] = [];
      for (let i = 0; i < 32; i++) ids.push((await limitOn(on, { model: `studio-ai/m${i}` })).id);
      const tooMany = { code: 'FAILED_PRECONDITION', reason: 'too_many_limits' };
      expect(await refusal(request({ subject: on }))).toMatchObject(tooMany);
      expect((await request({ subject: subject('AI_SYSTEM', await systemOf(acme)) })).code).toBe('OK');
      await owner('Limits.Delete', { id: ids[0] });
      expect((await request({ subject: on })).code).toBe('OK');
      expect(await refusal(request({ subject: on }))).toMatchObject(tooMany);
    });
  });

  it('on an owner can be changed by owners only', async () => {
    const on = subject('PERSON', (await createPerson(plane, acme, 'ROLE_OWNER')).id);
    expect((await request({ subject: on }, acme.admin)).code).toBe('PERMISSION_DENIED');
    const { id } = await limitOn(on);
    for (const method of ['Limits.Update', 'Limits.Delete']) {
      const calling = plane.call(method, acme.admin.token, { id, count: '1000' });
      expect((await refusal(calling)).message).toBe('only an owner limits owners, or lifts their limits');
    }
    expect(await idsOf(acme.admin)).toContain(id);
    await owner('Limits.Delete', { id });
    expect((await request({ subject: subject('PERSON', acme.admin.id) }, acme.admin)).code).toBe('OK');
  });

  it('are shown to a member only if they apply to the member', async () => {
    const member = await createPerson(plane, acme, 'ROLE_MEMBER');
    const ownKey = await keyOf('PERSON', member.id);
    const shared = await keyOf('ORGANIZATION', acme.id);
    const made = async (on: object): Promise<string> => (await limitOn(on)).id;
    const shown = [
      await made(subject('PERSON', member.id)),
      await made(subject('VIRTUAL_KEY', ownKey.id)),
      await made(subject('ORGANIZATION', acme.id)),
    ];
    const hidden = [
      await made(subject('PERSON', acme.member.id)),
      await made(subject('VIRTUAL_KEY', shared.id)),
      await made(subject('AI_SYSTEM', await systemOf(acme))),
    ];
    const seen = await idsOf(member);
    expect(seen).toEqual(expect.arrayContaining(shown));
    for (const id of shown) expect((await plane.call('Limits.Get', member.token, { id })).code).toBe('OK');
    for (const id of hidden) {
      expect(seen).not.toContain(id);
      expect((await plane.call('Limits.Get', member.token, { id })).code).toBe('PERMISSION_DENIED');
    }
    expect(await idsOf(member, { subject: subject('PERSON', member.id) })).toEqual([shown[0]]);
    expect(await idsOf(member, { subject: subject('PERSON', acme.member.id) })).toEqual([]);
    expect(await idsOf(acme.admin)).toEqual(expect.arrayContaining([...shown, ...hidden]));
  });

  it('are in the record of their subject, oldest first, and in no other', async () => {
    const system = await systemOf(acme);
    const key = await keyOf('AI_SYSTEM', system);
    const sibling = await keyOf('AI_SYSTEM', system);
    const ofKey = [
      await limitOn(subject('VIRTUAL_KEY', key.id), { model: '*/gpt-4o*' }),
      await limitOn(subject('VIRTUAL_KEY', key.id), { kind: 'LIMIT_KIND_CONCURRENT_REQUESTS', count: '3' }),
    ];
    const ofSystem = await limitOn(subject('AI_SYSTEM', system), { kind: 'LIMIT_KIND_TOKENS_PER_MINUTE' });
    const record = ({ id, kind, count, model }: JsonResponse) => ({ id, kind, count, model });
    const response = await resolved(key.value);
    expect(response.key.limits.map(record)).toEqual(ofKey.map(record));
    expect(response.scope.limits.map(record)).toEqual([record(ofSystem)]);
    const ofOrganization = response.organization.limits.map((limit: JsonResponse) => limit.id);
    expect(ofOrganization).toEqual(await idsOf(acme.owner, { subject: subject('ORGANIZATION', acme.id) }));
    expect((await resolved(sibling.value)).key.limits).toEqual([]);
    const ofOrganizationItself = await keyOf('ORGANIZATION', acme.id);
    expect((await resolved(ofOrganizationItself.value)).key.limits).toEqual([]);
  });

  describe('are deleted with their subject:', () => {
    it('a key that is revoked', async () => {
      const key = await keyOf('ORGANIZATION', acme.id);
      const on = subject('VIRTUAL_KEY', key.id);
      await limitOn(on);
      await limitOn(on);
      await owner('VirtualKeys.Revoke', { id: key.id });
      expect(await idsOf(acme.owner, { subject: on })).toEqual([]);
      const [revoked] = await trailOf(key.id);
      expect(JSON.parse(revoked?.after)).toMatchObject({ limitsDeleted: 2 });
      expect(await refusal(request({ subject: on }))).toMatchObject({ reason: 'key_revoked' });
    });

    it('an AI system that is deleted, and its keys', async () => {
      const kept = (await limitOn(subject('AI_SYSTEM', await systemOf(acme)))).id;
      const system = await systemOf(acme);
      const key = await keyOf('AI_SYSTEM', system);
      const gone = [
        (await limitOn(subject('AI_SYSTEM', system))).id,
        (await limitOn(subject('VIRTUAL_KEY', key.id))).id,
      ];
      expect(await idsOf(acme.owner)).toEqual(expect.arrayContaining([kept, ...gone]));
      await owner('AiSystems.Delete', { id: system });
      const left = await idsOf(acme.owner);
      expect(left).toContain(kept);
      for (const id of gone) expect(left).not.toContain(id);
      const [deleted] = await trailOf(system);
      expect(JSON.parse(deleted?.after)).toEqual({ keysRevoked: 1, limitsDeleted: 2 });
    });

    it('a person who is deleted, and their keys', async () => {
      const person = await createPerson(plane, acme, 'ROLE_MEMBER');
      const key = await keyOf('PERSON', person.id);
      await limitOn(subject('PERSON', person.id));
      await limitOn(subject('VIRTUAL_KEY', key.id));
      await owner('People.Delete', { id: person.id });
      const [deleted] = await trailOf(person.id);
      expect(JSON.parse(deleted?.after)).toEqual({ keysRevoked: 1, limitsDeleted: 2 });
      expect(await idsOf(acme.owner, { subject: subject('PERSON', person.id) })).toEqual([]);
    });
  });
});
