// The shut part of its leases that a session reports: it is free again once the session is over, and never used
// twice. And the end that a proxy, or its successor, gives a session.
import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../../common/uuid.ts';
import { expireSessions } from '../../../control-plane/ledger/expiry.ts';
import { releaseUnconfirmed } from '../../../control-plane/ledger/release-unconfirmed.ts';
import { keepSession, silenceMaxMs } from '../../../control-plane/ledger/sessions.ts';
import type { ProxyCaller } from '../../../control-plane/rpc/caller.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { change } from '../../support/stored-records.ts';
import { usageEvent } from '../../support/usage-events.ts';
import { anyProxy } from '../../support/watching.ts';

const otherProxy: ProxyCaller = { ...anyProxy, id: 'proxy-other' };

describeStores('a lease of which something is shut', (given) => {
  let fixture: LedgerFixture;
  let budgetId: string;
  let session: string;
  let seq: number;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    budgetId = await fixture.budget({ amount: 1000 });
    session = await fixture.session();
    seq = 0;
  });

  const operation = () => ({ session, budgetId, window: 'total', seq: ++seq });
  const acquire = (want: number, shut = 0) =>
    fixture.acquire({ ...operation(), need: want, want, ...(shut > 0 && { shut }) });
  const release = (amount: number, shut = 0) => fixture.release({ ...operation(), amount, shut });
  const silence = async () => {
    await given.database.raw(`update ledger_sessions set seen_at = seen_at - ${silenceMaxMs + 1}`);
    await expireSessions(given.store);
  };
  const spend = (escrow: number, cost = escrow) =>
    fixture.report([
      { row: usageEvent({ session_id: session, cost }), charges: [{ budgetId, window: 'total', escrow }] },
    ]);
  const named = (amount: number) => new Map([[`${budgetId} total`, amount]]);
  const ledger = () => fixture.ledger(budgetId);
  const lease = async () => (await fixture.leases())[0];

  describe('at its expiry', () => {
    it('frees the shut part, and leaves the rest unconfirmed', async () => {
      await acquire(400);
      await release(0, 300);
      await silence();
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 100 });
      expect(await lease()).toMatchObject({ state: 'expired', remaining: 100, back: 300 });
    });

    it('frees nothing if the proxy reports no shut part', async () => {
      await acquire(400);
      await silence();
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 400 });
    });

    it('frees no more than it has left', async () => {
      await acquire(400);
      await release(0, 300);
      await spend(250);
      await silence();
      expect(await ledger()).toEqual({ spent: 250, leased: 0, unconfirmed: 0 });
      expect(await lease()).toMatchObject({ remaining: 0, back: 150 });
    });

    it.each([
      ['an acquisition', async () => void (await acquire(10, 30)), 380],
      ['an acquisition that is refused', async () => void (await acquire(5000, 30)), 370],
      ['an acquisition of nothing', async () => void (await acquire(0, 30)), 370],
      ['a release', async () => void (await release(50, 30)), 320],
      ['an operation of a proxy that reports no shut part', async () => void (await acquire(10)), 410],
    ])('uses the shut part of the newest operation: %s', async (_, operate, unconfirmed) => {
      await acquire(400);
      await release(0, 300);
      await operate();
      await silence();
      expect(await ledger()).toMatchObject({ unconfirmed });
    });

    it('ignores the shut part of operations that were not executed', async () => {
      await acquire(400);
      await release(0, 300);
      await fixture.acquire({ ...operation(), seq: 1, need: 1, want: 1, shut: 0 });
      await fixture.acquire({ ...operation(), seq: 9, need: 1, want: 1, shut: 0 });
      await fixture.release({ ...operation(), seq: 2, amount: 0, shut: 0 });
      await silence();
      expect(await ledger()).toMatchObject({ unconfirmed: 100 });
    });
  });

  describe('returned after its expiry', () => {
    beforeEach(async () => {
      await acquire(400);
      await release(0, 300);
      await silence();
    });

    it('is taken first from the freed part, then from the unconfirmed part', async () => {
      expect(await release(250)).toBe(250);
      expect(await ledger()).toMatchObject({ unconfirmed: 100 });
      expect(await release(80)).toBe(80);
      expect(await ledger()).toMatchObject({ unconfirmed: 70 });
      expect(await release(500)).toBe(70);
      expect(await ledger()).toMatchObject({ unconfirmed: 0 });
    });

    it('gets the same response when the release is repeated', async () => {
      expect(await release(330)).toBe(330);
      seq--;
      expect(await release(330)).toBe(330);
      expect(await ledger()).toMatchObject({ unconfirmed: 70 });
    });

    it('is charged for late reports out of the unconfirmed part', async () => {
      await spend(60);
      expect(await ledger()).toEqual({ spent: 60, leased: 0, unconfirmed: 40 });
      expect(await release(340)).toBe(340);
      expect(await ledger()).toEqual({ spent: 60, leased: 0, unconfirmed: 0 });
    });

    it('is released by an admin out of the unconfirmed part', async () => {
      await change(given.store, async (tx) => {
        await releaseUnconfirmed(tx, { sessionId: session, budgetId, window: 'total' }, undefined);
        return undefined;
      });
      expect(await ledger()).toMatchObject({ unconfirmed: 0 });
      expect(await lease()).toMatchObject({ remaining: 0, back: 300 });
    });
  });

  describe('whose session is closed by its proxy', () => {
    it('frees everything except the outstanding amount', async () => {
      await acquire(400);
      expect(await fixture.closeSession(session, named(70))).toMatchObject({ freed: 330 });
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 70 });
      expect(await acquire(1)).toMatchObject({ outcome: 'gone' });
      await spend(70, 50);
      expect(await ledger()).toEqual({ spent: 50, leased: 0, unconfirmed: 0 });
    });

    it('frees everything of a window that is not named', async () => {
      await acquire(400);
      expect(await fixture.closeSession(session)).toMatchObject({ freed: 400 });
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });

    it('keeps a window that is not named if the call names only some of the windows', async () => {
      await acquire(400);
      expect(await fixture.closeSession(session, new Map(), { andOthers: true })).toMatchObject({ freed: 0 });
      expect(await ledger()).toMatchObject({ leased: 400 });
      await release(0, 300);
      await expireSessions(given.store);
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 100 });
    });

    it('frees nothing twice when the call is repeated, and more when less is outstanding later', async () => {
      await acquire(400);
      await fixture.closeSession(session, named(70));
      expect(await fixture.closeSession(session, named(70))).toMatchObject({ freed: 0 });
      expect(await fixture.closeSession(session, named(90))).toMatchObject({ freed: 0 });
      expect(await ledger()).toMatchObject({ unconfirmed: 70 });
      expect(await fixture.closeSession(session, named(20))).toMatchObject({ freed: 50 });
      expect(await fixture.closeSession(session)).toMatchObject({ freed: 20 });
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });

    it('may have expired before', async () => {
      await acquire(400);
      await release(0, 300);
      await silence();
      expect(await fixture.closeSession(session, named(30))).toMatchObject({ freed: 70 });
      expect(await ledger()).toMatchObject({ unconfirmed: 30 });
      expect(await release(370)).toBe(370);
      expect(await ledger()).toMatchObject({ unconfirmed: 30 });
    });

    it('does not free twice an acquisition whose response was lost', async () => {
      await acquire(400);
      await fixture.closeSession(session, named(100));
      expect(await release(300)).toBe(300);
      expect(await ledger()).toMatchObject({ unconfirmed: 100 });
    });

    it('is never opened again by a late call, even if the database did not know it', async () => {
      const forgotten = uuidv7();
      expect(await fixture.closeSession(forgotten)).toMatchObject({ freed: 0 });
      expect(await fixture.closeSession(forgotten)).toMatchObject({ freed: 0 });
      const late = await given.store.ledger((tx) => keepSession(tx, anyProxy, forgotten));
      expect(late).toMatchObject({ open: false });
      const request = { budgetId, window: 'total', seq: 1, need: 1, want: 1 };
      expect(await fixture.acquire({ ...request, session: forgotten })).toMatchObject({ outcome: 'gone' });
      expect(await ledger()).toEqual({ spent: 0, leased: 0, unconfirmed: 0 });
    });

    it('may have very many windows', async () => {
      const budgets: string[] = [];
      for (let count = 0; count < 205; count++) {
        const each = await fixture.budget({ amount: 100 });
        await fixture.acquire({ session, budgetId: each, window: 'total', seq: 1, need: 10, want: 10 });
        budgets.push(each);
      }
      const kept = budgets[200] ?? '';
      expect(await fixture.closeSession(session, new Map([[`${kept} total`, 4]]))).toMatchObject({
        freed: 205 * 10 - 4,
      });
      for (const each of budgets)
        expect(await fixture.ledger(each)).toEqual({
          spent: 0,
          leased: 0,
          unconfirmed: each === kept ? 4 : 0,
        });
    });

    it('is not found by another proxy, and an unknown session has nothing to free', async () => {
      await acquire(400);
      const close = fixture.closeSession(session, new Map(), { caller: otherProxy });
      await expect(close).rejects.toMatchObject({ reason: 'not_found' });
      expect(await ledger()).toMatchObject({ leased: 400 });
      expect(await fixture.closeSession('00000000-0000-7000-8000-000000000001')).toMatchObject({ freed: 0 });
    });
  });

  it('an acquisition that is busy returns the leased and the free amount', async () => {
    await acquire(300);
    const other = await fixture.session();
    await fixture.acquire({ session: other, budgetId, window: 'total', seq: 1, need: 500, want: 500 });
    expect(await acquire(900)).toMatchObject({ outcome: 'busy', attainable: 700 });
    expect(await acquire(5000)).toMatchObject({ outcome: 'exceeded', attainable: undefined });
  });

  it('a kept session returns the number of sessions and the amount of its leases', async () => {
    await acquire(300);
    await fixture.session();
    const keep = () => given.store.ledger((tx) => keepSession(tx, anyProxy, session));
    expect(await keep()).toEqual({ open: true, sessions: 2, leased: 300 });
    await given.database.raw(
      `update ledger_sessions set seen_at = seen_at - ${silenceMaxMs + 1} where id <> '${session}'`,
    );
    expect(await keep()).toEqual({ open: true, sessions: 1, leased: 300 });
  });
});
