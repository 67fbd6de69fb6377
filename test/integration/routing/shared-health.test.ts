// What proxies learn of targets reaches others: operators, by an audit event and a webhook, and other proxies, as hints
// over Redis. Two proxies with one control plane and one Redis, over real sockets.
import { Redis } from 'ioredis';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { redisResponds } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const first = 'sk-sim-first-0123456789';
const mistyped = 'sk-mistyped-0123456789';
const second = 'sk-sim-second-0123456789';

let gateway: TestGateway;
let other: TestProxy;
let redis: TestRedis;
let admin: Redis;
let organizations = 0;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let firstId: string;
let virtualKey: { readonly id: string; readonly value: string };

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
  gateway = await startGateway({ proxy: { REDIS_URL: redis.url } });
  other = await gateway.startProxy();
  await Promise.all([redisResponds(gateway.proxy), redisResponds(other)]);
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  virtualKey = await organization.createKey();
  const { id: organizationId, api } = organization;
  const { providerKeys } = (await api.call('ProviderKeys/List', { organizationId })) as {
    providerKeys: { id: string }[];
  };
  firstId = providerKeys[0]?.id ?? '';
  await api.call('ProviderKeys/Update', { id: firstId, secret: { apiKey: first } });
  const standby = { organizationId, provider: 'gpt-provider', name: 'standby', priority: 1 };
  await api.call('ProviderKeys/Create', { ...standby, secret: { apiKey: second } });
});
afterAll(async () => {
  admin?.disconnect();
  await gateway?.close();
  await redis?.stop();
});

async function call(proxy: TestProxy): Promise<void> {
  const client = new OpenAI({ apiKey: virtualKey.value, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  await client.chat.completions.create({ model, messages });
}

async function refusals(): Promise<{ readonly action: string; readonly after: string }[]> {
  const request = { organizationId: organization.id, targetId: firstId };
  const { events } = (await organization.api.call('Audit/List', request)) as {
    events: { action: string; after: string }[];
  };
  return events.filter(({ action }) => action === 'ProviderKeys.FindRefused');
}

const hints = (proxy: TestProxy, result: string) => metric(proxy, 'gateway_target_hints_total', { result });

function refuseFirst(status: number): void {
  gateway.simulator.script(
    { status },
    { times: 99, when: ({ headers }) => headers.authorization === `Bearer ${first}` },
  );
}

function sentToFirst(): number {
  return gateway.simulator.requests.filter(({ headers }) => headers.authorization === `Bearer ${first}`).length;
}

it('a key that the vendor refuses reaches the organization once, though both proxies notice it', async () => {
  const reported = () =>
    Promise.all(
      [gateway.proxy, other].map((proxy) => metric(proxy, 'gateway_refused_key_reports_total', { result: 'reported' })),
    );
  const before = await reported();
  await organization.api.call('ProviderKeys/Update', { id: firstId, secret: { apiKey: mistyped } });
  await call(gateway.proxy);
  await call(other);
  await until(async () => (await reported()).every((count, index) => count === (before[index] ?? 0) + 1));
  const events = await refusals();
  expect(events.map(({ after }) => JSON.parse(after))).toMatchObject([
    { provider: 'gpt-provider', cause: 'key', model: null },
  ]);
  expect(JSON.stringify(events)).not.toContain(mistyped.slice(-6));
  expect(gateway.logs.join('')).not.toContain(mistyped);
});

it('a key that one proxy found refused gets one request of twenty from the other, and the caller of none sees it', async () => {
  await Promise.all([call(gateway.proxy), call(other)]);
  refuseFirst(401);
  const received = await hints(other, 'received');
  await call(gateway.proxy);
  await until(async () => (await hints(other, 'received')) > received, { what: 'the hint' });
  const before = sentToFirst();
  await Promise.all(Array.from({ length: 20 }, () => call(other)));
  expect(sentToFirst() - before).toBe(1);
  const name = `gateway:health:1:{health:${organization.id}}`;
  const [value = ''] = await admin.zrange(name, 0, '-1');
  expect(value).not.toMatch(/key|gpt|127\.0\.0\.1/);
  expect(await admin.pttl(name)).toBeLessThanOrEqual(30_000);
});

it('what an attacker writes to Redis changes no request', async () => {
  await Promise.all([call(gateway.proxy), call(other)]);
  const name = `gateway:health:1:{health:${organization.id}}`;
  const ignored = await hints(other, 'ignored');
  const later = Date.now() + 20_000;
  await admin.zadd(name, later, 'forged');
  await admin.zadd(name, later * 1_000, JSON.stringify({ target: 'x', cause: 'key', until: later, proxy: 'x' }));
  for (const key of await admin.keys('gateway:health:1:*'))
    for (const value of await admin.zrangeBuffer(key, 0, '-1')) await admin.zadd(name, later, value);
  for (let value = 0; value < 500; value++) await admin.zadd(name, later, `${value}`.repeat(300));
  await call(other);
  await until(async () => (await hints(other, 'ignored')) > ignored, { what: 'what is ignored' });
  const before = sentToFirst();
  await Promise.all(Array.from({ length: 20 }, () => call(other)));
  expect(sentToFirst() - before).toBe(20);
  // What a proxy writes puts it in order.
  await admin.set(`gateway:health:1:{health:${organization.id}}`, 'of another kind');
  refuseFirst(401);
  await call(gateway.proxy);
  await until(async () => (await admin.type(name)) === 'zset', { what: 'a set of hints' });
  expect(await admin.zcard(name)).toBe(1);
});

it('what hosts do is shared by proxies of a platform identity, and not by one that is bound', async () => {
  const { id: organizationId } = organization;
  const { value } = (await gateway.platform.call('ProxyTokens/Create', { name: 'bound', organizationId })) as {
    value: string;
  };
  const bound = await gateway.startProxy({ GATEWAY_PROXY_TOKEN: value, GATEWAY_REDIS_PREFIX: 'bound:' });
  await admin.del('gateway:health:1:{health}');
  gateway.simulator.script({ status: 503 }, { times: 99 });
  for (const proxy of [gateway.proxy, bound]) {
    for (let request = 0; request < 5; request++) await expect(call(proxy)).rejects.toThrow();
    expect(await metric(proxy, 'gateway_ejections_total', { cause: 'server' })).toBeGreaterThan(0);
  }
  await until(async () => (await admin.zcard('gateway:health:1:{health}')) > 0, { what: 'a hint of the host' });
  gateway.simulator.reset();
  refuseFirst(401);
  await call(bound).catch(() => undefined);
  const ofBound = () => admin.keys('bound:gateway:health:*');
  await until(async () => (await ofBound()).length > 0, { what: 'a hint of the key' });
  expect(await ofBound()).toEqual([`bound:gateway:health:1:{health:${organizationId}}`]);
});

it('requests are served without Redis, by what each proxy finds out alone', async () => {
  await call(gateway.proxy);
  await redis.stop();
  refuseFirst(401);
  await call(gateway.proxy);
  await call(other);
  expect(sentToFirst()).toBe(3);
});
