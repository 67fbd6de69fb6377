// Usage that is lost in Redis is found while its proxy is alive: real leases, queue and session with the real ledger,
// by the model's clock. The reserved money becomes unconfirmed, and the rest of the budget can be used.
import { afterEach, expect, it } from 'vitest';
import { driftMs } from '../../proxy/budgets/lost-usage.ts';
import { type Backend, openBackend } from './ledger.backends.ts';
import { run } from './ledger.requests.ts';
import { models, World } from './ledger.world.ts';

let backend: Backend;
afterEach(() => backend.close());

it.each(['sqlite', 'postgres'] as const)(
  'the reservation of lost usage becomes unconfirmed after five minutes: %s',
  async (name) => {
    backend = await openBackend(name);
    const world = new World({ seed: 1, openSide: backend.openSide, concurrent: false, compares: true });
    world.isCalm = true;
    await world.open();
    const { organizationId } = world.subjects;
    world.execute(() =>
      world.side.createBudget({
        ...{ subjectKind: 'organization', subjectId: organizationId, model: undefined },
        ...{ period: 'total', amount: 100_000 },
      }),
    );
    await world.pass(1_000);
    const proxy = world.start();
    await world.pass(1_000);
    const ask = (cost: number) => {
      const [caller] = world.callers;
      if (caller === undefined) throw new Error('there is no caller');
      const requested = { proxy, caller, model: models[0], full: 1_000, least: 1_000, runMs: 500 };
      return run(world, { ...requested, cost: () => cost });
    };
    const row = () => {
      const [ledger] = world.read.ledger.values();
      return ledger ?? { spent: 0, leased: 0, unconfirmed: 0 };
    };

    const first = ask(300);
    await world.pass(2_000);
    expect(await first).toMatchObject({ response: 'ran' });
    expect(row()).toMatchObject({ spent: 300 });
    const lost = ask(400);
    await world.pass(400);
    proxy.link = 'refused';
    await world.pass(20_000);
    expect(await lost).toMatchObject({ response: 'ran' });
    expect(world.overflow.isEmpty).toBe(false);
    world.overflow.lose();
    proxy.link = 'well';

    await world.pass(driftMs - 30_000);
    expect(row()).toEqual({ spent: 300, leased: 400, unconfirmed: 0 });
    expect(proxy.sessions.size).toBe(1);
    await world.pass(60_000);
    expect(proxy.sessions.size).toBe(2);
    expect(world.report.get('pending charge lost')).toBe(1);
    // Its session is silent for a minute and then expires.
    await world.pass(90_000);
    expect(row()).toEqual({ spent: 300, leased: 0, unconfirmed: 400 });
    const again = ask(500);
    await world.pass(15_000);
    expect(await again).toMatchObject({ response: 'ran' });
    expect(row()).toEqual({ spent: 800, leased: 0, unconfirmed: 400 });
  },
  60_000,
);
