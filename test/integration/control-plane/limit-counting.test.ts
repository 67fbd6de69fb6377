// Limits for a tag and for each value through the real server: which fields go together, what records say to proxies, who
// sees whose counter, and that notices name the value.
import { expect, it } from 'vitest';
import { windowOf } from '../../../common/budget-window.ts';
import { counterOf, otherCounterOf } from '../../../common/counter-names.ts';
import { sendAlerts } from '../../../control-plane/webhooks/alerts.ts';
import { noteThresholds } from '../../../control-plane/webhooks/thresholds.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { writeLedger } from '../../support/ledger-state.ts';
import { createPerson, type TestTenant, violated } from '../../support/operators.ts';

const dollar = 1_000_000_000;

describeBudgets('limits for a tag and for each value', (fixture) => {
  async function tagged(names = ['user', 'feature']): Promise<TestTenant> {
    const tenant = await fixture.tenant();
    await fixture.as(tenant, 'Organizations.UpdateSettings', {
      id: tenant.id,
      settings: { tags: { names: { names } } },
    });
    return tenant;
  }

  async function spend(tenant: TestTenant, limitId: string, sums: Readonly<Record<string, number>>): Promise<void> {
    const window = windowOf('day', Date.now());
    const common = { organization_id: tenant.id };
    const names = Object.entries(sums).map(([value, spent]) => ({
      ...{ value, spent, id: value === '' ? otherCounterOf(limitId) : counterOf(limitId, value) },
    }));
    await fixture.store.ledger(async ({ db, now }) => {
      for (const { id, value } of names) {
        const counter = { ...common, id, limit_id: limitId, value, by_caller: 1 as const, ends_at: now + 60_000 };
        await db.insertInto('limit_counters').values(counter).execute();
      }
    });
    for (const { id, spent } of names)
      await writeLedger(fixture.database, { organizationId: tenant.id, budgetId: id, window, spent });
  }

  it('are created, listed, repeated and changed', async () => {
    const tenant = await tagged();
    const tag = { name: 'feature', value: 'search' };
    const limit = await fixture.budget(tenant, { tag, each: 'tag:user', required: true });
    expect(limit).toMatchObject({ tag, each: 'tag:user', required: true, kind: 'LIMIT_KIND_BUDGET' });
    const { limits } = await fixture.as(tenant, 'Limits.List', { organizationId: tenant.id });
    expect(limits).toMatchObject([{ id: limit.id, tag, each: 'tag:user', required: true }]);
    const { id } = limit;
    const same = await fixture.as(tenant, 'Limits.Update', {
      id,
      tag,
      each: 'tag:user',
      kind: 'LIMIT_KIND_BUDGET',
      amountUsd: '7',
    });
    expect(same).toMatchObject({ amountUsd: '7', tag, each: 'tag:user', required: true });
    const free = await fixture.as(tenant, 'Limits.Update', { id, required: false });
    expect(free).toMatchObject({ tag, each: 'tag:user' });
    expect(free).not.toHaveProperty('required');
    expect((await fixture.trail(tenant, id))[0]).toMatchObject({ action: 'Limits.Update' });
    await fixture.as(tenant, 'Limits.Update', { id, soft: true });
    const both = fixture.plane.call('Limits.Update', tenant.owner.token, { id, required: true });
    expect(await violated(both)).toEqual(['required']);
    const changed = { id, each: 'key', tag: { name: 'feature', value: 'chat' } };
    const refused = fixture.plane.call('Limits.Update', tenant.owner.token, changed);
    expect(await violated(refused)).toEqual(['tag', 'each']);
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['a tag that the organization does not have', { tag: { name: 'team', value: 'blue' } }, ['tag.name']],
    ['each value of a tag that it does not have', { each: 'tag:team' }, ['each']],
    ['each of something else', { each: 'hour' }, ['each']],
    ['a tag without a value', { tag: { name: 'feature', value: '' } }, ['tag.value']],
    ['a value with spaces around it', { tag: { name: 'feature', value: ' search' } }, ['tag.value']],
    ['a requirement that nobody enforces', { each: 'tag:user', required: true, soft: true }, ['required']],
    ['a requirement without a tag to require', { each: 'key', required: true }, ['required']],
    ['copies of requests', { each: 'tag:user', model: 'shadow/*', allowUnmatched: true }, ['each']],
  ])('are refused for %s', async (_what, fields, expected) => {
    const tenant = await tagged();
    expect(await violated(fixture.ask(tenant, fields))).toEqual(expected);
  });

  it('are refused for each key of one key, and keep the tags that they count', async () => {
    const tenant = await tagged();
    const key = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
    const ofKey = { subject: limitSubject('VIRTUAL_KEY', key), each: 'key' };
    expect(await violated(fixture.ask(tenant, ofKey))).toEqual(['each']);
    const system = await fixture.system(tenant);
    for (const each of ['person', 'system']) {
      expect(await violated(fixture.ask(tenant, { subject: limitSubject('AI_SYSTEM', system), each }))).toEqual([
        'each',
      ]);
      expect(await fixture.budget(tenant, { each })).toMatchObject({ each });
    }
    const { id } = await fixture.budget(tenant, { subject: limitSubject('VIRTUAL_KEY', key), each: 'tag:user' });
    const settings = { id: tenant.id, settings: { tags: { names: { names: ['feature'] } } } };
    const refused = fixture.plane.call('Organizations.UpdateSettings', tenant.owner.token, settings);
    expect(await violated(refused)).toEqual(['settings.tags.names']);
    await fixture.as(tenant, 'Limits.Delete', { id });
    await fixture.as(tenant, 'Organizations.UpdateSettings', settings);
  });

  it('are in records so that proxies which do not know them refuse, whatever the kind', async () => {
    const tenant = await tagged();
    const rate = { amountUsd: undefined, period: undefined, count: '5' };
    const kinds = [
      ['LIMIT_KIND_BUDGET', {}],
      ...(['REQUESTS_PER_MINUTE', 'TOKENS_PER_MINUTE', 'CONCURRENT_REQUESTS'] as const).map(
        (kind) => [`LIMIT_KIND_${kind}`, rate] as const,
      ),
    ] as const;
    for (const [kind, fields] of kinds) await fixture.budget(tenant, { kind, ...fields, each: 'key' });
    const { organization } = await fixture.records(tenant);
    expect(organization?.limits?.map((record) => [record.kind, record.counting])).toEqual(
      kinds.map(([kind]) => ['LIMIT_KIND_UNSPECIFIED', { kind, each: 'key' }]),
    );
    // Control planes of the version before know none of these words, and leave the rows alone.
    const rows = await fixture.store.snapshot((db) =>
      db.selectFrom('limits').select('kind').where('organization_id', '=', tenant.id).orderBy('id').execute(),
    );
    expect(rows.every(({ kind }) => kind.startsWith('counter_'))).toBe(true);
  });

  it('show the highest counter, all of one budget in pages, and one value on request', async () => {
    const tenant = await tagged();
    const { id } = await fixture.budget(tenant, { each: 'tag:user' });
    expect(await fixture.windows(tenant)).toMatchObject([{ limitId: id, spentUsd: '0', counters: 0 }]);
    await spend(tenant, id, { ann: dollar, bob: 4 * dollar, cid: 2 * dollar, '': 3 * dollar });
    expect(await fixture.windows(tenant)).toMatchObject([{ counter: 'bob', spentUsd: '4', freeUsd: '1', counters: 4 }]);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const request = { organizationId: tenant.id, limitId: id, pageSize: 3, pageToken };
      const page = await fixture.as(tenant, 'Budgets.ListWindows', request);
      seen.push(...page.windows.map((one: { counter: string }) => one.counter));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(['bob', '(other)', 'cid', 'ann']);
    const explain = (tags: readonly object[]) =>
      fixture.as(tenant, 'Budgets.Explain', {
        ...{ organizationId: tenant.id, subject: limitSubject('ORGANIZATION', tenant.id), tags },
      });
    const window = { counter: 'cid', spentUsd: '2' };
    expect(await explain([{ name: 'user', value: 'cid' }])).toMatchObject({ budgets: [{ window, leftUsd: '3' }] });
    expect(await explain([{ name: 'user', value: 'new' }])).toMatchObject({ budgets: [{ leftUsd: '5' }] });
    expect(await explain([{ name: 'feature', value: 'x' }])).not.toHaveProperty('budgets.0');
    expect(await explain([])).toMatchObject({ budgets: [{ window: { counter: 'bob' }, leftUsd: '1' }] });
    const reset = { limitId: id, counter: 'bob', reason: 'a test' };
    expect(await fixture.as(tenant, 'Budgets.Reset', reset)).toMatchObject({ counter: 'bob', spentUsd: '0' });
    const without = fixture.plane.call('Budgets.Reset', tenant.owner.token, { limitId: id, reason: 'a test' });
    expect(await violated(without)).toEqual(['counter']);
  });

  it('leave the room of their counters when they are deleted', async () => {
    const tenant = await tagged();
    const { id } = await fixture.budget(tenant, { each: 'tag:user' });
    await spend(tenant, id, { ann: dollar });
    await fixture.as(tenant, 'Limits.Delete', { id });
    const current = await fixture.store.snapshot((db) =>
      db
        .selectFrom('limit_counters')
        .select('id')
        .where('limit_id', '=', id)
        .where('ends_at', '>', Date.now())
        .execute(),
    );
    expect(current).toEqual([]);
    expect(await fixture.windows(tenant)).toEqual([]);
    expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([{ counter: 'ann', spentUsd: '1' }]);
  });

  it('show a member the counters of their own keys alone', async () => {
    const tenant = await tagged();
    const member = await createPerson(fixture.plane, tenant, 'ROLE_MEMBER');
    const own = await fixture.key(tenant, 'PERSON', member.id);
    const foreign = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
    const keys = await fixture.budget(tenant, { each: 'key' });
    const users = await fixture.budget(tenant, { each: 'tag:user' });
    await spend(tenant, keys.id, { [own]: dollar, [foreign]: 4 * dollar });
    await spend(tenant, users.id, { ann: dollar });
    const shown = (await fixture.windows(tenant, {}, member)).map(({ limitId, counter, counters }) => ({
      ...{ limitId, counter, counters },
    }));
    expect(shown).toEqual([
      { limitId: users.id, counter: undefined, counters: 0 },
      { limitId: keys.id, counter: own, counters: 1 },
    ]);
    expect(await fixture.windows(tenant, { limitId: keys.id }, member)).toMatchObject([{ counter: own }]);
    expect(await fixture.windows(tenant, { limitId: users.id }, member)).toEqual([]);
    const people = await fixture.budget(tenant, { each: 'person' });
    await spend(tenant, people.id, { [member.id]: dollar, [tenant.owner.id]: 4 * dollar });
    const ofPeople = await fixture.windows(tenant, { limitId: people.id }, member);
    expect(ofPeople).toMatchObject([{ counter: member.id, counterName: expect.stringMatching(/^ROLE_MEMBER/) }]);
  });

  it('are named with their value in the audit log and to webhooks', async () => {
    const tenant = await tagged();
    const { id } = await fixture.budget(tenant, { each: 'tag:user' });
    await spend(tenant, id, { ann: 3 * dollar });
    const window = { window: windowOf('day', Date.now()), amount: 5 * dollar, spent: 3 * dollar };
    const counter = { budgetId: counterOf(id, 'ann'), organizationId: tenant.id };
    await fixture.store.ledger((tx) => noteThresholds(tx, [{ ...counter, ...window }]));
    while ((await sendAlerts(fixture.store)) > 0);
    const [event] = await fixture.trail(tenant, id);
    expect(event).toMatchObject({ action: 'Budgets.ReachThreshold', targetId: id });
    expect(JSON.stringify(event)).toContain('\\"counter\\":\\"ann\\"');
  });
});
