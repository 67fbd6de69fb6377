// Budgets for each value in the ledger: a counter begins with its first acquisition or first usage, callers cannot make
// more counters than the bound, further values share one, and what is over is deleted.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { windowOf } from '../../../common/budget-window.ts';
import { counterOf, otherCounterOf } from '../../../common/counter-names.ts';
import { dayMs } from '../../../common/durations.ts';
import { keepUpCounters } from '../../../control-plane/ledger/counter-upkeep.ts';
import { countersMax } from '../../../control-plane/ledger/counters.ts';
import type { LimitCounting } from '../../../control-plane/store/limit-counting.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { writeLedger } from '../../support/ledger-state.ts';
import { change } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';

const dollar = 1_000_000_000;
const organizationId = 'organization-1';

describeStores('a budget for each value', (given) => {
  let ledger: LedgerFixture;
  let session: string;

  beforeEach(async () => {
    ledger = new LedgerFixture(given.store);
    await ledger.organization();
    session = await ledger.session();
  });

  async function budget(counting: LimitCounting, fields: object = {}): Promise<string> {
    const id = await ledger.budget({ amount: 5 * dollar, period: 'month', ...fields });
    await change(given.store, async (tx) => {
      const columns = { counting: JSON.stringify(counting), kind: 'counter_budget' as const };
      await tx.db.updateTable('limits').set(columns).where('id', '=', id).execute();
      return undefined;
    });
    return id;
  }

  const month = () => windowOf('month', Date.now());

  function acquire(
    budgetId: string,
    { value, need = dollar, seq = 1 }: { value?: string; need?: number; seq?: number } = {},
  ) {
    return ledger.acquire({
      session,
      budgetId,
      window: month(),
      seq,
      need,
      want: need,
      ...(value && { counterValue: value }),
    });
  }

  function counters() {
    return given.store.snapshot((db) => db.selectFrom('limit_counters').selectAll().orderBy('value').execute());
  }

  /** Fills the organization with counters, as a caller with random users would. */
  async function fill(limitId: string, endsAt: number): Promise<void> {
    await given.database.raw(
      `insert into limit_counters (id, limit_id, organization_id, value, by_caller, ends_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${countersMax})
       select '${limitId}/' || n, '${limitId}', '${organizationId}', 'random ' || n, 1, ${endsAt} from numbers`,
    );
  }

  it('grants each value its amount, and none of them more', async () => {
    const id = await budget({ each: 'tag:user' });
    for (const value of ['ann', 'bob']) {
      const counter = counterOf(id, value);
      expect(await acquire(counter, { value, need: 5 * dollar })).toMatchObject({
        outcome: 'granted',
        granted: 5 * dollar,
      });
      expect(await acquire(counter, { value, need: 1, seq: 2 })).toMatchObject({ outcome: 'busy' });
      expect(await ledger.ledger(counter, month())).toEqual({ spent: 0, leased: 5 * dollar, unconfirmed: 0 });
    }
    expect((await counters()).map(({ value, limit_id }) => [value, limit_id])).toEqual([
      ['ann', id],
      ['bob', id],
    ]);
  });

  it('gives a value beyond the bound to the counter of further values, for this organization alone', async () => {
    const id = await budget({ each: 'tag:user' });
    const known = counterOf(id, 'known');
    await acquire(known, { value: 'known' });
    await fill(id, Date.now() + dayMs);
    const late = counterOf(id, 'late');
    expect(await acquire(late, { value: 'late' })).toEqual({ outcome: 'full', granted: 0, reclaimOf: undefined });
    expect(await ledger.ledger(late, month())).toBeUndefined();
    expect((await ledger.leases()).filter(({ budget_id }) => budget_id === late)).toEqual([]);
    expect(await acquire(known, { value: 'known', seq: 2 })).toMatchObject({ outcome: 'granted' });
    // All of them together have one amount.
    const other = otherCounterOf(id);
    expect(await acquire(other, { need: 5 * dollar })).toMatchObject({ outcome: 'granted', granted: 5 * dollar });
    expect(await acquire(other, { need: 1, seq: 2 })).toMatchObject({ outcome: 'busy' });
    await ledger.organization('organization-2');
    const foreign = await budget({ each: 'tag:user' }, { organizationId: 'organization-2' });
    expect(await acquire(counterOf(foreign, 'late'), { value: 'late' })).toMatchObject({ outcome: 'granted' });
    const keys = await budget({ each: 'key' });
    const key = randomUUID();
    expect(await acquire(counterOf(keys, key), { value: key })).toMatchObject({ outcome: 'granted' });
  });

  it('has room again for values whose windows are over', async () => {
    const id = await budget({ each: 'tag:user' });
    await fill(id, Date.now() - 1);
    expect(await acquire(counterOf(id, 'late'), { value: 'late' })).toMatchObject({ outcome: 'granted' });
  });

  it('leaves its room when it is deleted, and still settles what was charged to it', async () => {
    const id = await budget({ each: 'tag:user' });
    const counter = counterOf(id, 'ann');
    await acquire(counter, { value: 'ann', need: 2 * dollar });
    await change(given.store, async (tx) => {
      await tx.db.updateTable('limits').set({ deleted_at: tx.now }).where('id', '=', id).execute();
      return undefined;
    });
    expect(await acquire(counter, { value: 'ann', seq: 2 })).toMatchObject({ outcome: 'deleted' });
    const charges = [{ budgetId: counter, window: month(), escrow: dollar }];
    await ledger.report([{ row: usageEvent({ session_id: session, cost: dollar }), charges }]);
    expect(await ledger.ledger(counter, month())).toEqual({ spent: dollar, leased: dollar, unconfirmed: 0 });
    expect(await ledger.closeSession(session)).toMatchObject({ freed: dollar });
  });

  describe('of usage', () => {
    it('counts what proxies charged, and by key and tag what they did not know of', async () => {
      const [users, keys] = [await budget({ each: 'tag:user' }), await budget({ each: 'key' })];
      const search = await budget({ tag: { name: 'feature', value: 'search' } });
      const both = await budget({ tag: { name: 'feature', value: 'search' }, each: 'tag:user' });
      const row = usageEvent({ session_id: session, cost: dollar });
      await ledger.report([
        { row: { ...row, tags: { user: 'ann', feature: 'search' } } },
        { row: { ...usageEvent({ session_id: session, cost: 2 * dollar }), tags: { user: 'bob' } } },
        { row: usageEvent({ session_id: session, cost: 4 * dollar }) },
      ]);
      const spent = async (id: string) => (await ledger.ledger(id, month()))?.spent;
      expect(await spent(counterOf(users, 'ann'))).toBe(dollar);
      expect(await spent(counterOf(users, 'bob'))).toBe(2 * dollar);
      expect(await spent(counterOf(keys, row.key_id))).toBe(7 * dollar);
      expect(await spent(search)).toBe(dollar);
      expect(await spent(counterOf(both, 'ann'))).toBe(dollar);
      expect(await spent(counterOf(both, 'bob'))).toBeUndefined();
      const shown = (await counters()).map(({ limit_id, value }) => `${limit_id} ${value}`);
      expect(shown.toSorted()).toEqual(
        [`${users} ann`, `${users} bob`, `${keys} ${row.key_id}`, `${both} ann`].toSorted(),
      );
    });

    it('counts by the person and the AI system of both keys, also usage from before the budget, in windows without a bound', async () => {
      const of = (cost: number, owners: object) => ({
        row: usageEvent({ session_id: session, cost: cost * dollar, ai_system_id: null, person_id: null, ...owners }),
      });
      await ledger.report([of(1, { person_id: 'ann' })]);
      const [people, systems] = [await budget({ each: 'person' }), await budget({ each: 'system' })];
      const more = [
        of(2, { person_id: 'ann', project_ai_system_id: 'shop' }),
        of(4, { project_person_id: 'bob' }),
        of(8, {}),
      ];
      await ledger.report(more);
      const spent = async (id: string, value: string) => (await ledger.ledger(counterOf(id, value), month()))?.spent;
      expect(await spent(people, 'ann')).toBe(3 * dollar);
      expect(await spent(people, 'bob')).toBe(4 * dollar);
      expect(await spent(systems, 'shop')).toBe(2 * dollar);
      const shown = (await counters()).map(({ value, by_caller }) => [value, by_caller]);
      expect(shown).toEqual([
        ['ann', 0],
        ['bob', 0],
        ['shop', 0],
      ]);
    });

    it('of values beyond the bound is in the counter of further values', async () => {
      const id = await budget({ each: 'tag:user' });
      await fill(id, Date.now() + dayMs);
      const events = ['x', 'y', 'z'].map((user) => ({
        row: { ...usageEvent({ session_id: session, cost: dollar }), tags: { user } },
      }));
      await ledger.report(events);
      expect(await ledger.ledger(otherCounterOf(id), month())).toMatchObject({ spent: 3 * dollar });
      expect(await counters()).toHaveLength(countersMax + 1);
    });

    it('counts a key from the beginning of the window, also usage from before the budget', async () => {
      const row = usageEvent({ session_id: session, cost: 3 * dollar });
      await ledger.report([{ row }]);
      const id = await budget({ each: 'key' });
      const counter = counterOf(id, row.key_id);
      expect(await acquire(counter, { value: row.key_id, need: 3 * dollar })).toMatchObject({ outcome: 'exceeded' });
      expect(await ledger.ledger(counter, month())).toMatchObject({ spent: 3 * dollar });
    });
  });

  it('is deleted once it is over: windows, leases and counters, but none with unconfirmed money', async () => {
    const id = await budget({ each: 'tag:user' }, { period: 'day' });
    const past = windowOf('day', Date.now() - 4 * dayMs);
    const today = windowOf('day', Date.now());
    const rows = [
      { value: 'over', endsAt: Date.now() - 3 * dayMs, windows: [past], unconfirmed: 0 },
      { value: 'unconfirmed', endsAt: Date.now() - 3 * dayMs, windows: [past], unconfirmed: 1 },
      { value: 'used', endsAt: Date.now() + dayMs, windows: [past, today], unconfirmed: 0 },
    ];
    const owned = { organization_id: organizationId };
    const counterRows = rows.map(({ value, endsAt }) => ({
      ...{ ...owned, id: counterOf(id, value), limit_id: id, value, by_caller: 1 as const, ends_at: endsAt },
    }));
    await given.store.ledger(
      async ({ db }) => void (await db.insertInto('limit_counters').values(counterRows).execute()),
    );
    for (const { value, windows, unconfirmed } of rows) {
      const state = { organizationId, budgetId: counterOf(id, value), spent: dollar, unconfirmed };
      for (const window of windows) await writeLedger(given.database, { ...state, window });
    }
    while (await keepUpCounters(given.store, Date.now()));
    expect((await counters()).map(({ value }) => value)).toEqual(['unconfirmed', 'used']);
    const left = await given.store.snapshot((db) =>
      db.selectFrom('budget_windows').select(['budget_id', 'window_start']).orderBy('window_start').execute(),
    );
    expect(left).toEqual([
      { budget_id: counterOf(id, 'unconfirmed'), window_start: past },
      { budget_id: counterOf(id, 'used'), window_start: today },
    ]);
  });
});
