// Rates of proxies over a Redis Cluster with failures: a master dies or falls silent, a slot moves. The counts of other
// masters are unaffected, and no request waits.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RateDecision, RateLimit } from '../../../proxy/rates/rates.ts';
import { nameInShard, shardOf } from '../../../proxy/redis/shards.ts';
import { log } from '../../support/figures.ts';
import { until } from '../../support/process.ts';
import {
  connectPatiently,
  newRequests,
  newSlotLimit,
  newTokens,
  type OneProxysRates,
  proxyRates,
  realRates,
} from '../../support/rates.ts';
import { startRedisCluster, type TestRedisCluster } from '../../support/redis.ts';
import { configure, killMaster, moveSlotOf, ownerOf, silence } from '../../support/redis-cluster.ts';

let cluster: TestRedisCluster;
let proxies: readonly [OneProxysRates, OneProxysRates];
/** One organization for each master, which counts its limits. */
let organizations: readonly [string, string, string];

beforeEach(async () => {
  cluster = await startRedisCluster();
  proxies = [proxyRates(url()), proxyRates(url())];
  organizations = await organizationOfEach();
  for (const proxy of proxies) for (const organization of organizations) await responds(proxy, organization);
});
afterEach(async () => {
  for (const { connection } of proxies) connection.close();
  await cluster.stop();
});

const url = () => cluster.urls.join(',');
const anyKeyOf = (organization: string) => nameInShard('rate:1', shardOf(organization), 'any');

async function organizationOfEach(): Promise<readonly [string, string, string]> {
  const found = new Map<string, string>();
  for (let i = 0; found.size < 3; i++) {
    const organization = `organization-${i}`;
    found.set(await ownerOf(cluster, anyKeyOf(organization)), organization);
  }
  return cluster.urls.map((url) => found.get(url)) as [string, string, string];
}

async function ask({ rates }: OneProxysRates, organizationId: string, limits: readonly RateLimit[]) {
  return rates.take({ organizationId, limits, tokens: 10 });
}

const standing = ({ standings }: RateDecision, at = 0) => standings[at]?.remaining;

/** Waits until Redis counts the proxy's requests of the organization. */
async function responds(proxy: OneProxysRates, organization: string): Promise<void> {
  await until(
    async () => {
      const before = proxy.counted();
      await ask(proxy, organization, [newRequests(5)]);
      return proxy.counted() === before;
    },
    { what: `the master of ${organization} to respond`, timeoutMs: 15_000 },
  );
}

const masterOf = (index: 0 | 1 | 2) => cluster.urls[index] ?? '';
const countedAlone = () => proxies[0].counted() + proxies[1].counted();
/** The promise, plus an allowance for a busy machine, whose rare longer pauses are not caused by Redis. */
function expectNoWaiting(waited: readonly number[]): void {
  expect(waited.filter((ms) => ms > 50 + 90).length).toBeLessThanOrEqual(2);
  expect(Math.max(...waited)).toBeLessThan(1_000);
}

interface Watched {
  /** Milliseconds of each request of the organization whose master is gone. */
  readonly waited: readonly number[];
  readonly requestedOfOthers: number;
  /** Those of them that one proxy counted alone. */
  readonly strays: number;
}

/** Both proxies alternate between all organizations, most often the one whose master is gone. */
async function watch(gone: string, others: readonly string[], ms: number): Promise<Watched> {
  const max = 100_000;
  const limits = new Map([gone, ...others].map((organization) => [organization, [newRequests(max)]]));
  const limitsOf = (organization: string) => limits.get(organization) ?? [];
  const waited: number[] = [];
  let [rounds, strays] = [0, 0];
  const askOther = async (proxy: OneProxysRates, organization: string, count: number) => {
    const before = proxy.counted();
    const left = standing(await ask(proxy, organization, limitsOf(organization)));
    if (proxy.counted() > before) {
      strays++;
      return;
    }
    // All requests of both proxies so far are in one count. Each may have leased a quarter of a second of its load, or
    // know of the other's requests as long ago as that; a lease whose call was lost stays counted.
    const leased = latest(organization);
    expect(left).toBeGreaterThanOrEqual(max - count - leased * (1 + strays));
    expect(left).toBeLessThanOrEqual(max - count + strays + leased);
  };
  const requestedAt = new Map(others.map((organization): [string, number[]] => [organization, []]));
  const latest = (organization: string) => {
    const times = requestedAt.get(organization) ?? [];
    return times.filter((time) => time > performance.now() - 1_000).length;
  };
  for (const end = performance.now() + ms; performance.now() < end; rounds++) {
    for (const [index, proxy] of proxies.entries()) {
      for (let i = 0; i < 4; i++) {
        const from = performance.now();
        await ask(proxy, gone, limitsOf(gone));
        waited.push(performance.now() - from);
      }
      for (const organization of others) {
        requestedAt.get(organization)?.push(performance.now());
        await askOther(proxy, organization, 2 * rounds + index + 1);
      }
    }
    await sleep(5);
  }
  return { waited, strays, requestedOfOthers: 2 * rounds * others.length };
}

/**
 * Checks that no request waited, and that the counts of other masters stayed common, except for the time in which a
 * master notices the failure.
 */
function expectOthersUnharmed(what: string, { waited, strays, requestedOfOthers }: Watched): void {
  log(`master ${what}: rates of its shards`, waited);
  console.log(`master ${what}: of ${requestedOfOthers} requests of other shards ${strays} were counted alone`);
  expectNoWaiting(waited);
  expect(strays).toBeLessThanOrEqual(2 + 0.01 * requestedOfOthers);
}

describe('a master', () => {
  it('that dies leaves its limits to each proxy; all other limits stay common, and no request waits', async () => {
    await configure(cluster, ['cluster-require-full-coverage', 'no']);
    await configure(cluster, ['cluster-node-timeout', '1000']);
    const [gone, ...others] = organizations;
    const before = countedAlone();
    await killMaster(masterOf(0));
    // Longer than the other masters need to notice.
    const watched = await watch(gone, others, 4_000);
    expectOthersUnharmed('dead', watched);
    expect(countedAlone() - before).toBe(watched.waited.length + watched.strays);
    const limit = [newRequests(2)];
    for (const proxy of proxies) {
      for (const left of [1, 0, 0]) expect(standing(await ask(proxy, gone, limit))).toBe(left);
    }
  });

  it('that falls silent does the same, and is used again when it responds', async () => {
    const [first, gone, third] = organizations;
    const before = countedAlone();
    await silence(masterOf(1), 2_000);
    const watched = await watch(gone, [first, third], 1_500);
    expectOthersUnharmed('silent', watched);
    expect(countedAlone() - before).toBe(watched.waited.length + watched.strays);
    const from = performance.now();
    for (const proxy of proxies) await responds(proxy, gone);
    log('master responds again: used within', performance.now() - from);
    const limit = [newRequests(9)];
    for (const left of [8, 7, 6, 5]) {
      expect(standing(await ask(proxies[left % 2 === 0 ? 0 : 1], gone, limit))).toBe(left);
    }
  });

  it('that dies in a Cluster that serves only as a whole leaves all limits to each proxy', async () => {
    await configure(cluster, ['cluster-node-timeout', '1000']);
    await killMaster(masterOf(2));
    const [proxy] = proxies;
    const [organization] = organizations;
    await until(
      async () => {
        const before = proxy.counted();
        await ask(proxy, organization, [newRequests(1)]);
        return proxy.counted() > before;
      },
      { what: 'the other masters to give up', timeoutMs: 10_000 },
    );
    const limit = [newRequests(2)];
    const waited: number[] = [];
    for (const left of [1, 0, 0]) {
      const from = performance.now();
      expect(standing(await ask(proxy, organization, limit))).toBe(left);
      waited.push(performance.now() - from);
    }
    expectNoWaiting(waited);
  });
});

describe('a slot that moves', () => {
  it('is followed with all its counts, by running requests too', async () => {
    const [organizationId] = organizations;
    const connections = [await connectPatiently(url()), await connectPatiently(url())] as const;
    const patient = connections.map((connection) => realRates(connection));
    const slots = newSlotLimit(5);
    const question = {
      organizationId,
      limits: [newRequests(20), newTokens(1_000_000), slots],
      tokens: 10,
    };
    const name = nameInShard('rate:1', shardOf(organizationId), `concurrent_requests:${slots.id}`);
    const slotsTaken = (taken: number) =>
      until(async () => (await connections[0].run((client) => client.zcard(name))) === taken);

    const reservations = await Promise.all(patient.map(async (rates) => (await rates.take(question)).reservation));
    const waited: number[] = [];
    for (const [round, to] of [masterOf(1), masterOf(2), masterOf(0)].entries()) {
      await moveSlotOf(cluster, anyKeyOf(organizationId), to);
      expect(await ownerOf(cluster, name)).toBe(to);
      for (const [index, rates] of patient.entries()) {
        const from = performance.now();
        const response = await rates.take(question);
        waited.push(performance.now() - from);
        expect(standing(response, 0)).toBe(20 - 2 - 2 * round - index - 1);
        expect(standing(response, 2)).toBe(5 - 2 - 1);
        response.reservation?.settle(10);
        await slotsTaken(2);
      }
    }
    log('slot moved: the first request of each proxy', waited);
    for (const reservation of reservations) reservation?.settle(10);
    await slotsTaken(0);
    for (const connection of connections) connection.close();
  });
});
