// The ledger's operations, one at a time, over both databases: each response and the ledger after it.
import { beforeEach, describe, expect, it } from 'vitest';
import { dayOf, windowOf } from '../../../common/budget-window.ts';
import { expireSessions } from '../../../control-plane/ledger/expiry.ts';
import { releaseUnconfirmed } from '../../../control-plane/ledger/release-unconfirmed.ts';
import { keepSession, silenceMaxMs } from '../../../control-plane/ledger/sessions.ts';
import type { ProxyCaller } from '../../../control-plane/rpc/caller.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { change } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';
import { anyProxy, boundProxy } from '../../support/watching.ts';

const otherProxy: ProxyCaller = { ...anyProxy, id: 'proxy-other' };

describeStores('the ledger', (given) => {
  let fixture: LedgerFixture;
  let budgetId: string;
  let session: string;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    budgetId = await fixture.budget({ amount: 1000 });
    session = await fixture.session();
  });

  const operation = (seq: number, fields: { session?: string; window?: string; budgetId?: string } = {}) => ({
    ...{ session, budgetId, window: 'total', seq },
    ...fields,
  });
  const acquire = (seq: number, need: number, want = need) => fixture.acquire({ ...operation(seq), need, want });
  const silence = async () => {
    await given.database.raw(`update ledger_sessions set seen_at = seen_at - ${silenceMaxMs + 1}`);
    return await expireSessions(given.store);
  };
  const charged = (escrow: number, cost: number, of = session) => ({
    row: usageEvent({ session_id: of, cost }),
    charges: [{ budgetId, window: 'total', escrow }],
  });

  describe('an acquisition', () => {
    it('grants the wanted amount up to a quarter of the free one, and always the needed amount', async () => {
      expect(await acquire(1, 1, 100)).toMatchObject({ outcome: 'granted', granted: 100 });
      expect(await acquire(2, 1, 900)).toMatchObject({ outcome: 'granted', granted: 225 });
      expect(await acquire(3, 500, 900)).toMatchObject({ outcome: 'granted', granted: 500 });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 825, unconfirmed: 0 });
      expect((await fixture.leases())[0]).toMatchObject({ remaining: 825, state: 'open', seq: 3 });
    });

    it('grants the last nano-dollar, and refuses one more', async () => {
      expect(await acquire(1, 1000)).toMatchObject({ outcome: 'granted', granted: 1000 });
      expect(await acquire(2, 1)).toMatchObject({ outcome: 'busy', granted: 0, reclaimOf: 'organization-1' });
    });

    it('is refused as exceeded when the spent amount leaves too little', async () => {
      await fixture.report([{ row: usageEvent({ cost: 901 }) }]);
      expect(await acquire(1, 100)).toMatchObject({ outcome: 'exceeded', granted: 0, reclaimOf: undefined });
      expect(await acquire(2, 99)).toMatchObject({ outcome: 'granted', granted: 99 });
    });

    it('counts unconfirmed money as spent', async () => {
      await acquire(1, 901);
      await silence();
      session = await fixture.session();
      expect(await acquire(1, 100)).toMatchObject({ outcome: 'exceeded' });
    });

    it('that is repeated gets the same response and happens once', async () => {
      await acquire(1, 100);
      expect(await acquire(1, 100)).toMatchObject({ outcome: 'granted', granted: 100 });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 100, unconfirmed: 0 });
    });

    it('that was refused stays refused when it is repeated, even if there is room by then', async () => {
      await acquire(1, 1000);
      const other = await fixture.session();
      const refused = { ...operation(1, { session: other }), need: 10, want: 10 };
      expect(await fixture.acquire(refused)).toMatchObject({ outcome: 'busy' });
      await fixture.release({ ...operation(2), amount: 500 });
      expect(await fixture.acquire(refused)).toMatchObject({ outcome: 'busy', granted: 0 });
      expect(await fixture.acquire({ ...refused, seq: 2 })).toMatchObject({ outcome: 'granted' });
    });

    it('below the newest is ignored, and one that skips a number is lost', async () => {
      await acquire(1, 10);
      await acquire(2, 10);
      expect(await acquire(1, 10)).toMatchObject({ outcome: 'ignored', granted: 0 });
      expect(await acquire(4, 10)).toMatchObject({ outcome: 'lost', granted: 0 });
      expect(await fixture.ledger(budgetId)).toMatchObject({ leased: 20 });
    });

    it('with the number of a release is lost, and a release with that of an acquisition frees nothing', async () => {
      await acquire(1, 10);
      expect(await fixture.release({ ...operation(1), amount: 5 })).toBe(0);
      expect(await fixture.release({ ...operation(2), amount: 5 })).toBe(5);
      expect(await acquire(2, 10)).toMatchObject({ outcome: 'lost', granted: 0 });
    });

    it('of an unknown or closed session is gone', async () => {
      const unknown = operation(1, { session: '00000000-0000-4000-8000-000000000000' });
      expect(await fixture.acquire({ ...unknown, need: 1, want: 1 })).toMatchObject({ outcome: 'gone' });
      await silence();
      expect(await acquire(1, 1)).toMatchObject({ outcome: 'gone' });
      expect(await fixture.ledger(budgetId)).toMatchObject({ leased: 0, unconfirmed: 0 });
    });

    it('of another window than the present one of the budget is refused', async () => {
      const daily = await fixture.budget({ amount: 1000, period: 'day' });
      const weekly = await fixture.budget({ amount: 1000, period: 'week' });
      const at = Date.now();
      const acquireIn = async (id: string, window: string) =>
        (await fixture.acquire({ ...operation(1, { budgetId: id, window }), need: 1, want: 1 })).outcome;
      const day = 86_400_000;
      expect(await acquireIn(daily, dayOf(at - 2 * day))).toBe('window');
      expect(await acquireIn(daily, dayOf(at + 2 * day))).toBe('window');
      expect(await acquireIn(daily, 'total')).toBe('window');
      expect(await acquireIn(daily, '1999-01-01')).toBe('window');
      expect(await acquireIn(budgetId, dayOf(at))).toBe('window');
      expect(await acquireIn(weekly, dayOf(Date.parse(windowOf('week', at)) + day))).toBe('window');
      expect(await acquireIn(weekly, windowOf('week', at))).toBe('granted');
      expect(await fixture.ledger(daily, '1999-01-01')).toBeUndefined();
    });

    it('of a deleted or unknown budget is refused', async () => {
      await given.database.raw('update limits set deleted_at = created_at');
      expect(await acquire(1, 1)).toMatchObject({ outcome: 'deleted' });
      const unknown = operation(1, { budgetId: '00000000-0000-4000-8000-000000000000' });
      expect(await fixture.acquire({ ...unknown, need: 1, want: 1 })).toMatchObject({ outcome: 'deleted' });
    });

    it('in the session of another proxy is refused like one that does not exist', async () => {
      const request = { ...operation(1), need: 1, want: 1 };
      await expect(fixture.acquire(request, otherProxy)).rejects.toMatchObject({ reason: 'not_found' });
    });

    it('of a bound proxy sees the budgets of its organization only', async () => {
      await fixture.organization('organization-2');
      const foreign = await fixture.budget({ amount: 1000, organizationId: 'organization-2' });
      session = await fixture.session(boundProxy);
      const ask = (id: string) => fixture.acquire({ ...operation(1, { budgetId: id }), need: 1, want: 1 }, boundProxy);
      expect(await ask(foreign)).toMatchObject({ outcome: 'deleted' });
      expect(await ask(budgetId)).toMatchObject({ outcome: 'granted' });
    });
  });

  describe('a release by a proxy', () => {
    it('frees at most the rest of the lease', async () => {
      await acquire(1, 100);
      expect(await fixture.release({ ...operation(2), amount: 30 })).toBe(30);
      expect(await fixture.release({ ...operation(3), amount: 500 })).toBe(70);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });

    it('that is repeated gets the same response and happens once', async () => {
      await acquire(1, 100);
      await fixture.release({ ...operation(2), amount: 30 });
      expect(await fixture.release({ ...operation(2), amount: 30 })).toBe(30);
      expect(await fixture.ledger(budgetId)).toMatchObject({ leased: 70 });
    });

    it('from a closed session comes out of the unconfirmed amount', async () => {
      await acquire(1, 100);
      await silence();
      expect(await fixture.release({ ...operation(2), amount: 30 })).toBe(30);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 0, unconfirmed: 70 });
    });

    it('without an earlier acquisition frees nothing', async () => {
      expect(await fixture.release({ ...operation(1), amount: 30 })).toBe(0);
      expect(await fixture.release({ ...operation(7), amount: 30 })).toBe(0);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });
  });

  describe('a report', () => {
    it('records the cost and releases the pending charge', async () => {
      await acquire(1, 100);
      expect(await fixture.report([charged(80, 60)])).toEqual({
        recorded: 1,
        duplicate: 0,
        unknown: 0,
        over: 0,
      });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 60, leased: 20, unconfirmed: 0 });
    });

    it('that is repeated, or contains an event twice, counts it once', async () => {
      await acquire(1, 100);
      const event = charged(40, 40);
      expect(await fixture.report([event, event])).toMatchObject({ recorded: 1, duplicate: 1 });
      expect(await fixture.report([event])).toMatchObject({ recorded: 0, duplicate: 1 });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 40, leased: 60, unconfirmed: 0 });
    });

    it('takes no more than the rest of the lease', async () => {
      await acquire(1, 100);
      await fixture.report([charged(70, 70), charged(70, 70)]);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 140, leased: 0, unconfirmed: 0 });
    });

    it('after its session was closed settles the unconfirmed amount', async () => {
      await acquire(1, 100);
      await silence();
      await fixture.report([charged(60, 50)]);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 50, leased: 0, unconfirmed: 40 });
    });

    it('between the closing of its session and of its lease settles the leased amount', async () => {
      await acquire(1, 100);
      await given.database.raw('update ledger_sessions set open = 0');
      await fixture.report([charged(60, 50)]);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 50, leased: 40, unconfirmed: 0 });
      await expireSessions(given.store);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 50, leased: 0, unconfirmed: 40 });
    });

    it('counts towards every matching budget, whether charged or not, deleted or not', async () => {
      const amount = 1000;
      const ofKey = await fixture.budget({ amount, subjectId: 'key-1' });
      const ofProject = await fixture.budget({ amount, subjectId: 'person-1', period: 'month' });
      const ofModel = await fixture.budget({ amount, model: 'gpt-provider/*' });
      const ofOthers = [
        await fixture.budget({ amount, subjectId: 'key-2' }),
        await fixture.budget({ amount, model: 'search-provider/*' }),
      ];
      await given.database.raw(`update limits set deleted_at = created_at where id = '${ofKey}'`);
      const at = Date.now() + 1000;
      // The row names the person twice, and the person is counted once.
      const row = usageEvent({ at, cost: 7, person_id: 'person-1', project_person_id: 'person-1' });
      await fixture.report([{ row }]);
      for (const id of [budgetId, ofKey, ofModel]) expect(await fixture.ledger(id)).toMatchObject({ spent: 7 });
      expect(await fixture.ledger(ofProject, windowOf('month', at))).toMatchObject({ spent: 7 });
      for (const id of ofOthers) expect(await fixture.ledger(id)).toBeUndefined();
    });

    it('from before a total budget was created does not count towards it, but towards a daily budget', async () => {
      const daily = await fixture.budget({ amount: 1000, period: 'day' });
      const at = Date.now() - 3_600_000;
      await fixture.report([{ row: usageEvent({ at, cost: 7 }) }]);
      expect(await fixture.ledger(budgetId)).toBeUndefined();
      expect(await fixture.ledger(daily, dayOf(at))).toMatchObject({ spent: 7 });
    });

    it('counts in the window of its own time', async () => {
      const daily = await fixture.budget({ amount: 1000, period: 'day' });
      const day = 86_400_000;
      const at = Date.now() - 2 * day;
      await fixture.report([at, at, at + day].map((time) => ({ row: usageEvent({ at: time, cost: 5 }) })));
      expect(await fixture.ledger(daily, dayOf(at))).toMatchObject({ spent: 10 });
      expect(await fixture.ledger(daily, dayOf(at + day))).toMatchObject({ spent: 5 });
    });

    it('drops events of missing organizations, and records the others', async () => {
      const events = ['organization-1', 'organization-2'].map((organization_id) => ({
        row: usageEvent({ organization_id, cost: 5 }),
      }));
      expect(await fixture.report(events)).toMatchObject({ recorded: 1, duplicate: 0, unknown: 1 });
      expect(await fixture.ledger(budgetId)).toMatchObject({ spent: 5 });
    });

    it('above the limit is recorded and counted as over the limit', async () => {
      expect(await fixture.report([{ row: usageEvent({ cost: 1000 }) }])).toMatchObject({ over: 0 });
      expect(await fixture.report([{ row: usageEvent({ cost: 1 }) }])).toMatchObject({ over: 1 });
      expect(await fixture.report([{ row: usageEvent({ cost: 0 }) }])).toMatchObject({ over: 0 });
      expect(await fixture.ledger(budgetId)).toMatchObject({ spent: 1001 });
    });

    it('notes the thresholds that the ledger has reached', async () => {
      await fixture.report([{ row: usageEvent({ cost: 800 }) }]);
      const alerts = await given.store.snapshot((db) =>
        db.selectFrom('budget_notices').select('percent').orderBy('percent').execute(),
      );
      expect(alerts.map(({ percent }) => percent)).toEqual([50, 80]);
    });

    it('of a thousand events over many budgets records each of them', async () => {
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, i) => fixture.budget({ amount: 1e12, subjectId: `key-${i}` })),
      );
      const events = Array.from({ length: 1000 }, (_, i) => ({
        row: usageEvent({ key_id: `key-${i % 20}`, cost: 3 }),
      }));
      expect(await fixture.report(events)).toMatchObject({ recorded: 1000 });
      for (const id of ids) expect(await fixture.ledger(id)).toMatchObject({ spent: 150 });
      expect(await fixture.ledger(budgetId)).toMatchObject({ spent: 3000 });
    });

    it('never makes a sum that the database cannot return', async () => {
      const most = Number.MAX_SAFE_INTEGER;
      await fixture.report([{ row: usageEvent({ cost: most }) }]);
      await fixture.report([{ row: usageEvent({ cost: 5 }) }]);
      expect(await fixture.ledger(budgetId)).toMatchObject({ spent: most });
    });
  });

  describe('the ledger entry of a window', () => {
    it('begins with the usage of the window before the budget was created', async () => {
      const at = Date.now();
      await fixture.report([
        { row: usageEvent({ at, cost: 5 }) },
        { row: usageEvent({ at, cost: 7, key_id: 'key-2', model_asked: 'search-provider/x' }) },
      ]);
      const whole = await fixture.budget({ amount: 1000, period: 'month' });
      const ofKey = await fixture.budget({ amount: 1000, period: 'month', subjectId: 'key-2' });
      const ofModel = await fixture.budget({ amount: 1000, period: 'month', model: 'gpt-*' });
      const later = await fixture.budget({ amount: 1000 });
      const window = windowOf('month', at);
      for (const id of [whole, ofKey, ofModel]) {
        await fixture.acquire({ ...operation(1, { budgetId: id, window }), need: 1, want: 1 });
      }
      await fixture.acquire({ ...operation(1, { budgetId: later }), need: 1, want: 1 });
      expect(await fixture.ledger(whole, window)).toMatchObject({ spent: 12 });
      expect(await fixture.ledger(ofKey, window)).toMatchObject({ spent: 7 });
      expect(await fixture.ledger(ofModel, window)).toMatchObject({ spent: 5 });
      expect(await fixture.ledger(later)).toMatchObject({ spent: 0 });
    });

    it('notes at its beginning the thresholds that are already reached', async () => {
      await fixture.report([{ row: usageEvent({ cost: 600 }) }]);
      const daily = await fixture.budget({ amount: 1000, period: 'day' });
      await fixture.acquire({
        ...operation(1, { budgetId: daily, window: dayOf(Date.now()) }),
        need: 1,
        want: 1,
      });
      const alerts = await given.store.snapshot((db) =>
        db.selectFrom('budget_notices').select('percent').where('budget_id', '=', daily).execute(),
      );
      expect(alerts).toEqual([{ percent: 50 }]);
    });
  });

  describe('a session', () => {
    const keep = async (caller = anyProxy) => (await given.store.ledger((tx) => keepSession(tx, caller, session))).open;

    it('stays open while it is kept, and never opens again once it was closed', async () => {
      expect(await keep()).toBe(true);
      await silence();
      expect(await keep()).toBe(false);
      expect(await keep()).toBe(false);
    });

    it('of another proxy does not exist', async () => {
      await expect(keep(otherProxy)).rejects.toMatchObject({ reason: 'not_found' });
    });

    it('that is active again in time is not closed', async () => {
      await given.database.raw(`update ledger_sessions set seen_at = seen_at - ${silenceMaxMs - 10_000}`);
      expect(await expireSessions(given.store)).toBe(0);
      await keep();
      await given.database.raw(`update ledger_sessions set seen_at = seen_at - ${silenceMaxMs - 10_000}`);
      expect(await expireSessions(given.store)).toBe(0);
      expect(await keep()).toBe(true);
    });

    it('that is closed leaves its leases as unconfirmed money, once', async () => {
      await acquire(1, 100);
      expect(await silence()).toBe(1);
      expect(await expireSessions(given.store)).toBe(0);
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 0, unconfirmed: 100 });
      expect(await fixture.leases()).toMatchObject([{ remaining: 100, state: 'expired' }]);
    });
  });

  describe('a release by an admin', () => {
    const release = (amount: number | undefined, of = session) =>
      change(given.store, async (tx) => ({
        result: await releaseUnconfirmed(tx, { sessionId: of, budgetId, window: 'total' }, amount),
      }));

    it('frees unconfirmed money, at most as much as there is', async () => {
      await acquire(1, 100);
      await silence();
      expect(await release(30)).toMatchObject({ released: 30, remaining: 70, proxy: anyProxy.id });
      expect(await release(500)).toMatchObject({ released: 70, remaining: 0 });
      expect(await release(undefined)).toMatchObject({ released: 0, remaining: 0 });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });

    it('does nothing for an open session or an unknown one', async () => {
      await acquire(1, 100);
      expect(await release(30)).toBeUndefined();
      expect(await release(30, 'unknown')).toBeUndefined();
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 100, unconfirmed: 0 });
    });

    it('does not lose a report that arrives later', async () => {
      await acquire(1, 1000);
      await silence();
      await release(undefined);
      expect(await fixture.report([charged(900, 900)])).toMatchObject({ recorded: 1, over: 0 });
      expect(await fixture.ledger(budgetId)).toEqual({ spent: 900, leased: 0, unconfirmed: 0 });
    });
  });
});
