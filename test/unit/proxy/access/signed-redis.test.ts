// An attacker who controls Redis, has the cache key and has all its earlier content can withhold records from a proxy,
// and nothing else. redis-records.test.ts tests attackers without the cache key.
import { beforeEach, describe, expect, it } from 'vitest';
import { type SignedRecord, signRecords } from '../../../../common/record-signature.ts';
import type { Subject } from '../../../../proxy/access/cached-record.ts';
import { recordName, sealRecord, unsealRecord } from '../../../../proxy/record-cache/redis-records.ts';
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
import { newSigningKey } from '../../../support/access/signing.ts';

const key = hashOf(1);
const otherKey = hashOf(2);
const neverWas = hashOf(99);
const minuteMs = 60_000;

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

const keySubject = (ref: string): Subject => ({ kind: 'key', ref });

function stored(subject: Subject): SignedRecord {
  const value = world.redis.get(recordName(subject));
  const record = value && unsealRecord(sealKeys, subject, value);
  if (!record) throw new Error(`Redis contains no record of ${subject.ref}`);
  return record;
}

/** Stores a record under a subject's name, sealed with the cache key for that subject, without expiry. */
function plant(subject: Subject, record: SignedRecord): void {
  world.redis.plant(recordName(subject), sealRecord(sealKeys, { ...record, ...subject }));
}

function keepDump(): () => void {
  const dump = [...world.redis.values];
  return () => {
    for (const [name, { bytes }] of dump) world.redis.plant(name, bytes);
  };
}

describe('an attacker with the cache key', () => {
  it('cannot use another key’s record for a key that never existed', async () => {
    await startWarm();
    plant(keySubject(neverWas), stored(keySubject(key)));
    for (const proxy of [startCutOff(), startProxy(world, { withRedis: true })]) {
      expect(await find(proxy, neverWas)).toMatch(/^access_(unavailable|not_found)$/);
      expect(proxy.events).toContain('signature');
    }
  });

  it('cannot sign a record with a key of his own, even under the id of the real signing key', async () => {
    await startWarm();
    const real = stored(keySubject(key));
    const own = newSigningKey();
    const { epoch, revision } = real.signature;
    const head = { epoch, revision: revision + 1_000_000, signedAt: world.time.now() };
    const [minted] = signRecords(own, head, [{ ...real, ref: neverWas }]);
    if (minted === undefined) throw new Error('there is one');
    const named = { ...minted, signature: { ...minted.signature, keyId: real.signature.keyId } };
    for (const record of [minted, named]) {
      plant(keySubject(neverWas), record);
      const proxy = startCutOff();
      expect(await find(proxy, neverWas)).toBe('access_unavailable');
      expect(proxy.events).toContain('signature');
    }
  });

  const changes: Readonly<Record<string, (record: SignedRecord) => SignedRecord>> = {
    'with another body': (record) => {
      const body = Buffer.from(record.body);
      body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
      return { ...record, body };
    },
    'of a million revisions ahead': (record) => ({
      ...record,
      signature: { ...record.signature, revision: record.signature.revision + 1_000_000 },
    }),
    'of another epoch': (record) => ({ ...record, signature: { ...record.signature, epoch: 'epoch-2' } }),
    'signed later': (record) => ({
      ...record,
      signature: { ...record.signature, signedAt: record.signature.signedAt + minuteMs },
    }),
    'without a signature': (record) => ({
      ...record,
      signature: { ...record.signature, signature: Buffer.alloc(0) },
    }),
  };
  it.each(Object.entries(changes))('cannot use a record %s', async (_name, change) => {
    await startWarm();
    plant(keySubject(key), change(stored(keySubject(key))));
    const proxy = startCutOff();
    expect(await find(proxy)).toBe('access_unavailable');
    expect(proxy.events).toContain('signature');
  });

  it('cannot move a key to another tenant, or a record to another kind', async () => {
    await startWarm();
    const north = { kind: 'organization', ref: 'organization:north' } as const;
    const south = { kind: 'organization', ref: 'organization:south' } as const;
    const system = { kind: 'ai_system', ref: 'ai_system:north-system' } as const;
    const swaps: readonly (readonly [Subject, Subject])[] = [
      [keySubject(otherKey), keySubject(key)],
      [south, north],
      [system, north],
      [keySubject(key), north],
      [{ kind: 'ai_system', ref: 'ai_system:south-system' }, system],
    ];
    for (const [from, to] of swaps) {
      const before = stored(to);
      plant(to, stored(from));
      const proxy = startCutOff();
      expect([from.ref, to.ref, await find(proxy)]).toEqual([from.ref, to.ref, 'access_unavailable']);
      expect(proxy.events).toContain('signature');
      plant(to, before);
    }
    expect(await find(startCutOff())).toBe(`id-${key}`);
  });

  it('records of the previous layout, which relied on the seal alone, are not read', async () => {
    await startWarm([otherKey]);
    const proxy = startCutOff();
    const read: string[] = [];
    const get = world.redis.get.bind(world.redis);
    world.redis.get = (name) => {
      read.push(name);
      return get(name);
    };
    await find(proxy);
    expect(read).toEqual([recordName(keySubject(key))]);
    expect(read[0]).toMatch(/^gateway:record:5:/);
  });
});

describe('an old record restored in Redis', () => {
  it('revives no revoked key at a proxy whose feed is connected', async () => {
    await startWarm();
    const restore = keepDump();
    world.database.remove(key);
    await world.time.advance(10);
    restore();
    const proxy = startProxy(world, { withRedis: true });
    await world.time.advance(100);
    expect(await find(proxy)).toBe('access_not_found');
    expect(proxy.events).toContain('outdated');
  });

  it('admits a revoked key at a restarted, cut-off proxy until MAX_STALE after the signature, and no longer', async () => {
    await startWarm();
    const { signedAt } = stored(keySubject(key)).signature;
    const restore = keepDump();
    world.database.remove(key);
    await world.time.advance(10);
    restore();
    await world.time.advance(signedAt + hourMs - minuteMs - world.time.now());
    expect(await find(startCutOff())).toBe(`id-${key}`);
    await world.time.advance(signedAt + hourMs + 1 - world.time.now());
    const late = startCutOff();
    expect(await find(late)).toBe('access_unavailable');
    expect(late.events).toContain('outdated');
  });

  it('does not get a newer signature time when a proxy reads it', async () => {
    await startWarm();
    const { signedAt } = stored(keySubject(key)).signature;
    const restore = keepDump();
    await world.time.advance(hourMs / 4);
    restore();
    await find(startCutOff());
    await world.time.advance(hourMs / 4);
    expect(stored(keySubject(key)).signature.signedAt).toBe(signedAt);
  });
});

describe('a record ahead of the feed', () => {
  it('is resolved and counted when the feed is connected', async () => {
    const proxy = startProxy(world, { withRedis: true });
    await world.time.advance(100);
    proxy.link.notificationMs = 10_000;
    world.database.touch(key);
    await startWarm();
    expect(await find(proxy)).toBe(`id-${key}`);
    expect(proxy.events).toEqual(['ahead', 'control_plane']);
  });

  it('is served when there is no feed', async () => {
    world.database.touch(key);
    await startWarm();
    const proxy = startCutOff();
    expect(await find(proxy)).toBe(`id-${key}`);
    expect(proxy.events).toEqual(['stale']);
  });
});

describe('a record in use that is older than half of MAX_STALE', () => {
  it('is resolved once in the background, and is then newly signed in Redis', async () => {
    const proxy = await startWarm();
    const before = stored(keySubject(key)).signature.signedAt;
    await world.time.advance(hourMs / 2 + minuteMs);
    const resolves = proxy.link.resolves;
    for (let times = 0; times < 20; times++) expect(proxy.source.find(key, '192.0.2.1')).not.toBeInstanceOf(Promise);
    expect(proxy.link.resolves).toBe(resolves);
    await world.time.advance(minuteMs);
    expect(proxy.link.resolves).toBe(resolves + 1);
    expect(stored(keySubject(key)).signature.signedAt).toBeGreaterThan(before + hourMs / 2);
  });

  it('is read from Redis when another proxy has renewed it', async () => {
    const [first, second] = [await startWarm([key]), await startWarm([key])];
    await world.time.advance(hourMs / 2 + minuteMs);
    await find(first);
    await world.time.advance(minuteMs);
    const resolves = second.link.resolves;
    await find(second);
    await world.time.advance(minuteMs);
    expect(second.link.resolves).toBe(resolves);
    expect(await find(second)).toBe(`id-${key}`);
    await world.time.advance(minuteMs);
    expect(second.link.resolves).toBe(resolves);
  });

  it('is served while the control plane fails, which is retried at intervals', async () => {
    const proxy = await startWarm([key]);
    await world.time.advance(hourMs / 2 + minuteMs);
    proxy.link.way = 'refused';
    const resolves = proxy.link.resolves;
    for (let seconds = 0; seconds < 600; seconds += 1) {
      expect(proxy.source.find(key, '192.0.2.1')).not.toBeInstanceOf(Promise);
      await world.time.advance(1_000);
    }
    expect(proxy.link.resolves - resolves).toBeGreaterThan(2);
    expect(proxy.link.resolves - resolves).toBeLessThan(10);
  });
});

describe('a key that does not exist', () => {
  it('leaves nothing in Redis', async () => {
    const proxy = await startWarm([key]);
    const names = [...world.redis.values.keys()];
    expect(await find(proxy, neverWas)).toBe('access_not_found');
    await world.time.advance(10);
    expect([...world.redis.values.keys()]).toEqual(names);
  });
});

describe('a rotation of the signing key', () => {
  it('fails no request: the public key is added, then the private key switched, then the old key removed', async () => {
    const { signing } = world.controlPlane;
    const [old, fresh] = [signing.key, newSigningKey()];
    await startWarm();
    const both = signing.publicKeys(old, fresh);
    // Added: records signed by the old key are served.
    const added = startCutOff({ recordKeys: both });
    expect(await find(added)).toBe(`id-${key}`);
    // Switched: records signed by either key are served, from Redis and from the control plane.
    signing.key = fresh;
    const switched = startProxy(world, { withRedis: true, recordKeys: both });
    await world.time.advance(100);
    expect(await find(switched)).toBe(`id-${key}`);
    expect(switched.events).toEqual(['redis']);
    world.database.touch(key);
    await world.time.advance(100);
    expect(await find(switched)).toBe(`id-${key}`);
    await world.time.advance(hourMs / 2 + minuteMs);
    for (const hash of [key, otherKey]) expect(await find(switched, hash)).toBe(`id-${hash}`);
    await world.time.advance(2 * minuteMs);
    // Removed: the new key has signed all records in use.
    const removed = startCutOff({ recordKeys: signing.publicKeys(fresh) });
    for (const hash of [key, otherKey]) expect(await find(removed, hash)).toBe(`id-${hash}`);
    expect(removed.events).not.toContain('signature');
  });

  it('in the wrong order admits no record whose signature cannot be verified', async () => {
    const { signing } = world.controlPlane;
    const recordKeys = signing.publicKeys();
    signing.key = newSigningKey();
    const proxy = startProxy(world, { recordKeys });
    expect(await find(proxy)).toBe('access_unavailable');
    signing.signs = false;
    expect(await find(proxy)).toBe('access_unavailable');
  });
});
