// After a restart of the control plane, a proxy continues with its records, because the new epoch continues the one
// before.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  hashOf,
  outcome,
  startProxy,
  type TestProxy,
  type World,
} from '../../../support/access/one-proxy.ts';

const key = hashOf(1);
const keyId = `id-${key}`;

let world: World;

beforeEach(() => {
  world = createWorld();
  world.database.createOrganization('north');
  world.database.createKey(key, { organizationId: 'north' });
});

const find = (proxy: TestProxy, hash = key) => outcome(world, () => proxy.source.find(hash, '192.0.2.1'));

async function startWarm(options: Parameters<typeof startProxy>[1] = {}): Promise<TestProxy> {
  const proxy = startProxy(world, options);
  await world.time.advance(100);
  expect(await find(proxy)).toBe(keyId);
  return proxy;
}

describe('a restart of the control plane', () => {
  it('makes no record stale: known records are served even if it then fails, and earlier revocations still apply', async () => {
    const other = hashOf(77);
    world.database.createKey(other, { organizationId: 'north' });
    const proxy = await startWarm();
    expect(await find(proxy, other)).toBe(`id-${other}`);
    world.database.remove(other);
    await world.time.advance(10);
    world.database.restart();
    await world.time.advance(10);
    proxy.link.cutOff();
    proxy.link.way = 'silent';
    await world.time.advance(60_000);
    expect(await find(proxy)).toBe(keyId);
    expect(proxy.events.at(-1)).toBe('stale');
    expect(await find(proxy, other)).not.toBe(`id-${other}`);
  });

  it('leaves records in Redis usable for proxies that start later', async () => {
    await startWarm({ withRedis: true });
    await world.time.advance(10);
    world.database.restart();
    world.database.restart();
    const second = startProxy(world, { withRedis: true });
    await world.time.advance(10);
    expect(await find(second)).toBe(keyId);
    expect(second.link.resolves).toBe(0);
  });
});

describe('a restore of the database', () => {
  it('makes the proxy resolve every record again when the new epoch begins at an older state', async () => {
    const backup = world.database.backup();
    const proxy = await startWarm();
    world.database.touchOrganizations();
    await world.time.advance(200);
    expect(await find(proxy)).toBe(keyId);
    proxy.link.resolves = 1;
    world.database.restore(backup);
    await world.time.advance(10);
    expect(await find(proxy)).toBe(keyId);
    expect(proxy.link.resolves).toBe(2);
  });
});
