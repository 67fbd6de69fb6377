// Idle money in one proxy's lease while another needs it: it is reclaimed over the feed and available within a second,
// and callers get a retry time until then. If it is really spent they get 402. Also across replicas of the control
// plane.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chat, type Question } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { createBudget, ledgerAtRest, ledgerOf, makeDear } from '../../support/spending.ts';

interface Scene {
  readonly gateway: TestGateway;
  readonly organization: TestOrganization;
  /** This proxy has acquired and is idle. */
  readonly idle: TestProxy;
  readonly needy: TestProxy;
}

interface Money {
  readonly organization: TestOrganization;
  readonly budgetId: string;
  readonly question: Question;
}

const busy = '429 budget_busy';
const exceeded = '402 budget_exceeded';
/** Room for one request at a time, which reserves three cents. */
const amountUsd = '0.04';
const maxTokens = 500;

async function newOrganization(gateway: TestGateway): Promise<TestOrganization> {
  const organization = await gateway.createOrganization('reclaims');
  await makeDear(organization);
  return organization;
}

async function newMoney({ organization }: Scene): Promise<Money> {
  const { id, value } = await organization.createKey();
  const budgetId = await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd });
  return { organization, budgetId, question: chat(value, { max_tokens: maxTokens }) };
}

/** The proxy acquires, spends little of it, and keeps the rest for now. */
async function leaveIdle({ idle }: Scene, { organization, budgetId, question }: Money): Promise<void> {
  expect((await question(idle)).outcome).toBe('200');
  const ledger = await until(async () => {
    const found = await ledgerOf(organization, budgetId);
    return found.spent > 0 && found;
  });
  expect(ledger.leased).toBeGreaterThan(0);
  expect(ledger.amount - ledger.spent - ledger.leased).toBeLessThan(maxTokens * 60_000);
}

interface Reclaimed {
  /** From the first refusal until a request is admitted. */
  readonly ms: number;
  readonly refusals: number;
}

async function reclaimOnce({ needy }: Scene, { question }: Money): Promise<Reclaimed> {
  const first = await question(needy);
  const from = performance.now();
  if (first.outcome === '200') return { ms: first.ms, refusals: 0 };
  let refusals = 0;
  let reply = first;
  while (reply.outcome === busy) {
    refusals++;
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.message).toBe(
      `requests in flight have reserved what is left of the virtual key's budget of $${amountUsd} a day; try again in a moment`,
    );
    await sleep(15);
    reply = await question(needy);
  }
  expect(reply.outcome).toBe('200');
  return { ms: performance.now() - from, refusals };
}

async function reclaimTenTimes(scene: Scene): Promise<void> {
  const reclaimed: Reclaimed[] = [];
  for (let time = 0; time < 10; time++) {
    const money = await newMoney(scene);
    await leaveIdle(scene, money);
    reclaimed.push(await reclaimOnce(scene, money));
  }
  log(
    'idle money is reclaimed after',
    reclaimed.map(({ ms }) => ms),
  );
  expect(Math.max(...reclaimed.map(({ ms }) => ms))).toBeLessThan(1_000);
  expect(Math.max(...reclaimed.map(({ refusals }) => refusals))).toBeGreaterThan(0);
}

/** Both proxies send requests until nothing is left. */
async function spendAll({ idle, needy }: Scene, { organization, budgetId, question }: Money): Promise<void> {
  const seen = new Set<string>();
  for (const proxy of [idle, needy]) {
    await until(
      async () => {
        const { outcome } = await question(proxy);
        seen.add(outcome);
        return outcome === exceeded;
      },
      { timeoutMs: 10_000 },
    );
  }
  expect([...seen].filter((outcome) => !['200', busy, exceeded].includes(outcome))).toEqual([]);
  const { spent, amount } = await ledgerAtRest(organization, budgetId);
  expect(spent).toBeLessThanOrEqual(amount);
  for (const proxy of [idle, needy]) expect((await question(proxy)).outcome).toBe(exceeded);
}

describe('over one control plane', () => {
  let scene: Scene;

  beforeAll(async () => {
    const gateway = await startGateway();
    const needy = await gateway.startProxy();
    scene = { gateway, organization: await newOrganization(gateway), idle: gateway.proxy, needy };
  });
  beforeEach(() => scene.gateway.simulator.reset());
  afterAll(() => scene?.gateway.close());

  it('idle money is available within a second, ten times out of ten: 429 before, 200 then', async () => {
    await reclaimTenTimes(scene);
  });

  it('both proxies return 402 when the budget is really spent', async () => {
    await spendAll(scene, await newMoney(scene));
  });

  it('reserved money is not reclaimed: 429 until its request ends', async () => {
    const money = await newMoney(scene);
    scene.gateway.simulator.script({ headDelayMs: 1_000 });
    const pending = money.question(scene.idle);
    await until(() => scene.gateway.simulator.requests.length === 1);
    const from = performance.now();
    const { refusals } = await reclaimOnce(scene, money);
    expect(performance.now() - from).toBeGreaterThan(700);
    expect(refusals).toBeGreaterThan(1);
    expect((await pending).outcome).toBe('200');
  });
});

describe('over two replicas of the control plane', () => {
  let database: TestDatabase;
  let scene: Scene;

  beforeAll(async () => {
    database = await createDatabase();
    const gateway = await startGateway({ databaseUrl: database.url });
    const other = await gateway.startControlPlane();
    const needy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${other.grpcPort}` });
    scene = { gateway, organization: await newOrganization(gateway), idle: gateway.proxy, needy };
  });
  beforeEach(() => scene.gateway.simulator.reset());
  afterAll(async () => {
    await scene?.gateway.close();
    await database?.drop();
  });

  it("an acquisition at one reclaims leases of the other's proxy within a second, ten times out of ten", async () => {
    await reclaimTenTimes(scene);
  });

  it('both proxies return 402 when the budget is really spent', async () => {
    await spendAll(scene, await newMoney(scene));
  });
});
