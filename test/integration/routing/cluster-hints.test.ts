// Hints of targets in a Redis Cluster: those of each organization are in one slot, so proxies share all of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RedisConnection } from '../../../proxy/redis/connection.ts';
import { type HintScope, sizeOf } from '../../../proxy/routing/learned-hints.ts';
import { hintCommands } from '../../../proxy/routing/redis-hints.ts';
import { connectPatiently } from '../../support/rates.ts';
import { startRedisCluster, type TestRedisCluster } from '../../support/redis.ts';

let cluster: TestRedisCluster;
let connections: readonly RedisConnection[];

beforeAll(async () => {
  cluster = await startRedisCluster();
  const url = cluster.urls.join(',');
  connections = [await connectPatiently(url), await connectPatiently(url)];
});
afterAll(async () => {
  for (const connection of connections ?? []) connection.close();
  await cluster?.stop();
});

it('what one proxy writes, another one reads: of hosts, and of organizations on all masters', async () => {
  const [here, there] = connections.map(hintCommands);
  const now = Date.now();
  const hint = (text: string, inMs: number) => ({ until: now + inMs, sealed: Buffer.from(text) });
  const scopes: readonly HintScope[] = [
    'hosts',
    ...Array.from({ length: 30 }, (_, index) => ({ organization: `organization-${index}` })),
  ];
  for (const scope of scopes) await here?.write(scope, [hint('first', 10_000), hint('over', -1_000)], now);
  for (const scope of scopes) await here?.write(scope, [hint('second', 20_000)], now);
  for (const scope of scopes) {
    expect((await there?.read(scope))?.map(String)).toEqual(['second', 'first']);
  }
});

it('the hints of an organization stay bounded', async () => {
  const [here, there] = connections.map(hintCommands);
  const scope = { organization: 'many' };
  const now = Date.now();
  const hints = Array.from({ length: 200 }, (_, index) => ({
    until: now + 1000 + index,
    sealed: Buffer.from(`${index}`),
  }));
  await here?.write(scope, hints, now);
  expect(await there?.read(scope)).toHaveLength(sizeOf(scope));
});
