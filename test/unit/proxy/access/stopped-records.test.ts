// The platform's record is cached under the same rule as the others: nobody who writes to Redis lifts a stop, a proxy
// without the record serves nobody, and a stop ends by the proxy's clock.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createSigningKey,
  parseSigningKey,
  type SignedRecord,
  signRecords,
} from '../../../../common/record-signature.ts';
import { recordTypes } from '../../../../proto/load.ts';
import { platformRef, type Subject } from '../../../../proxy/access/cached-record.ts';
import type { OrganizationRecord, Principal, Stop } from '../../../../proxy/access/principal.ts';
import { openStops, stopOfDirectKeys, stopOfModel, stoppedError } from '../../../../proxy/access/stops.ts';
import { decodeStops } from '../../../../proxy/control-plane/wire-stops.ts';
import { recordName, sealRecord, unsealRecord } from '../../../../proxy/record-cache/redis-records.ts';
import {
  createWorld,
  hashOf,
  sealKeys,
  startProxy,
  type TestProxy,
  type TestProxyOptions,
  type World,
} from '../../../support/access/one-proxy.ts';
import { noRecordKeys } from '../../../support/access/signing.ts';

const platform: Subject = { kind: 'platform', ref: platformRef };
const key = hashOf(1);
let world: World;

beforeEach(() => {
  world = createWorld();
  world.database.createPlatform();
  world.database.createOrganization('north');
  world.database.createKey(key, { organizationId: 'north' });
});

/** The mark of the stop in the record that serves a request, or the refusal. */
async function served(proxy: TestProxy): Promise<string> {
  let result = 'pending';
  Promise.resolve(proxy.source.find(key, '10.0.0.1')).then(
    (principal: Principal) => {
      result = principal.platform?.stops[0]?.reason ?? 'none';
    },
    (error: Error) => {
      result = 'code' in error ? String(error.code) : error.message;
    },
  );
  for (let waited = 0; waited < 5_000 && result === 'pending'; waited += 5) await world.time.advance(5);
  return result;
}

async function started(options: TestProxyOptions = {}): Promise<TestProxy> {
  const proxy = startProxy(world, { withRedis: true, ...options });
  await world.time.advance(100);
  await served(proxy);
  await world.time.advance(100);
  return proxy;
}

function startCutOff(): TestProxy {
  const proxy = startProxy(world, { withRedis: true });
  proxy.link.cutOff();
  return proxy;
}

function inRedis(): Buffer {
  const value = world.redis.values.get(recordName(platform))?.bytes;
  if (value === undefined) throw new Error('Redis lacks the record of the platform');
  return value;
}

const present = () => `${world.database.epoch}/${world.database.versions(platformRef).at(-1)?.revision}`;

describe('the record of the platform', () => {
  it('is resolved again when the feed names it, also by proxies with the record in memory', async () => {
    const proxies = [await started(), await started()];
    const before = present();
    for (const proxy of proxies) expect(await served(proxy)).toBe(before);
    world.database.touch(platformRef);
    await world.time.advance(200);
    expect(present()).not.toBe(before);
    for (const proxy of proxies) expect(await served(proxy)).toBe(present());
  });

  it('of Redis serves a proxy that starts without the control plane', async () => {
    await started();
    expect(await served(startCutOff())).toBe(present());
  });

  it('cannot be withheld: without it, a proxy without a control plane serves nobody', async () => {
    await started();
    world.redis.values.delete(recordName(platform));
    expect(await served(startCutOff())).toBe('access_unavailable');
  });

  it('is not needed where the control plane is of a release without it', async () => {
    world.controlPlane.signing.signs = false;
    const proxy = await started({ recordKeys: noRecordKeys(world.time) });
    expect(await served(proxy)).toBe('none');
  });
});

describe('an attacker with the cache key', () => {
  const own = parseSigningKey(createSigningKey());
  const withoutStops = () => recordTypes.platform.serialize({ stops: [] });
  const genuine = (): SignedRecord => {
    const record = unsealRecord(sealKeys, platform, inRedis());
    if (record === undefined) throw new Error('it does not open');
    return record;
  };
  const ownSignature = (): SignedRecord => {
    const [record] = signRecords(own, genuine().signature, [{ ...platform, body: withoutStops() }]);
    if (record === undefined) throw new Error('nothing was signed');
    return record;
  };
  const attacks: Readonly<Record<string, () => Buffer>> = {
    'a record without stops under the real signature': () =>
      sealRecord(sealKeys, { ...genuine(), body: withoutStops() }),
    'a record without stops that he signed': () => sealRecord(sealKeys, ownSignature()),
    'a record of another kind': () => {
      const organization: Subject = { kind: 'organization', ref: 'organization:north' };
      const value = world.redis.values.get(recordName(organization))?.bytes ?? Buffer.alloc(0);
      const moved = unsealRecord(sealKeys, organization, value);
      if (moved === undefined) throw new Error('Redis lacks the record of the organization');
      return sealRecord(sealKeys, { ...moved, ...platform });
    },
    'no bytes': () => Buffer.alloc(0),
  };

  it.each(Object.entries(attacks))('lifts no stop with %s', async (_what, make) => {
    await started();
    const planted = make();
    world.redis.plant(recordName(platform), planted);
    const connected = startProxy(world, { withRedis: true });
    await world.time.advance(100);
    expect(await served(connected)).toBe(present());
    world.redis.plant(recordName(platform), planted);
    expect(await served(startCutOff())).toBe('access_unavailable');
  });

  it('lifts no stop with a record from before it, at a proxy whose feed has begun', async () => {
    await started();
    const before = inRedis();
    world.database.touch(platformRef);
    await world.time.advance(200);
    world.redis.plant(recordName(platform), before);
    const connected = startProxy(world, { withRedis: true });
    await world.time.advance(100);
    expect(await served(connected)).toBe(present());
    expect(connected.events).toContain('outdated');
  });
});

describe('stops in records', () => {
  const now = Date.parse('2026-11-27T12:00:00Z');
  const organization = (stops: readonly Stop[]) => ({ organization: { stops } as unknown as OrganizationRecord });
  const stop = (fields: Partial<Stop>): Stop => ({
    ...{ id: 's', provider: undefined, model: undefined, directKeys: false, reason: 'why', endsAt: undefined },
    ...fields,
  });
  const gpt4o = { provider: 'gpt-provider', model: 'gpt-provider/gpt-4o' };

  it.each<[string, Partial<Stop>, boolean]>([
    ['the provider', { provider: 'gpt-provider' }, true],
    ['another provider', { provider: 'assistant-provider' }, false],
    ['the model', { model: 'gpt-provider/gpt-4o' }, true],
    ['the model in capitals', { model: 'gpt-provider/GPT-4o' }, true],
    ['a glob over models of any provider', { model: '*/gpt-4*' }, true],
    ['another model', { model: 'gpt-provider/gpt-4.1' }, false],
    ['the model at its provider', { provider: 'gpt-provider', model: 'gpt-provider/gpt-4o' }, true],
    ['direct keys', { directKeys: true }, false],
  ])('of %s', (_what, fields, isStopped) => {
    expect(stopOfModel(organization([stop(fields)]), gpt4o, now) !== undefined).toBe(isStopped);
    const direct = stopOfDirectKeys(organization([stop(fields)]), now);
    expect(direct !== undefined).toBe(fields.directKeys === true);
  });

  it('of an undated name stop the dated one', () => {
    const dated = { provider: 'gpt-provider', model: 'gpt-provider/gpt-4o-2024-08-06' };
    expect(stopOfModel(organization([stop({ model: 'gpt-provider/gpt-4o' })]), dated, now)).toBeDefined();
  });

  it('end at their time, by the clock alone', () => {
    const ending = stop({ provider: 'gpt-provider', endsAt: now });
    expect(stopOfModel(organization([ending]), gpt4o, now - 1)).toBe(ending);
    expect(stopOfModel(organization([ending]), gpt4o, now)).toBeUndefined();
    expect(openStops([ending, stop({})], now)).toHaveLength(1);
  });

  it('of the platform come before those of the organization', () => {
    const [own, platforms] = [stop({ model: '*', reason: 'ours' }), stop({ model: '*', reason: 'theirs' })];
    expect(stopOfModel({ ...organization([own]), platform: { stops: [platforms] } }, gpt4o, now)).toBe(platforms);
  });

  it('name in their refusal what is stopped, the reason and the end', () => {
    const error = stoppedError(stop({ model: '*/gpt-4o*', reason: 'incident 4711', endsAt: now }));
    expect(error).toMatchObject({ code: 'stopped_by_operator', status: 403, param: 'model' });
    expect(error.message).toBe(
      '`*/gpt-4o*` has been stopped by an operator: incident 4711; until 2026-11-27T12:00:00.000Z',
    );
  });

  it('are read from the contract; a target that this version does not know is ignored', () => {
    const record = { id: 's', reason: 'why' };
    const target = { directKeys: false, organization: false };
    const read = decodeStops([
      { ...record, target: { ...target, provider: 'gpt-provider', model: 'gpt-4o*' } },
      { ...record, target },
      { ...record, target: null },
      { ...record, target: { ...target, organization: true }, endsAt: new Date(now).toISOString() },
    ]);
    expect(read.stops).toEqual([stop({ provider: 'gpt-provider', model: 'gpt-provider/gpt-4o*' })]);
    expect(read.suspendedUntil).toBe(now);
  });
});
