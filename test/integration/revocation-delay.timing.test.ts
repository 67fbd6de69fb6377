// How soon a revoked key stops working at ten proxies that share Redis, over PostgreSQL with two control-plane
// replicas: from the response to Revoke to the first refusal at each proxy. Everything runs in this process, so each
// proxy gets a modest rate of requests: the figure is mostly the gateway's and little the load's. `GATEWAY_TEST_ROUNDS=2`
// revokes 40 keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorApi } from '../../quickstart/operator-api.ts';
import { admission, outcomes } from '../support/chat-requests.ts';
import { log, percentile } from '../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { roundsOf } from '../support/seed.ts';

const proxyCount = 10;
const keyCount = roundsOf(20);
/** Between two requests with a revoked key. */
const askEveryMs = 10;
/** Between two requests of a proxy's ordinary callers. */
const trafficPauseMs = 150;

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let proxies: readonly TestProxy[];
let replicaPorts: readonly number[];

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startRedis()]);
  gateway = await startGateway({ databaseUrl: database.url, proxy: { REDIS_URL: redis.url } });
  const replicas = [gateway.controlPlane, await gateway.startControlPlane()];
  replicaPorts = replicas.map(({ httpPort }) => httpPort);
  const addresses = replicas.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  proxies = await Promise.all(
    Array.from({ length: proxyCount }, () => gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses })),
  );
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([redis?.stop(), database?.drop()]);
});

it('a revoked key is refused at ten busy proxies soon after the call returned', async () => {
  const keys = [];
  for (let made = 0; made < keyCount; made++) keys.push(await gateway.organization.createKey());
  for (const { value } of keys) expect(await outcomes(proxies, admission(value))).toEqual(proxies.map(() => '200'));

  await using _traffic = await ordinaryTraffic();
  const delays: number[] = [];
  for (const [index, { id, value }] of keys.entries()) {
    const port = replicaPorts[index % replicaPorts.length] ?? 0;
    await operatorApi(port, gateway.organization.ownerToken).call('VirtualKeys/Revoke', { id });
    const respondedAt = performance.now();
    delays.push(...(await Promise.all(proxies.map((proxy) => untilRefused(proxy, value, respondedAt)))));
  }
  log('revocation delay at ten proxies', delays);
  expect(delays).toHaveLength(keyCount * proxyCount);
  expect(percentile(delays, 0.99)).toBeLessThan(2500);
});

async function untilRefused(proxy: TestProxy, value: string, since: number): Promise<number> {
  for (;;) {
    const { outcome } = await admission(value)(proxy);
    if (outcome !== '200') {
      expect(outcome).toBe('401 access_not_found');
      return performance.now() - since;
    }
    await sleep(askEveryMs);
  }
}

/** Callers with another key at every proxy, who never see an error. */
async function ordinaryTraffic(): Promise<AsyncDisposable> {
  const question = admission((await gateway.organization.createKey()).value);
  let over = false;
  const callers = proxies.map(async (proxy) => {
    while (!over) {
      expect((await question(proxy)).outcome).toBe('200');
      await sleep(trafficPauseMs);
    }
  });
  return {
    [Symbol.asyncDispose]: async () => {
      over = true;
      await Promise.all(callers);
    },
  };
}
