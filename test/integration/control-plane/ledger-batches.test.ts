// Acquisitions and releases that arrive together share a transaction: each gets the same response as if it were alone,
// in the order of arrival.
import { beforeEach, expect, it } from 'vitest';
import { drawing } from '../../../control-plane/ledger/acquire.ts';
import type { LeaseWork } from '../../../control-plane/ledger/lease-work.ts';
import { LeaseBatches } from '../../../control-plane/ledger/lease-work.ts';
import { returning } from '../../../control-plane/ledger/release-lease.ts';
import type { ProxyCaller } from '../../../control-plane/rpc/caller.ts';
import { type Store, StoreUnavailableError } from '../../../control-plane/store/store.ts';
import { describeStores } from '../../support/databases.ts';
import { LedgerFixture } from '../../support/ledger.ts';
import { anyProxy } from '../../support/watching.ts';

const otherProxy: ProxyCaller = { ...anyProxy, id: 'proxy-other' };

describeStores('operations that come together', (given) => {
  let fixture: LedgerFixture;
  let transactions: number;
  let store: Pick<Store, 'ledger'>;
  let batches: LeaseBatches;
  beforeEach(async () => {
    fixture = new LedgerFixture(given.store);
    await fixture.organization();
    transactions = 0;
    store = {
      ledger: (work) => {
        transactions++;
        return given.store.ledger(work);
      },
    };
    batches = new LeaseBatches(store, { atOnceMax: 1, batchMax: 50 });
  });

  const acquire = (session: string, budgetId: string, need: number, seq = 1) =>
    drawing(anyProxy, { session, budgetId, window: 'total', seq, need, want: need });
  const run = async <ReadResponse>(work: LeaseWork<ReadResponse>) => (await batches.run(work)).response;

  it('share transactions, and together get no more than there is', async () => {
    const budgetId = await fixture.budget({ amount: 1000 });
    const sessions = await Promise.all(Array.from({ length: 120 }, () => fixture.session()));
    const acquired = await Promise.all(sessions.map((session) => run(acquire(session, budgetId, 10))));
    const outcomes = acquired.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(100);
    expect(outcomes.slice(100)).toEqual(Array.from({ length: 20 }, () => 'busy'));
    expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 1000, unconfirmed: 0 });
    // The first runs at once; the others wait for it and run in batches of fifty.
    expect(transactions).toBe(4);
  });

  it('see the effects of earlier ones in the same transaction', async () => {
    const budgetId = await fixture.budget({ amount: 100 });
    const [a, b, c] = await Promise.all([fixture.session(), fixture.session(), fixture.session()]);
    const blocker = run(acquire(c, budgetId, 1));
    const [first, back, second] = await Promise.all([
      run(acquire(a, budgetId, 90)),
      run(returning(anyProxy, { session: a, budgetId, window: 'total', seq: 2, amount: 50 })),
      run(acquire(b, budgetId, 59)),
      blocker,
    ]);
    expect([first.outcome, back, second.outcome, transactions]).toEqual(['granted', 50, 'granted', 2]);
    expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 100, unconfirmed: 0 });
  });

  it('sent twice in one transaction happen once', async () => {
    const budgetId = await fixture.budget({ amount: 100 });
    const session = await fixture.session();
    const blocker = run(acquire(await fixture.session(), budgetId, 1));
    const [once, again] = await Promise.all([
      run(acquire(session, budgetId, 40)),
      run(acquire(session, budgetId, 40)),
      blocker,
    ]);
    expect([once, again]).toEqual([once, once]);
    expect(await fixture.ledger(budgetId)).toEqual({ spent: 0, leased: 41, unconfirmed: 0 });
  });

  it('are refused one by one when one names the session of another proxy', async () => {
    const budgetId = await fixture.budget({ amount: 100 });
    const [own, foreign] = [await fixture.session(), await fixture.session(otherProxy)];
    const blocker = run(acquire(await fixture.session(), budgetId, 1));
    const [refused, granted] = await Promise.allSettled([
      run(acquire(foreign, budgetId, 10)),
      run(acquire(own, budgetId, 10)),
      blocker,
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { reason: 'not_found' } });
    expect(granted).toMatchObject({ status: 'fulfilled', value: { outcome: 'granted' } });
  });

  it('run alone when one of them fails with a defect, and the others succeed', async () => {
    const budgetId = await fixture.budget({ amount: 100 });
    const sessions = [await fixture.session(), await fixture.session()] as const;
    const broken: LeaseWork<never> = {
      ...acquire(sessions[0], budgetId, 10),
      step: () => {
        throw new TypeError('a defect');
      },
    };
    const blocker = run(acquire(await fixture.session(), budgetId, 1));
    const [failed, granted] = await Promise.allSettled([run(broken), run(acquire(sessions[1], budgetId, 10)), blocker]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'a defect' } });
    expect(granted).toMatchObject({ status: 'fulfilled', value: { outcome: 'granted' } });
  });

  it('all fail together when the database cannot be reached, and later ones are served', async () => {
    const budgetId = await fixture.budget({ amount: 100 });
    const session = await fixture.session();
    let down = true;
    let tries = 0;
    batches = new LeaseBatches({
      ledger: (work) => {
        tries++;
        return down ? Promise.reject(new StoreUnavailableError(new Error('down'))) : given.store.ledger(work);
      },
    });
    const failed = await Promise.allSettled([1, 2, 3].map((need) => run(acquire(session, budgetId, need))));
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
    expect(tries).toBeLessThanOrEqual(3);
    down = false;
    expect(await run(acquire(session, budgetId, 5))).toMatchObject({ outcome: 'granted' });
  });
});
