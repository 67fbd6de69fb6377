// A thousand concurrent requests from three proxies against a budget of a dollar: it is never overspent, nearly all of
// it can be used, and the ledger contains exactly the cost of the responses, whatever fails meanwhile.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import { simulate } from '../../support/limited-callers.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import {
  createBudget,
  type LedgerState,
  ledgerAtRest,
  ledgerOf,
  makeDear,
  recordedCost,
  spend,
  spendPatiently,
  tally,
  watchLedger,
} from '../../support/spending.ts';

const dollar = 1_000_000_000;
/** The simulator's usual response: 33 tokens at $60 and 8 at $1 a million. */
const costOfOne = 33 * 60_000 + 8 * 1_000;
const settings = { GATEWAY_FIRST_BYTE_TIMEOUT: '2s' };

let database: TestDatabase;
let gateway: TestGateway;
let proxies: readonly ProxyProcess[];

beforeAll(async () => {
  database = await createDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
  proxies = await Promise.all([1, 2, 3].map(() => gateway.startProxyProcess(settings)));
});
beforeEach(() => gateway.simulator.reset());
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

async function newBudget(amount: number) {
  const organization = await gateway.createOrganization(`budget of ${amount}`);
  await makeDear(organization);
  const { id, value: key } = await organization.createKey();
  const amountUsd = String(amount / dollar);
  const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd });
  return { organization, key, budget };
}

function expectNeverAbove(amount: number, samples: readonly LedgerState[]): void {
  expect(samples.length).toBeGreaterThan(20);
  const reserved = samples.map(({ spent, leased, unconfirmed }) => spent + leased + unconfirmed);
  expect(Math.max(...reserved)).toBeLessThanOrEqual(amount);
  console.log(`ledger read ${samples.length} times, at most $${Math.max(...reserved) / dollar} in it`);
}

describe('a budget of a dollar', () => {
  it('is never overspent by a thousand concurrent requests, and 95 % of it can be used', async () => {
    const { organization, key, budget } = await newBudget(dollar);
    // The key is known to each proxy, so that no request of the burst waits for its look-up.
    for (const { url } of proxies) await fetch(`${url}/v1/models`, { headers: { 'x-api-key': key } });
    const watched = watchLedger(organization, budget);
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => spendPatiently({ url: proxies[i % 3]?.url ?? '', key })),
    );
    const ledger = await ledgerAtRest(organization, budget);
    expectNeverAbove(dollar, await watched.stop());
    const counts = tally(outcomes);
    console.log(`${JSON.stringify(counts)}, spent $${ledger.spent / dollar}`);
    expect(Object.keys(counts).toSorted()).toEqual(['200', '402 budget_exceeded']);
    expect(ledger.spent).toBeGreaterThanOrEqual(0.95 * dollar);
    expect(ledger).toMatchObject({ leased: 0, unconfirmed: 0 });
    expect(ledger.spent).toBe((counts['200'] ?? 0) * costOfOne);
    expect(await recordedCost(organization)).toBe(ledger.spent);
  });

  it('is never overspent with callers that leave, errors, time-outs and a killed proxy', async () => {
    // Half of the dollar: so many requests would cost twice as much.
    const [amount, requests] = [dollar / 2, 500];
    const { organization, key, budget } = await newBudget(amount);
    const doomed = await gateway.startProxyProcess(settings);
    const targets = [...proxies.slice(0, 2), doomed];
    const watched = watchLedger(organization, budget);
    const script = gateway.simulator.script.bind(gateway.simulator);
    for (let i = 0; i < 30; i++) script({ status: i % 2 === 0 ? 500 : 429 });
    let servedByDoomed = 0;
    const running = Array.from({ length: requests }, async (_, i) => {
      const slow = i % 25 === 1 ? simulate({ headDelayMs: 5_000 }) : {};
      const requested = { url: targets[i % 3]?.url ?? '', key, fields: { stream: i % 3 === 0, ...slow } };
      const outcome = await (i % 10 === 0
        ? spend({ ...requested, leavesAfterMs: 20 + (i % 7) * 30 })
        : spendPatiently(requested, 3_000));
      if (i % 3 === 2 && outcome === '200') servedByDoomed++;
      return outcome;
    });
    // It has a lease then, and requests in flight.
    await until(() => servedByDoomed >= 5);
    await doomed.child.stop('SIGKILL');
    const outcomes = await Promise.all(running);
    const samples = await watched.stop();
    expectNeverAbove(amount, samples);
    // The dead proxy's leases are still set aside, because their use is unknown; others wait for them in vain.
    const ledger = await ledgerOf(organization, budget);
    console.log(`${JSON.stringify(tally(outcomes))}, ${JSON.stringify(ledger)}`);
    for (const outcome of ['200', 'broken', '500 null', '504 upstream_timeout']) expect(outcomes).toContain(outcome);
    expect(ledger.spent + ledger.leased + ledger.unconfirmed).toBeLessThanOrEqual(amount);
    expect(await recordedCost(organization)).toBeLessThanOrEqual(amount);
  });
});
