// Alerts of budgets other than thresholds: a raised or lowered budget counts as a new one, a budget that refuses
// requests, and unconfirmed money that proxies left. Each alert is sent once, over both databases, even with several
// replicas.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { expireSessions } from '../../../control-plane/ledger/expiry.ts';
import { releaseUnconfirmed } from '../../../control-plane/ledger/release-unconfirmed.ts';
import { silenceMaxMs } from '../../../control-plane/ledger/sessions.ts';
import { createBudgetNotices } from '../../../control-plane/store/notice-tables.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { counterAlertsMax, sendAlerts } from '../../../control-plane/webhooks/alerts.ts';
import { noteUnconfirmed, unconfirmedAgesMs } from '../../../control-plane/webhooks/unconfirmed.ts';
import { describeStores, type GivenStore } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { deliveries, notices, spend, storeBudget, storeWebhook } from '../../support/notice-rows.ts';
import { usageEvent } from '../../support/usage-events.ts';

const dollar = 1_000_000_000;
const url = 'https://hooks.example.com/';

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Sends pending alerts, as many times as needed. @returns the bodies that were written since the last call, in order
 */
function alertsOf(store: Store) {
  let seen = 0;
  return async (): Promise<readonly Event[]> => {
    while ((await sendAlerts(store)) > 0);
    const all = await deliveries(store);
    const written = all.slice(seen).map(({ payload }) => JSON.parse(payload));
    seen = all.length;
    return written;
  };
}

function actions(store: Store) {
  return store.snapshot(async (db) => {
    const events = await db.selectFrom('audit_events').selectAll().orderBy('revision').execute();
    return events.filter(({ actor_kind }) => actor_kind === 'system').map(({ action }) => action);
  });
}

describeStores('a budget for each value', (given) => {
  it('has a bounded number of alerts in an hour, and delays none of another organization', async () => {
    const { store } = given;
    const flooded = randomUUID();
    await storeBudget(store, { id: flooded });
    await storeBudget(store, { id: 'budget-2', organization_id: 'organization-2' });
    await storeWebhook(store, { url });
    await storeWebhook(store, { url, organization_id: 'organization-2' });
    const values = Array.from({ length: 2 * counterAlertsMax }, (_, index) => `${flooded}/value-${index}`);
    await spend(store, ...values.map((budgetId) => ({ budgetId, spent: 0.6 * dollar })));
    await spend(store, { budgetId: 'budget-2', organizationId: 'organization-2', spent: 0.6 * dollar });
    await sendAlerts(store);
    expect((await deliveries(store)).filter(({ organization_id }) => organization_id === 'organization-2').length).toBe(
      1,
    );
    while ((await sendAlerts(store)) > 0);
    expect(await deliveries(store)).toHaveLength(counterAlertsMax + 1);
    expect((await notices(store, 'threshold')).every(({ told_at }) => told_at !== null)).toBe(true);
  });
});

describeStores('a budget that is raised or lowered', (given) => {
  let reported: ReturnType<typeof alertsOf>;
  const setAmount = (amount: number) => given.database.raw(`update limits set amount = ${amount}`);
  const at = (spent: number, amount: number) => spend(given.store, { budgetId: 'budget-1', spent, amount });
  const shown = async () => (await reported()).map(({ data }) => [data.percent, data.amountUsd, data.spentUsd]);

  beforeEach(async () => {
    reported = alertsOf(given.store);
    await storeBudget(given.store, { id: 'budget-1' });
    await storeWebhook(given.store, { url });
  });

  it('is alerted again, at the shares of its new amount', async () => {
    await at(0.97 * dollar, dollar);
    expect(await shown()).toEqual([
      [50, '1', '0.97'],
      [80, '1', '0.97'],
    ]);
    await setAmount(10 * dollar);
    await at(0.98 * dollar, 10 * dollar);
    expect(await shown()).toEqual([]);
    await at(5.5 * dollar, 10 * dollar);
    expect(await shown()).toEqual([[50, '10', '5.5']]);
    await at(8.5 * dollar, 10 * dollar);
    expect(await shown()).toEqual([[80, '10', '8.5']]);
    await setAmount(8 * dollar);
    await at(8.5 * dollar, 8 * dollar);
    expect((await shown()).map(([percent, amount]) => [percent, amount])).toEqual([
      [50, '8'],
      [80, '8'],
      [100, '8'],
    ]);
  });

  it('is alerted once for each amount that it has had in a window', async () => {
    for (const amount of [1, 10, 1, 10, 1]) {
      await setAmount(amount * dollar);
      await at(0.9 * dollar, amount * dollar);
    }
    expect((await shown()).map(([percent, amount]) => [percent, amount])).toEqual([
      [50, '1'],
      [80, '1'],
    ]);
  });

  it('is alerted with the amount that was reached, even if it was raised since', async () => {
    await at(0.5 * dollar, dollar);
    await setAmount(10 * dollar);
    expect(await shown()).toEqual([[50, '1', '0.5']]);
  });
});

describeStores('a budget that refuses', (given) => {
  let fixture: LedgerFixture;
  let reported: ReturnType<typeof alertsOf>;
  let budgetId: string;
  let session: string;
  let seq = 0;

  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    reported = alertsOf(given.store);
    await fixture.organization();
    await storeWebhook(given.store, { url });
    budgetId = await fixture.budget({ amount: dollar });
    session = await fixture.session();
    seq = 0;
  });
  const acquire = async (need: number, again = false) => {
    if (!again) seq++;
    return (await fixture.acquire({ session, budgetId, window: 'total', seq, need, want: need })).outcome;
  };
  const spendOf = (cost: number) => fixture.report([{ row: usageEvent({ organization_id: 'organization-1', cost }) }]);

  it('is alerted at its first refusal only', async () => {
    await spendOf(0.97 * dollar);
    expect((await reported()).map(({ data }) => data.percent)).toEqual([50, 80]);
    expect(await acquire(0.02 * dollar)).toBe('granted');
    expect(await reported()).toEqual([]);
    expect(await acquire(0.05 * dollar)).toBe('exceeded');
    expect(await acquire(0.05 * dollar, true)).toBe('exceeded');
    expect(await acquire(0.05 * dollar)).toBe('exceeded');
    expect(await reported()).toEqual([
      {
        type: 'budget.exceeded',
        timestamp: expect.stringMatching(/^20/),
        data: {
          ...{ organizationId: 'organization-1', limitId: budgetId, model: null },
          level: { kind: 'organization', id: 'organization-1' },
          ...{ period: 'total', window: 'total', endsAt: null },
          ...{ amountUsd: '1', spentUsd: '0.97', leasedUsd: '0.02', unsettledUsd: '0' },
        },
      },
    ]);
    expect(await acquire(0.05 * dollar)).toBe('exceeded');
    expect(await reported()).toEqual([]);
    expect((await actions(given.store)).at(-1)).toBe('Budgets.Exceed');
  });

  it('is alerted again after it was raised and refuses again', async () => {
    await spendOf(dollar);
    expect(await acquire(1)).toBe('exceeded');
    await reported();
    await given.database.raw(`update limits set amount = ${2 * dollar}`);
    expect(await acquire(0.1 * dollar)).toBe('granted');
    expect(await reported()).toEqual([]);
    expect(await acquire(2 * dollar)).toBe('exceeded');
    expect((await reported()).map(({ type, data }) => [type, data.amountUsd])).toEqual([['budget.exceeded', '2']]);
  });

  it('is not alerted when other leases have the rest, because that ends without action', async () => {
    expect(await acquire(dollar)).toBe('granted');
    const other = await fixture.session();
    const busy = await fixture.acquire({
      session: other,
      budgetId,
      window: 'total',
      seq: 1,
      need: 5,
      want: 5,
    });
    expect(busy.outcome).toBe('busy');
    expect(await notices(given.store, 'exceeded')).toEqual([]);
  });

  it('is alerted once when several replicas refuse at the same time', async () => {
    await spendOf(dollar);
    const sessions = await Promise.all(Array.from({ length: 12 }, () => fixture.session()));
    const refused = await Promise.all(
      sessions.map((each) => fixture.acquire({ session: each, budgetId, window: 'total', seq: 1, need: 5, want: 5 })),
    );
    expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['exceeded']));
    await Promise.all([sendAlerts(given.store), sendAlerts(given.store), sendAlerts(given.store)]);
    expect((await reported()).filter(({ type }) => type === 'budget.exceeded')).toHaveLength(1);
  });
});

describeStores('unconfirmed money of silent proxies', (given) => {
  let fixture: LedgerFixture;
  let reported: ReturnType<typeof alertsOf>;
  let budgetId: string;
  const [soonMs, dayMs] = unconfirmedAgesMs;

  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    reported = alertsOf(given.store);
    await fixture.organization();
    await storeWebhook(given.store, { url });
    budgetId = await fixture.budget({ amount: dollar });
  });

  /** A proxy that acquired this amount and has been silent since. @returns its session */
  const leave = async (amount: number): Promise<string> => {
    const session = await fixture.session();
    await fixture.acquire({ session, budgetId, window: 'total', seq: 1, need: amount, want: amount });
    await given.database.raw(`update ledger_sessions set seen_at = seen_at - ${silenceMaxMs + 1}`);
    await expireSessions(given.store);
    return session;
  };
  const pass = (ms: number) =>
    given.database.raw(`update ledger_sessions set expired_at = expired_at - ${ms}, seen_at = seen_at - ${ms}`);
  const look = async () => {
    await noteUnconfirmed(given.store);
    return (await reported()).map(({ type, data }) => {
      const { unsettledUsd: unconfirmedUsd, proxies } = data;
      return { type, unsettledUsd: unconfirmedUsd, proxies };
    });
  };
  const release = (sessionId: string) =>
    given.store.ledger((tx) => releaseUnconfirmed(tx, { sessionId, budgetId, window: 'total' }, undefined));

  it('is alerted with its age after a quarter of an hour, and not before', async () => {
    await leave(0.2 * dollar);
    await pass(soonMs - 5000);
    expect(await look()).toEqual([]);
    await pass(5000);
    await noteUnconfirmed(given.store);
    const [event] = await reported();
    expect(event).toEqual({
      type: 'budget.unsettled',
      timestamp: expect.stringMatching(/^20/),
      data: {
        ...{ organizationId: 'organization-1', limitId: budgetId, model: null },
        level: { kind: 'organization', id: 'organization-1' },
        ...{ period: 'total', window: 'total', endsAt: null, amountUsd: '1', spentUsd: '0' },
        ...{ unsettledUsd: '0.2', proxies: 1, silentSince: expect.stringMatching(/^20/) },
        ageSeconds: expect.any(Number),
      },
    });
    expect(event?.data.ageSeconds).toBeGreaterThanOrEqual((soonMs + silenceMaxMs) / 1000);
    expect(event?.data.ageSeconds).toBeLessThan((soonMs + silenceMaxMs) / 1000 + 600);
    expect(await look()).toEqual([]);
    expect((await actions(given.store)).at(-1)).toBe('Budgets.LeaveUnsettled');
  });

  it('is alerted again when it is a day old, and a week old', async () => {
    await leave(0.2 * dollar);
    await pass(soonMs);
    expect(await look()).toHaveLength(1);
    await pass(dayMs);
    expect(await look()).toEqual([{ type: 'budget.unsettled', unsettledUsd: '0.2', proxies: 1 }]);
    expect(await look()).toEqual([]);
    await pass(7 * dayMs);
    expect(await look()).toHaveLength(1);
    await pass(70 * dayMs);
    expect(await look()).toEqual([]);
  });

  it('is alerted once for all proxies of a window, and again for a proxy that falls silent later', async () => {
    await leave(0.1 * dollar);
    await leave(0.2 * dollar);
    await pass(soonMs);
    expect(await look()).toEqual([{ type: 'budget.unsettled', unsettledUsd: '0.3', proxies: 2 }]);
    await leave(0.05 * dollar);
    expect(await look()).toEqual([]);
    await pass(soonMs);
    expect(await look()).toEqual([{ type: 'budget.unsettled', unsettledUsd: '0.35', proxies: 3 }]);
  });

  it('is not alerted when it was released or reported in time, and no alert stays pending', async () => {
    const session = await leave(0.2 * dollar);
    await pass(soonMs);
    await noteUnconfirmed(given.store);
    expect(await notices(given.store, 'unsettled')).toHaveLength(1);
    await release(session);
    expect(await reported()).toEqual([]);
    expect((await notices(given.store, 'unsettled')).every(({ told_at }) => told_at !== null)).toBe(true);
    expect(await look()).toEqual([]);
    await leave(0.1 * dollar);
    await pass(soonMs);
    expect(await look()).toEqual([{ type: 'budget.unsettled', unsettledUsd: '0.1', proxies: 1 }]);
  });

  it('is alerted once when several replicas look at the same time', async () => {
    for (let n = 0; n < 5; n++) await leave(0.01 * dollar);
    await pass(soonMs);
    await Promise.all(Array.from({ length: 4 }, () => noteUnconfirmed(given.store)));
    await Promise.all(Array.from({ length: 4 }, () => sendAlerts(given.store)));
    expect(await look()).toEqual([{ type: 'budget.unsettled', unsettledUsd: '0.05', proxies: 5 }]);
    expect(await deliveries(given.store)).toHaveLength(1);
  });
});

describeStores('a threshold that was reported before notices had amounts', (given) => {
  it('is not alerted again for the current amount of the budget', async () => {
    await storeBudget(given.store, { id: 'budget-1' });
    await storeWebhook(given.store, { url });
    await fillBefore(given);
    const reported = alertsOf(given.store);
    await spend(given.store, { budgetId: 'budget-1', spent: 0.9 * dollar });
    // An alert that was noted but not sent yet is sent.
    expect((await reported()).map(({ data }) => data.percent)).toEqual([80]);
    await spend(given.store, { budgetId: 'budget-1', spent: dollar });
    expect((await reported()).map(({ data }) => data.percent)).toEqual([100]);
  });
});

async function fillBefore({ store, database }: GivenStore): Promise<void> {
  const rows = [
    `('budget-1', 'organization-1', '2026-11-20', 50, 1, 2)`,
    `('budget-1', 'organization-1', '2026-11-20', 80, 3, null)`,
    `('${randomUUID()}', 'organization-1', '2026-11-20', 50, 1, null)`,
  ];
  await database.raw(`insert into budget_alerts values ${rows.join(', ')}`);
  await database.raw('drop index budget_windows_unsettled');
  await database.raw('drop table budget_notices');
  await store.ledger(({ db }) => createBudgetNotices(db));
}
