// The ledger without the control plane, without Redis and without both: budgets last as long as the leases, other
// requests continue, nothing waits, and all usage arrives. OUTAGE_SECONDS makes the outage of the control plane longer
// than ten seconds.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { redisResponds } from '../../support/chat-requests.ts';
import { log, percentile } from '../../support/figures.ts';
import {
  type Environment,
  startGateway,
  type TestGateway,
  type TestOrganization,
  type TestProxy,
} from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costReported } from '../../support/recorder.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { createBudget, ledgerAtRest, makeDear, tally } from '../../support/spending.ts';
import { askOnce, keepRequesting, type TimedOutcome, wronglyRecorded } from '../../support/steady-caller.ts';
import { metric } from '../../support/telemetry.ts';

const outageMs = 1_000 * Number(process.env.OUTAGE_SECONDS ?? 10);
const unavailable = '503 ledger_unavailable';
const refused = '429 rate_limit_exceeded';
/** Ten times the delay that Redis may add to a request, and far more than a record waits for the control plane. */
const busyMs = 10 * 100;

let gateway: TestGateway;
let redis: TestRedis;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [gateway, redis] = await Promise.all([startGateway(), startRedis()]);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(async () => {
  await gateway?.close();
  await redis?.stop();
});

async function linkTo(port: number): Promise<Forwarder> {
  const link = await startForwarder({ port });
  closers.push(() => link.stop());
  return link;
}

/** A proxy whose connections to the control plane and, if it has one, to Redis can be cut. */
async function startCuttable(withRedis: boolean, env: Environment = {}) {
  const plane = await linkTo(gateway.controlPlane.grpcPort);
  const store = await linkTo(redis.port);
  const proxy = await gateway.startProxy({
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${plane.port}`,
    ...(withRedis && { REDIS_URL: `redis://127.0.0.1:${store.port}` }),
    ...env,
  });
  if (withRedis) await redisResponds(proxy);
  return { plane, store, proxy };
}

interface Paying {
  readonly organization: TestOrganization;
  readonly id: string;
  readonly key: string;
  readonly budget: string;
}

let organizations = 0;

async function newOrganization(): Promise<TestOrganization> {
  organizations++;
  const organization = await gateway.createOrganization(`organization ${organizations}`);
  await makeDear(organization);
  return organization;
}

/** A key with a budget that is large enough for a test. */
async function payingKey(): Promise<Paying> {
  const organization = await newOrganization();
  const { id, value: key } = await organization.createKey();
  const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id }, { amountUsd: '50' });
  return { organization, id, key, budget };
}

const costOfAll = (response: readonly TimedOutcome[]) =>
  response.reduce((sum, { outcome, reported }) => sum + (outcome === '200' ? costReported(reported) : 0), 0);

const outcomesOf = (response: readonly TimedOutcome[]) => tally(response.map(({ outcome }) => outcome));

/** No lease is left, and the spend equals the cost of the responses. */
async function expectLedger({ organization, budget }: Paying, response: readonly TimedOutcome[]): Promise<void> {
  expect(await wronglyRecorded({ controlPlane: gateway.controlPlane, organization }, response)).toEqual([]);
  const ledger = await ledgerAtRest(organization, budget);
  expect(ledger).toMatchObject({ spent: costOfAll(response), leased: 0, unconfirmed: 0 });
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Scene {
  readonly how: string;
  readonly withRedis: boolean;
  readonly gone: 'cut' | 'freeze';
}

describe('control plane gone', () => {
  async function expectItLasts({ how, withRedis, gone }: Scene): Promise<void> {
    const { plane, proxy } = await startCuttable(withRedis);
    const paying = await payingKey();
    const free = await newOrganization();
    const payer = keepRequesting(proxy.url, paying.key, 100);
    const other = keepRequesting(proxy.url, (await free.createKey()).value, 100);
    await until(() => payer.outcomes.length >= 30, { timeoutMs: 30_000, what: 'leases to be acquired' });

    const goneAt = performance.now();
    await plane[gone]();
    await wait(outageMs);
    const backAt = performance.now();
    await plane.heal();
    const isServed = () => payer.outcomes.some(({ at, outcome }) => at > backAt && outcome === '200');
    await until(isServed, { timeoutMs: 10_000, what: 'budgets to be served again' });
    const servedAfter = performance.now() - backAt;
    await Promise.all([payer.stop(), other.stop()]);

    const before = payer.outcomes.filter(({ at, ms }) => at + ms < goneAt);
    const meanwhile = payer.outcomes.filter(({ at, ms }) => at >= goneAt && at + ms < backAt);
    const counts = outcomesOf(meanwhile);
    const firstRefused = meanwhile.find(({ outcome }) => outcome === unavailable)?.at ?? Number.NaN;
    const lastServed = meanwhile.findLast(({ outcome }) => outcome === '200')?.at ?? Number.NaN;
    const others = other.outcomes.filter(({ at }) => at >= goneAt && at < backAt).map(({ ms }) => ms);
    console.log(`control plane gone for ${outageMs / 1_000} s, ${how}`);
    console.log(`  under a budget: ${JSON.stringify(counts)}`);
    log('  the first was refused after', firstRefused - goneAt);
    log('  the last was served after', lastServed - goneAt);
    log('  once it was back one was served after', servedAfter);
    log('  without a budget all were served', others);

    expect(outcomesOf(before)).toEqual({ '200': before.length });
    expect(Object.keys(counts).toSorted()).toEqual(['200', unavailable]);
    expect(lastServed - goneAt, 'acquired money lasts for seconds, not for ever').toBeLessThan(9_000);
    expect(outcomesOf(other.outcomes)).toEqual({ '200': other.outcomes.length });
    expect(Math.max(...others)).toBeLessThan(busyMs);
    await expectLedger(paying, payer.outcomes);
    const recording = { controlPlane: gateway.controlPlane, organization: free };
    expect(await wronglyRecorded(recording, other.outcomes)).toEqual([]);
  }

  it(
    'budgets last as long as the leases, then get 503; requests without a budget continue; all usage arrives',
    async () => {
      await Promise.all([
        expectItLasts({ how: 'refused, Redis is there', withRedis: true, gone: 'cut' }),
        expectItLasts({ how: 'silent, no Redis', withRedis: false, gone: 'freeze' }),
      ]);
    },
    60_000 + 2 * outageMs,
  );
});

describe('Redis gone', () => {
  it.each([
    ['refuses connections', 'cut'],
    ['accepts connections and never responds', 'freeze'],
  ] as const)(
    'when it %s: budgets are unaffected, rates are limited by each proxy alone, nothing waits',
    async (how, what) => {
      const { store, proxy } = await startCuttable(true);
      const paying = await payingKey();
      const limits = { count: 100_000, kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE' };
      const onKey = (id: string) => ({ subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id } });
      const { api, id: organizationId, createKey } = paying.organization;
      await api.call('Limits/Create', { organizationId, ...onKey(paying.id), ...limits });
      const few = await createKey();
      await api.call('Limits/Create', { organizationId, ...onKey(few.id), ...limits, count: 5 });

      const times = async (count: number) => {
        const response: TimedOutcome[] = [];
        for (let i = 0; i < count; i++) response.push(await askOnce(proxy.url, paying.key));
        return response;
      };
      await times(20);
      const well = await times(50);
      const localBefore = await metric(proxy, 'gateway_rate_limit_local_total');
      await store[what]();
      const without = await times(50);
      const local = (await metric(proxy, 'gateway_rate_limit_local_total')) - localBefore;
      const limited: TimedOutcome[] = [];
      for (let i = 0; i < 8; i++) limited.push(await askOnce(proxy.url, few.value));
      await store.heal();

      log(
        'with Redis',
        well.map(({ ms }) => ms),
      );
      log(
        `Redis ${how}`,
        without.map(({ ms }) => ms),
      );
      console.log(`  ${local} of ${without.length} requests counted by the proxy alone`);
      expect(outcomesOf(without)).toEqual({ '200': without.length });
      const usual = percentile(
        well.map(({ ms }) => ms),
        0.99,
      );
      expect(Math.max(...without.map(({ ms }) => ms))).toBeLessThan(usual + busyMs);
      expect(local).toBeGreaterThan(0.6 * without.length);
      // This proxy's share of five, however many proxies it counted recently.
      const letIn = limited.filter(({ outcome }) => outcome === '200').length;
      expect(letIn).toBeGreaterThanOrEqual(1);
      expect(letIn).toBeLessThan(5);
      expect(limited.map(({ outcome }) => outcome)).toEqual([
        ...Array(letIn).fill('200'),
        ...Array(8 - letIn).fill(refused),
      ]);
      await ledgerAtRest(paying.organization, paying.budget);
      const recording = { controlPlane: gateway.controlPlane, organization: paying.organization };
      expect(await wronglyRecorded(recording, [...well, ...without, ...limited])).toEqual([]);
    },
    60_000,
  );
});

describe('usage while the control plane is gone', () => {
  async function useWhileGone(proxy: TestProxy, count: number) {
    const organization = await newOrganization();
    const { value: key } = await organization.createKey();
    const known = await askOnce(proxy.url, key);
    const recording = { controlPlane: gateway.controlPlane, organization };
    expect(await wronglyRecorded(recording, [known])).toEqual([]);
    // The event may be in the ledger before the proxy has the acknowledgement, and then it would be reported again.
    await isQueueEmpty(proxy);
    return {
      recording,
      use: async () => {
        const response: TimedOutcome[] = [];
        for (let i = 0; i < count; i++) response.push(await askOnce(proxy.url, key));
        expect(outcomesOf(response)).toEqual({ '200': count });
        return response;
      },
    };
  }

  const queued = (proxy: TestProxy) => metric(proxy, 'gateway_usage_queued_events');
  const isQueueEmpty = (proxy: TestProxy) =>
    until(async () => (await queued(proxy)) === 0, { what: 'the queue to be empty' });
  const counted = (proxy: TestProxy, outcome: string) => metric(proxy, 'gateway_usage_events_total', { outcome });

  it('waits in memory without Redis', async () => {
    const { plane, store, proxy } = await startCuttable(true);
    const { recording, use } = await useWhileGone(proxy, 20);
    await Promise.all([plane.cut(), store.cut()]);
    const response = await use();
    expect(await queued(proxy)).toBe(20);
    await plane.heal();
    expect(await wronglyRecorded(recording, response)).toEqual([]);
    await isQueueEmpty(proxy);
    expect(await counted(proxy, 'overflowed')).toBe(0);
  });

  it('is left in Redis by a proxy that stops in order, and reported by another one', async () => {
    const leaving = await startCuttable(true);
    const { recording, use } = await useWhileGone(leaving.proxy, 20);
    await leaving.plane.cut();
    const response = await use();
    await leaving.proxy.drain();
    const heir = await startCuttable(true);
    const from = performance.now();
    expect(await wronglyRecorded(recording, response)).toEqual([]);
    log('usage that a stopped proxy left in Redis is recorded by another after', performance.now() - from);
    await until(async () => (await counted(heir.proxy, 'drained')) >= 20, {
      ...{ what: 'the heir to be done', timeoutMs: 60_000 },
    });
    expect(await counted(heir.proxy, 'reported')).toBe(0);
  });
});
