// Thresholds of budgets that the ledger reaches: noted with the spend, and sent once, as an audit event and to every
// webhook.
import { expect, it } from 'vitest';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { sendAlerts } from '../../../control-plane/webhooks/alerts.ts';
import { noteThresholds } from '../../../control-plane/webhooks/thresholds.ts';
import { describeStores } from '../../support/databases.ts';
import { alerts, deliveries, spend, storeBudget, storeWebhook } from '../../support/notice-rows.ts';

const dollar = 1_000_000_000;

async function percents(store: Store, budgetId = 'budget-1'): Promise<readonly number[]> {
  return percentsOf(await alerts(store), budgetId);
}

function percentsOf(noted: Awaited<ReturnType<typeof alerts>>, budgetId: string): readonly number[] {
  return noted.filter((alert) => alert.budget_id === budgetId).flatMap(({ percent }) => percent ?? []);
}

function events(store: Store) {
  return store.snapshot((db) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('action', '=', 'Budgets.ReachThreshold')
      .orderBy('revision')
      .execute(),
  );
}

const max = 9_000_000_000_000_000;

/** Amount, spend, reached thresholds. A hundred times the largest one is beyond 2^53. */
const bounds: readonly (readonly [amount: number, spent: number, reached: readonly number[]])[] = [
  [dollar, 0, []],
  [dollar, dollar / 2 - 1, []],
  [dollar, dollar / 2, [50]],
  [dollar, 0.8 * dollar - 1, [50]],
  [dollar, 0.8 * dollar, [50, 80]],
  [dollar, dollar - 1, [50, 80]],
  [dollar, dollar, [50, 80, 100]],
  [dollar, 3 * dollar, [50, 80, 100]],
  [1, 1, [50, 80, 100]],
  [3, 1, []],
  [3, 2, [50]],
  [max, 0.5 * max - 1, []],
  [max, 0.5 * max, [50]],
  [max, 0.8 * max - 1, [50]],
  [max, 0.8 * max, [50, 80]],
  [max, max - 1, [50, 80]],
  [max, max, [50, 80, 100]],
];

describeStores('the detection of thresholds', (given) => {
  it('is exact to the nano-dollar, up to the largest budget', async () => {
    const windows = bounds.map(([amount, spent], row) => ({ budgetId: `row-${row}`, amount, spent }));
    await spend(given.store, ...windows);
    const noted = await alerts(given.store);
    for (const [row, [amount, spent, reached]] of bounds.entries()) {
      expect(percentsOf(noted, `row-${row}`), `${spent} of ${amount}`).toEqual(reached);
    }
  });

  it('notes each one once as spend rises, and again in another window or budget', async () => {
    for (const tenths of [1, 5, 6, 8, 9, 10, 12]) {
      await spend(given.store, { budgetId: 'budget-1', spent: tenths * (dollar / 10) });
    }
    const [first] = await alerts(given.store);
    expect(await percents(given.store)).toEqual([50, 80, 100]);
    await spend(given.store, { budgetId: 'budget-1', window: '2026-11-21', spent: dollar });
    await spend(given.store, { budgetId: 'budget-2', spent: 0.5 * dollar });
    expect(await percents(given.store)).toEqual([50, 80, 100, 50, 80, 100]);
    expect(await percents(given.store, 'budget-2')).toEqual([50]);
    expect((await alerts(given.store))[0]).toEqual(first);
  });

  it('notes many windows in one call', async () => {
    const windows = Array.from({ length: 400 }, (_, n) => ({ budgetId: `budget-${n}`, spent: dollar }));
    await spend(given.store, ...windows);
    expect(await alerts(given.store)).toHaveLength(1200);
  });

  it('notes nothing when the transaction is undone', async () => {
    const failing = given.store.ledger(async (tx) => {
      const window = { budgetId: 'budget-1', organizationId: 'organization-1', window: '2026-11-20' };
      await noteThresholds(tx, [{ ...window, amount: dollar, spent: dollar }]);
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await alerts(given.store)).toEqual([]);
  });

  it('notes each one once under concurrent reports', async () => {
    const reports = Array.from({ length: 30 }, (_, n) =>
      spend(given.store, { budgetId: 'budget-1', spent: ((n % 10) + 1) * (dollar / 10) }),
    );
    await Promise.all(reports);
    expect(await percents(given.store)).toEqual([50, 80, 100]);
  });
});

describeStores('the alert of a threshold', (given) => {
  it('writes an audit event, and a delivery for each enabled webhook', async () => {
    await storeBudget(given.store, { id: 'budget-1', model: 'gpt-provider/*', amount: 12.5 * dollar });
    await storeBudget(given.store, { id: 'budget-2', organization_id: 'organization-2' });
    const [one, two] = [
      await storeWebhook(given.store, { url: 'https://one.example.com/' }),
      await storeWebhook(given.store, { url: 'https://two.example.com/' }),
    ];
    await storeWebhook(given.store, { url: 'https://off.example.com/', enabled: 0 });
    await storeWebhook(given.store, { url: 'https://other.example.com/', organization_id: 'organization-2' });
    await spend(given.store, { budgetId: 'budget-1', amount: 12.5 * dollar, spent: 6.250000001 * dollar });

    expect(await sendAlerts(given.store)).toBe(1);
    expect(await events(given.store)).toMatchObject([
      {
        ...{ organization_id: 'organization-1', actor_kind: 'system', actor_id: 'control-plane' },
        ...{ target_kind: 'limit', target_id: 'budget-1', before: null },
        after: '{"percent":50,"window":"2026-11-20","spentUsd":"6.250000001","amountUsd":"12.5"}',
      },
    ]);
    const written = await deliveries(given.store);
    expect(written.map((row) => row.webhook_id).toSorted()).toEqual([one.id, two.id].toSorted());
    expect(new Set(written.map(({ id }) => id)).size).toBe(2);
    const [alert] = await alerts(given.store);
    expect(JSON.parse(written[0]?.payload ?? '')).toEqual({
      type: 'budget.threshold_reached',
      timestamp: new Date(alert?.noted_at ?? 0).toISOString(),
      data: {
        organizationId: 'organization-1',
        limitId: 'budget-1',
        level: { kind: 'organization', id: 'organization-1' },
        model: 'gpt-provider/*',
        period: 'day',
        window: '2026-11-20',
        endsAt: '2026-11-21T00:00:00.000Z',
        percent: 50,
        amountUsd: '12.5',
        spentUsd: '6.250000001',
      },
    });
    expect(written[0]).toMatchObject({ state: 'pending', attempts: 0, type: 'budget.threshold_reached' });
    expect(await given.store.snapshot((db) => verifyAuditChain(db))).toMatchObject({ intact: true });
    expect(await sendAlerts(given.store)).toBe(0);
  });

  it.each([
    ['week', '2026-11-16', '2026-11-23T00:00:00.000Z'],
    ['month', '2026-12-01', '2027-01-01T00:00:00.000Z'],
    ['total', 'total', null],
  ] as const)('reports when the window of a %s ends', async (period, window, endsAt) => {
    await storeBudget(given.store, { id: 'budget-1', period });
    await storeWebhook(given.store, { url: 'https://one.example.com/' });
    await spend(given.store, { budgetId: 'budget-1', window, spent: 0.5 * dollar });
    await sendAlerts(given.store);
    const [written] = await deliveries(given.store);
    expect(JSON.parse(written?.payload ?? '').data).toMatchObject({ period, window, endsAt });
  });

  it('sends several that are reached at once in order, also of a budget deleted since', async () => {
    await storeBudget(given.store, { id: 'budget-1', deleted_at: 1 });
    await spend(given.store, { budgetId: 'budget-1', spent: dollar });
    expect(await sendAlerts(given.store)).toBe(3);
    const reported = (await events(given.store)).map((event) => JSON.parse(event.after ?? '').percent);
    expect(reported).toEqual([50, 80, 100]);
    expect((await alerts(given.store)).every(({ told_at }) => told_at !== null)).toBe(true);
  });

  it('sends the same threshold again in the next window', async () => {
    await storeBudget(given.store, { id: 'budget-1' });
    await spend(given.store, { budgetId: 'budget-1', spent: 0.5 * dollar });
    await sendAlerts(given.store);
    await spend(given.store, { budgetId: 'budget-1', window: '2026-11-21', spent: 0.5 * dollar });
    expect(await sendAlerts(given.store)).toBe(1);
    const reported = (await events(given.store)).map((event) => JSON.parse(event.after ?? '').window);
    expect(reported).toEqual(['2026-11-20', '2026-11-21']);
  });

  it('does not stop at an alert without a budget', async () => {
    await storeBudget(given.store, { id: 'budget-1' });
    await spend(given.store, { budgetId: 'nobody', spent: dollar });
    await spend(given.store, { budgetId: 'budget-1', spent: dollar });
    expect(await sendAlerts(given.store)).toBe(3);
    expect(await sendAlerts(given.store)).toBe(0);
  });

  it('sends each one once from several concurrent workers while more are reached', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `budget-${n}`);
    for (const id of ids) await storeBudget(given.store, { id });
    await storeWebhook(given.store, { url: 'https://one.example.com/' });
    const spending = Promise.all(ids.map((budgetId) => spend(given.store, { budgetId, spent: dollar })));
    const reporting = Array.from({ length: 3 }, async () => {
      for (let round = 0; round < 10; round++) await sendAlerts(given.store);
    });
    await Promise.all([spending, ...reporting]);
    while ((await sendAlerts(given.store)) > 0);
    const reported = (await events(given.store)).map(
      (event) => `${event.target_id} ${JSON.parse(event.after ?? '').percent}`,
    );
    expect(reported).toHaveLength(60);
    expect(new Set(reported).size).toBe(60);
    expect(await deliveries(given.store)).toHaveLength(60);
  });
});
