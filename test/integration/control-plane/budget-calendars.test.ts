// Budgets whose windows are hours and quarters, or begin by the clocks of a time zone, over both databases.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type BudgetCalendar, windowEnd, windowOf } from '../../../common/budget-window.ts';
import { hashCredential } from '../../../common/credential.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { createKey, type JsonResponse, type TestTenant, violated } from '../../support/operators.ts';
import { usageEvent } from '../../support/usage-events.ts';

const dollar = 1_000_000_000;
const kolkata = { timeZone: 'Asia/Kolkata', hour: 6, weekday: 1, dayOfMonth: 1, month: 1 } as const;

const calendars: readonly (readonly [fields: object, calendar: BudgetCalendar])[] = [
  [{ period: 'BUDGET_PERIOD_HOUR' }, 'hour'],
  [{ period: 'BUDGET_PERIOD_QUARTER' }, 'quarter'],
  [
    { timeZone: 'Asia/Kolkata', startsOn: { hour: 6 } },
    { period: 'day', ...kolkata },
  ],
  [
    { period: 'BUDGET_PERIOD_QUARTER', startsOn: { month: 2, dayOfMonth: 5 } },
    {
      ...{ period: 'quarter', ...kolkata },
      ...{ timeZone: 'UTC', hour: 0, month: 2, dayOfMonth: 5 },
    },
  ],
];

describeBudgets('calendars of budgets', (fixture) => {
  const ledger = () => new LedgerFixture(fixture.store);
  const spendAt = async (tenant: TestTenant, at: number) => {
    const day = new Date(at).toISOString().slice(0, 10);
    await ledger().report([
      { row: usageEvent({ id: randomUUID(), day, at, organization_id: tenant.id, cost: dollar }) },
    ]);
  };
  const acquire = async (budgetId: string, window: string) => {
    const session = await ledger().session();
    return (await ledger().acquire({ session, budgetId, window, seq: 1, need: dollar, want: dollar })).outcome;
  };

  it.each(calendars)('of %j have windows of their own', async (fields, calendar) => {
    const tenant = await fixture.tenant();
    const { id } = await fixture.budget(tenant, fields);
    const now = Date.now();
    const [window, endsAt = 0] = [windowOf(calendar, now), windowEnd(calendar, now)];
    await spendAt(tenant, now);
    await spendAt(tenant, endsAt - 1);
    await spendAt(tenant, endsAt);
    expect(await acquire(id, window)).toBe('granted');
    expect(await acquire(id, windowOf('month', now))).toBe('window');
    const shown = await fixture.windows(tenant, { limitId: id, includePast: true, forecast: true });
    expect(shown).toMatchObject([
      { window: windowOf(calendar, endsAt), spentUsd: '1' },
      { window, endsAt: new Date(endsAt).toISOString(), spentUsd: '2', leasedUsd: '1', freeUsd: '2' },
    ]);
    const subject = limitSubject('ORGANIZATION', tenant.id);
    const explained = await fixture.as(tenant, 'Budgets.Explain', { organizationId: tenant.id, subject });
    expect(explained.budgets).toMatchObject([{ window: { window }, leftUsd: '3' }]);
    expect(await fixture.as(tenant, 'Budgets.Reset', { limitId: id, reason: 'a test' })).toMatchObject({ window });
    expect(await fixture.as(tenant, 'Limits.Update', { id, amountUsd: '6', ...fields })).toMatchObject({
      amountUsd: '6',
    });
    await fixture.as(tenant, 'Limits.Delete', { id });
    expect(await acquire(id, window)).toBe('deleted');
  });

  it('are in records so that proxies of an older version refuse what they do not know', async () => {
    const tenant = await fixture.tenant();
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id };
    const { value } = await createKey(fixture.plane, tenant, { scope });
    for (const [fields] of calendars) await fixture.budget(tenant, fields);
    await fixture.budget(tenant, { timeZone: 'UTC', startsOn: {} });
    const proxy = (await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, { name: randomUUID() }))
      .value;
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    const { organization } = await fixture.plane.expect('Access.Resolve', proxy, { keyHash });
    const startsOn = { hour: 6, weekday: 1, dayOfMonth: 1, month: 1 };
    expect(
      organization.limits.map(({ period, windows }: JsonResponse) => [period, windows?.timeZone, windows?.period]),
    ).toEqual([
      ['BUDGET_PERIOD_HOUR', undefined, undefined],
      ['BUDGET_PERIOD_QUARTER', undefined, undefined],
      ['BUDGET_PERIOD_UNSPECIFIED', 'Asia/Kolkata', 'BUDGET_PERIOD_DAY'],
      ['BUDGET_PERIOD_UNSPECIFIED', 'UTC', 'BUDGET_PERIOD_QUARTER'],
      ['BUDGET_PERIOD_DAY', undefined, undefined],
    ]);
    expect(organization.limits[2].windows.startsOn).toMatchObject(startsOn);
    const { limits } = await fixture.as(tenant, 'Limits.List', { organizationId: tenant.id });
    expect(limits[2]).toMatchObject({ period: 'BUDGET_PERIOD_DAY', timeZone: 'Asia/Kolkata', startsOn });
  });

  it.each([
    [{ timeZone: 'Europe/Nowhere' }, ['time_zone']],
    [{ period: 'BUDGET_PERIOD_HOUR', timeZone: 'Europe/Berlin' }, ['time_zone']],
    [{ period: 'BUDGET_PERIOD_TOTAL', startsOn: { hour: 1 } }, ['starts_on.hour']],
    [{ startsOn: { hour: 24, weekday: 2 } }, ['starts_on.hour', 'starts_on.weekday']],
    [
      { period: 'BUDGET_PERIOD_WEEK', startsOn: { weekday: 8, dayOfMonth: 2 } },
      ['starts_on.weekday', 'starts_on.day_of_month'],
    ],
    [
      { period: 'BUDGET_PERIOD_MONTH', startsOn: { dayOfMonth: 29, month: 2 } },
      ['starts_on.day_of_month', 'starts_on.month'],
    ],
  ])('%j is refused', async (fields, wrong) => {
    expect(await violated(fixture.ask(fixture.acme, fields))).toEqual(wrong);
  });

  it('never change', async () => {
    const { id } = await fixture.budget(fixture.acme, { timeZone: 'Europe/Berlin', startsOn: { hour: 6 } });
    const update = (fields: object) =>
      violated(fixture.plane.call('Limits.Update', fixture.acme.owner.token, { id, ...fields }));
    expect(await update({ timeZone: 'UTC' })).toEqual(['time_zone']);
    expect(await update({ startsOn: { hour: 7 } })).toEqual(['starts_on']);
    const { id: plain } = await fixture.budget(fixture.acme);
    const changed = { id: plain, timeZone: 'Europe/Berlin' };
    expect(await violated(fixture.plane.call('Limits.Update', fixture.acme.owner.token, changed))).toEqual([
      'time_zone',
    ]);
  });
});
