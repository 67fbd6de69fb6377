// What budgets will have spent at the end of their windows, from sums of usage by hour, over both databases.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { windowEnd, windowOf, windowStart } from '../../../common/budget-window.ts';
import { hourMs } from '../../../common/durations.ts';
import { type ForecastQuestion, forecastWindows } from '../../../control-plane/services/budget-forecast.ts';
import { forecastByOwnWindows, type OwnForecastQuestion } from '../../../control-plane/services/budget-own-forecast.ts';
import { addToHours, emptyRow } from '../../../control-plane/usage/hours.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { writeLedger } from '../../support/ledger-state.ts';
import type { TestTenant } from '../../support/operators.ts';
import { usageEvent } from '../../support/usage-events.ts';

const dollar = 1_000_000_000;
const dayMs = 24 * hourMs;
/** A quarter past three on a Friday. */
const now = Date.parse('2026-11-20T15:15:00Z');
const gpt = 'gpt-provider/gpt-4o';

interface Used {
  readonly at: number;
  readonly usd: number;
  readonly model?: string;
  readonly keyId?: string;
}

describeBudgets('forecasts of budgets', (fixture) => {
  const use = (tenant: TestTenant, used: readonly Used[]) =>
    fixture.store.ledger((tx) =>
      addToHours(
        tx,
        used.map(({ at, usd, model = gpt, keyId = 'key' }) => ({
          ...emptyRow(
            {
              ...{ organization_id: tenant.id, key_id: keyId, ai_system_id: 'system', person_id: null },
              ...{ project_key_id: null, project_ai_system_id: null, project_person_id: null },
              ...{ model_asked: model, shadow: 0 },
            },
            Math.floor(at / hourMs) * hourMs,
          ),
          cost: usd * dollar,
        })),
      ),
    );

  const forecastOf = async (tenant: TestTenant, fields: Partial<ForecastQuestion> = {}) => {
    const { period = 'day', subjectKind = 'organization' as const } = fields;
    const endsAt = windowEnd(period, now) ?? 0;
    const rest = { model: null, spent: 5 * dollar, period, endsAt };
    const question = { id: 'budget', subjectId: tenant.id, ...rest, ...fields, subjectKind };
    const forecasts = await fixture.store.snapshot((db) =>
      forecastWindows({ db, organizationId: tenant.id, now }, [question]),
    );
    const forecast = forecasts.get('budget');
    return forecast && [forecast.spent / dollar, forecast.basis];
  };

  /** One dollar in each hour of the two weeks before, the present hour included. */
  const everyHour = (from = now - 14 * dayMs) => {
    const used: Used[] = [];
    for (let at = from; at <= now; at += hourMs) used.push({ at, usd: 1 });
    return used;
  };

  it('of a day add the usage of the same hours of the day before', async () => {
    const tenant = await fixture.tenant();
    await use(tenant, [
      // Before and after the hours that are still ahead, and the hour that is a quarter over.
      { at: now - dayMs - hourMs, usd: 100 },
      { at: now - dayMs, usd: 4 },
      { at: now - dayMs + hourMs, usd: 2 },
      { at: Date.parse('2026-11-19T23:30:00Z'), usd: 3 },
      { at: Date.parse('2026-11-20T00:30:00Z'), usd: 50 },
    ]);
    expect(await forecastOf(tenant)).toEqual([5 + 3 + 2 + 3, 'last_day']);
  });

  it('of a week and a month repeat the week before', async () => {
    const tenant = await fixture.tenant();
    await use(tenant, everyHour());
    const hoursLeft = (until: string) => (Date.parse(until) - now) / hourMs;
    expect(await forecastOf(tenant, { period: 'week' })).toEqual([5 + hoursLeft('2026-11-23T00:00:00Z'), 'last_week']);
    expect(await forecastOf(tenant, { period: 'month' })).toEqual([5 + hoursLeft('2026-12-01T00:00:00Z'), 'last_week']);
  });

  it('count what the budget counts: its subject and its models', async () => {
    const tenant = await fixture.tenant();
    const at = now - dayMs + hourMs;
    await use(tenant, [
      { at: at - dayMs, usd: 1 },
      { at, usd: 1 },
      { at: at - dayMs, usd: 1, model: 'assistant-provider/claude-haiku-4-5' },
      { at, usd: 2, model: 'assistant-provider/claude-haiku-4-5' },
      { at, usd: 4, keyId: 'other' },
      { at, usd: 8, model: `shadow/${gpt}` },
    ]);
    const spentOf = async (fields: Partial<ForecastQuestion>) => (await forecastOf(tenant, fields))?.[0];
    expect(await spentOf({})).toBe(5 + 7);
    expect(await spentOf({ subjectId: 'key' })).toBe(5 + 3);
    expect(await spentOf({ subjectId: 'system' })).toBe(5 + 7);
    expect(await spentOf({ model: 'assistant-provider/*' })).toBe(5 + 2);
    expect(await spentOf({ subjectId: 'nobody' })).toBe(5);
    for (const model of ['shadow/fast', 'route/fast']) expect(await forecastOf(tenant, { model })).toBeUndefined();
  });

  it('of a subject without older usage are by the mean since its first', async () => {
    const tenant = await fixture.tenant();
    const first = now - 2 * hourMs;
    await use(tenant, everyHour(first));
    const sinceHours = (now - Math.floor(first / hourMs) * hourMs) / hourMs;
    const [spent, basis] = (await forecastOf(tenant)) ?? [];
    expect(basis).toBe('mean');
    expect(spent).toBeCloseTo(5 + (3 / sinceHours) * 8.75, 6);
  });

  it('are in lists of windows that request them, for current windows with an end', async () => {
    const tenant = await fixture.tenant();
    const { id: day } = await fixture.budget(tenant);
    const { id: total } = await fixture.budget(tenant, { period: 'BUDGET_PERIOD_TOTAL' });
    const shown = await fixture.windows(tenant, { forecast: true, includePast: true });
    expect(shown.map((one) => [one.limitId, one.forecastUsd, one.forecastBasis])).toEqual([
      [total, undefined, undefined],
      [day, '0', 'BUDGET_FORECAST_BASIS_LAST_DAY'],
    ]);
    expect((await fixture.windows(tenant)).map(({ forecastUsd }) => forecastUsd)).toEqual([undefined, undefined]);
    const key = await fixture.key(tenant, 'PERSON', tenant.member.id);
    await fixture.budget(tenant, { subject: limitSubject('VIRTUAL_KEY', key) });
    const own = await fixture.windows(tenant, { forecast: true }, tenant.member);
    expect(own.filter(({ forecastUsd }) => forecastUsd === '0')).toHaveLength(2);
  });

  it('of budgets without sums by hour continue their own rate: over their last window, or since they count', async () => {
    const tenant = await fixture.tenant();
    const ofWindows = async (fields: Partial<OwnForecastQuestion>, spentBefore?: number) => {
      const ledgerId = randomUUID();
      const { calendar = 'day', window = windowOf(calendar, now) } = fields;
      const before = windowOf(calendar, (windowStart(window) ?? 0) - 1);
      if (spentBefore !== undefined)
        await writeLedger(fixture.database, {
          ...{ organizationId: tenant.id, budgetId: ledgerId, window: before, spent: spentBefore * dollar },
        });
      const question = { ledgerId, calendar, window, spent: 5 * dollar, since: 0, ...fields };
      const forecasts = await fixture.store.snapshot((db) => forecastByOwnWindows({ db, now }, [question]));
      const forecast = forecasts.get(ledgerId);
      return forecast && [forecast.spent / dollar, forecast.basis];
    };
    // 15.25 hours are over, 8.75 are ahead, and of the day before 8.75 of 24 hours count.
    const [spent, basis] = (await ofWindows({}, 24)) ?? [];
    expect(basis).toBe('windows');
    expect(spent).toBeCloseTo(5 + ((5 + 8.75) * 8.75) / 24, 6);
    expect((await ofWindows({}))?.[0]).toBeCloseTo(5 + (5 * 8.75) / 24, 6);
    // Of a value, a window that is gone says nothing.
    expect((await ofWindows({ forgets: true }))?.[0]).toBeCloseTo(5 + (5 * 8.75) / 15.25, 6);
    expect((await ofWindows({ since: now - 5 * hourMs }))?.[0]).toBeCloseTo(5 + 8.75, 6);
    // Created in the window before: what it spent there, it spent in less time.
    const since = now - 16.25 * hourMs;
    expect((await ofWindows({ since }, 1))?.[0]).toBeCloseTo(5 + (6 * 8.75) / 16.25, 6);
    expect((await ofWindows({ since: now - 1 }))?.[0]).toBeCloseTo(5 + 5 * 8.75, 6);
    // Of October's 31 days those count that are less than 31 days ago.
    const over = 19 + 15.25 / 24;
    const month = await ofWindows({ calendar: 'month' }, 100);
    expect(month?.[0]).toBeCloseTo(5 + ((5 + (100 * (31 - over)) / 31) * (30 - over)) / 31, 6);
    expect(await ofWindows({ calendar: 'total' })).toBeUndefined();
  });

  it('are made for every budget with windows: of a tag, of each value and each of them, of a part of the traffic, of a route', async () => {
    const tenant = await fixture.tenant();
    await fixture.as(tenant, 'Organizations.UpdateSettings', {
      id: tenant.id,
      settings: { tags: { names: { names: ['user'] } } },
    });
    const tag = await fixture.budget(tenant, { tag: { name: 'user', value: 'ann' } });
    const each = await fixture.budget(tenant, { each: 'tag:user' });
    const direct = await fixture.budget(tenant, { traffic: 'LIMIT_TRAFFIC_DIRECT' });
    const route = await fixture.budget(tenant, { model: 'route/fast', allowUnmatched: true });
    const ledger = new LedgerFixture(fixture.store);
    const event = (user: string, cost: number) => ({
      row: {
        ...usageEvent({ organization_id: tenant.id, session_id: '', cost: cost * dollar, direct_key: 1 }),
        tags: { user },
      },
    });
    await ledger.report([event('ann', 1), event('bob', 2)]);
    const shown = await fixture.windows(tenant, { forecast: true });
    const basis = 'BUDGET_FORECAST_BASIS_WINDOWS';
    const ofBudget = (id: string) => shown.find(({ limitId }) => limitId === id);
    for (const [{ id }, spentUsd] of [
      [tag, '1'],
      [each, '2'],
      [direct, '3'],
      [route, '0'],
    ] as const) {
      expect(ofBudget(id)).toMatchObject({ spentUsd, forecastBasis: basis });
      expect(Number(ofBudget(id)?.forecastUsd)).toBeGreaterThanOrEqual(Number(spentUsd));
    }
    const values = await fixture.windows(tenant, { forecast: true, limitId: each.id });
    expect(values.map(({ counter, forecastBasis }) => [counter, forecastBasis])).toEqual([
      ['bob', basis],
      ['ann', basis],
    ]);
    const explain = { organizationId: tenant.id, subject: limitSubject('ORGANIZATION', tenant.id), forecast: true };
    const { budgets } = await fixture.as(tenant, 'Budgets.Explain', explain);
    expect(budgets).toHaveLength(4);
    for (const { window } of budgets) expect(window.forecastUsd).toBeDefined();
  });
});
