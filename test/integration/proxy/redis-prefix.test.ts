// A Redis that organizations share: a server account that may only use names with its organization's prefix is enough
// for a proxy, and cannot read the data of others.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '../../support/black-hole.ts';
import { chat, redisResponds } from '../../support/chat-requests.ts';
import { findServerSource } from '../../support/containers.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const prefix = 'acme:';

let gateway: TestGateway;
let redis: TestRedis;
let admin: Redis;
let plane: Forwarder;

beforeAll(async () => {
  [gateway, redis] = await Promise.all([startGateway(), startRedis({ from: await findServerSource() })]);
  admin = new Redis(redis.url);
  // The command of docs/kubernetes.md.
  for (const name of ['acme', 'other'])
    await admin.call('ACL', ['SETUSER', name, 'on', '>secret', `~${name}:*`, '+@all', '-@dangerous', '+info']);
  plane = await startForwarder({ port: gateway.controlPlane.grpcPort });
});
afterAll(async () => {
  admin?.disconnect();
  await gateway?.close();
  await redis?.stop();
  await plane?.stop();
});

const as = (name: string) => redis.url.replace('redis://', `redis://${name}:secret@`);

it('a shared Redis has only names with the prefix: records, rates, waiting usage', async () => {
  const { api, id: organizationId, createKey } = gateway.organization;
  const key = await createKey();
  const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id };
  const limit = { count: 1_000, kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE' };
  await api.call('Limits/Create', { organizationId, subject, ...limit });
  const proxy = await gateway.startProxy({
    REDIS_URL: as('acme'),
    GATEWAY_REDIS_PREFIX: prefix,
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${plane.port}`,
  });
  await redisResponds(proxy);
  expect((await chat(key.value)(proxy)).outcome).toBe('200');
  await plane.cut();
  expect((await chat(key.value)(proxy)).outcome).toBe('200');
  const kinds = [/^acme:gateway:record:/, /^acme:gateway:rate:/, /^acme:gateway:usage:/];
  const isThere = (all: readonly string[]) => kinds.every((kind) => all.some((name) => kind.test(name)));
  await until(async () => isThere(await admin.keys('*')), { what: 'names of each kind' });
  expect((await admin.keys('*')).filter((name) => !name.startsWith(prefix))).toEqual([]);
  // The server's own log of refused commands; a failure for want of time on a busy machine is not in it.
  expect(await admin.call('ACL', ['LOG'])).toEqual([]);
  await plane.heal();
});

it('a shared Redis shows nothing to the account of another organization', async () => {
  const other = new Redis(as('other'));
  const [name = ''] = await admin.keys('acme:*');
  await expect(other.get(name)).rejects.toThrow('NOPERM');
  await expect(other.set(name, 'x')).rejects.toThrow('NOPERM');
  other.disconnect();
});
