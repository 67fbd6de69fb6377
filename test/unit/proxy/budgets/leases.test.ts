// Invariants between a proxy's leases and the ledger under every network failure; ends of sessions and windows; which
// money is released, and when.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../../../common/budget-window.ts';
import { budgetBounds } from '../../../../proxy/budgets/bounds.ts';
import type { BudgetReservation } from '../../../../proxy/budgets/budgets.ts';
import { LedgerLink } from '../../../support/fake-ledger.ts';
import { ask, attempt, World } from './world.ts';

const dayMs = 86_400_000;
const { unhurriedReturnsMax } = budgetBounds;
let world: World;

beforeEach(async () => {
  world = new World();
  world.ledger.addBudget('a', 1_000_000);
  world.ledger.addBudget('b', 1_000_000);
  await world.time.advance(5);
});

afterEach(() => {
  expect(world.defects).toEqual([]);
});

const session = () => world.budgets.stamp().session;

async function until(condition: () => boolean): Promise<void> {
  for (let ms = 0; !condition(); ms += 10) {
    if (ms > 5_000) throw new Error('waited in vain');
    await world.time.advance(10);
  }
}

async function toMidnight(beforeMs: number): Promise<void> {
  await world.time.advance(dayMs - (world.ledger.now() % dayMs) - beforeMs);
}

/** Acquires money of this many budgets and reserves none of it. @returns their ids */
async function cachedOf(count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `many ${index}`);
  for (const id of ids) world.ledger.addBudget(id, 1_000_000);
  const pending = ids.map((id) => attempt(world.budgets, ask(100, id)));
  await world.time.advance(20);
  for (const reservation of await Promise.all(pending)) reservation.settle(0);
  return ids;
}

describe('an operation at the ledger', () => {
  it('is sent again unchanged when its response is lost, and counts once', async () => {
    world.link.condition = 'deaf';
    const pending = attempt(world.budgets, ask(100, 'a'));
    await world.time.advance(1_010);
    world.link.condition = 'up';
    await world.time.advance(100);
    expect((await pending).amount).toBe(100);
    const [first, second] = world.link.acquisitions;
    expect(second).toEqual(first);
    expect(world.ledger.ledger('a').leased).toBe(200);
    expect(world.lease('a')).toMatchObject({ available: 100, reservations: 100, seq: 1 });
  });

  it('continues after its request has ended, and its money is used or released', async () => {
    world.link.condition = 'mute';
    expect(await world.refusal(ask(100, 'a'), 4_500)).toBe('unavailable a');
    world.link.condition = 'up';
    let brought = 0;
    for (let tries = 0; tries < 30; tries++) {
      await world.time.advance(100);
      brought = Math.max(brought, world.lease('a').available);
    }
    expect(brought).toBe(200);
    await world.time.advance(2_000);
    expect(world.ledger.ledger('a').leased).toBe(0);
    expect(world.lease('a').available).toBe(0);
  });

  it('that releases money deducts it before it is sent', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    world.link.condition = 'deaf';
    world.budgets.reclaim('a', dayOf(world.ledger.now()));
    expect(world.lease('a').available).toBe(0);
    await world.time.advance(1_010);
    world.link.condition = 'up';
    await world.time.advance(1_000);
    expect(world.link.returns.length).toBeGreaterThan(1);
    for (const request of world.link.returns) expect(request).toMatchObject({ amount: 200, seq: 2 });
    expect(world.ledger.ledger('a').leased).toBe(0);
  });

  it('that the ledger cannot apply begins a new session', async () => {
    const lost = session();
    await world.take(ask(100, 'a'));
    for (const lease of world.ledger.reference.leases.values()) lease.seq = 0;
    const reservation = await world.take(ask(900, 'a'));
    expect(world.outcomes).toContain('lost');
    expect(reservation.stamp.session).not.toBe(lost);
    expect(reservation.amount).toBe(900);
  });
});

describe('a session of the proxy', () => {
  it('is opened at the start and renewed every ten seconds', async () => {
    await world.time.advance(60_100);
    expect(world.link.sessions).toHaveLength(7);
    expect(new Set(world.link.sessions)).toEqual(new Set([session()]));
  });

  it('has no name before it is open', async () => {
    const link = new LedgerLink();
    const budgets = world.proxy(link);
    expect(budgets.stamp().session).toBe('');
    await world.time.advance(5);
    expect(budgets.stamp().session).toBe(link.sessions[0]);
  });

  it('is waited for when it is not open yet', async () => {
    const link = new LedgerLink();
    link.condition = 'down';
    const budgets = world.proxy(link);
    const pending = attempt(budgets, ask(100, 'a'));
    await world.time.advance(80);
    link.condition = 'up';
    await world.time.advance(500);
    expect((await pending).stamp.session).toBe(link.sessions[0]);
  });

  it.each(['acquiring', 'renewing'])('is replaced when %s finds that it has ended', async (by) => {
    const lost = session();
    const reservation = await world.take(ask(100, 'a'));
    world.ledger.expire(lost);
    if (by === 'renewing') await world.time.advance(10_100);
    const next = await world.take(ask(900, 'a'));
    expect(next.stamp.session).not.toBe(lost);
    expect(reservation.stamp.session).toBe(lost);
    expect(world.budgets.leases().filter(({ reservations }) => reservations > 0)).toHaveLength(2);
    world.ledger.spend(reservation, 40);
    world.ledger.spend(next, 40);
    await world.time.advance(10_000);
    expect(world.ledger.ledger('a')).toEqual({ spent: 80, leased: 0, unconfirmed: 0 });
    expect(world.budgets.leases().map(({ origin }) => origin.session)).not.toContain(lost);
  });

  it('that is gone still gets back the free money of its leases', async () => {
    await world.take(ask(100, 'a'));
    const lost = session();
    world.ledger.expire(lost);
    await world.take(ask(900, 'b'));
    await world.time.advance(10_100);
    expect(world.link.returns).toContainEqual(expect.objectContaining({ session: lost, budgetId: 'a', amount: 100 }));
    expect(world.ledger.ledger('a')).toMatchObject({ leased: 0, unconfirmed: 100 });
  });

  it('is never mixed with another session in one reservation', async () => {
    await world.take(ask(100, 'a'));
    await world.take(ask(100, 'b'));
    world.ledger.expire(session());
    const reservation = await world.take(ask(900, 'a', 'b'));
    const holding = world.budgets.leases().filter(({ reservations }) => reservations === 900);
    expect(holding.map(({ origin }) => origin.session)).toEqual([reservation.stamp.session, reservation.stamp.session]);
  });
});

describe('a window that ends', () => {
  it('accepts no further reservations; earlier ones are charged to it, and its free money is released', async () => {
    await toMidnight(50);
    const reservation = await world.take(ask(100, 'a'));
    const before = dayOf(world.ledger.now());
    await world.time.advance(50);
    const next = await world.take(ask(100, 'a'));
    expect(dayOf(next.stamp.at)).not.toBe(before);
    expect(reservation.settle(70)).toMatchObject([{ window: before, escrow: 70 }]);
    expect(next.settle(70)).toMatchObject([{ window: dayOf(next.stamp.at), escrow: 70 }]);
    await world.time.advance(2_000);
    const returned = world.link.returns.filter(({ window }) => window === before);
    expect(returned.reduce((sum, { amount }) => sum + amount, 0)).toBe(130);
  });

  it('releases its money even without another request', async () => {
    await toMidnight(500);
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(3_000);
    expect(world.ledger.ledger('a').leased).toBe(0);
    expect(world.budgets.leases()).toEqual([]);
  });

  it.each([-900, -20, -1, 1, 20, 900])('refuses no request when clocks differ by %i ms', async (aheadMs) => {
    await toMidnight(1_500);
    world.ledger.aheadMs = aheadMs;
    const pending: Promise<BudgetReservation>[] = [];
    for (let ms = 0; ms < 3_000; ms += 5) {
      pending.push(attempt(world.budgets, ask(10, 'a')));
      await world.time.advance(5);
    }
    const contains = await Promise.all(pending);
    expect(new Set(contains.map(({ stamp }) => dayOf(stamp.at))).size).toBe(2);
  });

  it('releases a few leases at a time when it ends for many budgets at once', async () => {
    await toMidnight(500);
    const ids = await cachedOf(100);
    world.link.wayMs = 50;
    const sent: number[] = [];
    for (let ms = 0; ms < 3_000; ms += 100) {
      const before = world.link.returns.length;
      await world.time.advance(100);
      sent.push(world.link.returns.length - before);
    }
    expect(Math.max(...sent)).toBe(unhurriedReturnsMax);
    expect(world.link.returns).toHaveLength(ids.length);
    for (const id of ids) expect(world.ledger.ledger(id).leased).toBe(0);
  });

  it('is acquired again when the first try was made with a wrong clock, which the response has corrected', async () => {
    await toMidnight(10_000);
    await world.take(ask(100, 'a'));
    world.ledger.aheadMs = 60_000;
    const reservation = await world.take(ask(900, 'a'));
    expect(world.outcomes).toContain('window');
    expect(dayOf(reservation.stamp.at)).toBe(dayOf(world.ledger.now()));
  });

  it('continues its sequence number when it had only seemed to be over', async () => {
    await toMidnight(200);
    await world.take(ask(100, 'a'));
    world.ledger.aheadMs = 1_000;
    await world.take(ask(900, 'b'));
    await world.time.advance(20);
    await world.take(ask(100, 'a'));
    world.ledger.aheadMs = -5_000;
    await world.take(ask(5_000, 'b'));
    await world.take(ask(5_000, 'a'));
    expect(world.outcomes).not.toContain('ignored');
    expect(world.outcomes).not.toContain('lost');
    const windows = world.link.acquisitions.filter(({ budgetId }) => budgetId === 'a').map(({ window }) => window);
    expect(windows.at(-1)).toBe(windows[0]);
  });
});

describe('money that this proxy does not need', () => {
  it('is released after five seconds without use', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(4_900);
    expect(world.link.returns).toEqual([]);
    await world.time.advance(1_200);
    expect(world.ledger.ledger('a').leased).toBe(0);
  });

  it('is released for a few leases at a time when traffic ends for many budgets at once', async () => {
    await cachedOf(100);
    world.link.wayMs = 50;
    await world.time.advance(4_900);
    expect(world.link.returns).toEqual([]);
    await until(() => world.link.returns.length > 0);
    expect(world.link.returns).toHaveLength(unhurriedReturnsMax);
    await world.time.advance(500);
    expect(world.link.returns).toHaveLength(100);
  });

  it('is not released while the control plane is unreachable', async () => {
    const ids = await cachedOf(100);
    world.link.condition = 'mute';
    await world.time.advance(60_000);
    world.link.condition = 'up';
    await world.time.advance(10_000);
    for (const id of ids) expect(world.ledger.ledger(id).leased).toBe(0);
  });

  it('is released while traffic is low, except for the part that the traffic needs', async () => {
    (await world.take(ask(100_000, 'a'))).settle(0);
    for (let count = 0; count < 12; count++) {
      world.ledger.spend(await world.take(ask(10, 'a')), 10);
      await world.time.advance(980);
    }
    expect(world.ledger.ledger('a').leased).toBeLessThan(1_000);
    expect(world.waits.length).toBeLessThan(3);
  });

  it('is not released while requests have reserved the rest, because they may cost more', async () => {
    const reservation = await world.take(ask(100, 'a'));
    await world.time.advance(20_000);
    expect(world.lease('a')).toMatchObject({ available: 0, reservations: 100 });
    expect(reservation.settle(150)).toMatchObject([{ escrow: 100 }]);
  });

  it('is released at once when it is reclaimed, and is not acquired ahead again at once', async () => {
    const other = world.proxy(new LedgerLink());
    await world.time.advance(5);
    (await world.take(ask(1_000_000, 'a'))).settle(0);
    expect(world.lease('a').available).toBe(1_000_000);
    const window = dayOf(world.ledger.now());
    world.budgets.reclaim('a', 'another window');
    expect(world.link.returns).toEqual([]);
    world.budgets.reclaim('a', window);
    await world.time.advance(5);
    expect((await world.take(ask(500_000, 'a'), other)).amount).toBe(500_000);
    await world.take(ask(0, 'a'));
    expect(world.link.acquisitions).toHaveLength(1);
  });

  it('is kept when it is reclaimed, as far as requests wait for it', async () => {
    await world.take(ask(100, 'a'));
    world.link.wayMs = 50;
    const pending = attempt(world.budgets, ask(80, 'a', 'b'));
    world.budgets.reclaim('a', dayOf(world.ledger.now()));
    await world.time.advance(200);
    expect((await pending).amount).toBe(80);
    expect(world.link.returns).toMatchObject([{ budgetId: 'a', amount: 20 }]);
  });

  it('is released when it is reclaimed, after the operation under way has ended', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    world.link.wayMs = 50;
    const pending = attempt(world.budgets, ask(1_000, 'a'));
    world.budgets.reclaim('a', dayOf(world.ledger.now()));
    expect(world.link.returns).toEqual([]);
    await world.time.advance(100);
    await pending;
    await world.time.advance(200);
    expect(world.lease('a').available).toBe(0);
    expect(world.ledger.ledger('a').leased).toBe(1_000);
  });
});

describe('closing the lease manager', () => {
  it('releases at once all money whose release was postponed', async () => {
    await toMidnight(500);
    await cachedOf(100);
    world.link.wayMs = 100;
    await until(() => world.link.returns.length > 0);
    const closing = world.budgets.close(world.time.monotonic() + 5_000);
    expect(world.link.returns).toHaveLength(100);
    await world.time.advance(200);
    await closing;
  });

  it('releases free money and waits for the responses', async () => {
    const reservation = await world.take(ask(100, 'a'));
    let closed = false;
    const closing = world.budgets.close(world.time.monotonic() + 5_000).then(() => {
      closed = true;
    });
    expect(() => world.budgets.take(ask(1, 'a'))).toThrow('unavailable');
    await world.time.advance(1);
    expect(closed).toBe(false);
    await world.time.advance(10);
    await closing;
    expect(world.ledger.ledger('a').leased).toBe(100);
    world.ledger.spend(reservation, 40);
  });

  it('waits no longer than its deadline', async () => {
    await world.take(ask(100, 'a'));
    world.link.condition = 'mute';
    const closing = world.budgets.close(world.time.monotonic() + 3_000);
    await world.time.advance(3_000);
    await closing;
    const { length } = world.link.calls;
    await world.time.advance(60_000);
    expect(world.link.calls).toHaveLength(length);
  });

  it('refuses waiting requests, and releases the money that was acquired for them', async () => {
    world.link.wayMs = 50;
    const refused = world.refusal(ask(100, 'a'), 500);
    const closing = world.budgets.close(world.time.monotonic() + 5_000);
    expect(await refused).toBe('unavailable a');
    await closing;
    expect(world.ledger.ledger('a').leased).toBe(0);
  });
});

describe('closing the lease manager while the control plane is silent', () => {
  it('refuses waiting requests at once', async () => {
    world.link.condition = 'mute';
    const waiting = world.refusal(ask(100, 'a'), 10);
    const closing = world.budgets.close(world.time.monotonic() + 3_000);
    expect(await waiting).toBe('unavailable a');
    await world.time.advance(3_000);
    await closing;
  });
});

describe('the lease manager’s memory', () => {
  it('forgets budgets that were unused for a minute, and continues their sequence numbers later', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(65_000);
    expect(world.budgets.leases()).toEqual([]);
    expect(world.budgets.totals()).toEqual({ leases: 0, waiting: 0, available: 0, shut: 0, reservations: 0 });
    const reservation = await world.take(ask(100, 'a'));
    expect(reservation.amount).toBe(100);
    expect(world.link.acquisitions.map(({ seq }) => seq)).toEqual([1, 3]);
  });
});
