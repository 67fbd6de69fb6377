// Sessions that the proxy itself ends: after a restore, when the ledger does not know a lease, and when usage was lost.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../../../common/budget-window.ts';
import type { BudgetReservation } from '../../../../proxy/budgets/budgets.ts';
import { driftMs } from '../../../../proxy/budgets/lost-usage.ts';
import { ask, attempt, World } from './world.ts';

let world: World;

beforeEach(async () => {
  world = new World();
  world.ledger.sessions = 1;
  world.ledger.addBudget('a', 1_000_000);
  await world.time.advance(5);
});

afterEach(() => {
  expect(world.defects).toEqual([]);
});

const session = () => world.budgets.stamp().session;
const window = () => dayOf(world.ledger.now());
const ends = () => world.link.calls.flatMap((call) => (call.kind === 'close' ? [call.end] : []));
const ledger = () => world.ledger.ledger('a');

/** The database loses all later operations on leases. */
function loseLeases(): void {
  for (const lease of world.ledger.reference.leases.values()) lease.seq = 0;
}

describe('a restored database', () => {
  let old: string;
  let reservation: BudgetReservation;
  beforeEach(async () => {
    reservation = await world.take(ask(100, 'a'));
    old = session();
    world.usage.waiting = [{ budgetId: 'a', window: window(), amount: 7 }];
    world.usage.overflowed = [{ budgetId: 'a', window: window(), amount: 3 }];
    world.budgets.epochChanged('restored', 'epoch-2');
  });

  it('acknowledged usage is reported again, then the session is closed with its outstanding money and another begins', async () => {
    await world.time.advance(50);
    expect(new Set(world.usage.reportedAgain)).toEqual(new Set(['epoch-2']));
    const outstanding = [{ budgetId: 'a', window: window(), amount: 100 + 7 + 3 }];
    expect(ends()).toEqual([{ session: old, outstanding, andOthers: false }]);
    expect(session()).not.toBe(old);
    expect(session()).not.toBe('');
    expect(ledger()).toMatchObject({ leased: 0, unconfirmed: 110 });
  });

  it('nothing is released to a session that ended shortly before, even if its requests end later', async () => {
    await world.time.advance(50);
    const before = session();
    const late = await world.take(ask(100, 'a'));
    world.budgets.renewSession(before);
    await world.time.advance(1_000);
    world.budgets.epochChanged('restored', 'epoch-3');
    await world.time.advance(1_000);
    const returns = world.link.returns.length;
    late.settle(0);
    await world.time.advance(1_000);
    expect(world.link.returns.slice(returns).filter((request) => request.session === before)).toEqual([]);
  });

  it('no money is acquired before the new session begins', async () => {
    const pending = attempt(world.budgets, ask(100, 'a'));
    expect(world.budgets.stamp().session).toBe('');
    await world.time.advance(50);
    expect((await pending).stamp.session).not.toBe(old);
  });

  it('the session is closed once more when its last requests have ended, and nothing of it is released', async () => {
    await world.time.advance(50);
    world.ledger.spend(reservation, 40);
    [world.usage.waiting, world.usage.overflowed] = [[], []];
    const returns = world.link.returns.length;
    await world.time.advance(1_500);
    expect(ends().at(-1)).toEqual({ session: old, outstanding: [], andOthers: false });
    expect(ledger()).toMatchObject({ spent: 40, leased: 0, unconfirmed: 0 });
    expect(world.link.returns.slice(returns).filter((each) => each.session === old)).toEqual([]);
    await world.time.advance(10_000);
    expect(ends()).toHaveLength(2);
  });

  it('closing the session is retried until the control plane confirms it', async () => {
    world.link.condition = 'down';
    await world.time.advance(3_000);
    expect(session()).toBe('');
    world.link.condition = 'up';
    await world.time.advance(2_000);
    expect(session()).not.toBe('');
    expect(ledger()).toMatchObject({ leased: 0, unconfirmed: 110 });
  });

  it('when the control plane cannot close sessions, the session ends as without a restore', async () => {
    world.link.condition = 'denied';
    await world.time.advance(50);
    world.link.condition = 'up';
    await world.time.advance(1_500);
    expect(session()).not.toBe(old);
    expect(session()).not.toBe('');
  });

  it('a second restore reports again the usage that was reported after the first', async () => {
    world.budgets.epochChanged('restored', 'epoch-3');
    await world.time.advance(100);
    expect(world.usage.reportedAgain.at(-1)).toBe('epoch-3');
    expect(ends().length).toBeGreaterThan(0);
    expect(session()).not.toBe('');
  });
});

describe('a budget that was deleted', () => {
  beforeEach(async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    world.ledger.change('a', { isDeleted: true });
    // The amount is above the available money, so that the proxy acquires more and learns of the deletion.
    (await world.take(ask(5_000, 'a'))).settle(0);
    expect(world.budgets.take(ask(9_000_000, 'a'))).not.toBeInstanceOf(Promise);
  });

  it('and exists again in a restored database limits requests again in the next session', async () => {
    world.ledger.change('a', { isDeleted: false });
    world.budgets.epochChanged('restored', 'epoch-2');
    await world.time.advance(50);
    expect(await world.refusal(ask(9_000_000, 'a'))).toBe('exceeded a');
    await world.take(ask(100, 'a'));
    expect(ledger().leased).toBeGreaterThan(0);
  });

  it('is requested once in a session', async () => {
    const acquisitions = world.link.acquisitions.length;
    for (let nth = 0; nth < 3; nth++) await world.take(ask(100, 'a'));
    expect(world.link.acquisitions.length).toBe(acquisitions);
    world.budgets.renewSession(session());
    await world.time.advance(50);
    for (let nth = 0; nth < 3; nth++) await world.take(ask(100, 'a'));
    expect(world.link.acquisitions.length).toBe(acquisitions + 1);
  });
});

describe('a restarted control plane', () => {
  it('acknowledged usage is reported again, and the session continues', async () => {
    const old = session();
    world.budgets.epochChanged('restarted', 'epoch-2');
    await world.time.advance(50);
    expect(world.usage.reportedAgain).toEqual(['epoch-2']);
    expect(session()).toBe(old);
    expect(ends()).toEqual([]);
  });
});

describe('a lease that the ledger does not know', () => {
  it('ends its session, which is closed with the outstanding money', async () => {
    await world.take(ask(100, 'a'));
    const old = session();
    loseLeases();
    const reservation = await world.take(ask(900, 'a'));
    expect(reservation.stamp.session).not.toBe(old);
    expect(ends()).toMatchObject([{ session: old, outstanding: [{ amount: 100 }] }]);
    expect(world.usage.reportedAgain.length).toBeGreaterThan(0);
  });
});

describe('usage that was lost on its way', () => {
  const lose = (amount: number) => {
    for (const lease of world.ledger.reference.leases.values()) lease.left += amount;
    const key = [...world.ledger.reference.ledger.keys()][0] ?? '';
    const row = world.ledger.reference.ledger.get(key);
    if (row !== undefined) row.leased += amount;
  };

  beforeEach(async () => {
    world.ledger.reportsLeased = true;
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(15_000);
    expect(ledger().leased).toBe(0);
  });

  it('is detected after five minutes: the session ends, and its lost money is unconfirmed', async () => {
    const old = session();
    lose(70);
    await world.time.advance(driftMs - 20_000);
    expect(session()).toBe(old);
    await world.time.advance(40_000);
    expect(world.lost).toEqual([70]);
    expect(session()).not.toBe(old);
    world.ledger.expire(old);
    expect(ledger()).toMatchObject({ leased: 0, unconfirmed: 70 });
  });

  it('is not searched for while usage waits in the overflow', async () => {
    const old = session();
    world.usage.isOverflowing = true;
    lose(70);
    await world.time.advance(driftMs + 60_000);
    expect(session()).toBe(old);
    world.usage.isOverflowing = false;
    await world.time.advance(20_000);
    expect(session()).not.toBe(old);
  });

  it('is not assumed while usage waits in this proxy to be reported', async () => {
    const old = session();
    lose(70);
    world.usage.waiting = [{ budgetId: 'a', window: window(), amount: 70 }];
    await world.time.advance(driftMs + 60_000);
    expect(session()).toBe(old);
  });

  it('is not assumed when the difference was temporary', async () => {
    const old = session();
    lose(70);
    await world.time.advance(driftMs - 60_000);
    lose(-70);
    await world.time.advance(20_000);
    lose(70);
    await world.time.advance(driftMs - 60_000);
    expect(session()).toBe(old);
  });
});

describe('the end of the proxy', () => {
  it('closes its session once all free money is released', async () => {
    await world.take(ask(100, 'a'));
    const old = session();
    await Promise.all([world.budgets.close(world.time.monotonic() + 500), world.time.advance(600)]);
    const ended = world.budgets.endSession(world.time.monotonic() + 500);
    await world.time.advance(50);
    await ended;
    expect(ends()).toMatchObject([{ session: old, outstanding: [{ amount: 100 }] }]);
    expect(ledger()).toMatchObject({ leased: 0, unconfirmed: 100 });
  });

  it('closes its session also if the ledger is away for a moment, because it restarts', async () => {
    await world.take(ask(100, 'a'));
    const old = session();
    await Promise.all([world.budgets.close(world.time.monotonic() + 500), world.time.advance(600)]);
    world.link.condition = 'down';
    const ended = world.budgets.endSession(world.time.monotonic() + 5_000);
    await world.time.advance(1_500);
    expect(ledger()).toMatchObject({ unconfirmed: 0 });
    world.link.condition = 'up';
    await world.time.advance(3_500);
    await ended;
    expect(ends().filter((end) => end.session === old).length).toBeGreaterThan(1);
    expect(ledger()).toMatchObject({ leased: 0, unconfirmed: 100 });
  });

  it('gives up when its time is over', async () => {
    await world.take(ask(100, 'a'));
    await Promise.all([world.budgets.close(world.time.monotonic() + 500), world.time.advance(600)]);
    world.link.condition = 'down';
    let isOver = false;
    const ended = world.budgets.endSession(world.time.monotonic() + 2_000).then(() => {
      isOver = true;
    });
    await world.time.advance(1_500);
    expect(isOver).toBe(false);
    await world.time.advance(4_000);
    await ended;
    expect(ledger()).toMatchObject({ unconfirmed: 0 });
  });
});

describe('the next window of a budget', () => {
  const dayMs = 86_400_000;
  const toMidnight = (beforeMs: number) => world.time.advance(dayMs - (world.ledger.now() % dayMs) - beforeMs);
  const nextAcquisitions = () =>
    world.link.acquisitions.filter((acquire) => acquire.window === dayOf(world.ledger.now() + 20_000));

  it('is acquired ahead for a lease in use, and its first request does not wait', async () => {
    await toMidnight(13_000);
    for (let second = 0; second < 12; second++) {
      (await world.take(ask(100, 'a'))).settle(10);
      await world.time.advance(900);
    }
    expect(nextAcquisitions()).toHaveLength(1);
    await toMidnight(0);
    await world.time.advance(10);
    const calls = world.link.calls.length;
    const reservation = world.budgets.take(ask(100, 'a'));
    expect(reservation).not.toBeInstanceOf(Promise);
    expect(world.link.calls.length).toBe(calls);
  });

  it('is not acquired ahead for an unused lease', async () => {
    await toMidnight(20_000);
    (await world.take(ask(100, 'a'))).settle(10);
    await toMidnight(100);
    expect(nextAcquisitions()).toEqual([]);
  });

  it('is released when no request uses it', async () => {
    await toMidnight(6_000);
    for (let nth = 0; nth < 5; nth++) {
      (await world.take(ask(100, 'a'))).settle(0);
      await world.time.advance(1_000);
    }
    expect(nextAcquisitions()).toHaveLength(1);
    await world.time.advance(15_000);
    expect(ledger().leased).toBe(0);
    expect(world.budgets.totals().available).toBe(0);
  });

  it('is released when its session ends', async () => {
    await toMidnight(6_000);
    for (let nth = 0; nth < 5; nth++) {
      (await world.take(ask(100, 'a'))).settle(0);
      await world.time.advance(1_000);
    }
    expect(nextAcquisitions()).toHaveLength(1);
    world.budgets.renewSession(session());
    await world.time.advance(500);
    expect(ledger().leased).toBe(0);
  });
});
