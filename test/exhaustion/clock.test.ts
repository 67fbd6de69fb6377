// The wall clock jumps a day ahead and a day back, at a proxy and at the control plane: known keys are served, usage is
// recorded in the day of the database, no budget has unconfirmed money left, and everything that is measured in time
// continues.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { createBudget, ledgerAtRest, ledgerOf, makeDear } from '../support/spending.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { openStriking } from './strikes.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

const day = 86_400_000;
const striking = openStriking();
let world: World;
let proxy: Program;
let key: string;
let budget: string;
beforeAll(async () => {
  world = await startWorld(striking.plane);
  proxy = await world.startProxy(striking.plane.env, striking.plane.options);
  await makeDear(world.organization);
  const { id, value } = await world.organization.createKey();
  key = value;
  budget = await createBudget(world.organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '50', period: 'TOTAL' });
  expect(await ask(proxy, key)).toBe('200');
  // Each test counts from what is in the ledger.
  await until(async () => (await recorded(world.organization)) === 1);
}, startMs);
afterAll(async () => {
  await world?.close();
  striking.remove();
});

const feedAge = () => metric(proxy, 'gateway_feed_age_seconds');

/** @param withinMs largest distance of recorded usage from the true time */
async function expectWhole(withinMs: number): Promise<void> {
  const inLedger = () => recorded(world.organization, withinMs);
  const before = await inLedger();
  for (let sent = 0; sent < 3; sent++) expect(await ask(proxy, key)).toBe('200');
  const { value } = await world.organization.createKey();
  expect(await ask(proxy, value)).toBe('200');
  expect(await readiness(proxy)).toBe('ok');
  expect(await readiness(world.controlPlane)).toBe('ok');
  await until(async () => (await inLedger()) === before + 4);
  expect(await feedAge()).toBeLessThan(20);
}

const hour = 3_600_000;
/** A proxy's clock is in no record of the ledger. */
const struck = {
  'a proxy': { program: () => proxy, withinMs: hour },
  'the control plane': { program: () => world.controlPlane, withinMs: 2 * day },
};

describe.each(Object.entries(struck))('the clock of %s', (_, { program, withinMs }) => {
  it.each([
    ['ahead', day],
    ['behind', -day],
  ])(
    'can jump a day %s and back again without loss of requests or usage',
    async (_direction, clockMs) => {
      await striking.strike(program(), { clockMs });
      await expectWhole(withinMs);
      await striking.strike(program(), {});
      await expectWhole(withinMs);
      // A session that the clock has ended is soon closed by its proxy.
      await until(async () => (await ledgerOf(world.organization, budget)).unconfirmed === 0);
    },
    120_000,
  );
});

it('no unconfirmed money of the budget is left', async () => {
  expect(await proxy.child.stop()).toBe(0);
  expect((await ledgerAtRest(world.organization, budget)).unconfirmed).toBe(0);
});
