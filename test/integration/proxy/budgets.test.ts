// Budgets of real lease managers against a real control plane: three of them share one budget over gRPC, with reclaims
// over the feed, and the ledger is sampled meanwhile.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackground } from '../../../common/background.ts';
import { systemClock } from '../../../common/clock.ts';
import { nanoOfUsd, nanoPerUsd } from '../../../common/money.ts';
import { Secret } from '../../../common/secret.ts';
import { RateShare } from '../../../common/shares.ts';
import { systemTimers } from '../../../common/timers.ts';
import { accessLimits } from '../../../proxy/access/limits.ts';
import { createRecordSource } from '../../../proxy/access/record-source.ts';
import { BudgetRefusal, type BudgetReservation } from '../../../proxy/budgets/budgets.ts';
import { LeasedBudgets } from '../../../proxy/budgets/leased-budgets.ts';
import { type ControlPlaneClient, createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { shares } from '../../../proxy/shares.ts';
import { hourMs } from '../../support/access/one-proxy.ts';
import { Random } from '../../support/access/random.ts';
import { limitSubject, testBudget } from '../../support/budget-fixture.ts';
import {
  bootstrap,
  createTenant,
  databases,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { startingSeed } from '../../support/seed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { usageOf } from '../../support/usage-queue.ts';

const seed = Number(process.env.BUDGETS_SEED ?? startingSeed());
console.log(`seed ${seed} (set BUDGETS_SEED to repeat)`);
const random = new Random(seed);

let plane: OperatorsPlane;
let tenant: TestTenant;
let token: string;
let proxies: readonly TestProxy[];
const defects: string[] = [];

interface TestBudget {
  readonly id: string;
  /** The AI system whose usage counts towards this budget only. */
  readonly systemId: string;
}

class TestProxy {
  readonly client: ControlPlaneClient;
  readonly budgets: LeasedBudgets;
  readonly close: () => Promise<void>;

  constructor() {
    const shared = {
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
      log: silentLog,
      background: createBackground({ log: silentLog, onFailure: (task) => defects.push(task) }),
    };
    this.client = createControlPlaneClient({
      addresses: [`127.0.0.1:${plane.plane.grpcPort}`],
      token: new Secret(token),
      credentials: undefined,
      allowPlaintext: false,
    });
    this.budgets = new LeasedBudgets({
      ...shared,
      client: this.client.ledger,
      usage: {
        ...{ queued: () => [], elsewhere: () => [], forget: () => undefined },
        ...{ reportAgain: async () => undefined, settled: async () => undefined },
        isOverflowEmpty: async () => true,
      },
      metrics: {
        ...{ acquired: () => undefined, returned: () => undefined, waited: () => undefined },
        escrowLost: () => undefined,
      },
    });
    const source = createRecordSource({
      ...shared,
      controlPlane: this.client,
      maxStaleMs: hourMs,
      limits: accessLimits,
      unknownCredentials: new RateShare(shares.unknown_credentials.bounds),
      onReclaim: ({ budgetId, window }) => this.budgets.reclaim(budgetId, window),
      metrics: { lookup: () => {}, cacheIgnored: () => {}, cacheFailed: () => {} },
    });
    this.close = async () => {
      await this.budgets.close(systemClock.monotonic() + 5_000);
      source.close();
      this.client.close();
    };
  }

  async take({ id }: TestBudget, full: number, least = full): Promise<BudgetReservation | BudgetRefusal['reason']> {
    try {
      return await this.budgets.take({
        ...{ budgets: [{ id, period: 'day' }], full, least, ifKilled: () => usageOf() },
      });
    } catch (error) {
      if (error instanceof BudgetRefusal) return error.reason;
      throw error;
    }
  }

  async report({ systemId }: TestBudget, reservation: BudgetReservation, cost: number): Promise<void> {
    const charges = reservation.settle(cost);
    const ids = { organizationId: tenant.id, keyId: randomUUID(), aiSystemId: systemId };
    await this.client.ledger.report([usageOf({ ...reservation.stamp, ...ids, cost, charges })]);
  }
}

function proxyAt(index: number): TestProxy {
  const proxy = proxies[index % proxies.length];
  if (proxy === undefined) throw new Error('no proxy was started');
  return proxy;
}

const call = (method: string, request: object) => plane.expect(method, tenant.owner.token, request);

async function createBudget(amountUsd: string): Promise<TestBudget> {
  const organizationId = tenant.id;
  const system = await call('AiSystems.Create', { organizationId, name: randomUUID() });
  const subject = limitSubject('AI_SYSTEM', system.id);
  const { id } = await call('Limits.Create', { ...testBudget, organizationId, subject, amountUsd });
  return { id, systemId: system.id };
}

async function ledgerOf({ id: limitId }: TestBudget) {
  const { windows } = await call('Budgets.ListWindows', { organizationId: tenant.id, limitId });
  const [ledger] = windows;
  const nano = (usd: string | undefined) => nanoOfUsd(usd ?? '0') ?? Number.NaN;
  return {
    spent: nano(ledger?.spentUsd),
    leased: nano(ledger?.leasedUsd),
    unconfirmed: nano(ledger?.unsettledUsd),
  };
}

/**
 * A request that retries while others have reserved the rest. @returns its cost; undefined if the budget was exceeded
 */
async function run(proxy: TestProxy, budget: TestBudget, full: number): Promise<number | undefined> {
  for (;;) {
    const reservation = await proxy.take(budget, full);
    if (reservation === 'exceeded') return undefined;
    if (typeof reservation !== 'string') {
      const cost = Math.ceil(reservation.amount * random.next());
      await sleep(random.below(20));
      await proxy.report(budget, reservation, cost);
      return cost;
    }
    // A busy machine may be too slow for a response.
    expect(['busy', 'unavailable']).toContain(reservation);
    await sleep(50 + random.below(100));
  }
}

describe.each(databases)('budgets over $name', ({ open }) => {
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await open();
    drop = database.drop;
    plane = await startOperatorsPlane({ env: database.env });
    const platform = await bootstrap(plane);
    tenant = await createTenant(plane, platform, 'acme');
    token = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    proxies = [new TestProxy(), new TestProxy(), new TestProxy()];
    await until(() => proxies.every(({ budgets }) => budgets.stamp().session !== ''), { what: 'sessions' });
  });

  afterAll(async () => {
    for (const proxy of proxies) await proxy.close();
    await plane.close();
    await drop();
    expect(defects).toEqual([]);
  });

  describe('a budget of one dollar with a thousand concurrent requests over three proxies', () => {
    it('is never exceeded at any instant, and used to 95 %', async () => {
      const budget = await createBudget('1');
      let isRunning = true;
      const sampling = (async () => {
        let samples = 0;
        for (; isRunning; samples++) {
          const { spent, leased, unconfirmed } = await ledgerOf(budget);
          expect(spent + leased + unconfirmed).toBeLessThanOrEqual(nanoPerUsd);
          await sleep(5);
        }
        return samples;
      })();
      const full = nanoPerUsd / 20;
      const requests = Array.from({ length: 1_000 }, (_, index) => run(proxyAt(index), budget, full));
      const costs = await Promise.all(requests);
      isRunning = false;
      // On a busy machine each sample takes longer; two are enough to look while requests run.
      expect(await sampling).toBeGreaterThanOrEqual(2);
      const spent = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
      expect((await ledgerOf(budget)).spent).toBe(spent);
      expect(spent).toBeGreaterThanOrEqual(0.95 * nanoPerUsd);
    });
  });

  describe("money in one proxy's lease that another needs", () => {
    it('is available within a second: busy before, granted after', async () => {
      const budget = await createBudget('1');
      const [idle, needy] = [proxyAt(0), proxyAt(1)];
      const reservation = await idle.take(budget, 0.8 * nanoPerUsd);
      if (typeof reservation === 'string') throw new Error(reservation);
      reservation.settle(0);
      expect(await needy.take(budget, 0.7 * nanoPerUsd)).toBe('busy');
      const start = performance.now();
      const got = await until(
        async () => {
          const taken = await needy.take(budget, 0.7 * nanoPerUsd);
          return typeof taken === 'string' ? undefined : taken;
        },
        { what: 'the money' },
      );
      const ms = performance.now() - start;
      console.log(`money of another proxy came after ${ms.toFixed(0)} ms`);
      expect(ms).toBeLessThan(10 * 1_000);
      got.settle(0);
    });
  });

  describe('a budget that is changed', () => {
    it('admits requests within two seconds after it is raised, and all after it is deleted', async () => {
      const budget = await createBudget('0.1');
      const proxy = proxyAt(2);
      expect(await proxy.take(budget, nanoPerUsd)).toBe('exceeded');
      await call('Limits.Update', { id: budget.id, amountUsd: '2' });
      const start = performance.now();
      const reservation = await until(
        async () => {
          const taken = await proxy.take(budget, nanoPerUsd);
          return typeof taken === 'string' ? undefined : taken;
        },
        { what: 'the raised limit' },
      );
      expect(performance.now() - start).toBeLessThan(2_000);
      await call('Limits.Delete', { id: budget.id });
      const unlimited = await proxy.take(budget, 100 * nanoPerUsd);
      expect(unlimited).toMatchObject({ amount: 100 * nanoPerUsd });
      await proxy.report(budget, reservation, nanoPerUsd);
      expect((await ledgerOf(budget)).spent).toBe(nanoPerUsd);
    });
  });

  describe('a proxy that stops', () => {
    it('leaves nothing leased', async () => {
      const budget = await createBudget('1');
      const proxy = new TestProxy();
      const reservation = await proxy.take(budget, 1_000_000);
      if (typeof reservation === 'string') throw new Error(reservation);
      await proxy.report(budget, reservation, 400_000);
      await proxy.close();
      expect(await ledgerOf(budget)).toEqual({ spent: 400_000, leased: 0, unconfirmed: 0 });
    });
  });

  describe('an operation that the control plane refuses', () => {
    it.each([
      ['acquire', () => proxyAt(0).client.ledger.acquire({ ...operation(), need: 0, want: 1 })],
      ['release', () => proxyAt(0).client.ledger.release({ ...operation(), seq: 0, amount: 1 })],
      ['report', () => proxyAt(0).client.ledger.report([usageOf({ cost: -1 })])],
    ])('is distinguished from a failure: %s', async (_kind, act) => {
      await expect(act()).rejects.toMatchObject({ name: 'LedgerRefusedError', reason: 'invalid' });
    });

    const operation = () => ({
      ...{ session: randomUUID(), budgetId: randomUUID(), window: '2026-11-20', seq: 1, shut: 0 },
    });
  });
});
