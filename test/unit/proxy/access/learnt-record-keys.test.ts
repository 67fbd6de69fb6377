// A proxy that is given no public key goes by those that the control plane names. Nothing of Redis counts before; what the release before
// signatures left there counts while the control plane is of that release, and never again once one has signed.
import { beforeEach, describe, expect, it } from 'vitest';
import { heldOf } from '../../../../proxy/access/held.ts';
import { nameInLayout4 } from '../../../../proxy/record-cache/redis-layout-4.ts';
import { inLayout4 } from '../../../support/access/layout-4.ts';
import {
  createWorld,
  hashOf,
  hourMs,
  outcome,
  sealKeys,
  startProxy,
  type TestProxy,
  type World,
} from '../../../support/access/one-proxy.ts';
import { newSigningKey, noRecordKeys } from '../../../support/access/signing.ts';

const key = hashOf(1);
const otherKey = hashOf(2);
const neverWas = hashOf(99);

let world: World;

beforeEach(() => {
  world = createWorld();
  for (const id of ['north', 'south']) {
    world.database.createOrganization(id);
    world.database.createSystem(`${id}-system`, id);
  }
  world.database.createKey(key, { organizationId: 'north', scopeId: 'north-system' });
  world.database.createKey(otherKey, { organizationId: 'south', scopeId: 'south-system' });
});

const find = (proxy: TestProxy, hash = key) => outcome(world, () => proxy.source.find(hash, '192.0.2.1'));

/** Has its records in Redis afterwards. */
async function startWarm(hashes: readonly string[] = [key, otherKey]): Promise<TestProxy> {
  const proxy = startProxy(world, { withRedis: true });
  await world.time.advance(100);
  for (const hash of hashes) expect(await find(proxy, hash)).toBe(`id-${hash}`);
  await world.time.advance(10);
  return proxy;
}

/** Never had a feed, and hears of nobody: what it serves is what Redis told it. */
function startCutOff(options: Parameters<typeof startProxy>[1] = {}): TestProxy {
  const proxy = startProxy(world, { withRedis: true, ...options });
  proxy.link.cutOff();
  return proxy;
}

/** What the release before left in Redis for a key, or what somebody with the cache key says that it left. */
function plantUnsigned(hash: string, of = hash): void {
  const { asOf, principal } = world.database.resolve(of);
  if (principal === undefined) throw new Error('the key is there');
  for (const held of heldOf(hash, principal, { asOf, confirmedAt: 0 })) {
    const { name, bytes } = inLayout4(sealKeys, held, world.time.now());
    world.redis.plant(name, bytes);
  }
}

describe('a proxy that is given no public key', () => {
  const startUnreported = () => startProxy(world, { withRedis: true, recordKeys: noRecordKeys(world.time) });

  it('learns it from the feed’s beginning, so that Redis serves from the first request on', async () => {
    await startWarm();
    const proxy = startUnreported();
    await world.time.advance(100);
    expect(proxy.source.notReady()).toBeUndefined();
    expect(await find(proxy, key)).toBe(`id-${key}`);
    expect(await find(proxy, otherKey)).toBe(`id-${otherKey}`);
    expect(proxy.events).toEqual(['redis', 'redis']);
  });

  it('serves nothing from Redis if it starts without a control plane, and is not ready because of Redis', async () => {
    await startWarm();
    const proxy = startCutOff({ recordKeys: noRecordKeys() });
    expect(await find(proxy)).toBe('access_unavailable');
    expect(proxy.source.notReady()).toContain('a Redis that can be believed');
    const given = startCutOff();
    expect(await find(given)).toBe(`id-${key}`);
    expect(given.source.notReady()).toBeUndefined();
  });

  it('reads nothing unsigned before it has met a control plane, nor after it has met one that signs', async () => {
    plantUnsigned(key);
    plantUnsigned(neverWas, key);
    expect(await find(startCutOff({ recordKeys: noRecordKeys() }))).toBe('access_unavailable');
    const proxy = startUnreported();
    // Not even the first request, which the feed has not come before.
    expect(await find(proxy, neverWas)).toBe('access_not_found');
    expect(await find(proxy)).toBe(`id-${key}`);
    expect(proxy.events).toEqual(['control_plane', 'control_plane']);
    expect(await find(startCutOff(), neverWas)).toBe('access_unavailable');
  });

  it('reads what the release before left there while the control plane is of that release, and keeps nothing there', async () => {
    world.controlPlane.signing.signs = false;
    plantUnsigned(key);
    const proxy = startUnreported();
    await world.time.advance(100);
    const names = [...world.redis.values.keys()];
    expect(await find(proxy)).toBe(`id-${key}`);
    expect(await find(proxy, otherKey)).toBe(`id-${otherKey}`);
    await world.time.advance(10);
    expect(proxy.events).toEqual(['redis', 'control_plane']);
    expect([...world.redis.values.keys()]).toEqual(names);
  });

  it('ignores and counts what it cannot read of what the release before left there', async () => {
    world.controlPlane.signing.signs = false;
    const name = nameInLayout4({ kind: 'key', ref: key });
    for (const [length, header] of [
      [9, 'no header'],
      [200, '["one",1,"north"]'],
    ] as const) {
      world.redis.plant(name, Buffer.concat([Buffer.from([4, 0, length]), Buffer.from(header)]));
      const proxy = startUnreported();
      await world.time.advance(100);
      expect(await find(proxy)).toBe(`id-${key}`);
      expect(proxy.events).toEqual(['unreadable', 'control_plane']);
    }
  });

  it('forgets what nobody had signed as soon as a control plane signs, and fails no request over it', async () => {
    const { signing } = world.controlPlane;
    signing.signs = false;
    plantUnsigned(key);
    plantUnsigned(neverWas, key);
    const proxy = startUnreported();
    await world.time.advance(100);
    expect(await find(proxy)).toBe(`id-${key}`);
    // As it was in the release before: whoever has the cache key mints.
    expect(await find(proxy, neverWas)).toBe(`id-${key}`);
    signing.signs = true;
    world.database.createKey(hashOf(3), { organizationId: 'north' });
    expect(await find(proxy, hashOf(3))).toBe(`id-${hashOf(3)}`);
    plantUnsigned(neverWas, key);
    expect(await find(proxy, neverWas)).toBe('access_not_found');
    expect(await find(proxy)).toBe(`id-${key}`);
    // From there nothing leads back, though a replica of the release before serves on.
    signing.signs = false;
    world.controlPlane.cut(proxy.link);
    await world.time.advance(5_000);
    plantUnsigned(hashOf(4), key);
    expect(await find(proxy, hashOf(4))).toBe('access_not_found');
    world.database.touch(key);
    await world.time.advance(100);
    expect(await find(proxy)).toBe(`id-${key}`);
  });

  it('forgets a key that is named no more after MAX_STALE, where it hears others', async () => {
    const recordKeys = noRecordKeys(world.time);
    const [old, fresh] = [newSigningKey(), newSigningKey()];
    recordKeys.learn([old.publicKey]);
    await world.time.advance(hourMs / 2);
    recordKeys.learn([fresh.publicKey]);
    const ids = (...keys: (typeof old)[]) => keys.map(({ id }) => id.toString('hex'));
    expect(recordKeys.state().ids).toEqual(expect.arrayContaining(ids(old, fresh)));
    await world.time.advance(hourMs);
    // Cut off: what is too old is so by its own signature.
    expect(recordKeys.state().ids).toHaveLength(2);
    recordKeys.learn([fresh.publicKey]);
    expect(recordKeys.state().ids).toEqual(ids(fresh));
  });
});
