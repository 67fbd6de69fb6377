// A proxy without configured public keys learns them from the control plane and trusts nothing in Redis before. It
// accepts unsigned records of the previous release only while the control plane is of that release, and never again
// once a control plane has signed.
import { beforeEach, describe, expect, it } from 'vitest';
import { cachedRecordsOf } from '../../../../proxy/access/cached-record.ts';
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

/** Afterwards the records of the keys are in Redis. */
async function startWarm(hashes: readonly string[] = [key, otherKey]): Promise<TestProxy> {
  const proxy = startProxy(world, { withRedis: true });
  await world.time.advance(100);
  for (const hash of hashes) expect(await find(proxy, hash)).toBe(`id-${hash}`);
  await world.time.advance(10);
  return proxy;
}

/** A proxy that never had a feed and reaches no control plane: it can serve only records of Redis. */
function startCutOff(options: Parameters<typeof startProxy>[1] = {}): TestProxy {
  const proxy = startProxy(world, { withRedis: true, ...options });
  proxy.link.cutOff();
  return proxy;
}

/**
 * Writes the records that the previous release stored in Redis for a key, or that an attacker with the cache key
 * pretends it stored.
 */
function plantUnsigned(hash: string, of = hash): void {
  const { asOf, principal } = world.database.resolve(of);
  if (principal === undefined) throw new Error('the key is there');
  for (const cached of cachedRecordsOf(hash, principal, { asOf, confirmedAt: 0 })) {
    // That release wrote none.
    if (cached.kind === 'platform') continue;
    const { name, bytes } = inLayout4(sealKeys, cached, world.time.now());
    world.redis.plant(name, bytes);
  }
}

describe('a proxy without configured public keys', () => {
  const startUnreported = () => startProxy(world, { withRedis: true, recordKeys: noRecordKeys(world.time) });

  it('learns them when the feed begins, so that Redis serves from the first request on', async () => {
    await startWarm();
    const proxy = startUnreported();
    await world.time.advance(100);
    expect(proxy.source.notReady()).toBeUndefined();
    expect(await find(proxy, key)).toBe(`id-${key}`);
    expect(await find(proxy, otherKey)).toBe(`id-${otherKey}`);
    expect(proxy.events).toEqual(['redis', 'redis']);
  });

  it('serves nothing from Redis when it starts without a control plane, and is not ready because Redis cannot be trusted', async () => {
    await startWarm();
    const proxy = startCutOff({ recordKeys: noRecordKeys() });
    expect(await find(proxy)).toBe('access_unavailable');
    expect(proxy.source.notReady()).toContain('a Redis whose records can be verified');
    const given = startCutOff();
    expect(await find(given)).toBe(`id-${key}`);
    expect(given.source.notReady()).toBeUndefined();
  });

  it('reads no unsigned record before it has reached a control plane, nor after it has reached one that signs', async () => {
    plantUnsigned(key);
    plantUnsigned(neverWas, key);
    expect(await find(startCutOff({ recordKeys: noRecordKeys() }))).toBe('access_unavailable');
    const proxy = startUnreported();
    // This also applies to the first request, which arrives before the feed.
    expect(await find(proxy, neverWas)).toBe('access_not_found');
    expect(await find(proxy)).toBe(`id-${key}`);
    expect(proxy.events).toEqual(['control_plane', 'control_plane']);
    expect(await find(startCutOff(), neverWas)).toBe('access_unavailable');
  });

  it('reads unsigned records while the control plane is of the previous release, and writes none', async () => {
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

  it('ignores and counts unsigned records that it cannot read', async () => {
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

  it('forgets unsigned records as soon as a control plane signs, and fails no request because of that', async () => {
    const { signing } = world.controlPlane;
    signing.signs = false;
    plantUnsigned(key);
    plantUnsigned(neverWas, key);
    const proxy = startUnreported();
    await world.time.advance(100);
    expect(await find(proxy)).toBe(`id-${key}`);
    // As in the previous release, anyone with the cache key can mint keys.
    expect(await find(proxy, neverWas)).toBe(`id-${key}`);
    signing.signs = true;
    world.database.createKey(hashOf(3), { organizationId: 'north' });
    expect(await find(proxy, hashOf(3))).toBe(`id-${hashOf(3)}`);
    plantUnsigned(neverWas, key);
    expect(await find(proxy, neverWas)).toBe('access_not_found');
    expect(await find(proxy)).toBe(`id-${key}`);
    // The proxy never goes back to unsigned records, though a replica of the previous release still runs.
    signing.signs = false;
    world.controlPlane.cut(proxy.link);
    await world.time.advance(5_000);
    plantUnsigned(hashOf(4), key);
    expect(await find(proxy, hashOf(4))).toBe('access_not_found');
    world.database.touch(key);
    await world.time.advance(100);
    expect(await find(proxy)).toBe(`id-${key}`);
  });

  it('forgets a public key that the control plane has not named for MAX_STALE, if it named others meanwhile', async () => {
    const recordKeys = noRecordKeys(world.time);
    const [old, fresh] = [newSigningKey(), newSigningKey()];
    recordKeys.learn([old.publicKey]);
    await world.time.advance(hourMs / 2);
    recordKeys.learn([fresh.publicKey]);
    const ids = (...keys: (typeof old)[]) => keys.map(({ id }) => id.toString('hex'));
    expect(recordKeys.state().ids).toEqual(expect.arrayContaining(ids(old, fresh)));
    await world.time.advance(hourMs);
    // The proxy is cut off: records become too old by their own signatures.
    expect(recordKeys.state().ids).toHaveLength(2);
    recordKeys.learn([fresh.publicKey]);
    expect(recordKeys.state().ids).toEqual(ids(fresh));
  });
});
