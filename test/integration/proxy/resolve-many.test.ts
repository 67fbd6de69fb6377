// Many keys resolved in one call: a proxy's client at a real control plane gets the records that it gets for each key
// alone; and a control plane that does not know the method.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackground } from '../../../common/background.ts';
import { systemClock } from '../../../common/clock.ts';
import { hashCredential } from '../../../common/credential.ts';
import { Secret } from '../../../common/secret.ts';
import { RateShare } from '../../../common/shares.ts';
import { systemTimers } from '../../../common/timers.ts';
import { services } from '../../../proto/load.ts';
import { BatchRefusedError, type ResolveMany } from '../../../proxy/access/batched-resolves.ts';
import { accessLimits } from '../../../proxy/access/limits.ts';
import { openRecordKeys } from '../../../proxy/access/record-keys.ts';
import { createRecordSource } from '../../../proxy/access/record-source.ts';
import { createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { shares } from '../../../proxy/shares.ts';
import { hashOf, hourMs } from '../../support/access/one-proxy.ts';
import { limitSubject, testBudget } from '../../support/budget-fixture.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  databases,
  freely,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { silentLog } from '../../support/silent-log.ts';

function clientOf(port: number | undefined, token?: string) {
  const recordKeys = openRecordKeys(
    { keys: undefined, file: undefined, maxStaleMs: hourMs },
    { log: silentLog, clock: systemClock, limits: accessLimits },
  );
  const client = createControlPlaneClient({
    addresses: [`127.0.0.1:${port}`],
    token: token === undefined ? undefined : new Secret(token),
    credentials: undefined,
    allowPlaintext: false,
    recordKeys,
  });
  const { resolveMany } = client;
  if (resolveMany === undefined) throw new Error('the client verifies records, so it resolves many keys');
  return { ...client, resolveMany: resolveMany satisfies ResolveMany };
}

describe.each(databases)('keys resolved in one call over $name', ({ open }) => {
  let plane: OperatorsPlane;
  let tenants: readonly [TestTenant, TestTenant];
  let proxyToken: string;
  let boundToken: string;
  let hashes: string[];
  let close: () => Promise<void>;

  beforeAll(async () => {
    const opened = await open();
    plane = await startOperatorsPlane({ env: opened.env, rates: freely });
    close = async () => {
      await plane.close();
      await opened.drop();
    };
    const platform = await bootstrap(plane);
    tenants = [await createTenant(plane, platform, 'one'), await createTenant(plane, platform, 'two')];
    proxyToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
    const [one] = tenants;
    boundToken = (await plane.expect('ProxyTokens.Create', platform.token, { name: 'bound', organizationId: one.id }))
      .value;
    hashes = [];
    for (const tenant of tenants) {
      const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: tenant.owner.id };
      for (const fields of [{}, { scope }, { active: false }]) {
        const { value, virtualKey } = await createKey(plane, tenant, fields);
        hashes.push(hashCredential(value));
        const subject = limitSubject('VIRTUAL_KEY', virtualKey.id);
        await plane.expect('Limits.Create', tenant.owner.token, { organizationId: tenant.id, ...testBudget, subject });
      }
    }
  }, 60_000);
  afterAll(() => close());

  it('have the same records as alone, and a key that does not exist has none', async () => {
    const client = clientOf(plane.plane.grpcPort, proxyToken);
    const unknown = hashOf(77);
    const together = await client.resolveMany([...hashes, unknown], 5_000);
    expect([...together.keys()]).toEqual([...hashes, unknown]);
    for (const hash of hashes) {
      const one = await client.resolve(hash, 5_000);
      expect(together.get(hash)).toMatchObject({ asOf: one.asOf, principal: one.principal });
      expect(one.principal).toBeDefined();
      const refs = (signed: typeof one.signed) =>
        signed?.map(({ ref, body }) => [ref, Buffer.from(body).toString('hex')]).toSorted();
      expect(refs((together.get(hash) as typeof one).signed)).toEqual(refs(one.signed));
    }
    expect(together.get(unknown)).toMatchObject({ principal: undefined });
    client.close();
  });

  it('of another organization than the proxy’s do not exist', async () => {
    const client = clientOf(plane.plane.grpcPort, boundToken);
    const together = await client.resolveMany(hashes, 5_000);
    const owners = hashes.map((hash) => {
      const records = together.get(hash);
      return records !== undefined && 'principal' in records ? records.principal?.organization.id : 'unread';
    });
    const { id } = tenants[0];
    expect(owners).toEqual([id, id, id, undefined, undefined, undefined]);
    client.close();
  });

  it('are 100 a response at most; the client learns which it is not about', async () => {
    const client = clientOf(plane.plane.grpcPort, proxyToken);
    const many = [...hashes, ...Array.from({ length: 150 }, (_, n) => hashOf(1000 + n))];
    const together = await client.resolveMany(many, 5_000);
    expect([...together.keys()]).toEqual(many.slice(0, 100));
    client.close();
  });

  it('are found by a proxy that needs many at once, in few calls', async () => {
    const client = clientOf(plane.plane.grpcPort, proxyToken);
    const made = await Promise.all(Array.from({ length: 18 }, () => createKey(plane, tenants[0])));
    const all = [...hashes, ...made.map(({ value }) => hashCredential(value))];
    const sizes: number[] = [];
    const counted = <Result>(size: number, result: Result) => {
      sizes.push(size);
      return result;
    };
    const source = createRecordSource({
      controlPlane: {
        watch: client.watch,
        resolve: (hash, timeoutMs) => counted(1, client.resolve(hash, timeoutMs)),
        resolveMany: (some, timeoutMs) => counted(some.length, client.resolveMany(some, timeoutMs)),
      },
      ...{ clock: systemClock, timers: systemTimers, random: Math.random, log: silentLog, maxStaleMs: hourMs },
      limits: { ...accessLimits, resolveDeadlineMs: 20_000 },
      background: createBackground({ log: silentLog, onFailure: () => undefined }),
      unknownCredentials: new RateShare(shares.unknown_credentials.bounds),
      metrics: { lookup: () => {}, cacheIgnored: () => {}, cacheFailed: () => {} },
    });
    const found = await Promise.all(all.map((hash) => source.find(hash, '192.0.2.1')));
    expect(found.slice(hashes.length).map(({ key }) => key.keyId)).toEqual(made.map(({ virtualKey }) => virtualKey.id));
    expect(sizes.slice(0, 8)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(sizes.slice(8).reduce((sum, size) => sum + size, 0)).toBe(all.length - 8);
    expect(sizes.length).toBeLessThanOrEqual(11);
    source.close();
    client.close();
  });

  it('are refused without hashes, with too many, and with what is no hash', async () => {
    const keyHash = Buffer.alloc(32);
    for (const keyHashes of [[], Array.from({ length: 501 }, () => keyHash), [keyHash, Buffer.alloc(31)]])
      expect(await plane.call('Access.ResolveMany', proxyToken, { keyHashes })).toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    expect(await plane.call('Access.ResolveMany', tenants[0].owner.token, { keyHashes: [keyHash] })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('that are unknown count one by one, and those that were found before still pass', async () => {
    const client = clientOf(plane.plane.grpcPort, proxyToken);
    const guesses = (from: number) => Array.from({ length: 100 }, (_, n) => hashOf(from + n));
    let lookedUp = 0;
    const guess = async () => {
      for (let from = 10_000; ; from += 100) lookedUp += (await client.resolveMany(guesses(from), 5_000)).size;
    };
    await expect(guess()).rejects.toThrow(BatchRefusedError);
    // The burst is 200; some more are allowed while the calls run.
    expect(lookedUp).toBeGreaterThan(20);
    expect(lookedUp).toBeLessThan(400);
    expect((await client.resolveMany([...hashes, hashOf(9)], 5_000)).size).toBeGreaterThanOrEqual(hashes.length);
    client.close();
  });
});

it('a control plane that does not know the method gets one key at a time', async () => {
  const server = new Server();
  server.addService(services.Access, { Resolve: () => {}, Watch: () => {} });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = clientOf(port);
  await expect(client.resolveMany([hashOf(1)], 5_000)).rejects.toThrow(BatchRefusedError);
  client.close();
  server.forceShutdown();
});
