// The shut part of a lease: requests use only the open part; the control plane may give the shut part to others at
// once.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../../../common/budget-window.ts';
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

const lease = () => world.lease('a');
const parts = () => ({ open: lease().open, shut: lease().shut, reservations: lease().reservations });
/** Long enough for a report of the shut money, too short for a release. */
const noteMs = 3_000;
const reported = () => Math.max(...[...world.ledger.reference.leases.values()].map(({ shut }) => shut));

/** Ten requests at once that use nothing. */
async function burst(full: number): Promise<void> {
  const pending = Array.from({ length: 10 }, () => attempt(world.budgets, ask(full, 'a')));
  await world.time.advance(20);
  for (const reservation of await Promise.all(pending)) reservation.settle(0);
}

describe('the open part of a lease', () => {
  it('covers twice the largest recent request', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(3_000);
    expect(parts()).toEqual({ open: 200, shut: 0, reservations: 0 });
    expect(world.link.returns).toEqual([]);
  });

  it('money beyond it is shut, and the shut amount is reported to the control plane', async () => {
    await burst(100);
    await world.time.advance(noteMs);
    expect(parts()).toEqual({ open: 200, shut: 2_000, reservations: 0 });
    expect(reported()).toBe(2_000);
    expect(world.link.returns.at(-1)).toMatchObject({ amount: 0, shut: 2_000 });
  });

  it('the shut amount is reported at most every two seconds, apart from other operations', async () => {
    for (let second = 0; second < 20; second++) {
      await burst(100 + 40 * second);
      await world.time.advance(1_000);
    }
    const notes = world.link.returns.filter(({ amount }) => amount === 0);
    expect(notes.length).toBeGreaterThan(1);
    expect(notes.length).toBeLessThanOrEqual(11);
  });

  it('covers all money when the control plane does not support shut money', async () => {
    const older = new World();
    older.ledger.addBudget('a', 1_000_000);
    await older.time.advance(5);
    const pending = Array.from({ length: 10 }, () => attempt(older.budgets, ask(100, 'a')));
    await older.time.advance(20);
    for (const reservation of await Promise.all(pending)) reservation.settle(0);
    await older.time.advance(noteMs);
    expect(older.lease('a').open).toBe(2_200);
    expect(older.link.returns).toEqual([]);
  });
});

describe('the shut part of a lease', () => {
  beforeEach(async () => {
    await burst(100);
    await world.time.advance(noteMs);
    expect(parts()).toEqual({ open: 200, shut: 2_000, reservations: 0 });
  });

  it('is opened for a request before more is acquired', async () => {
    const acquisitions = world.link.acquisitions.length;
    const reservation = await world.take(ask(1_500, 'a'));
    expect(reservation.amount).toBe(1_500);
    expect(world.link.acquisitions[acquisitions]).toMatchObject({ need: 0, want: 0, shut: 0 });
  });

  it('is not used before the control plane has responded', async () => {
    world.link.condition = 'deaf';
    const pending = attempt(world.budgets, ask(1_500, 'a'));
    await world.time.advance(900);
    expect(reported()).toBe(0);
    expect(parts()).toEqual({ open: 200, shut: 2_000, reservations: 0 });
    world.link.condition = 'up';
    await world.time.advance(1_000);
    expect((await pending).amount).toBe(1_500);
  });

  it('stays shut when the session is over', async () => {
    const [session = ''] = world.link.sessions;
    world.ledger.expire(session);
    expect(world.ledger.ledger('a')).toMatchObject({ leased: 0, unconfirmed: 200 });
    const reservation = await world.take(ask(1_500, 'a'));
    expect(reservation.stamp.session).not.toBe(session);
    await world.time.advance(1_000);
    expect(world.ledger.ledger('a').unconfirmed).toBe(0);
  });

  it('is not available while the control plane is unreachable', async () => {
    world.link.condition = 'down';
    expect(await world.refusal(ask(1_500, 'a'), 2_500)).toBe('unavailable a');
    expect((await world.take(ask(150, 'a'))).amount).toBe(150);
  });

  it('is refused when the control plane denies opening it', async () => {
    world.link.condition = 'denied';
    expect(await world.refusal(ask(1_500, 'a'), 500)).toBe('unavailable a');
  });

  it('is released first when others need it', async () => {
    const reservation = await world.take(ask(100, 'a'));
    const waiting = attempt(world.budgets, ask(500, 'a'));
    world.budgets.reclaim('a', dayOf(world.ledger.now()));
    await world.time.advance(20);
    await waiting;
    expect(world.link.returns.at(-1)).toMatchObject({ shut: 0 });
    reservation.settle(0);
  });

  it('is not charged for a cost above the reservation, unlike the lease’s free open money', async () => {
    const reservation = await world.take(ask(100, 'a'));
    expect(reservation.settle(5_000)).toMatchObject([{ escrow: 200 }]);
    expect(parts()).toMatchObject({ open: 0, shut: 2_000 });
  });

  it('is opened before requests have to wait', async () => {
    const contains = [await world.take(ask(100, 'a'))];
    contains.push(await world.take(ask(90, 'a')));
    await world.time.advance(50);
    expect(world.link.acquisitions.at(-1)).toMatchObject({ need: 0, want: 0 });
    expect(lease().open).toBeGreaterThanOrEqual(200);
  });

  it('is opened again when the control plane no longer supports shut money', async () => {
    world.ledger.sessions = 0;
    await world.time.advance(11_000);
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(1_000);
    expect(parts()).toEqual({ open: 200, shut: 0, reservations: 0 });
    expect(world.ledger.ledger('a').leased).toBe(200);
  });
});

describe('a budget whose remaining money is all at this proxy', () => {
  beforeEach(async () => {
    world.ledger.addBudget('small', 1_000);
    const contains = [await world.take(ask(450, 'small'))];
    // The usage is not reported yet.
    for (const reservation of contains) reservation.settle(450);
  });

  it('is exceeded, not busy, when its lease and the unreported usage leave too little', async () => {
    expect(await world.refusal(ask(700, 'small'), 100)).toBe('exceeded small');
  });

  it('is busy while requests of this proxy have reserved some of it', async () => {
    const reservation = await world.take(ask(300, 'small'));
    expect(await world.refusal(ask(500, 'small'), 100)).toBe('busy small');
    reservation.settle(0);
  });
});
