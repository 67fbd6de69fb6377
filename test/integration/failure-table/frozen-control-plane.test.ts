// Rows of the failure table: a control plane that was good and falls silent, its connections open. The bounds of the access
// protocol are constants, so this file waits for them: 20 s until a record is doubted, and no longer for a revocation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorApi } from '../../../quickstart/operator-api.ts';
import { admission, chat, outcomes, turns } from '../../support/asking.ts';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { percentile, tell } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { metric, readiness } from '../../support/telemetry.ts';

/** What a busy machine adds. */
const busyMs = 500;

let database: TestDatabase;
let gateway: TestGateway;
const links: Forwarder[] = [];

beforeAll(async () => {
  database = await createDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all(links.map((link) => link.stop()));
  await database?.drop();
});

async function linkTo(port: number): Promise<Forwarder> {
  const link = await startForwarder({ port });
  links.push(link);
  return link;
}

const newKey = async () => (await gateway.organization.createKey()).value;
const age = (proxy: TestProxy) => metric(proxy, 'gateway_feed_age_seconds');
const served = (proxy: TestProxy, tier: string) => metric(proxy, 'gateway_key_lookups_total', { tier });

describe.concurrent('control plane frozen', () => {
  it('alone: a cached key is served without a wait for 20 s, then after 200 ms at most; unknown keys 503; ready', async () => {
    const link = await linkTo(gateway.controlPlane.grpcPort);
    const proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${link.port}` });
    const [key, unknown] = [await newKey(), await newKey()];
    expect((await chat(key)(proxy)).outcome).toBe('200');
    link.freeze();

    const refused = await admission(unknown)(proxy);
    expect(refused.outcome).toBe('503 access_unavailable');
    tell('control plane frozen: an unknown key is refused', refused.ms);
    expect(refused.ms).toBeLessThan(2000 + busyMs);

    const frozenAt = performance.now();
    const fresh: number[] = [];
    let last = 0;
    while ((await served(proxy, 'stale')) === 0) {
      const { outcome, ms } = await chat(key)(proxy);
      expect(outcome).toBe('200');
      fresh.push(last);
      last = ms;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    tell('control plane frozen: a record is doubted after', performance.now() - frozenAt);
    tell('control plane frozen: served until then', fresh);
    tell('control plane frozen: the first request that doubts waits', last);
    expect(await age(proxy)).toBeGreaterThan(20);
    expect(percentile(fresh, 0.99)).toBeLessThan(busyMs);
    expect(last).toBeLessThan(200 + busyMs);

    const further: number[] = [];
    for (let count = 0; count < 20; count++) further.push((await chat(key)(proxy)).ms);
    tell('control plane frozen: further requests', further);
    expect(await served(proxy, 'stale')).toBe(21);
    expect(await readiness(proxy)).toBe('ok');
  }, 40_000);

  it('one of two replicas: new keys are let in by way of the other, and its revocations arrive within 20 s', async () => {
    const replicas = [await gateway.startControlPlane(), await gateway.startControlPlane()] as const;
    const links = [await linkTo(replicas[0].grpcPort), await linkTo(replicas[1].grpcPort)] as const;
    const addresses = links.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const start = async () => {
      const proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses });
      await until(async () => (await age(proxy)) >= 0, { what: 'the feed' });
      return proxy;
    };
    const first = await start();
    const adminUrl = `http://127.0.0.1:${replicas[0].adminPort}`;
    const watched = (await metric({ adminUrl }, 'gateway_control_plane_watchers')) === 1 ? 0 : 1;
    const proxies = [first, await start(), await start()];
    const { id, value } = await gateway.organization.createKey();
    expect(await outcomes(proxies, admission(value))).toEqual(proxies.map(() => '200'));

    links[watched].freeze();
    const atOther = operatorApi(replicas[1 - watched]?.httpPort ?? 0, gateway.organization.ownerToken);
    await atOther.call('VirtualKeys/Revoke', { id });
    const turn = { from: '200', to: '401 access_not_found', withinMs: 20_000 };
    const [refused, resolved] = await Promise.all([
      Promise.all(proxies.map((proxy) => turns([proxy], admission(value), turn))),
      resolveNewKeys(proxies),
    ]);
    tell('replica frozen: a revocation at the other reaches three proxies', refused);
    expect(refused[0], 'the first proxy watched the frozen one').toBeGreaterThan(1000);
    tell('replica frozen: a new key is let in', resolved);
    expect(Math.max(...resolved)).toBeLessThan(500 + busyMs);
  }, 40_000);
});

/** Milliseconds of first requests with new keys, at every proxy in turn. */
async function resolveNewKeys(proxies: readonly TestProxy[]): Promise<readonly number[]> {
  const waited: number[] = [];
  for (let count = 0; count < 10; count++) {
    const key = await newKey();
    for (const proxy of proxies) {
      const { outcome, ms } = await admission(key)(proxy);
      expect(outcome).toBe('200');
      waited.push(ms);
    }
  }
  return waited;
}
