// Budgets of those who pay, provider keys and the platform, and limits for a part of the traffic, through the real server
// and in its ledger: who may create and see which, what records say to proxies, what counts, and that another
// organization's key is nobody's.
import { describe, expect, it } from 'vitest';
import { windowEnd, windowOf } from '../../../common/budget-window.ts';
import { hourMs } from '../../../common/durations.ts';
import { forecastWindows } from '../../../control-plane/services/budget-forecast.ts';
import { type BudgetFixture, describeBudgets, limitSubject, testBudget } from '../../support/budget-fixture.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { createPerson, type TestTenant, violated } from '../../support/operators.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';
import { anyProxy } from '../../support/watching.ts';

const dollar = 1_000_000_000;
const platformKind = 'LIMIT_SUBJECT_KIND_PLATFORM';

describeBudgets('budgets', (fixture) => {
  describe('of provider keys', () => ofProviderKeys(fixture));
  describe('of the platform', () => ofPlatform(fixture));
});

function ofProviderKeys(fixture: BudgetFixture): void {
  async function keyed() {
    const tenant = await fixture.tenant();
    const key = { organizationId: tenant.id, provider: 'gpt-provider', secret: { apiKey: 'sk-main-0123456789' } };
    const { id } = await fixture.as(tenant, 'ProviderKeys.Create', { ...key, name: 'main' });
    return { tenant, id: String(id), subject: limitSubject('PROVIDER_KEY', String(id)) };
  }

  const event = (tenant: TestTenant, fields: Parameters<typeof usageEvent>[0]) =>
    usageEvent({ organization_id: tenant.id, session_id: '', cost: dollar, ...fields });

  it('are created, listed by name, in the record of the organization, and end with the key', async () => {
    const { tenant, id, subject } = await keyed();
    const budget = await fixture.budget(tenant, { subject, amountUsd: '2000', period: 'BUDGET_PERIOD_MONTH' });
    expect(await fixture.as(tenant, 'Limits.List', { organizationId: tenant.id, subject })).toMatchObject({
      limits: [{ id: budget.id, subject, subjectName: 'main' }],
    });
    expect(await fixture.windows(tenant)).toMatchObject([
      { limitId: budget.id, limitName: 'budget of $2000 a month of the provider key main' },
    ]);
    const soft = await fixture.budget(tenant, { subject, soft: true });
    expect((await fixture.records(tenant)).organization?.limits).toMatchObject([
      { kind: 'LIMIT_KIND_UNSPECIFIED', counting: { kind: 'LIMIT_KIND_BUDGET', providerKeyId: id } },
    ]);
    const member = await createPerson(fixture.plane, tenant, 'ROLE_MEMBER');
    expect(await fixture.windows(tenant, {}, member)).toEqual([]);
    const explained = { organizationId: tenant.id, subject };
    expect(await fixture.plane.call('Budgets.Explain', member.token, explained)).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await fixture.as(tenant, 'Budgets.Explain', explained)).toMatchObject({
      budgets: [{ limit: { id: budget.id } }, { limit: { id: soft.id } }],
    });
    await fixture.as(tenant, 'ProviderKeys.Delete', { id });
    expect(await fixture.windows(tenant)).toEqual([]);
  });

  it('are budgets alone, of an own key, for what is sent with it', async () => {
    const { tenant, subject } = await keyed();
    const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '5', amountUsd: undefined, period: undefined };
    expect(await violated(fixture.ask(tenant, { subject, ...rate }))).toEqual(['kind']);
    expect(await violated(fixture.ask(tenant, { subject, model: 'shadow/fast' }))).toEqual(['model']);
    expect(await violated(fixture.ask(tenant, { subject, traffic: 'LIMIT_TRAFFIC_DIRECT' }))).toEqual(['traffic']);
    const { subject: others } = await keyed();
    expect(await violated(fixture.ask(tenant, { subject: others }))).toEqual(['subject.id']);
    const explain = { organizationId: tenant.id, subject: others };
    expect(await violated(fixture.plane.call('Budgets.Explain', tenant.owner.token, explain))).toEqual(['subject.id']);
    const listed = await fixture.as(tenant, 'Limits.List', { organizationId: tenant.id, subject: others });
    expect(listed).toMatchObject({ limits: [] });
  });

  it('of another organization are not found by any method', async () => {
    const { tenant, id, subject } = await keyed();
    const { id: limitId } = await fixture.budget(tenant, { subject });
    const { tenant: hostile, id: own } = await keyed();
    const call = (method: string, request: object) => fixture.plane.call(method, hostile.owner.token, request);
    const calls = [
      ['Limits.Get', { id: limitId }],
      ['Limits.Update', { id: limitId, amountUsd: '9' }],
      ['Limits.Raise', { id: limitId, amountUsd: '9' }],
      ['Limits.Delete', { id: limitId }],
      ['Budgets.Reset', { limitId, reason: 'mine' }],
    ] as const;
    for (const [method, request] of calls)
      expect(await call(method, request), method).toMatchObject({ code: 'NOT_FOUND' });
    const asTheirs = { organizationId: tenant.id, subject };
    for (const method of ['Limits.List', 'Budgets.Explain', 'Budgets.ListWindows'])
      expect(await call(method, asTheirs), method).toMatchObject({ code: 'NOT_FOUND' });
    // Usage of another organization that names the key does not count, nor does the key of another one.
    const ledger = new LedgerFixture(fixture.store);
    await ledger.report([
      { row: event(hostile, { provider_key_id: id }) },
      { row: event(tenant, { provider_key_id: own }) },
    ]);
    expect(await fixture.windows(tenant)).toMatchObject([{ limitId, spentUsd: '0' }]);
  });

  it('count what is sent with the key, copies too, and also what was before they were created', async () => {
    const { tenant, id, subject } = await keyed();
    const now = Date.now();
    const earlier = now - hourMs > Date.parse(windowOf('day', now)) ? now - hourMs : now;
    const { period, ...month } = { period: 'BUDGET_PERIOD_MONTH', amountUsd: '100' };
    await recordEvents(fixture.store, [
      event(tenant, { at: earlier, provider_key_id: id }),
      event(tenant, { at: earlier, provider_key_id: id, model_asked: 'gpt-provider/gpt-4o-mini', shadow: 1 }),
      event(tenant, { at: earlier }),
    ]);
    const all = await fixture.budget(tenant, { subject, period, ...month });
    const one = await fixture.budget(tenant, { subject, period, ...month, model: 'gpt-provider/gpt-4o' });
    const ledger = new LedgerFixture(fixture.store);
    await ledger.report([
      { row: event(tenant, { provider_key_id: id }) },
      { row: event(tenant, { provider_key_id: id, shadow: 1 }) },
      { row: event(tenant, { direct_key: 1 }) },
    ]);
    const spent = new Map((await fixture.windows(tenant)).map(({ limitId, spentUsd }) => [limitId, spentUsd]));
    expect([spent.get(all.id), spent.get(one.id)]).toEqual(['4', '3']);
    const question = {
      ...{ id: 'budget', subjectKind: 'provider_key' as const, subjectId: id, model: null, spent: 4 * dollar },
      ...{ period: 'day' as const, endsAt: windowEnd('day', now) ?? 0 },
    };
    const forecasts = await fixture.store.snapshot((db) =>
      forecastWindows({ db, organizationId: tenant.id, now }, [question]),
    );
    expect(forecasts.get('budget')).toMatchObject({ basis: 'mean' });
    expect(forecasts.get('budget')?.spent).toBeGreaterThan(4 * dollar);
  });

  it('for a part of the traffic count that part from their creation on', async () => {
    const tenant = await fixture.tenant();
    await recordEvents(fixture.store, [event(tenant, { at: Date.now() - 1 })]);
    const [stored, direct, all] = [
      await fixture.budget(tenant, { traffic: 'LIMIT_TRAFFIC_STORED' }),
      await fixture.budget(tenant, { traffic: 'LIMIT_TRAFFIC_DIRECT' }),
      await fixture.budget(tenant, { traffic: 'LIMIT_TRAFFIC_ALL' }),
    ];
    expect([stored.traffic, direct.traffic, all.traffic]).toEqual([
      'LIMIT_TRAFFIC_STORED',
      'LIMIT_TRAFFIC_DIRECT',
      undefined,
    ]);
    const ledger = new LedgerFixture(fixture.store);
    const at = Date.now() + 1000;
    const rows = [event(tenant, { at }), event(tenant, { at, direct_key: 1 }), event(tenant, { at, direct_key: 1 })];
    await ledger.report(rows.map((row) => ({ row })));
    const windows = await fixture.windows(tenant);
    const spent = new Map(windows.map(({ limitId, spentUsd }) => [limitId, spentUsd]));
    expect([stored, direct, all].map(({ id }) => spent.get(id))).toEqual(['1', '2', '4']);
    expect(windows.find(({ limitId }) => limitId === direct.id)?.limitName).toBe(
      "budget of $5 a day for traffic with callers' own provider keys of the organization",
    );
    const same = { id: direct.id, traffic: 'LIMIT_TRAFFIC_DIRECT', amountUsd: '7' };
    expect(await fixture.as(tenant, 'Limits.Update', same)).toMatchObject({ amountUsd: '7' });
    const other = { id: direct.id, traffic: 'LIMIT_TRAFFIC_STORED' };
    expect(await violated(fixture.plane.call('Limits.Update', tenant.owner.token, other))).toEqual(['traffic']);
    const shadow = { traffic: 'LIMIT_TRAFFIC_STORED', model: 'shadow/fast', allowUnmatched: true };
    expect(await violated(fixture.ask(tenant, shadow))).toEqual(['traffic']);
  });
}

function ofPlatform(fixture: BudgetFixture): void {
  const asPlatform = (method: string, request: object) => fixture.plane.expect(method, fixture.platform.token, request);
  const create = (fields: object = {}) =>
    fixture.plane.call('Limits.Create', fixture.platform.token, { ...testBudget, ...fields });

  it('are set and seen by platform operators alone', async () => {
    const budget = await asPlatform('Limits.Create', { ...testBudget, amountUsd: '500' });
    expect(budget).toMatchObject({ organizationId: '', subject: { kind: platformKind, id: '' }, amountUsd: '500' });
    const { id } = budget;
    expect(await asPlatform('Limits.List', {})).toMatchObject({ limits: [{ id }] });
    expect(await asPlatform('Limits.Get', { id })).toMatchObject({ id });
    await asPlatform('Limits.Update', { id, amountUsd: '400', thresholds: { percents: [90] } });
    expect(await asPlatform('Limits.Raise', { id, amountUsd: '10' })).toMatchObject({ raises: [{ amountUsd: '10' }] });
    expect((await asPlatform('Budgets.ListWindows', { forecast: true })).windows).toMatchObject([
      {
        ...{ limitId: id, amountUsd: '410', limitName: 'budget of $400 a day of the platform' },
        ...{ forecastUsd: '0', forecastBasis: 'BUDGET_FORECAST_BASIS_WINDOWS' },
      },
    ]);
    const { platformRecord } = await fixture.records(fixture.acme);
    const limits = platformRecord?.limits ?? [];
    expect(limits).toMatchObject([{ id, kind: 'LIMIT_KIND_BUDGET' }]);
    expect(limits[0]).not.toHaveProperty('amountUsd');
    for (const { owner } of [fixture.acme, fixture.other]) {
      const call = (method: string, request: object) => fixture.plane.call(method, owner.token, request);
      for (const [method, request] of [
        ['Limits.Get', { id }],
        ['Limits.Update', { id, amountUsd: '1' }],
        ['Limits.Raise', { id, amountUsd: '1' }],
        ['Limits.Delete', { id }],
        ['Budgets.Reset', { limitId: id, reason: 'mine' }],
      ] as const)
        expect(await call(method, request), method).toMatchObject({ code: 'NOT_FOUND' });
      for (const method of ['Limits.List', 'Limits.Create', 'Budgets.ListWindows', 'Budgets.ListUnsettled'])
        expect(await call(method, { ...testBudget }), method).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    const listed = await fixture.as(fixture.acme, 'Limits.List', { organizationId: fixture.acme.id });
    expect(listed.limits).toEqual([]);
    await asPlatform('Limits.Delete', { id });
    expect(await asPlatform('Limits.List', {})).toMatchObject({ limits: [] });
    const trail = (await asPlatform('Audit.List', { targetId: id })).events;
    expect(trail.map(({ action }: { action: string }) => action)).toEqual([
      ...['Limits.Delete', 'Limits.Raise', 'Limits.Update', 'Limits.Create'],
    ]);
  });

  it('are budgets of the platform itself, and of no organization', async () => {
    const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '5', amountUsd: undefined, period: undefined };
    expect(await violated(create(rate))).toEqual(['kind']);
    expect(await violated(create({ each: 'key', tag: { name: 'user', value: 'ann' } }))).toEqual(['tag', 'each']);
    expect(await violated(create({ model: 'shadow/fast' }))).toEqual(['model']);
    const others = limitSubject('ORGANIZATION', fixture.acme.id);
    expect(await violated(create({ subject: others }))).toEqual(['subject.kind']);
    const asTenant = fixture.ask(fixture.acme, { subject: { kind: platformKind, id: fixture.acme.id } });
    expect(await violated(asTenant)).toEqual(['subject.kind']);
    const inTenant = fixture.plane.call('Limits.Create', fixture.platform.token, {
      ...{ ...testBudget, organizationId: fixture.acme.id, subject: others },
    });
    expect(await inTenant).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('count what all organizations spend, copies too, and grant no more than their amount', async () => {
    const { id } = await asPlatform('Limits.Create', testBudget);
    const soft = await asPlatform('Limits.Create', { ...testBudget, soft: true, model: 'gpt-provider/*' });
    const ledger = new LedgerFixture(fixture.store);
    const at = Date.now() + 1_000;
    const window = windowOf('day', at);
    const lease = { budgetId: id, window, seq: 1, need: 2 * dollar, want: 2 * dollar };
    const bound = { ...anyProxy, organizationId: fixture.acme.id };
    const sessions = [await ledger.session(), await ledger.session(bound)];
    expect(await ledger.acquire({ ...lease, session: sessions[0] ?? '' })).toMatchObject({ outcome: 'granted' });
    expect(await ledger.acquire({ ...lease, session: sessions[1] ?? '' }, bound)).toMatchObject({ outcome: 'granted' });
    const event = (organizationId: string, fields: object = {}) =>
      usageEvent({ at, organization_id: organizationId, session_id: '', cost: dollar, ...fields });
    const charges = [{ budgetId: id, window, escrow: dollar }];
    await ledger.report([
      { row: event(fixture.acme.id, { session_id: sessions[0] }), charges },
      { row: event(fixture.other.id, { shadow: 1, model_asked: 'assistant-provider/x' }) },
      { row: event(fixture.other.id, { direct_key: 1 }) },
    ]);
    expect((await asPlatform('Budgets.ListWindows', {})).windows).toMatchObject([
      { limitId: soft.id, spentUsd: '2' },
      { limitId: id, spentUsd: '3', leasedUsd: '3', freeUsd: '-1' },
    ]);
    const more = { ...lease, session: sessions[0] ?? '', seq: 2, need: dollar, want: dollar };
    expect(await ledger.acquire(more)).toMatchObject({ outcome: 'busy', reclaimOf: expect.any(String) });
    const foreign = await ledger.acquire({ ...more, session: sessions[1] ?? '' }, bound);
    expect(foreign).toMatchObject({ outcome: 'busy' });
    expect([foreign.amount, foreign.attainable]).toEqual([undefined, undefined]);
    await asPlatform('Budgets.Reset', { limitId: id, reason: 'a new contract' });
    await ledger.closeSession(sessions[0] ?? '');
    expect((await asPlatform('Budgets.ListWindows', { limitId: id })).windows).toMatchObject([
      { spentUsd: '0', leasedUsd: '2' },
    ]);
    for (const limit of [id, soft.id]) await asPlatform('Limits.Delete', { id: limit });
  });
}
