// Reserving from leases, waiting until money is acquired, and settling.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../../../common/budget-window.ts';
import { ask, attempt, World } from './world.ts';

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

describe('a request with budgets', () => {
  it('waits until money is acquired when its lease has too little', async () => {
    const requested = world.budgets.take(ask(100, 'a'));
    expect(requested).toBeInstanceOf(Promise);
    await world.time.advance(2);
    expect((await requested).amount).toBe(100);
    expect(world.waits).toEqual([2]);
  });

  it('reserves without waiting the money that was acquired in advance for one more request', async () => {
    await world.take(ask(100, 'a'));
    expect(world.link.acquisitions).toMatchObject([{ need: 100, want: 200, seq: 1 }]);
    const reservation = world.budgets.take(ask(100, 'a'));
    expect(reservation).not.toBeInstanceOf(Promise);
    expect(reservation).toMatchObject({ amount: 100 });
    expect(world.lease('a')).toMatchObject({ available: 0, reservations: 200 });
  });

  it('reserves from every budget that applies', async () => {
    const reservation = await world.take(ask(100, 'a', 'b'));
    expect(world.lease('a').reservations).toBe(100);
    expect(world.lease('b').reservations).toBe(100);
    const window = dayOf(world.ledger.now());
    expect(reservation.settle(60)).toEqual([
      { budgetId: 'a', window, escrow: 60 },
      { budgetId: 'b', window, escrow: 60 },
    ]);
  });

  it('reserves from no budget while one lacks money, and acquires for all at once', async () => {
    await world.take(ask(100, 'a'));
    const before = world.lease('a').available;
    const requested = world.budgets.take(ask(100, 'a', 'b'));
    expect(world.lease('a').available).toBe(before);
    await world.time.advance(2);
    await requested;
    expect(world.lease('a').reservations).toBe(200);
    expect(world.lease('b').reservations).toBe(100);
  });

  it('is stamped when it is reserved, with session and database time', async () => {
    world.ledger.aheadMs = 3 * 86_400_000;
    const other = world.proxy(world.link);
    const { stamp } = await world.take(ask(100, 'a'), other);
    const [session] = world.link.sessions.slice(-1);
    expect(stamp).toMatchObject({ session });
    expect(Math.abs(stamp.at - world.ledger.now())).toBeLessThanOrEqual(20);
  });

  it('that costs nothing reserves nothing and charges nothing', async () => {
    const reservation = await world.take(ask(0, 'a'));
    expect(reservation.settle(0)).toEqual([]);
    expect(world.link.acquisitions).toEqual([]);
  });
});

describe('concurrent requests', () => {
  it('share one acquire operation at a time of a lease, sized for all that wait', async () => {
    const pending = [1, 2, 3].map(() => attempt(world.budgets, ask(100, 'a')));
    await world.time.advance(20);
    await Promise.all(pending);
    expect(world.link.acquisitions.slice(0, 2)).toMatchObject([
      { seq: 1, want: 200 },
      { seq: 2, need: 100 },
    ]);
    expect(world.lease('a').reservations).toBe(300);
    expect(world.ledger.ledger('a').leased).toBe(world.lease('a').reservations + world.lease('a').available);
  });

  it('never have two operations of one lease under way', async () => {
    world.link.wayMs = 10;
    const pending = Array.from({ length: 50 }, () => attempt(world.budgets, ask(100, 'a')));
    const seqs: number[] = [];
    for (let ms = 0; ms < 200; ms++) {
      await world.time.advance(1);
      seqs.push(world.link.acquisitions.length);
    }
    await Promise.all(pending);
    const response = world.lease('a').seq;
    expect(world.link.acquisitions.map(({ seq }) => seq)).toEqual(Array.from({ length: response }, (_, i) => i + 1));
    for (const [index, count] of seqs.entries()) expect(count).toBeLessThanOrEqual(index / 20 + 2);
  });
});

describe('the reservation of a request', () => {
  const flexible = (full: number, least: number) => ({ ...ask(full, 'a'), least });

  it('is the full amount when every lease has it after acquiring', async () => {
    expect((await world.take(flexible(100_000, 10))).amount).toBe(100_000);
  });

  it('is a quarter of the lease’s money when the full amount does not fit', async () => {
    const reservation = await world.take(flexible(900_000, 10));
    expect(world.link.acquisitions[0]).toMatchObject({ need: 10, want: 1_800_000 });
    expect(reservation.amount).toBe(62_500);
  });

  it('is never below the least amount', async () => {
    expect((await world.take(flexible(900_000, 200_000))).amount).toBe(200_000);
  });

  it('is limited by the lease with the least money', async () => {
    world.ledger.change('b', { amount: 8_000 });
    const reservation = await world.take({ ...ask(900_000, 'a', 'b'), least: 10 });
    expect(reservation.amount).toBe(500);
  });

  it('is the available money, without acquiring again, when more was refused shortly before', async () => {
    world.ledger.addBudget('c', 1_000);
    const reservation = await world.take({ ...ask(10_000, 'c'), least: 1_000 });
    expect(reservation.amount).toBe(1_000);
    reservation.settle(0);
    await world.take({ ...ask(10_000, 'c'), least: 1 });
    const acquisitions = world.link.acquisitions.length;
    const again = world.budgets.take({ ...ask(10_000, 'c'), least: 1 });
    expect(again).toMatchObject({ amount: 187 });
    expect(world.link.acquisitions).toHaveLength(acquisitions);
  });
});

describe('settling a reservation', () => {
  it('returns unused money to its lease', async () => {
    const reservation = await world.take(ask(100, 'a'));
    reservation.settle(30);
    expect(world.lease('a')).toMatchObject({ available: 170, reservations: 0 });
  });

  it('charges a cost above the reservation to free money, and no more than that', async () => {
    const [first, second] = [await world.take(ask(100, 'a')), await world.take(ask(100, 'a'))];
    const free = world.lease('a').available;
    expect(first.settle(100_000_000)).toMatchObject([{ escrow: 100 + free }]);
    expect(second.settle(100_000_000)).toMatchObject([{ escrow: 100 }]);
    expect(world.lease('a')).toMatchObject({ available: 0, reservations: 0 });
  });

  it('twice is a defect', async () => {
    const reservation = await world.take(ask(100, 'a'));
    reservation.settle(1);
    expect(() => reservation.settle(1)).toThrow('twice');
    expect(world.lease('a').reservations).toBe(0);
  });

  it('admits a request that waits for the money', async () => {
    world.ledger.change('a', { amount: 200 });
    const reservation = await world.take(ask(200, 'a'));
    world.link.wayMs = 100;
    const pending = attempt(world.budgets, ask(150, 'a'));
    await world.time.advance(1);
    reservation.settle(0);
    await world.time.advance(0);
    expect((await pending).amount).toBe(150);
  });
});

describe('acquiring ahead', () => {
  it('begins below half of the spending of five seconds, before a request has to wait', async () => {
    for (let second = 0; second < 20; second++) {
      const reservation = await world.take(ask(100, 'a'));
      world.ledger.spend(reservation, 100);
      await world.time.advance(80);
    }
    const waited = world.waits.length;
    for (let second = 0; second < 200; second++) {
      const reservation = await world.take(ask(100, 'a'));
      world.ledger.spend(reservation, 100);
      await world.time.advance(80);
    }
    expect(world.waits.length).toBe(waited);
    // The spending of five seconds, about 5,000, is acquired at once, not in fifty operations.
    expect(world.link.acquisitions.length).toBeLessThan(60);
    expect(world.lease('a').available).toBeLessThan(10_000);
    expect(world.lease('a').available).toBeGreaterThan(1_000);
  });

  it('pauses for a second when the control plane had no money', async () => {
    world.ledger.change('a', { amount: 300 });
    const requested = ask(150, 'a');
    const [first, second] = [await world.take(requested), await world.take(requested)];
    await world.time.advance(300);
    const takeAgain = async () => {
      first.settle(0);
      const { length } = world.link.acquisitions;
      const reservation = await world.take(requested);
      expect(reservation.amount).toBe(150);
      reservation.settle(0);
      return world.link.acquisitions.length - length;
    };
    expect(await takeAgain()).toBe(1);
    expect(world.outcomes.at(-1)).toBe('busy');
    const again = await world.take(requested);
    expect(world.link.acquisitions).toHaveLength(3);
    again.settle(0);
    await world.time.advance(1_000);
    await world.take(requested);
    expect(world.link.acquisitions).toHaveLength(4);
    second.settle(0);
  });
});

describe('a further attempt, which waits for nothing', () => {
  /** One request after the other, each with one attempt, and then one that needs another. */
  const second = async (mayRepeat: boolean) => {
    for (let request = 0; request < 5; request++) {
      const first = await world.take({ ...ask(100, 'a'), mayRepeat });
      first.settle(3);
      await world.time.advance(200);
    }
    await world.take({ ...ask(100, 'a'), mayRepeat });
    await world.time.advance(50);
    return world.budgets.takeNow(ask(100, 'a'));
  };

  it('finds money of its own, if the request was one that may need it', async () => {
    expect((await second(true))?.amount).toBe(100);
    expect(world.waits).toHaveLength(1);
  });

  it('finds none after a request that can have no other attempt: nothing was acquired for it', async () => {
    expect(await second(false)).toBeUndefined();
  });

  it('leaves no more than that with the lease, and nothing ten seconds later', async () => {
    (await second(true))?.settle(0);
    expect(world.lease('a').available).toBeLessThan(400);
    await world.time.advance(20_000);
    expect(world.lease('a').available).toBe(0);
  });
});
