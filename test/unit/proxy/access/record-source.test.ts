import { beforeEach, describe, expect, it } from 'vitest';
import { refOf } from '../../../../proxy/access/cached-record.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import {
  createWorld,
  hashOf,
  hourMs,
  outcome,
  startProxy,
  TestLink,
  type TestProxy,
  type World,
} from '../../../support/access/one-proxy.ts';

const key = hashOf(1);
const keyId = `id-${key}`;
const address = '192.0.2.1';

let world: World;

beforeEach(() => {
  world = createWorld();
  world.database.createOrganization('north');
  world.database.createKey(key, { organizationId: 'north' });
});

const find = (proxy: TestProxy, hash = key, from = address) => outcome(world, () => proxy.source.find(hash, from));

async function startWarm(options: Parameters<typeof startProxy>[1] = {}): Promise<TestProxy> {
  const proxy = startProxy(world, options);
  await world.time.advance(100);
  expect(await find(proxy)).toBe(keyId);
  return proxy;
}

function refusal(proxy: TestProxy, hash: string, from = address): GatewayError {
  try {
    void proxy.source.find(hash, from);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was not refused at once');
}

describe('records in memory', () => {
  it('serve a known key without a promise', async () => {
    const proxy = await startWarm();
    expect(proxy.source.find(key, address)).not.toBeInstanceOf(Promise);
    expect(proxy.events).toEqual(['control_plane', 'memory']);
  });

  it('a key requested many times at once is resolved once', async () => {
    const proxy = startProxy(world);
    const many = Array.from({ length: 20 }, () => find(proxy));
    expect(new Set(await Promise.all(many))).toEqual(new Set([keyId]));
    expect(proxy.link.resolves).toBe(1);
  });

  it('an organization that many keys wait for is resolved once', async () => {
    for (let number = 2; number <= 20; number++) world.database.createKey(hashOf(number), { organizationId: 'north' });
    const proxy = await startWarm();
    for (let number = 2; number <= 20; number++) await find(proxy, hashOf(number));
    await world.time.advance(2_000);
    proxy.link.resolves = 0;
    world.database.touch(refOf('organization', 'north'));
    await world.time.advance(3);
    const many = Array.from({ length: 20 }, (_, index) => find(proxy, hashOf(index + 1)));
    expect((await Promise.all(many)).every((id) => id.startsWith('id-'))).toBe(true);
    expect(proxy.link.resolves).toBeLessThanOrEqual(2);
  });

  it('a rotated key value is refused once its time has passed', async () => {
    world.database.touch(key, { valueEndsAt: world.time.now() + 10_000 });
    const proxy = await startWarm();
    await world.time.advance(9_000);
    expect(proxy.source.find(key, address)).toMatchObject({ key: { keyId } });
    await world.time.advance(1_000);
    expect(refusal(proxy, key).code).toBe('access_not_found');
  });
});

describe('a change on the feed', () => {
  it('makes a revoked key refused at once', async () => {
    const proxy = await startWarm();
    world.database.remove(key);
    await world.time.advance(3);
    expect(await find(proxy)).toBe('access_not_found');
  });

  it('makes a record in use resolved again within 50 ms, before the next request', async () => {
    const proxy = await startWarm();
    world.database.touch(key);
    await world.time.advance(60);
    expect(proxy.link.resolves).toBe(2);
    expect(proxy.source.find(key, address)).toMatchObject({ key: { revision: world.database.revision } });
  });

  it('resolves a record that was unused for a minute only at its next request', async () => {
    const proxy = await startWarm();
    await world.time.advance(61_000);
    world.database.touch(key);
    await world.time.advance(1_000);
    expect(proxy.link.resolves).toBe(1);
    expect(await find(proxy)).toBe(keyId);
    expect(proxy.link.resolves).toBe(2);
  });

  it('makes a new key work at once that was unknown before', async () => {
    const proxy = await startWarm();
    const later = hashOf(7);
    expect(await find(proxy, later)).toBe('access_not_found');
    world.database.createKey(later, { organizationId: 'north' });
    await world.time.advance(3);
    expect(await find(proxy, later)).toBe(`id-${later}`);
  });

  it('that arrives with the start of the feed does not affect a record read since', async () => {
    world.database.touch(key);
    const link = Object.assign(new TestLink(), { feedMs: 50 });
    const proxy = startProxy(world, { link });
    expect(await find(proxy)).toBe(keyId);
    await world.time.advance(1_000);
    expect([link.started, link.resolves]).toEqual([1, 1]);
  });

  it('removes a revoked key from Redis', async () => {
    await startWarm({ withRedis: true });
    await world.time.advance(10);
    expect(world.redis.values.size).toBe(3);
    world.database.remove(key);
    await world.time.advance(10);
    expect(world.redis.values.size).toBe(2);
  });
});

describe('resolve calls', () => {
  it('a 33rd unknown hash is refused while 32 are under way, and a known key is still admitted', async () => {
    const proxy = await startWarm();
    proxy.link.way = { there: 500, back: 1 };
    const guesses = Array.from({ length: 32 }, (_, index) => find(proxy, hashOf(100 + index), `10.0.0.${index}`));
    await world.time.advance(0);
    expect(await find(proxy, hashOf(200))).toBe('access_unavailable');
    world.database.touch(key);
    await world.time.advance(3);
    expect(await find(proxy)).toBe(keyId);
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['access_not_found']));
  });

  it('at most 64 are under way, and further known keys wait', async () => {
    const hashes = Array.from({ length: 100 }, (_, index) => hashOf(1_000 + index));
    for (const hash of hashes) world.database.createKey(hash, { organizationId: 'north' });
    const proxy = await startWarm();
    for (const hash of hashes) await find(proxy, hash);
    await world.time.advance(70_000);
    for (const hash of hashes) world.database.touch(hash);
    await world.time.advance(10);
    proxy.link.resolves = 0;
    proxy.link.way = { there: 300, back: 1 };
    const found = Promise.all(hashes.map((hash) => find(proxy, hash)));
    await world.time.advance(1);
    expect(proxy.link.resolves).toBe(64);
    expect(await found).toEqual(hashes.map((hash) => `id-${hash}`));
    expect(proxy.link.resolves).toBe(100);
  });

  it.each(['refused', 'silent'] as const)('lead to 503 and never to 401 when the control plane is %s', async (way) => {
    const proxy = startProxy(world);
    proxy.link.way = way;
    expect(await find(proxy, hashOf(5))).toBe('access_unavailable');
  });

  it('are repeated once when the response is older than the feed, then lead to 503', async () => {
    const proxy = await startWarm();
    proxy.link.way = { there: 1, back: 400 };
    const pending = find(proxy, hashOf(50));
    await world.time.advance(50);
    world.database.createKey(hashOf(50), { organizationId: 'north' });
    await world.time.advance(370);
    world.database.touch(hashOf(50));
    expect(await pending).toBe('access_unavailable');
    expect(proxy.link.resolves).toBe(3);
    proxy.link.way = { there: 1, back: 1 };
    expect(await find(proxy, hashOf(50))).toBe(`id-${hashOf(50)}`);
  });
});

describe('a silent feed', () => {
  it('records are served for 20 s, then confirmed with the control plane', async () => {
    const proxy = await startWarm();
    proxy.link.isSilent = true;
    await world.time.advance(15_000);
    expect(proxy.source.feed().state).toBe('live');
    expect(proxy.source.find(key, address)).not.toBeInstanceOf(Promise);
    await world.time.advance(10_000);
    expect(proxy.source.feed().state).toBe('silent');
    expect(await find(proxy)).toBe(keyId);
    expect(proxy.link.resolves).toBe(2);
    expect(proxy.source.find(key, address)).not.toBeInstanceOf(Promise);
  });

  it('a revocation is noticed after 20 s of silence', async () => {
    const proxy = await startWarm();
    proxy.link.isSilent = true;
    world.database.remove(key);
    await world.time.advance(25_000);
    expect(await find(proxy)).toBe('access_not_found');
  });

  it('a record waits 200 ms for a mute control plane, is then served stale, and does not wait again for 5 s', async () => {
    const proxy = await startWarm();
    proxy.link.cutOff();
    proxy.link.way = 'silent';
    await world.time.advance(26_000);
    const from = world.time.monotonic();
    expect(await find(proxy)).toBe(keyId);
    expect(world.time.monotonic() - from).toBeLessThanOrEqual(205);
    expect(world.time.monotonic() - from).toBeGreaterThanOrEqual(200);
    await world.time.advance(4_000);
    expect(proxy.source.find(key, address)).not.toBeInstanceOf(Promise);
    await world.time.advance(2_000);
    expect(proxy.source.find(key, address)).toBeInstanceOf(Promise);
  });

  it('stale records are served until MAX_STALE after their confirmation, then the response is 503', async () => {
    const proxy = await startWarm();
    await world.time.advance(30_000);
    proxy.link.cutOff();
    await world.time.advance(hourMs - 10_000);
    expect(await find(proxy)).toBe(keyId);
    expect(proxy.events.at(-1)).toBe('stale');
    await world.time.advance(15_000);
    expect(await find(proxy)).toBe('access_unavailable');
  });

  it('a stale record is not served when the control plane contradicts it', async () => {
    const proxy = await startWarm();
    proxy.link.isSilent = true;
    await world.time.advance(25_000);
    world.database.restore(world.database.backup());
    expect(await find(proxy)).toBe('access_unavailable');
  });
});

describe('a resolve response that the feed contradicts', () => {
  it('makes the feed request a confirmation at once, not with the next heartbeat', async () => {
    const proxy = await startWarm();
    proxy.link.way = { there: 1, back: 400 };
    const found = find(proxy, hashOf(50));
    await world.time.advance(50);
    world.database.createKey(hashOf(50), { organizationId: 'north' });
    await world.time.advance(300);
    const responsesBefore = proxy.link.responsesDelivered;
    await world.time.advance(60);
    expect(proxy.link.responsesDelivered).toBe(responsesBefore + 1);
    await found;
  });
});

describe('a revoked key that was served stale', () => {
  it('is removed from Redis, and its refusal does not count towards the limit on guesses', async () => {
    const proxy = await startWarm({ withRedis: true });
    await world.time.advance(10);
    const inRedis = world.redis.values.size;
    proxy.link.isSilent = true;
    world.database.remove(key);
    await world.time.advance(25_000);
    for (let number = 100; number < 119; number++) await find(proxy, hashOf(number));
    expect(await find(proxy)).toBe('access_not_found');
    await world.time.advance(10);
    expect(world.redis.values.size).toBe(inRedis - 1);
    expect(await find(proxy, hashOf(119))).toBe('access_not_found');
    expect(await find(proxy, hashOf(120))).toBe('rate_limit_exceeded');
  });
});

describe('ageing records', () => {
  it('are renewed within an eighth of their maximum age when that is short', async () => {
    const proxy = await startWarm({ maxStaleMs: 60_000 });
    await world.time.advance(31_000);
    expect(await find(proxy)).toBe(keyId);
    await world.time.advance(60_000 / 8);
    expect(proxy.link.resolves).toBe(2);
  });

  it('are renewed a few at a time', async () => {
    const hashes = Array.from({ length: 5 }, (_, index) => hashOf(300 + index));
    for (const hash of hashes) world.database.createKey(hash, { organizationId: 'north' });
    const proxy = await startWarm({ limits: { renewalsMax: 2 } });
    for (const hash of hashes) await find(proxy, hash);
    await world.time.advance(hourMs / 2 + 60_000);
    proxy.link.resolves = 0;
    proxy.link.way = { there: 1_000, back: 1 };
    for (const hash of hashes) void proxy.source.find(hash, address);
    await world.time.advance(60_000);
    expect(proxy.link.resolves).toBe(2);
  });
});

describe('records in Redis', () => {
  it('serve a key that is not in memory', async () => {
    await startWarm({ withRedis: true });
    await world.time.advance(10);
    const second = startProxy(world, { withRedis: true });
    await world.time.advance(10);
    expect(await find(second)).toBe(keyId);
    expect(second.link.resolves).toBe(0);
    expect(second.events).toEqual(['redis']);
  });

  it('are read once for a key that Redis does not contain', async () => {
    const proxy = startProxy(world, { withRedis: true });
    let reads = 0;
    world.redis.readDelay = () => {
      reads += 1;
      return 0;
    };
    await find(proxy);
    expect(reads).toBe(1);
  });

  it('bring no revoked key back', async () => {
    await startWarm({ withRedis: true });
    await world.time.advance(10);
    const kept = new Map(world.redis.values);
    world.database.remove(key);
    await world.time.advance(10);
    world.redis.values = kept;
    const second = startProxy(world, { withRedis: true });
    await world.time.advance(10);
    expect(await find(second)).toBe('access_not_found');
    expect(second.events).toContain('outdated');
  });

  it('serve a proxy that never had a feed, as stale and until MAX_STALE after their signature', async () => {
    await startWarm({ withRedis: true });
    await world.time.advance(hourMs / 4);
    for (const [name, { bytes }] of world.redis.values) world.redis.plant(name, bytes);
    const second = startProxy(world, { withRedis: true });
    second.link.cutOff();
    expect(second.source.notReady()).toBeDefined();
    expect(await find(second)).toBe(keyId);
    expect(second.events).toEqual(['stale']);
    expect(second.source.notReady()).toBeUndefined();
    await world.time.advance(0.74 * hourMs);
    expect(await find(second)).toBe(keyId);
    await world.time.advance(0.02 * hourMs);
    expect(await find(second)).toBe('access_unavailable');
  });

  it('are signed and written again while they are in use, so that they outlive MAX_STALE', async () => {
    const proxy = await startWarm({ withRedis: true });
    for (let minutes = 0; minutes < 120; minutes += 10) {
      await world.time.advance(600_000);
      await find(proxy);
    }
    const second = startProxy(world, { withRedis: true });
    second.link.cutOff();
    expect(await find(second)).toBe(keyId);
    expect([3, 4, 5]).toContain(proxy.link.resolves);
  });

  it('are bypassed when Redis fails', async () => {
    world.redis.readDelay = () => undefined;
    world.redis.writeDelay = () => undefined;
    const proxy = startProxy(world, { withRedis: true });
    expect(await find(proxy)).toBe(keyId);
    expect(new Set(proxy.events)).toEqual(new Set(['read', 'control_plane', 'write']));
  });
});

describe('readiness of the record source', () => {
  it('begins with the first confirmation of the feed', async () => {
    const proxy = startProxy(world);
    expect(proxy.source.notReady()).toContain('neither');
    expect(proxy.source.feed()).toEqual({ state: 'none', ageMs: undefined });
    await world.time.advance(10);
    expect(proxy.source.notReady()).toBeUndefined();
    expect(proxy.source.feed().state).toBe('live');
  });

  it('stays when the control plane fails', async () => {
    const proxy = await startWarm();
    proxy.link.cutOff();
    await world.time.advance(hourMs);
    expect(proxy.source.notReady()).toBeUndefined();
    expect(proxy.source.feed().ageMs).toBeGreaterThan(hourMs - 10_000);
  });
});
