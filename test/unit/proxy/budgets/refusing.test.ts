// Why a request is refused, how long the refusal is remembered, and how a change of the budget affects it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LedgerStalledError } from '../../../../proxy/usage/ledger-client.ts';
import { LedgerLink } from '../../../support/fake-ledger.ts';
import { ask, attempt, World } from './world.ts';

let world: World;

beforeEach(async () => {
  world = new World();
  world.ledger.addBudget('a', 1_000);
  world.ledger.addBudget('b', 1_000_000);
  await world.time.advance(5);
});

afterEach(() => {
  expect(world.defects).toEqual([]);
});

async function spend(budgetId: string, amount: number): Promise<void> {
  world.ledger.spend(await world.take(ask(amount, budgetId)), amount);
}

describe('a spent budget', () => {
  it('refuses a request with the end of its window', async () => {
    await spend('a', 950);
    const pending = attempt(world.budgets, ask(100, 'a'));
    const refused = expect(pending).rejects.toMatchObject({
      reason: 'exceeded',
      budgetId: 'a',
      windowEndsAt: world.lease('a').origin.endsAt,
    });
    await world.time.advance(20);
    await refused;
  });

  it('without windows refuses a request without an end', async () => {
    world.ledger.addBudget('t', 10, 'total');
    const pending = attempt(world.budgets, { ...ask(100, 't'), budgets: [{ id: 't', period: 'total' }] });
    const refused = expect(pending).rejects.toMatchObject({ reason: 'exceeded', windowEndsAt: undefined });
    await world.time.advance(20);
    await refused;
  });

  it('is requested from the control plane once a second, not for every request', async () => {
    await spend('a', 1_000);
    const { length } = world.link.acquisitions;
    for (let count = 0; count < 100; count++) expect(await world.refusal(ask(100, 'a'))).toBe('exceeded a');
    expect(world.link.acquisitions.length - length).toBe(2);
  });

  it('admits a request for less than the remaining money', async () => {
    await spend('a', 950);
    expect(await world.refusal(ask(100, 'a'))).toBe('exceeded a');
    expect((await world.take(ask(50, 'a'))).amount).toBe(50);
  });

  it('admits requests a second after its limit was raised', async () => {
    await spend('a', 1_000);
    expect(await world.refusal(ask(100, 'a'))).toBe('exceeded a');
    world.ledger.change('a', { amount: 2_000 });
    await world.time.advance(1_000);
    expect((await world.take(ask(100, 'a'))).amount).toBe(100);
  });

  it('is not one whose money came back while more was requested', async () => {
    const first = await world.take(ask(600, 'a'));
    world.link.wayMs = 5;
    const second = attempt(world.budgets, ask(600, 'a'));
    await world.time.advance(2);
    first.settle(0);
    (await second).settle(0);
    await world.time.advance(20);
    world.budgets.reclaim('a', world.lease('a').origin.window);
    await world.time.advance(110);
    expect(await world.refusal(ask(700, 'a'))).toBe('let in');
  });

  it('refuses a request at once although another budget has money for it, and that money stays there', async () => {
    await spend('a', 1_000);
    world.link.wayMs = 5;
    expect(await world.refusal(ask(100, 'a', 'b'))).toBe('exceeded a');
    expect(world.lease('b')).toMatchObject({ reservations: 0, available: 200 });
    expect(world.link.returns).toEqual([]);
  });

  it('takes precedence over a busy budget, because waiting does not help', async () => {
    await spend('a', 1_000);
    // Usage of the other budgets also counts here, because all belong to one organization.
    world.ledger.addBudget('c', 2_000);
    const reservation = await world.take(ask(1_000, 'c'));
    expect(await world.refusal(ask(100, 'a'))).toBe('exceeded a');
    expect(await world.refusal(ask(100, 'c'))).toBe('busy c');
    expect(await world.refusal(ask(100, 'c', 'a'))).toBe('exceeded a');
    reservation.settle(0);
  });
});

describe('a budget whose money other proxies have reserved', () => {
  it('refuses a request as busy, and is tried again shortly after', async () => {
    const other = world.proxy(new LedgerLink());
    await world.time.advance(5);
    const reservation = await world.take(ask(1_000, 'a'), other);
    expect(await world.refusal(ask(100, 'a'))).toBe('busy a');
    expect(() => world.budgets.take(ask(100, 'a'))).toThrow('busy');
    world.ledger.spend(reservation, 100);
    await world.time.advance(6_000);
    expect((await world.take(ask(100, 'a'))).amount).toBe(100);
  });
});

describe('a deleted budget', () => {
  it('limits no request, and the other budgets still apply', async () => {
    world.ledger.change('a', { isDeleted: true });
    const reservation = await world.take(ask(100, 'a', 'b'));
    expect(reservation.settle(40)).toMatchObject([{ budgetId: 'b', escrow: 40 }]);
    const { length } = world.link.acquisitions;
    expect(world.budgets.take(ask(50_000_000, 'a'))).toMatchObject({ amount: 50_000_000 });
    expect(world.link.acquisitions).toHaveLength(length);
  });

  it('gets back the money that was acquired from it', async () => {
    const reservation = await world.take(ask(100, 'a'));
    world.ledger.change('a', { isDeleted: true });
    await world.take(ask(800, 'a'));
    world.ledger.spend(reservation, 40);
    await world.time.advance(20);
    expect(world.ledger.ledger('a')).toEqual({ spent: 40, leased: 0, unconfirmed: 0 });
  });
});

describe('a proxy whose process stalled', () => {
  it('continues to wait, because the response may have arrived already', async () => {
    await world.take(ask(100, 'b'));
    Object.assign(world.link, { wayMs: 150, deadlineMs: 10_000 });
    const pending = attempt(world.budgets, ask(5_000, 'b'));
    world.time.stall(5_000);
    await world.time.advance(400);
    expect((await pending).amount).toBe(5_000);
    expect(world.waits.at(-1)).toBe(5_150);
  });

  it('does not assume that the control plane is unreachable', async () => {
    await world.take(ask(100, 'b'));
    Object.assign(world.link, {
      ...{ condition: 'mute', deadlineMs: 100 },
      failure: new LedgerStalledError(undefined),
    });
    const pending = attempt(world.budgets, ask(5_000, 'b'));
    await world.time.advance(2_500);
    expect(world.link.acquisitions.length).toBeGreaterThan(4);
    world.link.condition = 'up';
    await world.time.advance(1_400);
    expect((await pending).amount).toBe(5_000);
  });
});

describe('an unreachable control plane', () => {
  it('makes the proxy refuse amounts beyond its leases after four seconds, then at once', async () => {
    await world.take(ask(100, 'b'));
    world.link.deadlineMs = 3_000;
    world.link.condition = 'mute';
    const pending = attempt(world.budgets, ask(5_000, 'b'));
    const refused = expect(pending).rejects.toMatchObject({ reason: 'unavailable', budgetId: 'b' });
    await world.time.advance(3_999);
    expect(world.waits).toHaveLength(1);
    await world.time.advance(1);
    await refused;
    expect(world.waits.at(-1)).toBe(4_000);
    await world.time.advance(8_000);
    expect(() => world.budgets.take(ask(5_000, 'b'))).toThrow('unavailable');
  });

  it('leaves requests the money of the leases, in full or as much as is available', async () => {
    await world.take(ask(100, 'b'));
    world.link.condition = 'down';
    expect(await world.refusal(ask(5_000, 'b'), 500)).toBe('unavailable b');
    const flexible = { ...ask(5_000, 'b'), least: 10 };
    expect(world.budgets.take(flexible)).toMatchObject({ amount: 25 });
    expect(world.budgets.take(ask(75, 'b'))).toMatchObject({ amount: 75 });
    expect(() => world.budgets.take(ask(1, 'b'))).toThrow('unavailable');
  });

  it('ends waiting requests as soon as the proxy notices it', async () => {
    await world.take(ask(100, 'b'));
    world.link.condition = 'down';
    const pending = attempt(world.budgets, ask(5_000, 'b'));
    const refused = expect(pending).rejects.toMatchObject({ reason: 'unavailable' });
    await world.time.advance(500);
    await refused;
  });

  it('serves requests again a second or two after it is back, with the operation that was under way', async () => {
    await world.take(ask(100, 'b'));
    world.link.condition = 'down';
    expect(await world.refusal(ask(5_000, 'b'), 60_000)).toBe('unavailable b');
    world.link.condition = 'up';
    await world.time.advance(1_500);
    expect((await world.take(ask(5_000, 'b'))).amount).toBe(5_000);
    const again = world.link.acquisitions.filter(({ seq }) => seq === 2);
    expect(again.length).toBeGreaterThan(3);
    for (const acquire of again) expect(acquire).toEqual(again[0]);
  });

  it('stops releases of idle money until it is back', async () => {
    await world.take(ask(100, 'b'));
    world.link.condition = 'down';
    expect(await world.refusal(ask(5_000, 'b'), 60_000)).toBe('unavailable b');
    expect(world.lease('b').available).toBe(100);
    expect(world.link.returns).toEqual([]);
  });

  it('that denies an operation makes the proxy refuse at once, and may allow the operation later', async () => {
    world.link.condition = 'denied';
    expect(await world.refusal(ask(100, 'b'))).toBe('unavailable b');
    world.link.condition = 'up';
    await world.time.advance(1_500);
    expect((await world.take(ask(100, 'b'))).amount).toBe(100);
  });
});
