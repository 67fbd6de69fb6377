// What finance may set of a budget: soft ones, thresholds, raises that end, and resets; over both databases.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { windowEnd, windowOf } from '../../../common/budget-window.ts';
import { hashCredential } from '../../../common/credential.ts';
import { recordAdjustment } from '../../../control-plane/ledger/adjustments.ts';
import { readAdjusted } from '../../../control-plane/ledger/reset-window.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { createKey, type JsonResponse, type TestTenant, violated } from '../../support/operators.ts';
import { usageEvent } from '../../support/usage-events.ts';

const dollar = 1_000_000_000;
const dayMs = 86_400_000;

describeBudgets('the terms of budgets', (fixture) => {
  const ledgerOf = () => new LedgerFixture(fixture.store);
  const spend = async (tenant: TestTenant, usd: number, at = Date.now()) => {
    const day = new Date(at).toISOString().slice(0, 10);
    const row = usageEvent({ id: randomUUID(), day, at, organization_id: tenant.id, cost: usd * dollar });
    return await ledgerOf().report([{ row }]);
  };
  const acquire = async (budgetId: string, usd: number, window = 'total') => {
    const session = await ledgerOf().session();
    const amount = usd * dollar;
    const { outcome } = await ledgerOf().acquire({ session, budgetId, window, seq: 1, need: amount, want: amount });
    return outcome;
  };
  const total = (tenant: TestTenant, fields: object = {}) =>
    fixture.budget(tenant, { period: 'BUDGET_PERIOD_TOTAL', ...fields });
  const percentsOf = async (limitId: string) =>
    await fixture.store.snapshot(async (db) => {
      const rows = await db
        .selectFrom('budget_notices')
        .select(['percent', 'about'])
        .where('budget_id', '=', limitId)
        .orderBy('noted_at')
        .orderBy('percent')
        .execute();
      return rows.map(({ percent }) => percent);
    });
  const refusedFields = (method: string, request: object) =>
    violated(fixture.plane.call(method, fixture.acme.owner.token, request));

  describe('soft', () => {
    it('count and notify beyond their amount, are in no record, and refuse nothing', async () => {
      const tenant = await fixture.tenant();
      const made = await createKey(fixture.plane, tenant, {
        scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id },
      });
      const { id, soft } = await total(tenant, { soft: true, thresholds: { percents: [100, 50, 120] } });
      const hard = await total(tenant, { amountUsd: '100' });
      expect(soft).toBe(true);
      expect((await spend(tenant, 7)).over).toBe(0);
      expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([
        { soft: true, spentUsd: '7', freeUsd: '-2' },
      ]);
      expect(await percentsOf(id)).toEqual([50, 100, 120]);
      const proxy = (await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, { name: randomUUID() }))
        .value;
      const keyHash = Buffer.from(hashCredential(made.value), 'hex');
      const records = await fixture.plane.expect('Access.Resolve', proxy, { keyHash });
      expect(JSON.stringify(records)).toContain(hard.id);
      expect(JSON.stringify(records)).not.toContain(id);
    });

    it('become hard, with what they have spent, and soft again', async () => {
      const tenant = await fixture.tenant();
      const { id } = await total(tenant, { soft: true });
      await spend(tenant, 4);
      expect(await fixture.as(tenant, 'Limits.Update', { id, soft: false })).not.toHaveProperty('soft', true);
      expect(await acquire(id, 2)).toBe('exceeded');
      expect(await acquire(id, 1)).toBe('granted');
      expect(await fixture.as(tenant, 'Limits.Update', { id, soft: true })).toMatchObject({ soft: true });
    });

    it('are explained last, and never as the tightest', async () => {
      const tenant = await fixture.tenant();
      const { id: soft } = await total(tenant, { soft: true, amountUsd: '1' });
      const { id: hard } = await total(tenant, { amountUsd: '100' });
      const subject = limitSubject('ORGANIZATION', tenant.id);
      const { budgets } = await fixture.as(tenant, 'Budgets.Explain', { organizationId: tenant.id, subject });
      expect(budgets.map(({ limit, tightest }: JsonResponse) => [limit.id, tightest])).toEqual([
        [hard, true],
        [soft, false],
      ]);
    });
  });

  describe('thresholds', () => {
    it('are those of the budget, and new ones are reported at once', async () => {
      const tenant = await fixture.tenant();
      const { id, thresholds } = await total(tenant, { thresholds: { percents: [90, 25, 25] } });
      expect(thresholds.percents).toEqual([25, 90]);
      await spend(tenant, 3);
      expect(await percentsOf(id)).toEqual([25]);
      await fixture.as(tenant, 'Limits.Update', { id, thresholds: { percents: [60] } });
      expect(await percentsOf(id)).toEqual([25, 60]);
      await fixture.as(tenant, 'Limits.Update', { id, thresholds: { percents: [] } });
      await spend(tenant, 2);
      expect(await percentsOf(id)).toEqual([25, 60]);
    });
  });

  it.each([
    [{ soft: true, model: 'shadow/fast' }, ['soft']],
    [{ thresholds: { percents: [0, 50, 1001] } }, ['thresholds.percents[0]', 'thresholds.percents[2]']],
    [{ thresholds: { percents: Array.from({ length: 11 }, (_, nth) => nth + 1) } }, ['thresholds.percents']],
    [
      { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '1', amountUsd: undefined, period: undefined, soft: true },
      ['soft'],
    ],
  ])('of %j are refused', async (fields, wrong) => {
    expect(await violated(fixture.ask(fixture.acme, fields))).toEqual(wrong);
  });

  describe('raises', () => {
    it('add to the amount of the current window until it ends', async () => {
      const tenant = await fixture.tenant();
      const { id } = await fixture.budget(tenant);
      await spend(tenant, 5);
      const now = Date.now();
      const window = windowOf('day', now);
      expect(await acquire(id, 2, window)).toBe('exceeded');
      const raised = await fixture.as(tenant, 'Limits.Raise', { id, amountUsd: '3', reason: 'launch' });
      const endsAt = new Date(windowEnd('day', now) ?? 0).toISOString();
      expect(raised).toMatchObject({ amountUsd: '5', raises: [{ amountUsd: '3', endsAt, reason: 'launch' }] });
      expect(await acquire(id, 2, window)).toBe('granted');
      expect(await acquire(id, 2, window)).toBe('busy');
      expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([
        { amountUsd: '8', raisedUsd: '3', freeUsd: '1' },
      ]);
      const [event] = (await fixture.trail(tenant, id)).filter(({ action }) => action === 'Limits.Raise');
      expect(JSON.parse(event?.after ?? '{}')).toMatchObject({ raises: [{ amountUsd: '3', reason: 'launch' }] });
      // 100 percent of $5 and 50 of $8; the refusal has none.
      expect((await percentsOf(id)).map(Number).toSorted((a, b) => a - b)).toEqual([0, 50, 50, 80, 100]);
    });

    it('end early, and by the time that they name', async () => {
      const tenant = await fixture.tenant();
      const { id } = await total(tenant);
      const endsAt = new Date(Date.now() + 1_500).toISOString();
      await fixture.as(tenant, 'Limits.Raise', { id, amountUsd: '10', endsAt });
      const longer = new Date(Date.now() + dayMs).toISOString();
      const { raises } = await fixture.as(tenant, 'Limits.Raise', { id, amountUsd: '20', endsAt: longer });
      const amountNow = async () => (await fixture.windows(tenant, { limitId: id }))[0]?.amountUsd;
      expect(await amountNow()).toBe('35');
      expect((await fixture.as(tenant, 'Limits.EndRaise', { id, raiseId: raises[1].id })).raises).toHaveLength(1);
      await expect.poll(amountNow, { timeout: 5_000 }).toBe('5');
      expect(await acquire(id, 6)).toBe('exceeded');
      expect((await fixture.as(tenant, 'Limits.Get', { id })).raises).toEqual([]);
    });

    it('are refused without an end, in the past, too far ahead, too large, and of what is no budget', async () => {
      const { id } = await total(fixture.acme);
      const ahead = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
      const raise = (fields: object) => refusedFields('Limits.Raise', { id, amountUsd: '1', ...fields });
      expect(await raise({})).toEqual(['ends_at']);
      expect(await raise({ endsAt: ahead(-1) })).toEqual(['ends_at']);
      expect(await raise({ endsAt: ahead(367) })).toEqual(['ends_at']);
      expect(await raise({ endsAt: ahead(1), amountUsd: '8999999' })).toEqual(['amount_usd']);
      const rate = { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '1', amountUsd: undefined, period: undefined };
      const { id: noBudget } = await fixture.budget(fixture.acme, rate);
      expect(await raise({ id: noBudget, endsAt: ahead(1) })).toEqual(['id']);
    });
  });

  describe('resets', () => {
    it('let the spent money count from zero, with an adjustment, and keep recorded usage', async () => {
      const tenant = await fixture.tenant();
      const { id } = await total(tenant);
      await spend(tenant, 5);
      expect(await acquire(id, 1)).toBe('exceeded');
      const reset = await fixture.as(tenant, 'Budgets.Reset', { limitId: id, reason: ' a test ran away ' });
      expect(reset).toMatchObject({ limitId: id, spentUsd: '0', freeUsd: '5' });
      const adjusted = () => fixture.store.snapshot((db) => readAdjusted(db, { budget: { id }, window: 'total' }));
      expect(await adjusted()).toBe(-5 * dollar);
      await spend(tenant, 3);
      expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([{ spentUsd: '3' }]);
      const { totals } = await fixture.as(tenant, 'Usage.Totals', { organizationId: tenant.id });
      expect(totals).toMatchObject([{ costUsd: '8' }]);
      expect(await acquire(id, 2)).toBe('granted');
      const [event] = (await fixture.trail(tenant, id)).filter(({ action }) => action === 'Budgets.Reset');
      expect(JSON.parse(event?.before ?? '{}')).toMatchObject({ spentUsd: '5' });
      expect(JSON.parse(event?.after ?? '{}')).toMatchObject({ spentUsd: '0', reason: 'a test ran away' });
    });

    it('take less away when usage from before is corrected, so that usage and adjustments are what is spent', async () => {
      const tenant = await fixture.tenant();
      const { id } = await fixture.budget(tenant);
      const at = Math.floor(Date.now() / dayMs) * dayMs;
      await spend(tenant, 5);
      await fixture.as(tenant, 'Budgets.Reset', { limitId: id, reason: 'mid-day' });
      await spend(tenant, 1);
      const correct = (usd: number) =>
        fixture.store.ledger((tx) =>
          recordAdjustment(tx, {
            ...{ organizationId: tenant.id, subjectId: tenant.id, keyId: '', aiSystemId: '', personId: '' },
            ...{ model: usageEvent().model_asked, at, amount: usd * dollar },
          }),
        );
      await correct(-3);
      expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([{ spentUsd: '0' }]);
      const window = windowOf('day', at);
      expect(await fixture.store.snapshot((db) => readAdjusted(db, { budget: { id }, window }))).toBe(-3 * dollar);
      await expect(correct(-4)).rejects.toThrow('more back');
      await correct(2);
      expect(await fixture.windows(tenant, { limitId: id })).toMatchObject([{ spentUsd: '2' }]);
    });

    it('make thresholds count again', async () => {
      const tenant = await fixture.tenant();
      const { id } = await total(tenant, { thresholds: { percents: [50] } });
      await spend(tenant, 3);
      await fixture.as(tenant, 'Budgets.Reset', { limitId: id, reason: 'twice' });
      await spend(tenant, 3);
      expect(await percentsOf(id)).toEqual([50, 50]);
    });

    it('change nothing where nothing is spent, and are refused without a reason and for deleted budgets', async () => {
      const tenant = await fixture.tenant();
      const { id } = await fixture.budget(tenant);
      expect(await fixture.as(tenant, 'Budgets.Reset', { limitId: id, reason: 'none' })).toMatchObject({
        spentUsd: '0',
      });
      expect((await fixture.trail(tenant, id)).map(({ action }) => action)).not.toContain('Budgets.Reset');
      const call = (request: object) => fixture.plane.call('Budgets.Reset', tenant.owner.token, request);
      expect(await violated(call({ limitId: id, reason: ' ' }))).toEqual(['reason']);
      await fixture.as(tenant, 'Limits.Delete', { id });
      expect((await call({ limitId: id, reason: 'gone' })).code).toBe('NOT_FOUND');
    });
  });
});
