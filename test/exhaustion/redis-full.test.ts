// Redis is full and refuses writes (maxmemory, noeviction), then the control plane is away too: requests continue,
// limits apply, usage waits in memory, Redis is reported as failing for the whole time, and all usage is recorded in
// the end.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../support/black-hole.ts';
import { until } from '../support/process.ts';
import { startRedis, type TestRedis, withClient } from '../support/redis.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { askTestServers } from '../support/test-servers.ts';
import { ask, type Program, recorded, startMs, startWorld, type World } from './world.ts';

let world: World;
let redis: TestRedis;
let way: Forwarder;
let proxy: Program;
beforeAll(async () => {
  // A separate server, because the Redis of REDIS_URL must not be filled.
  redis = await startRedis({ from: await askTestServers('source') });
  world = await startWorld();
  way = await startForwarder({ port: world.controlPlane.ports.grpc_port ?? 0 });
  proxy = await world.startProxy({
    REDIS_URL: redis.url,
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${way.port}`,
  });
}, startMs);
afterAll(async () => {
  await world?.close();
  await way?.stop();
  await redis?.stop();
});

/** 0: no limit. */
const maxMemory = (bytes: number) => withClient(redis.url, (client) => client.config('SET', 'maxmemory', bytes));
const isUp = () => metric(proxy, 'gateway_redis_up');

it('a proxy with a full Redis serves, applies limits, queues usage in memory, and recovers when there is room', async () => {
  const { organization } = world;
  const { value: key } = await organization.createKey();
  const limited = await organization.createKey();
  await organization.api.call('Limits/Create', {
    organizationId: organization.id,
    subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: limited.id },
    kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE',
    count: '5',
  });
  await until(async () => (await isUp()) === 1, { what: 'Redis to respond' });
  expect(await ask(proxy, key)).toBe('200');
  await maxMemory(1);
  const spent: string[] = [];
  for (let sent = 0; sent < 8; sent++) spent.push(await ask(proxy, limited.value));
  expect(spent.filter((outcome) => outcome === '200')).toHaveLength(5);
  expect(spent.slice(5)).toEqual(Array.from({ length: 3 }, () => '429 rate_limit_exceeded'));
  // Successful reads of records in the meantime do not hide the failure.
  for (let sent = 0; sent < 10; sent++) {
    const { value } = await organization.createKey();
    expect(await ask(proxy, value)).toBe('200');
    expect(await isUp()).toBe(0);
  }
  expect(await readiness(proxy)).toBe('ok');

  const before = 1 + 5 + 10;
  await until(async () => (await recorded(organization)) === before);
  const queued = () => metric(proxy, 'gateway_usage_queued_events');
  await until(async () => (await queued()) === 0, { what: 'reports to be acknowledged' });
  await way.cut();
  for (let sent = 0; sent < 10; sent++) expect(await ask(proxy, key)).toBe('200');
  expect(await queued()).toBe(10);
  // With room, usage moves to Redis; it is taken from there even when Redis is full again.
  await maxMemory(0);
  const overflowed = () => metric(proxy, 'gateway_usage_events_total', { outcome: 'overflowed' });
  await until(async () => (await overflowed()) === 10, {
    what: 'Redis to store the usage',
  });
  await maxMemory(1);
  for (let sent = 0; sent < 3; sent++) expect(await ask(proxy, key)).toBe('200');
  await way.heal();
  await until(async () => (await recorded(organization)) === before + 13, {
    ...{ what: 'all usage to be recorded', timeoutMs: 60_000 },
  });
  expect(await metric(proxy, 'gateway_usage_events_total', { outcome: 'lost' })).toBe(0);
  await maxMemory(0);
  await until(
    async () => {
      await ask(proxy, key);
      return (await isUp()) === 1;
    },
    { what: 'Redis to be reported as responding' },
  );
});
