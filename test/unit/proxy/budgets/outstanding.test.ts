// The outstanding money that a proxy reports for a session, and how it closes the session with it.
import { describe, expect, it } from 'vitest';
import { createBackground } from '../../../../common/background.ts';
import { Contact } from '../../../../proxy/budgets/contact.ts';
import { DatabaseClock } from '../../../../proxy/budgets/database-clock.ts';
import { Lease, leaseOrigin } from '../../../../proxy/budgets/lease.ts';
import { knownOf, outstandingOf, SessionEnds } from '../../../../proxy/budgets/session-end.ts';
import { type LedgerClient, LedgerRefusedError, type SessionEnd } from '../../../../proxy/usage/ledger-client.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

/** A lease of the session with these free and reserved amounts. */
function leaseOf(session: string, free: number, reserved: number): Lease {
  const lease = new Lease(leaseOrigin(session, { id: 'a', period: 'total' }, 0), { seq: 0, shuts: false }, 0);
  lease.acquire('acquire', 0);
  lease.acquired({ outcome: 'granted', granted: free + reserved, attainable: undefined, epoch: '', now: 0 }, 0);
  lease.take(reserved, 0);
  return lease;
}

const escrow = (amount: number) => ({ budgetId: 'a', window: 'total', amount });
const usage = { queued: () => [escrow(3)], elsewhere: () => [escrow(4)] };

describe('outstanding money of a session', () => {
  it('consists of the reservations of its own leases and of usage that the ledger has not acknowledged', () => {
    const leases = [leaseOf('one', 10, 20), leaseOf('other', 30, 40), leaseOf('one', 50, 0)];
    expect(outstandingOf('one', leases, usage).map(({ amount }) => amount)).toEqual([3, 4, 20]);
  });
});

describe('known money of a session', () => {
  it('consists of its own leases’ free, reserved and returning money and of usage that waits here', () => {
    const returning = leaseOf('one', 50, 0);
    returning.release(50, 0);
    const leases = [leaseOf('one', 10, 20), leaseOf('other', 30, 40), returning];
    expect(knownOf('one', leases, usage)).toBe(10 + 20 + 50 + 3);
  });
});

describe('a session that ends', () => {
  function open(closeSession: LedgerClient['closeSession']) {
    const time = new VirtualTime();
    const closed: SessionEnd[] = [];
    const ended: string[] = [];
    const state = { outstanding: 5 };
    const shared = { clock: time, log: silentLog };
    const contact = new Contact({
      ...shared,
      ...{ databaseClock: new DatabaseClock(time), onAway: () => undefined, onBack: () => undefined },
    });
    const ends = new SessionEnds({
      ...shared,
      ...{ contact, timers: time, random: () => 0.5 },
      client: {
        closeSession: (end) => {
          closed.push(end);
          return closeSession(end);
        },
      },
      background: createBackground({ log: silentLog, onFailure: () => undefined }),
      outstanding: () => (state.outstanding === 0 ? [] : [escrow(state.outstanding)]),
      onEnded: (session) => ended.push(session),
    });
    return { closed, ended, ends, state, time };
  }
  const done = async () => ({ now: 0, epoch: '', freed: 0 });

  it('is closed with its outstanding money, again when that is less, and not again once it was nothing', async () => {
    const { closed, ended, ends, state, time } = open(done);
    await ends.end('one');
    ends.sweep();
    state.outstanding = 2;
    ends.sweep();
    await time.advance(0);
    state.outstanding = 0;
    ends.sweep();
    await time.advance(0);
    ends.sweep();
    const amounts = closed.map(({ outstanding }) => outstanding.map(({ amount }) => amount));
    expect(amounts).toEqual([[5], [2], []]);
    expect(ended).toEqual(['one']);
  });

  it('is retried by its own timer when the ledger fails, not by a sweep meanwhile', async () => {
    let isDown = true;
    const { closed, ends, time } = open(async () => {
      if (isDown) throw new Error('down');
      return done();
    });
    const end = ends.end('one');
    await time.advance(0);
    ends.sweep();
    await time.advance(0);
    expect(closed).toHaveLength(1);
    isDown = false;
    await time.advance(10_000);
    await end;
    expect(closed).toHaveLength(2);
  });

  it('counts as ended when the ledger refuses to close it, and is not retried', async () => {
    const { closed, ended, ends, time } = open(async () => {
      throw new LedgerRefusedError('denied', 'no');
    });
    const end = ends.end('one');
    await time.advance(60_000);
    await end;
    expect([closed.length, ended]).toEqual([1, ['one']]);
  });
});
