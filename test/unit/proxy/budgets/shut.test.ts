// What is shut of a slice: requests take of what is open alone, and what is shut is what the control plane may give to others at once.
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

const slice = () => world.slice('a');
const parts = () => ({ open: slice().open, shut: slice().shut, holds: slice().holds });
/** Time for a note, and not yet for a return. */
const noteMs = 3_000;
const reported = () => Math.max(...[...world.ledger.reference.leases.values()].map(({ shut }) => shut));

/** Ten requests at once, of which nothing is used. */
async function burst(full: number): Promise<void> {
  const pending = Array.from({ length: 10 }, () => attempt(world.budgets, ask(full, 'a')));
  await world.time.advance(20);
  for (const hold of await Promise.all(pending)) hold.settle(0);
}

describe('of a slice', () => {
  it('all is open for twice the largest request of late', async () => {
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(3_000);
    expect(parts()).toEqual({ open: 200, shut: 0, holds: 0 });
    expect(world.link.returns).toEqual([]);
  });

  it('what is beyond is shut, and the control plane is told so', async () => {
    await burst(100);
    await world.time.advance(noteMs);
    expect(parts()).toEqual({ open: 200, shut: 2_000, holds: 0 });
    expect(reported()).toBe(2_000);
    expect(world.link.returns.at(-1)).toMatchObject({ amount: 0, shut: 2_000 });
  });

  it('is told at most every two seconds apart from other operations', async () => {
    for (let second = 0; second < 20; second++) {
      await burst(100 + 40 * second);
      await world.time.advance(1_000);
    }
    const notes = world.link.returns.filter(({ amount }) => amount === 0);
    expect(notes.length).toBeGreaterThan(1);
    expect(notes.length).toBeLessThanOrEqual(11);
  });

  it('nothing is shut where the control plane knows nothing of it', async () => {
    const older = new World();
    older.ledger.addBudget('a', 1_000_000);
    await older.time.advance(5);
    const pending = Array.from({ length: 10 }, () => attempt(older.budgets, ask(100, 'a')));
    await older.time.advance(20);
    for (const hold of await Promise.all(pending)) hold.settle(0);
    await older.time.advance(noteMs);
    expect(older.slice('a').open).toBe(2_200);
    expect(older.link.returns).toEqual([]);
  });
});

describe('what is shut', () => {
  beforeEach(async () => {
    await burst(100);
    await world.time.advance(noteMs);
    expect(parts()).toEqual({ open: 200, shut: 2_000, holds: 0 });
  });

  it('is opened for a request before more is drawn', async () => {
    const draws = world.link.draws.length;
    const hold = await world.take(ask(1_500, 'a'));
    expect(hold.amount).toBe(1_500);
    expect(world.link.draws[draws]).toMatchObject({ need: 0, want: 0, shut: 0 });
  });

  it('is not taken before the control plane has answered', async () => {
    world.link.condition = 'deaf';
    const pending = attempt(world.budgets, ask(1_500, 'a'));
    await world.time.advance(900);
    expect(reported()).toBe(0);
    expect(parts()).toEqual({ open: 200, shut: 2_000, holds: 0 });
    world.link.condition = 'up';
    await world.time.advance(1_000);
    expect((await pending).amount).toBe(1_500);
  });

  it('stays shut where the session is over', async () => {
    const [session = ''] = world.link.sessions;
    world.ledger.expire(session);
    expect(world.ledger.books('a')).toMatchObject({ leased: 0, unsettled: 200 });
    const hold = await world.take(ask(1_500, 'a'));
    expect(hold.stamp.session).not.toBe(session);
    await world.time.advance(1_000);
    expect(world.ledger.books('a').unsettled).toBe(0);
  });

  it('is not had while the control plane is away', async () => {
    world.link.condition = 'down';
    expect(await world.refusal(ask(1_500, 'a'), 2_500)).toBe('unavailable a');
    expect((await world.take(ask(150, 'a'))).amount).toBe(150);
  });

  it('is refused where the control plane will not have it opened', async () => {
    world.link.condition = 'denied';
    expect(await world.refusal(ask(1_500, 'a'), 500)).toBe('unavailable a');
  });

  it('goes back first when others need it', async () => {
    const hold = await world.take(ask(100, 'a'));
    const waiting = attempt(world.budgets, ask(500, 'a'));
    world.budgets.recall('a', dayOf(world.ledger.now()));
    await world.time.advance(20);
    await waiting;
    expect(world.link.returns.at(-1)).toMatchObject({ shut: 0 });
    hold.settle(0);
  });

  it('is not charged above a hold: what is free then is the lease’s own', async () => {
    const hold = await world.take(ask(100, 'a'));
    expect(hold.settle(5_000)).toMatchObject([{ escrow: 200 }]);
    expect(parts()).toMatchObject({ open: 0, shut: 2_000 });
  });

  it('is opened before requests have to wait', async () => {
    const holds = [await world.take(ask(100, 'a'))];
    holds.push(await world.take(ask(90, 'a')));
    await world.time.advance(50);
    expect(world.link.draws.at(-1)).toMatchObject({ need: 0, want: 0 });
    expect(slice().open).toBeGreaterThanOrEqual(200);
  });

  it('is opened anew in slices of a control plane that knows nothing of it any more', async () => {
    world.ledger.sessions = 0;
    await world.time.advance(11_000);
    (await world.take(ask(100, 'a'))).settle(0);
    await world.time.advance(1_000);
    expect(parts()).toEqual({ open: 200, shut: 0, holds: 0 });
    expect(world.ledger.books('a').leased).toBe(200);
  });
});

describe('a budget of which nothing but the caller’s own is left', () => {
  beforeEach(async () => {
    world.ledger.addBudget('small', 1_000);
    const holds = [await world.take(ask(450, 'small'))];
    // Not reported yet.
    for (const hold of holds) hold.settle(450);
  });

  it('is exceeded, not busy, where its slice and what is not reported leave too little', async () => {
    expect(await world.refusal(ask(700, 'small'), 100)).toBe('exceeded small');
  });

  it('is busy while requests of its own hold some of it', async () => {
    const hold = await world.take(ask(300, 'small'));
    expect(await world.refusal(ask(500, 'small'), 100)).toBe('busy small');
    hold.settle(0);
  });
});
