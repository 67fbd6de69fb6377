// The service Ledger as proxies call it over gRPC: authorization, refusals with the invalid field, and that operators
// of the same control plane see the effects.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { encodeReport } from '../../../proxy/control-plane/wire-report.ts';
import type { UsageEvent } from '../../../proxy/usage/ledger-client.ts';
import { type BudgetFixture, describeBudgets } from '../../support/budget-fixture.ts';
import { freshName, type JsonResponse, refusal, type TestTenant, violated } from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { usageOf } from '../../support/usage-queue.ts';

async function proxyToken(fixture: BudgetFixture, organizationId?: string): Promise<JsonResponse> {
  const request = { name: freshName('proxy'), ...(organizationId !== undefined && { organizationId }) };
  return await fixture.plane.expect('ProxyTokens.Create', fixture.platform.token, request);
}

function event(tenant: TestTenant, fields: Partial<UsageEvent> = {}): UsageEvent {
  const ids = { session: '', organizationId: tenant.id, keyId: randomUUID() };
  return usageOf({ ...ids, at: Date.now(), cost: 1_500_000_000, charges: [], ...fields });
}

describeBudgets('the ledger', (fixture) => {
  let token: string;
  beforeAll(async () => {
    token = (await proxyToken(fixture)).value;
  });
  const call = (method: string, request: object, by = token) => fixture.plane.call(`Ledger.${method}`, by, request);
  const expectOf = (method: string, request: object, by = token): Promise<JsonResponse> =>
    fixture.plane.expect(`Ledger.${method}`, by, request);
  const report = (events: readonly UsageEvent[], by = token) => call('ReportUsage', encodeReport(events), by);
  const reported = (events: readonly UsageEvent[], by = token) => expectOf('ReportUsage', encodeReport(events), by);

  it('accepts acquisitions, releases and reports, and operators see them', async () => {
    const tenant = await fixture.tenant();
    const { id: budgetId } = await fixture.budget(tenant, { amountUsd: '8' });
    const session = randomUUID();
    const { open, now } = await expectOf('KeepSession', { session });
    expect(open).toBe(true);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(10_000);
    const window = dayOf(Date.parse(now));
    const lease = { session, budgetId, window };
    const acquired = { ...lease, seq: '1', needNanoUsd: '1500000000', wantNanoUsd: '9000000000' };
    const granted = { outcome: 'DRAW_OUTCOME_GRANTED', grantedNanoUsd: '2000000000' };
    expect(await expectOf('Draw', acquired)).toMatchObject(granted);
    expect(await expectOf('Draw', acquired)).toMatchObject(granted);
    const returned = { ...lease, seq: '2', amountNanoUsd: '400000000' };
    expect(await expectOf('Return', returned)).toMatchObject({ returnedNanoUsd: '400000000' });
    const charges = [{ budgetId, window, escrow: 1_500_000_000 }];
    const used = event(tenant, { session, charges, at: Date.parse(now) });
    expect(await reported([used, used])).toMatchObject({ recorded: 1 });
    expect(await fixture.windows(tenant, { limitId: budgetId })).toMatchObject([
      { spentUsd: '1.5', leasedUsd: '0.1', unsettledUsd: '0', freeUsd: '6.4' },
    ]);
  });

  it.each([
    ['above the budget', { needNanoUsd: '8000000001', wantNanoUsd: '8000000001' }, 'DRAW_OUTCOME_EXCEEDED'],
    ['of another window', { window: '2020-01-01' }, 'DRAW_OUTCOME_WINDOW'],
    ['of an unknown budget', { budgetId: randomUUID() }, 'DRAW_OUTCOME_DELETED'],
    ['of an unknown session', { session: randomUUID() }, 'DRAW_OUTCOME_GONE'],
    ['out of sequence', { seq: '2' }, 'DRAW_OUTCOME_LOST'],
  ])('responds to an acquisition that is %s', async (_what, fields, outcome) => {
    const { id: budgetId } = await fixture.budget(await fixture.tenant(), { amountUsd: '8' });
    const session = randomUUID();
    await expectOf('KeepSession', { session });
    const lease = { session, budgetId, window: dayOf(Date.now()), seq: '1' };
    const request = { ...lease, needNanoUsd: '1', wantNanoUsd: '1', ...fields };
    expect(await expectOf('Draw', request)).toMatchObject({ outcome, grantedNanoUsd: '0' });
  });

  it('serves proxies only', async () => {
    const session = { session: randomUUID() };
    const operator = fixture.acme.owner.token;
    expect(await refusal(call('KeepSession', session, operator))).toMatchObject({
      reason: 'permission_denied',
    });
    const nobody = fixture.plane.call('Ledger.KeepSession', undefined, session);
    expect(await refusal(nobody)).toMatchObject({ reason: 'unauthenticated' });
  });

  it('refuses a proxy whose token was revoked, within seconds', async () => {
    const { value, proxyToken: made } = await proxyToken(fixture);
    const session = { session: randomUUID() };
    expect((await call('KeepSession', session, value)).code).toBe('OK');
    await fixture.plane.expect('ProxyTokens.Revoke', fixture.platform.token, { id: made.id });
    const revokedAt = Date.now();
    await until(async () => (await call('KeepSession', session, value)).code === 'UNAUTHENTICATED');
    expect(Date.now() - revokedAt).toBeLessThan(5000);
  });

  it('keeps the sessions of one proxy from another', async () => {
    const session = randomUUID();
    await expectOf('KeepSession', { session });
    const other = (await proxyToken(fixture)).value;
    expect(await refusal(call('KeepSession', { session }, other))).toMatchObject({ reason: 'not_found' });
  });

  it("records events of a bound proxy's own organization, and refuses others", async () => {
    const bound = (await proxyToken(fixture, fixture.acme.id)).value;
    const [own, foreign] = [event(fixture.acme), event(fixture.other)];
    expect(await refusal(report([own, foreign], bound))).toMatchObject({ reason: 'permission_denied' });
    expect(await reported([own], bound)).toMatchObject({ recorded: 1 });
    expect(await reported([own, foreign])).toMatchObject({ recorded: 1 });
  });

  it('drops events of missing organizations, and records the others', async () => {
    const events = [event(fixture.acme, { organizationId: randomUUID() }), event(fixture.acme)];
    expect(await reported(events)).toMatchObject({ recorded: 1 });
    expect(fixture.plane.logs.join('')).toContain('were dropped');
  });

  it('accepts a report without events', async () => {
    expect(await reported([])).toMatchObject({ recorded: 0 });
  });

  describe('refuses', () => {
    const lease = { session: randomUUID(), budgetId: randomUUID(), window: 'total', seq: '1' };
    const acquire = { ...lease, needNanoUsd: '1', wantNanoUsd: '1' };

    it.each([
      ['session', { session: 'session-1' }],
      ['budget_id', { budgetId: '' }],
      ['window', { window: '' }],
      ['window', { window: '2026-02-30' }],
      ['window', { window: '2026-11-20T00:00:00Z' }],
      ['seq', { seq: '0' }],
      ['seq', { seq: '9007199254740992' }],
      ['need_nano_usd', { needNanoUsd: '0' }],
      ['need_nano_usd', { needNanoUsd: '' }],
      ['need_nano_usd', { needNanoUsd: '1.5' }],
      ['need_nano_usd', { needNanoUsd: '-1' }],
      ['want_nano_usd', { wantNanoUsd: '9007199254740992' }],
      ['want_nano_usd', { needNanoUsd: '2', wantNanoUsd: '1' }],
    ])('an acquisition by its %s: %j', async (field, wrong) => {
      expect(await violated(call('Draw', { ...acquire, ...wrong }))).toEqual([field]);
    });

    it('a release by its amount', async () => {
      expect(await violated(call('Return', { ...lease, amountNanoUsd: '' }))).toEqual(['amount_nano_usd']);
      expect(await violated(call('Return', {}))).toEqual([
        ...['session', 'budget_id', 'window', 'seq', 'amount_nano_usd'],
      ]);
    });

    it('a session that is no UUID', async () => {
      expect(await violated(call('KeepSession', { session: '1' }))).toEqual(['session']);
    });

    it('more than a thousand events', async () => {
      const events = Array.from({ length: 1001 }, () => event(fixture.acme));
      expect(await violated(report(events))).toEqual(['events']);
      expect(await reported(events.slice(1))).toMatchObject({ recorded: 1000 });
    });

    it('an event far ahead or long ago by the clock of the database, with its whole batch', async () => {
      const shifted = (ms: number) => event(fixture.acme, { at: Date.now() + ms });
      const good = event(fixture.acme);
      const day = 86_400_000;
      for (const ms of [40 * day + 60_000, -40 * day - 60_000, 400 * day, -4000 * day]) {
        expect(await violated(report([good, shifted(ms)]))).toEqual(['events[1].at']);
      }
      const events = [good, shifted(40 * day - 60_000), shifted(-40 * day + 60_000)];
      expect(await reported(events)).toMatchObject({ recorded: 3 });
    });
  });
});
