// Keys as operators look for them: filters and counts of lists, keys by value, moves to another scope, and what a key
// may do. A member sees their own keys only, and another organization sees nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { hashCredential } from '../../../common/credential.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { blocksOf } from '../../../control-plane/services/key-policy.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { freshPostgres, freshSqlite } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createPerson,
  createTenant,
  type JsonResponse,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { silentLog } from '../../support/silent-log.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

const databases = [
  { name: 'SQLite', open: freshSqlite },
  { name: 'PostgreSQL', open: freshPostgres },
];

describe('the reasons for which a key is refused', () => {
  const row = { revoked_at: null, active: 0, ends_at: 1 } as const;

  it('are in the order of refusals', () => {
    expect(blocksOf(row, { isOrganizationActive: false, isScopeActive: false }, 1)).toEqual([
      'KEY_BLOCK_INACTIVE',
      'KEY_BLOCK_ORGANIZATION_SUSPENDED',
      'KEY_BLOCK_SCOPE_SUSPENDED',
    ]);
    const working = { ...row, active: 1, ends_at: 2 } as const;
    expect(blocksOf(working, { isOrganizationActive: true, isScopeActive: true }, 1)).toEqual([]);
  });
});

describe.each(databases)('keys over $name', ({ open }) => {
  let database: Awaited<ReturnType<typeof open>>;
  let plane: OperatorsPlane;
  let store: Store;
  let platform: Someone;
  let acme: TestTenant;
  let other: TestTenant;
  let owner: string;
  let system: JsonResponse;

  beforeAll(async () => {
    database = await open();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    store = await openStore({ url: database.url, log: silentLog, clock: systemClock });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    owner = acme.owner.token;
    system = await plane.expect('AiSystems.Create', owner, { organizationId: acme.id, name: 'shop' });
  });
  afterAll(async () => {
    await store.close();
    await plane.close();
    await database.drop();
  });

  const ofSystem = () => ({ kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id });
  const ofPerson = (person: Someone) => ({ kind: 'KEY_SCOPE_KIND_PERSON', id: person.id });
  const ofOrganization = () => ({ kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id });
  const list = (fields: object, token = owner): Promise<JsonResponse> =>
    plane.expect('VirtualKeys.List', token, { organizationId: acme.id, pageSize: 500, ...fields });
  const names = async (fields: object, token = owner) =>
    (await list(fields, token)).virtualKeys.map(({ name }: JsonResponse) => name).toSorted();
  const explain = (id: string, token = owner) => plane.expect('VirtualKeys.Explain', token, { id });

  describe('a list', () => {
    const now = Date.now();
    const day = (days: number) => new Date(now + days * 86_400_000).toISOString();
    let used: JsonResponse;

    beforeAll(async () => {
      used = await createKey(plane, acme, { name: 'Checkout used', endsAt: day(7) });
      await createKey(plane, acme, { name: 'checkout idle', endsAt: day(30) });
      await createKey(plane, acme, { name: 'off', active: false });
      await createKey(plane, acme, { name: "the member's", scope: ofPerson(acme.member) });
      const event = usageEvent({
        organization_id: acme.id,
        key_id: used.virtualKey.id,
        session_id: uuidv7(now),
        request_id: 'request-of-checkout',
        cost: 2_500_000_000,
        at: now,
      });
      await recordEvents(store, [event]);
    });

    it('is filtered by use, end, text, creator and value', async () => {
      expect(await names({ text: 'CHECKOUT' })).toEqual(['Checkout used', 'checkout idle']);
      expect(await names({ text: 'heckout' })).toEqual([]);
      expect(await names({ text: '%' })).toEqual([]);
      expect(await names({ text: used.value.slice(-4) })).toEqual(['Checkout used']);
      expect(await names({ endsAfter: day(0), endsBefore: day(14) })).toEqual(['Checkout used']);
      expect(await names({ createdBy: acme.member.id })).toEqual([]);
      expect(await names({ createdBy: acme.owner.id, text: 'off' })).toEqual(['off']);
      expect(await names({ valueSha256: hashCredential(used.value) })).toEqual(['Checkout used']);
      // Used a moment ago, and all others are younger than the day.
      expect(await names({ unusedSince: day(-1) })).toEqual([]);
      expect(await names({ unusedSince: day(0.5) })).toEqual(['Checkout used', 'checkout idle', 'off', "the member's"]);
    });

    it('names scope and creator, and where the key was last used for how much', async () => {
      const [key] = (await list({ text: 'Checkout used', withSpend: true })).virtualKeys;
      expect(key).toMatchObject({
        scopeName: 'acme',
        createdByName: 'Olga',
        lastUsedFrom: { requestId: 'request-of-checkout', model: 'gpt-provider/gpt-4o', proxy: '' },
        spendMonthUsd: '2.5',
      });
      const [idle] = (await list({ text: 'checkout idle', withSpend: true })).virtualKeys;
      expect(idle.spendMonthUsd).toBe('0');
      expect(idle.lastUsedFrom).toBeUndefined();
      const [plain] = (await list({ text: 'Checkout used' })).virtualKeys;
      expect(plain.spendMonthUsd).toBeUndefined();
      expect((await plane.expect('VirtualKeys.Get', owner, { id: plain.id })).spendMonthUsd).toBe('2.5');
    });

    it('counts the selected keys by status, whatever the page is', async () => {
      const counted = { text: '', withCounts: true, pageSize: 1 };
      const { virtualKeys, counts } = await list({ ...counted, text: undefined, statuses: ['KEY_STATUS_INACTIVE'] });
      expect(virtualKeys).toHaveLength(1);
      expect(counts).toEqual([
        { status: 'KEY_STATUS_ACTIVE', count: '3' },
        { status: 'KEY_STATUS_INACTIVE', count: '1' },
      ]);
      expect((await list({})).counts).toEqual([]);
    });

    it("shows a member their own keys only, and another organization's value finds nothing", async () => {
      expect(await names({}, acme.member.token)).toEqual(["the member's"]);
      expect(await names({ valueSha256: hashCredential(used.value) }, acme.member.token)).toEqual([]);
      const stranger = { organizationId: other.id, valueSha256: hashCredential(used.value) };
      expect(await plane.expect('VirtualKeys.List', other.owner.token, stranger)).toMatchObject({ virtualKeys: [] });
    });

    it('refuses a value in place of its hash, without repeating it', async () => {
      const calling = plane.call('VirtualKeys.List', owner, { organizationId: acme.id, valueSha256: used.value });
      const refused = await refusal(calling);
      expect(Object.keys(refused.violations)).toEqual(['value_sha256']);
      expect(JSON.stringify(refused)).not.toContain(used.value);
      expect(plane.logs.join('')).not.toContain(used.value);
    });
  });

  describe('a move', () => {
    it('keeps values and limits, and proxies find the key in its new scope', async () => {
      const { virtualKey, value } = await createKey(plane, acme, { name: 'mover', scope: ofOrganization() });
      await plane.expect('Limits.Create', owner, {
        organizationId: acme.id,
        subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: virtualKey.id },
        ...{ kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: 60 },
      });
      const moved = await plane.expect('VirtualKeys.Update', owner, { id: virtualKey.id, scope: ofSystem() });
      expect(moved).toMatchObject({ scope: ofSystem(), hint: value.slice(-4) });
      const proxy = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy of moves' })).value;
      const keyHash = Buffer.from(hashCredential(value), 'hex');
      const records = await plane.expect('Access.Resolve', proxy, { keyHash });
      expect(records.key).toMatchObject({ scope: ofSystem(), limits: [{ count: '60' }] });
      expect(records.scope).toMatchObject({ kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id });
      const [event] = (await plane.expect('Audit.List', owner, { organizationId: acme.id, targetId: virtualKey.id }))
        .events;
      expect(event.action).toBe('VirtualKeys.Update');
      expect(JSON.stringify(event)).not.toMatch(/scopeName|spendMonth/);
    });

    it('shows the key to the person that it was moved to', async () => {
      const { virtualKey } = await createKey(plane, acme, { name: 'for the member' });
      expect(await refusal(plane.call('VirtualKeys.Get', acme.member.token, { id: virtualKey.id }))).toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      await plane.expect('VirtualKeys.Update', owner, { id: virtualKey.id, scope: ofPerson(acme.member) });
      expect((await explain(virtualKey.id, acme.member.token)).virtualKey.scopeName).toContain('MEMBER');
    });

    it('is not into another organization, to an owner by an admin, or of a revoked key', async () => {
      const { virtualKey } = await createKey(plane, acme, { name: 'stays' });
      const { id } = virtualKey;
      const foreign = await plane.expect('AiSystems.Create', other.owner.token, {
        organizationId: other.id,
        name: 'foreign',
      });
      const scopes = [
        { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: foreign.id },
        { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: other.id },
        ofPerson(other.member),
      ];
      for (const scope of scopes) {
        expect(await violated(plane.call('VirtualKeys.Update', owner, { id, scope }))).toEqual(['scope.id']);
      }
      const toOwner = { id, scope: ofPerson(acme.owner) };
      expect((await refusal(plane.call('VirtualKeys.Update', acme.admin.token, toOwner))).code).toBe(
        'PERMISSION_DENIED',
      );
      await plane.expect('VirtualKeys.Update', owner, toOwner);
      const fromOwner = { id, scope: ofSystem() };
      expect((await refusal(plane.call('VirtualKeys.Update', acme.admin.token, fromOwner))).code).toBe(
        'PERMISSION_DENIED',
      );
      await plane.expect('VirtualKeys.Revoke', owner, { id });
      expect((await refusal(plane.call('VirtualKeys.Update', owner, fromOwner))).reason).toBe('key_revoked');
    });
  });

  describe('an explanation', () => {
    let tenant: TestTenant;
    let key: JsonResponse;
    let person: Someone;

    beforeAll(async () => {
      tenant = await createTenant(plane, platform, 'explained');
      person = await createPerson(plane, tenant, 'ROLE_MEMBER');
      const at = tenant.owner.token;
      await plane.expect('ProviderKeys.Create', at, {
        organizationId: tenant.id,
        ...{ provider: 'gpt-provider', name: 'main', secret: { apiKey: 'sk-0123456789abcdef' } },
      });
      await plane.expect('People.Update', at, { id: person.id, allowedModels: { globs: ['gpt-provider/*'] } });
      key = (
        await createKey(plane, tenant, {
          scope: ofPerson(person),
          allowedModels: { globs: ['gpt-provider/gpt-4o', 'assistant-provider/*'] },
        })
      ).virtualKey;
      const limit = (subject: object, fields: object) =>
        plane.expect('Limits.Create', at, { organizationId: tenant.id, subject, ...fields });
      const budget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '10', period: 'BUDGET_PERIOD_MONTH' };
      await limit({ kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id }, budget);
      await limit(
        { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: tenant.id },
        { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: 60 },
      );
      await limit({ kind: 'LIMIT_SUBJECT_KIND_PERSON', id: tenant.owner.id }, budget);
      const guardrail = (name: string, fields: object) =>
        plane.expect('Guardrails.Create', at, {
          organizationId: tenant.id,
          ...{ name, stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK', check: { secrets: {} } },
          ...fields,
        });
      const shop = await plane.expect('AiSystems.Create', at, { organizationId: tenant.id, name: 'shop' });
      await guardrail('second', { position: 20 });
      await guardrail('first', { position: 10, keyIds: [key.id], action: 'GUARDRAIL_ACTION_OBSERVE' });
      await guardrail('of-the-shop', { aiSystemIds: [shop.id] });
      await guardrail('off', { enabled: false });
    });

    it('names lists, models, limits with what is left, and guardrails in order', async () => {
      const explained = await explain(key.id, tenant.owner.token);
      expect(explained).toMatchObject({ blocks: [], callerProviderKeys: false, routes: [] });
      expect(explained.allowLists.map(({ holder, globs }: JsonResponse) => [holder.kind, globs])).toEqual([
        ['LIMIT_SUBJECT_KIND_PERSON', ['gpt-provider/*']],
        ['LIMIT_SUBJECT_KIND_VIRTUAL_KEY', ['gpt-provider/gpt-4o', 'assistant-provider/*']],
      ]);
      expect(explained.models).toEqual(['gpt-provider/gpt-4o']);
      expect(explained).toMatchObject({ modelsAllowed: 1, modelsOpen: false });
      expect(explained.modelsKnown).toBeGreaterThan(100);
      expect(
        explained.limits.map(({ limit, subjectName, window }: JsonResponse) => [
          limit.kind,
          subjectName,
          window?.freeUsd,
        ]),
      ).toEqual([
        ['LIMIT_KIND_REQUESTS_PER_MINUTE', 'explained', undefined],
        ['LIMIT_KIND_BUDGET', key.name, '10'],
      ]);
      expect(explained.guardrails.map(({ name }: JsonResponse) => name)).toEqual(['first', 'second']);
    });

    it('names the stops that refuse some of its requests, without who made them', async () => {
      const at = tenant.owner.token;
      const stop = (by: Someone, target: object, fields: object = {}) =>
        plane.expect('Stops.Create', by.token, { target, reason: JSON.stringify(target), ...fields });
      const own = { organizationId: tenant.id };
      const stops = [
        await stop(tenant.owner, { provider: 'gpt-provider' }, own),
        await stop(tenant.owner, { model: '*/gpt-4o-2024*' }, own),
        await stop(tenant.owner, { provider: 'search-provider' }, own),
        await stop(tenant.owner, { directKeys: true }, own),
        await stop(platform, { model: 'gpt-provider/gpt-4*' }),
      ];
      const ended = await stop(tenant.owner, { provider: 'gpt-provider' }, own);
      await plane.expect('Stops.Delete', at, { id: ended.id });
      for (const token of [at, person.token]) {
        const explained = (await explain(key.id, token)).stops;
        expect(explained.map(({ reason }: JsonResponse) => reason)).toEqual([
          ...['{"provider":"gpt-provider"}', '{"model":"*/gpt-4o-2024*"}', '{"model":"gpt-provider/gpt-4*"}'],
        ]);
        expect(explained.map(({ createdBy }: JsonResponse) => createdBy)).toEqual(['', '', '']);
        expect(explained[2]).not.toHaveProperty('organizationId', tenant.id);
      }
      const whole = (await createKey(plane, tenant)).virtualKey;
      expect((await explain(whole.id, at)).stops).toHaveLength(4);
      const { stops: listed } = await plane.expect('Stops.List', at, own);
      const authors = listed.map(({ createdByName }: JsonResponse) => createdByName);
      expect(authors).toEqual(['Olga', 'Olga', 'Olga', 'Olga', '']);
      for (const { id, organizationId } of stops)
        await plane.expect('Stops.Delete', organizationId === undefined ? platform.token : at, { id });
    });

    it('leaves out for a member what only observes, and is theirs only', async () => {
      const explained = await explain(key.id, person.token);
      expect(explained.guardrails.map(({ name }: JsonResponse) => name)).toEqual(['second']);
      expect(explained.limits).toHaveLength(2);
      expect((await refusal(plane.call('VirtualKeys.Explain', tenant.member.token, { id: key.id }))).code).toBe(
        'PERMISSION_DENIED',
      );
      const asSeenBy = (token: string) => refusal(plane.call('VirtualKeys.Explain', token, { id: key.id }));
      expect((await asSeenBy(other.owner.token)).code).toBe('NOT_FOUND');
      expect((await asSeenBy(platform.token)).code).toBe('PERMISSION_DENIED');
    });

    it('names every reason for which requests are refused, in the order of refusals', async () => {
      const at = tenant.owner.token;
      await plane.expect('VirtualKeys.Update', at, { id: key.id, active: false });
      await plane.expect('People.Update', at, { id: person.id, active: false });
      expect((await explain(key.id, at)).blocks).toEqual(['KEY_BLOCK_INACTIVE', 'KEY_BLOCK_SCOPE_SUSPENDED']);
      await plane.expect('VirtualKeys.Revoke', at, { id: key.id });
      expect((await explain(key.id, at)).blocks).toEqual(['KEY_BLOCK_REVOKED', 'KEY_BLOCK_SCOPE_SUSPENDED']);
    });
  });
});
