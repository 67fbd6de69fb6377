// Limits on look-ups of unknown keys, which must not keep other callers from a look-up.
import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../proxy/errors.ts';
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

/** A refusal from memory, without a promise. */
function refusal(proxy: TestProxy, hash: string, from = address): GatewayError {
  try {
    void proxy.source.find(hash, from);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was not refused at once');
}

/** A refusal of a look-up that is asynchronous. */
async function rejection(proxy: TestProxy, hash: string, from = address): Promise<GatewayError> {
  const settled = Promise.allSettled([proxy.source.find(hash, from)]);
  await world.time.advance(100);
  const [one] = await settled;
  if (one.status === 'rejected' && one.reason instanceof GatewayError) return one.reason;
  throw new Error('it was not refused');
}

/** Looks up made-up keys, one after another. */
async function guess(proxy: TestProxy, times: number, from = address): Promise<void> {
  for (let number = 100; number < 100 + times; number++) await find(proxy, hashOf(number), from);
}

/** A proxy that has received a change of the key, with a Redis that contains the record before the change. */
async function withOldRecordInRedis(): Promise<TestProxy> {
  await startWarm({ withRedis: true });
  await world.time.advance(10);
  const kept = new Map(world.redis.values);
  world.database.touch(key);
  await world.time.advance(100);
  world.redis.values = kept;
  const proxy = startProxy(world, { withRedis: true });
  await world.time.advance(10);
  return proxy;
}

describe('an unknown key', () => {
  it('is remembered for 5 s and refused meanwhile without a look-up', async () => {
    const proxy = await startWarm();
    expect(await find(proxy, hashOf(9))).toBe('access_not_found');
    await world.time.advance(4_900);
    expect(refusal(proxy, hashOf(9)).code).toBe('access_not_found');
    expect(proxy.link.resolves).toBe(2);
    await world.time.advance(200);
    expect(await find(proxy, hashOf(9))).toBe('access_not_found');
    expect(proxy.link.resolves).toBe(3);
  });

  it('leaves its address without look-ups after twenty refusals in a minute, and affects no other address', async () => {
    const proxy = await startWarm();
    await guess(proxy, 20);
    const resolves = proxy.link.resolves;
    const refused = await rejection(proxy, hashOf(120));
    expect(refused.code).toBe('rate_limit_exceeded');
    // An address regains one look-up every three seconds.
    expect(refused.retryAfter).toBe(3);
    expect(proxy.link.resolves).toBe(resolves);
    expect(proxy.source.find(key, address)).toMatchObject({ key: { keyId } });
    expect(await find(proxy, hashOf(121), '192.0.2.2')).toBe('access_not_found');
    await world.time.advance(60_000);
    expect(await find(proxy, hashOf(120))).toBe('access_not_found');
  });

  it('an address gets twenty look-ups and then twenty a minute, however many it requests at a time', async () => {
    const proxy = await startWarm();
    proxy.link.resolves = 0;
    for (let second = 0; second < 600; second++) {
      const many = Array.from({ length: 30 }, (_, index) => find(proxy, hashOf(1_000 + second * 30 + index)));
      await Promise.all(many);
      await world.time.advance(1_000);
    }
    // Look-ups under way when the last free one was spent are charged afterwards.
    expect(proxy.link.resolves).toBeLessThanOrEqual(20 + 20 * 10 + 30 + 10);
    expect(proxy.link.resolves).toBeGreaterThanOrEqual(20 + 20 * 9);
  });

  it('refusals of an IPv6 address count for its /64', async () => {
    const proxy = await startWarm();
    for (let number = 100; number < 120; number++) await find(proxy, hashOf(number), `2001:db8::${number}`);
    expect((await rejection(proxy, hashOf(120), '2001:db8:0:0:ffff::1')).code).toBe('rate_limit_exceeded');
    expect(await find(proxy, hashOf(121), '2001:db8:0:1::1')).toBe('access_not_found');
  });

  it('refusals of an IPv4 address count for all its notations', async () => {
    const proxy = await startWarm();
    for (let number = 100; number < 120; number++) await find(proxy, hashOf(number), '::ffff:192.0.2.1');
    expect((await rejection(proxy, hashOf(120), '192.0.2.1')).code).toBe('rate_limit_exceeded');
    expect(await find(proxy, hashOf(121), '::ffff:192.0.2.2')).toBe('access_not_found');
  });

  it('guesses do not lock out valid keys that are in Redis, even at the same address', async () => {
    const hashes = Array.from({ length: 40 }, (_, index) => hashOf(300 + index));
    for (const hash of hashes) world.database.createKey(hash, { organizationId: 'north' });
    const first = await startWarm({ withRedis: true });
    for (const hash of hashes) await find(first, hash);
    await world.time.advance(10);
    const second = startProxy(world, { withRedis: true });
    await world.time.advance(10);
    await guess(second, 22);
    expect((await rejection(second, hashOf(199))).code).toBe('rate_limit_exceeded');
    second.link.resolves = 0;
    for (const hash of hashes) expect(await find(second, hash)).toBe(`id-${hash}`);
    expect(second.link.resolves).toBe(0);
  });

  it('a key whose record in Redis is outdated is not counted as a guess, and is resolved at the control plane', async () => {
    const second = await withOldRecordInRedis();
    await guess(second, 22);
    expect(await find(second)).toBe(keyId);
    expect(second.events).toContain('outdated');
  });

  it('guesses take no slot that a key with an outdated record in Redis needs', async () => {
    const second = await withOldRecordInRedis();
    second.link.way = { there: 500, back: 1 };
    const guesses = Array.from({ length: 32 }, (_, index) => find(second, hashOf(100 + index), `10.0.0.${index}`));
    await world.time.advance(1);
    expect(await find(second)).toBe(keyId);
    await Promise.all(guesses);
  });

  it('the limit is applied to each address: an address at its limit does not affect the same key at another', async () => {
    await startWarm();
    const later = hashOf(8);
    world.database.createKey(later, { organizationId: 'north' });
    const proxy = startProxy(world, { withRedis: true });
    await world.time.advance(10);
    await guess(proxy, 20);
    world.redis.readDelay = () => 50;
    const refused = find(proxy, later);
    const found = find(proxy, later, '192.0.2.2');
    expect([await refused, await found]).toEqual(['rate_limit_exceeded', `id-${later}`]);
  });

  it('refusals from memory are not counted', async () => {
    const proxy = await startWarm();
    await find(proxy, hashOf(9));
    for (let time = 0; time < 30; time++) expect(refusal(proxy, hashOf(9)).code).toBe('access_not_found');
    expect(await find(proxy, hashOf(10))).toBe('access_not_found');
  });

  it('a known key that changes or is revoked does not count towards the limit on guesses', async () => {
    const proxy = await startWarm();
    for (let number = 100; number < 120; number++) await find(proxy, hashOf(number));
    world.database.touch(key);
    await world.time.advance(3);
    expect(await find(proxy)).toBe(keyId);
    world.database.remove(key);
    await world.time.advance(3);
    expect(refusal(proxy, key).code).toBe('access_not_found');
  });
});
