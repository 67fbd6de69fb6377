import { beforeEach, describe, expect, it } from 'vitest';
import type { SignedRecord } from '../../../../common/record-signature.ts';
import { createSealKey, parseSealKeys, type SealKeys } from '../../../../common/seal.ts';
import type { ResolveResponse } from '../../../../proto/generated/gateway/v1/ResolveResponse.ts';
import { type CachedRecord, cachedRecordsOf } from '../../../../proxy/access/cached-record.ts';
import { accessLimits } from '../../../../proxy/access/limits.ts';
import type { RecordCache } from '../../../../proxy/access/record-source.ts';
import type { ResolvedRecords } from '../../../../proxy/access/records.ts';
import { decodeSignedResolve } from '../../../../proxy/control-plane/wire-signed.ts';
import { createRedisRecords } from '../../../../proxy/record-cache/redis-records.ts';
import { FakeRedis } from '../../../support/access/redis.ts';
import { TestSigning } from '../../../support/access/signing.ts';
import { settle, VirtualTime } from '../../../support/virtual-time.ts';

const maxStaleMs = 60_000;
const keyHash = 'ab'.repeat(32);
const otherHash = 'cd'.repeat(32);
const oldKey = createSealKey();
const newKey = createSealKey();

let time: VirtualTime;
let redis: FakeRedis;
let events: string[];

beforeEach(() => {
  time = new VirtualTime();
  redis = new FakeRedis(time);
  events = [];
});

function cacheWith(sealKeys: SealKeys, clock = time as Pick<VirtualTime, 'now' | 'monotonic'>): RecordCache {
  const count = (event: string) => void events.push(event);
  return createRedisRecords({
    commands: redis.commands(),
    sealKeys,
    recordKeys: signing.publicKeys(),
    maxStaleMs,
    limits: accessLimits,
    clock,
    background: (_name, promise) => void promise.catch((error: unknown) => events.push(String(error))),
    metrics: { lookup: count, cacheIgnored: count, cacheFailed: count },
  });
}

const response = (hash: string): ResolveResponse => ({
  asOf: { epoch: 'one', revision: 7 },
  key: {
    ...{ keyId: `key-of-${hash}`, organizationId: 'org-1', active: true },
    scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'system-1' },
    endsAt: '2030-01-01T00:00:00.000Z',
    ...{ allowedModels: ['gpt-provider/*'], organizationRevision: 3, revision: 5 },
  },
  scope: {
    ...{ kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: 'system-1', organizationId: 'org-1', active: true },
    revision: 2,
  },
  organization: {
    ...{ id: 'org-1', active: true, callerProviderKeys: true, revision: 3 },
    providerKeys: [
      {
        ...{ id: 'provider-key-1', provider: 'gpt-provider', weight: 1 },
        secret: { apiKey: 'the-provider-secret' },
      },
    ],
    guardrails: [
      {
        ...{ id: 'guardrail-1', name: 'names', position: 1, revision: 3 },
        ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK' },
        check: { words: { phrases: ['Rosebud'] } },
      },
      {
        ...{ id: 'guardrail-2', name: 'service', position: 2, revision: 3, secret: 'the-webhook-secret' },
        ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK' },
        check: { webhook: { url: 'https://checks.example.com/', timeoutMs: 2000 } },
      },
    ],
  },
});

const signing = new TestSigning();

/** A response of the control plane for a key, signed `agoMs` ago. */
function responseTo(hash = keyHash, agoMs = 0, at = signing): ResolvedRecords {
  const sent = at.signed(hash, response(hash), time.now() - agoMs);
  return decodeSignedResolve(sent, hash, at.publicKeys());
}

function signed(hash = keyHash, agoMs = 0): readonly SignedRecord[] {
  return responseTo(hash, agoMs).signed ?? [];
}

function recordsIn({ asOf, principal }: ResolvedRecords): readonly CachedRecord[] {
  return principal === undefined ? [] : cachedRecordsOf(keyHash, principal, { asOf, confirmedAt: 0 });
}

async function write(cache: RecordCache, records: readonly SignedRecord[]): Promise<void> {
  for (const record of records) cache.write(record);
  await time.advance(1);
}

async function read(
  cache: RecordCache,
  subject: { kind: CachedRecord['kind']; ref: string },
): Promise<CachedRecord | undefined> {
  const reading = cache.read(subject);
  await time.advance(1);
  return await reading;
}

const keySubject = { kind: 'key', ref: keyHash } as const;

describe('a record in Redis', () => {
  it('is read unchanged, with its provider secrets', async () => {
    const cache = cacheWith(parseSealKeys(newKey));
    const response = responseTo();
    await write(cache, response.signed ?? []);
    const records = recordsIn(response);
    expect(records).toHaveLength(3);
    for (const record of records) {
      const back = await read(cache, record);
      expect(back?.asOf).toEqual(record.asOf);
      expect(JSON.stringify(back?.record)).toBe(JSON.stringify(record.record));
    }
    const organization = await read(cache, { kind: 'organization', ref: 'organization:org-1' });
    const [providerKey] = organization?.kind === 'organization' ? organization.record.providerKeys : [];
    expect(providerKey?.secret.apiKey?.reveal()).toBe('the-provider-secret');
    const check = organization?.kind === 'organization' ? organization.record.guardrails[1]?.check : undefined;
    expect(check?.kind === 'webhook' && check.secret.reveal()).toBe('the-webhook-secret');
  });

  it('reveals no hashes, secrets or names to a reader of Redis', async () => {
    await write(cacheWith(parseSealKeys(newKey)), signed());
    const all = [...redis.values].map(([name, { bytes }]) => `${name} ${bytes.toString('latin1')}`).join('\n');
    for (const secret of [keyHash, 'the-provider-secret', 'the-webhook-secret', 'Rosebud', 'key-of', 'gpt-provider'])
      expect(all).not.toContain(secret);
  });

  it('expires when it would be too old', async () => {
    await write(cacheWith(parseSealKeys(newKey)), signed(keyHash, 20_000));
    const [value] = redis.values.values();
    expect(value?.expiresAt).toBe(time.monotonic() - 1 + maxStaleMs - 20_000);
  });

  it('is not written when it is too old already', async () => {
    await write(cacheWith(parseSealKeys(newKey)), signed(keyHash, maxStaleMs));
    expect(redis.values.size).toBe(0);
  });

  it('keeps its age by the wall clocks of writer and reader', async () => {
    const cache = cacheWith(parseSealKeys(newKey));
    await write(cache, signed(keyHash, 10_000));
    await time.advance(30_000);
    const back = await read(cache, keySubject);
    expect(time.monotonic() - (back?.confirmedAt ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(time.monotonic() - (back?.confirmedAt ?? 0)).toBeLessThan(40_010);
  });

  it('is never fresh without a confirmation, whatever the clocks are', async () => {
    await write(cacheWith(parseSealKeys(newKey)), signed());
    const behind = { now: () => time.now() - 25_000, monotonic: () => time.monotonic() };
    const back = await read(cacheWith(parseSealKeys(newKey), behind), keySubject);
    expect(time.monotonic() - (back?.confirmedAt ?? 0)).toBeGreaterThan(accessLimits.freshForMs);
  });

  it('from too far in the future is ignored and counted', async () => {
    await write(cacheWith(parseSealKeys(newKey)), signed());
    const behind = { now: () => time.now() - 31_000, monotonic: () => time.monotonic() };
    expect(await read(cacheWith(parseSealKeys(newKey), behind), keySubject)).toBeUndefined();
    expect(events).toEqual(['clock']);
  });
});

describe('a forged record in Redis', () => {
  it('is ignored and counted, whichever bit was changed', async () => {
    const cache = cacheWith(parseSealKeys(newKey));
    await write(cache, signed().slice(0, 1));
    const [[name, { bytes }] = ['', { bytes: Buffer.alloc(0) }]] = redis.values;
    for (let at = 0; at < bytes.length; at++) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      redis.plant(name, forged);
      expect(await read(cache, keySubject)).toBeUndefined();
    }
    expect(events).toEqual(Array(bytes.length).fill('unreadable'));
  });

  it.each([0, 1, 2, 3, 40])('is ignored when it ends after %i bytes', async (length) => {
    const cache = cacheWith(parseSealKeys(newKey));
    await write(cache, signed().slice(0, 1));
    const [[name, { bytes }] = ['', { bytes: Buffer.alloc(0) }]] = redis.values;
    redis.plant(name, bytes.subarray(0, length));
    expect(await read(cache, keySubject)).toBeUndefined();
    expect(events).toEqual(['unreadable']);
  });

  it('does not open under the name of another key', async () => {
    const cache = cacheWith(parseSealKeys(newKey));
    await write(cache, signed().slice(0, 1));
    const [mine] = redis.values.values();
    await write(cache, signed(otherHash).slice(0, 1));
    const name = [...redis.values.keys()][1] ?? '';
    redis.plant(name, mine?.bytes ?? Buffer.alloc(0));
    expect(await read(cache, { kind: 'key', ref: otherHash })).toBeUndefined();
    expect(events).toEqual(['unreadable']);
  });

  it('does not open when it is sealed with another cache key', async () => {
    await write(cacheWith(parseSealKeys(createSealKey())), signed());
    expect(await read(cacheWith(parseSealKeys(newKey)), keySubject)).toBeUndefined();
  });
});

describe('a rotation of the cache key', () => {
  it('proxies with both keys read records sealed with either', async () => {
    const old = cacheWith(parseSealKeys(oldKey));
    const both = cacheWith(parseSealKeys(`${newKey} ${oldKey}`));
    const oldFirst = cacheWith(parseSealKeys(`${oldKey} ${newKey}`));
    await write(old, signed());
    expect(await read(both, keySubject)).toBeDefined();
    await write(both, signed());
    expect(await read(oldFirst, keySubject)).toBeDefined();
    expect(await read(old, keySubject)).toBeUndefined();
  });
});

describe('a failing Redis', () => {
  it('is treated like an empty one, and failures are counted', async () => {
    redis.readDelay = () => undefined;
    redis.writeDelay = () => undefined;
    const cache = cacheWith(parseSealKeys(newKey));
    await write(cache, signed());
    expect(await read(cache, keySubject)).toBeUndefined();
    cache.remove(keySubject);
    await settle();
    expect(events).toEqual(['write', 'write', 'write', 'read', 'write']);
    expect(cache.hasResponded()).toBe(false);
  });
});
