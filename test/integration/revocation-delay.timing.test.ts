// How soon a revoked key stops working, and a stop is there, at ten proxies that share Redis, over PostgreSQL with two control-plane
// replicas: from the response to Revoke to the first refusal at each proxy. Everything runs in this process, so each
// proxy gets a modest rate of requests: the figure is mostly the gateway's and little the load's. `GATEWAY_TEST_ROUNDS=2`
// revokes 40 keys.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorApi } from '../../quickstart/operator-api.ts';
import { admission, directAdmission, outcomes, type Question, turns } from '../support/chat-requests.ts';
import { log, percentile } from '../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/process.ts';
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
  const refusal = '401 access_not_found';
  for (const [index, { id, value }] of keys.entries()) {
    const port = replicaPorts[index % replicaPorts.length] ?? 0;
    await operatorApi(port, gateway.organization.ownerToken).call('VirtualKeys/Revoke', { id });
    const respondedAt = performance.now();
    delays.push(
      ...(await Promise.all(
        proxies.map((proxy) => untilRefused(proxy, admission(value), { since: respondedAt, refusal })),
      )),
    );
  }
  log('revocation delay at ten proxies', delays);
  expect(delays).toHaveLength(keyCount * proxyCount);
  expect(percentile(delays, 0.99)).toBeLessThan(2500);
});

it('a stop of the platform is at ten busy proxies as soon as a revocation', async () => {
  const { id: organizationId, api: owner } = gateway.organization;
  const settings = { access: { callerProviderKeys: true } };
  await owner.call('Organizations/UpdateSettings', { id: organizationId, settings });
  const { value } = await gateway.organization.createKey();
  const areServed = async () => (await outcomes(proxies, directAdmission(value))).every((one) => one === '200');
  await until(areServed, { what: 'the key to be known at every proxy' });
  const refusal = '403 stopped_by_operator';
  const delays: number[] = [];
  await using _traffic = await ordinaryTraffic();
  for (let stop = 0; stop < roundsOf(4); stop++) {
    expect(await turns(proxies, directAdmission(value), { from: refusal, to: '200' })).toBeGreaterThan(0);
    const api = operatorApi(replicaPorts[stop % replicaPorts.length] ?? 0, gateway.secrets.platformToken);
    const fields = { target: { directKeys: true }, reason: 'a test' };
    const { id } = await api.call('Stops/Create', fields);
    const respondedAt = performance.now();
    const refused = proxies.map((proxy) =>
      untilRefused(proxy, directAdmission(value), { since: respondedAt, refusal }),
    );
    delays.push(...(await Promise.all(refused)));
    await api.call('Stops/Delete', { id });
  }
  log('delay of a stop at ten proxies', delays);
  expect(percentile(delays, 0.99)).toBeLessThan(2500);
});

interface Awaited {
  readonly since: number;
  readonly refusal: string;
}

async function untilRefused(proxy: TestProxy, question: Question, { since, refusal }: Awaited): Promise<number> {
  for (;;) {
    const { outcome } = await question(proxy);
    if (outcome !== '200') {
      expect(outcome).toBe(refusal);
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
