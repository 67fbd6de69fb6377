// Rows of the failure table: a working control plane falls silent while its connections stay open. The bounds of the
// access protocol are constants, so this file waits for them: 20 s until a record counts as stale, and the same for a
// revocation.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorApi } from '../../../quickstart/operator-api.ts';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { admission, chat, outcomes, type Reply, seldom, turns } from '../../support/chat-requests.ts';
import { log, percentile } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { besides, busyMs } from '../../support/slowness.ts';
import { metric, readiness } from '../../support/telemetry.ts';

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

/** At the healthy proxy. */
const healthy = (reply: Promise<Reply>, key: string) => besides(reply, () => chat(key)(gateway.proxy));

describe.concurrent('control plane frozen', () => {
  it('alone: a cached key is served without a wait for 20 s, then after 200 ms at most; unknown keys get 503; the proxy is ready', async () => {
    const link = await linkTo(gateway.controlPlane.grpcPort);
    const proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${link.port}` });
    const [key, unknown] = [await newKey(), await newKey()];
    await until(async () => (await age(proxy)) >= 0, { what: 'the feed' });
    expect((await chat(key)(proxy)).outcome).toBe('200');
    link.freeze();

    const pending = admission(unknown)(proxy);
    const [refused, known] = await Promise.all([pending, healthy(pending, unknown)]);
    expect(refused.outcome).toBe('503 access_unavailable');
    log('control plane frozen: an unknown key is refused', refused.ms);
    expect(refused.ms).toBeLessThan(2000 + busyMs(known));

    const frozenAt = performance.now();
    const fresh: number[] = [];
    const beside: number[] = [];
    let last = 0;
    while ((await served(proxy, 'stale')) === 0) {
      const pending = chat(key)(proxy);
      const [{ outcome, ms }, well] = await Promise.all([pending, healthy(pending, key)]);
      expect(outcome).toBe('200');
      beside.push(...well);
      fresh.push(last);
      last = ms;
      await sleep(250);
    }
    log('control plane frozen: a record is doubted after', performance.now() - frozenAt);
    log('control plane frozen: served until then', fresh);
    log('control plane frozen: the first request that doubts waits', last);
    expect(await age(proxy)).toBeGreaterThan(20);
    log('control plane frozen: served at a proxy that is well', beside);
    expect(percentile(fresh, 0.99)).toBeLessThan(busyMs(beside));
    expect(last).toBeLessThan(200 + busyMs(beside));

    const further: number[] = [];
    for (let count = 0; count < 20; count++) further.push((await chat(key)(proxy)).ms);
    log('control plane frozen: further requests', further);
    expect(await served(proxy, 'stale')).toBe(21);
    expect(await readiness(proxy)).toBe('ok');
  });

  it('one of two replicas: new keys are admitted through the other, and its revocations arrive within 20 s', async () => {
    const replicas = [await gateway.startControlPlane(), await gateway.startControlPlane()] as const;
    const links = [await linkTo(replicas[0].grpcPort), await linkTo(replicas[1].grpcPort)] as const;
    const addresses = links.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const start = async () => {
      const proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses });
      await until(async () => (await age(proxy)) >= 0, { what: 'the feed' });
      return proxy;
    };
    const proxies = [await start(), await start(), await start()];
    const { id, value } = await gateway.organization.createKey();
    expect(await outcomes(proxies, admission(value))).toEqual(proxies.map(() => '200'));

    const watchers = await Promise.all(replicas.map(watchersOf));
    const watched = watchers[0] === Math.max(...watchers) ? 0 : 1;
    links[watched].freeze();
    const atOther = operatorApi(replicas[1 - watched]?.httpPort ?? 0, gateway.organization.ownerToken);
    await atOther.call('VirtualKeys/Revoke', { id });
    const turn = { from: '200', to: '401 access_not_found', withinMs: 20_000 };
    const [refused, resolved] = await Promise.all([
      Promise.all(proxies.map((proxy) => turns([proxy], seldom(admission(value)), turn))),
      resolveNewKeys(proxies),
    ]);
    log('replica frozen: a revocation at the other reaches three proxies', refused);
    expect(Math.max(...refused), 'a proxy watched the frozen one').toBeGreaterThan(1000);
    log('replica frozen: a new key is let in', resolved.waited);
    log('replica frozen: a new key is let in at a proxy that is well', resolved.beside);
    expect(Math.max(...resolved.waited)).toBeLessThan(500 + busyMs(resolved.beside));
  });
});

const watchersOf = ({ adminPort }: { readonly adminPort: number }) =>
  metric({ adminUrl: `http://127.0.0.1:${adminPort}` }, 'gateway_control_plane_watchers');

/**
 * Milliseconds of first requests with new keys, at each proxy one after another, and at the same time at one with a
 * healthy control plane.
 */
async function resolveNewKeys(proxies: readonly TestProxy[]) {
  const waited: number[] = [];
  const beside: number[] = [];
  for (let count = 0; count < 10; count++) {
    const key = await newKey();
    for (const proxy of proxies) {
      const another = await newKey();
      const pending = admission(key)(proxy);
      const [{ outcome, ms }, well] = await Promise.all([pending, healthy(pending, another)]);
      expect(outcome).toBe('200');
      waited.push(ms);
      beside.push(...well);
    }
  }
  return { waited, beside };
}
