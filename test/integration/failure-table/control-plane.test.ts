// Rows of the failure table: the control plane is down, or accepts connections and never responds. Proxies reach it
// through a forwarder, so that it is "down" for them while operators and other proxies still reach it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Forwarder, startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { admission, chat, redisResponds, turns } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { besides, busyMs } from '../../support/slowness.ts';
import { metric, readiness } from '../../support/telemetry.ts';

const unavailable = '503 access_unavailable';
const notReady = 'not ready: neither the control plane nor a Redis whose records can be verified has responded yet';

let gateway: TestGateway;
let redis: TestRedis;
let link: Forwarder;

beforeAll(async () => {
  [gateway, redis] = await Promise.all([startGateway(), startRedis()]);
  link = await startForwarder({ port: gateway.controlPlane.grpcPort });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([link?.stop(), redis?.stop()]);
});

const startProxy = (env: Record<string, string> = {}) =>
  gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${link.port}`, ...env });
const newKey = async () => (await gateway.organization.createKey()).value;
const feedAge = (proxy: TestProxy) => metric(proxy, 'gateway_feed_age_seconds');
const staleLookups = (proxy: TestProxy) => metric(proxy, 'gateway_key_lookups_total', { tier: 'stale' });

/** A key whose records are in Redis. */
async function keyInRedis(): Promise<string> {
  const key = await newKey();
  const proxy = await startProxy({ REDIS_URL: redis.url });
  await redisResponds(proxy);
  expect((await chat(key)(proxy)).outcome).toBe('200');
  return key;
}

describe('control plane down', () => {
  it('a cached key is served, the feed’s age grows and the proxy is ready; after MAX_STALE the key gets 503 until the control plane is back', async () => {
    const proxy = await startProxy({ GATEWAY_ACCESS_MAX_STALE: '2s' });
    const key = await newKey();
    expect((await chat(key)(proxy)).outcome).toBe('200');
    await link.cut();
    const age = await feedAge(proxy);
    const served: number[] = [];
    await until(async () => {
      const { outcome, ms } = await chat(key)(proxy);
      expect(outcome).toBe('200');
      served.push(ms);
      return (await feedAge(proxy)) > age + 0.5;
    });
    log('control plane down: a cached key is served', served);
    expect(await readiness(proxy)).toBe('ok');

    const tooOld = await turns([proxy], chat(key), { from: '200', to: unavailable });
    log('control plane down: 503 after a further', tooOld);
    const refused = await chat(key)(proxy);
    expect(refused.headers['retry-after']).toBe('1');
    expect(await readiness(proxy)).toBe('ok');

    await link.heal();
    log(
      'control plane back: served after',
      await turns([proxy], chat(key), { from: unavailable, to: '200', withinMs: 5000 }),
    );
  });

  it('a key that is unknown everywhere gets 503 at once', async () => {
    const proxy = await startProxy({ REDIS_URL: redis.url });
    await until(async () => (await feedAge(proxy)) >= 0, { what: 'the feed' });
    await link.cut();
    const requested = await chat(await newKey())(proxy);
    await link.heal();
    expect(requested.outcome).toBe(unavailable);
    log('control plane down: an unknown key is refused', requested.ms);
    expect(requested.ms).toBeLessThan(1000);
  });

  it('a starting proxy with Redis serves the keys that Redis has, and is ready', async () => {
    const key = await keyInRedis();
    await link.cut();
    const proxy = await startProxy({ REDIS_URL: redis.url });
    await until(async () => (await readiness(proxy)) === 'ok', { what: 'readiness' });
    const served = await chat(key)(proxy);
    expect(served.outcome).toBe('200');
    log('control plane down at start: a key in Redis is served', served.ms);
    expect(await staleLookups(proxy)).toBe(1);
    expect(await feedAge(proxy)).toBeNaN();
    expect((await chat(await newKey())(proxy)).outcome).toBe(unavailable);
    await link.heal();
    await until(async () => (await feedAge(proxy)) >= 0, { what: 'the feed' });
    expect((await chat(await newKey())(proxy)).outcome).toBe('200');
  });

  it('a starting proxy without Redis is not ready and returns 503 until the control plane responds', async () => {
    await link.cut();
    const proxy = await startProxy();
    const key = await newKey();
    expect((await chat(key)(proxy)).outcome).toBe(unavailable);
    expect(await readiness(proxy)).toBe(notReady);
    await link.heal();
    const healed = performance.now();
    await until(async () => (await readiness(proxy)) === 'ok', { what: 'readiness' });
    log('control plane back: ready after', performance.now() - healed);
    expect((await chat(key)(proxy)).outcome).toBe('200');
  });
});

describe('control plane that accepts and never responds', () => {
  it('a starting proxy serves from Redis after 200 ms, then without a wait; unknown keys get 503 within 2 s', async () => {
    const key = await keyInRedis();
    const hole = await startBlackHole();
    const env = { GATEWAY_CONTROL_PLANE: `127.0.0.1:${hole.port}` };
    const [proxy, alone] = [await startProxy({ ...env, REDIS_URL: redis.url }), await startProxy(env)];
    await until(async () => (await readiness(proxy)) === 'ok', { what: 'readiness' });
    expect(await readiness(alone)).toBe(notReady);

    const first = await chat(key)(proxy);
    expect(first.outcome).toBe('200');
    log('control plane mute at start: first request with a key in Redis', first.ms);
    expect(first.ms).toBeLessThan(200 + busyMs([0]));
    const more: number[] = [];
    for (let count = 0; count < 50; count++) more.push((await chat(key)(proxy)).ms);
    log('control plane mute at start: further requests', more);
    expect(await staleLookups(proxy)).toBe(51);

    const [one, two] = [await newKey(), await newKey()];
    const refusals = Promise.all([admission(one)(proxy), admission(two)(alone)]);
    const beside = await besides(refusals, () => chat(key)(proxy));
    const unknown = await refusals;
    expect(unknown.map(({ outcome }) => outcome)).toEqual([unavailable, unavailable]);
    const slowest = Math.max(...unknown.map(({ ms }) => ms));
    log('control plane mute at start: an unknown key is refused', slowest);
    expect(slowest).toBeLessThan(2000 + busyMs(beside));
    expect(hole.accepted()).toBeGreaterThan(0);
    await hole.stop();
  });
});
