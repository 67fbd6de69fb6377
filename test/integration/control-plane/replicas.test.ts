// Two replicas over one PostgreSQL: one sees the other's writes at once, a token that is revoked at one is refused by
// both, and concurrent changes at both have one order.
import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { hashCredential } from '../../../common/credential.ts';
import { verifyAuditChain } from '../../../control-plane/store/audit-chain.ts';
import { openStore } from '../../../control-plane/store/open.ts';
import type { WatchResponse__Output } from '../../../proto/generated/gateway/v1/WatchResponse.ts';
import { services } from '../../../proto/load.ts';
import {
  bootstrap,
  createKey,
  createPerson,
  createTenant,
  freshName,
  metadataWith,
  type OperatorsPlane,
  type Someone,
  startReplicas,
  type TestTenant,
} from '../../support/operators.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';

let database: TestDatabase;
let one: OperatorsPlane;
let two: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let proxy: string;

beforeAll(async () => {
  database = await createDatabase();
  [one, two] = await startReplicas(database.url);
  platform = await bootstrap(one);
  acme = await createTenant(one, platform, 'acme');
  proxy = (await one.expect('ProxyTokens.Create', platform.token, { name: 'proxy' })).value;
});
afterAll(async () => {
  await one.close();
  await two.close();
  await database.drop();
});

describe('two replicas of the control plane', () => {
  it("see each other's writes as soon as the response is sent", async () => {
    const { token } = acme.owner;
    const { virtualKey, value } = await createKey(one, acme);
    expect(await two.expect('VirtualKeys.Get', token, { id: virtualKey.id })).toMatchObject(virtualKey);
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    expect((await two.expect('Access.Resolve', proxy, { keyHash })).key.keyId).toBe(virtualKey.id);
    await two.expect('VirtualKeys.Revoke', token, { id: virtualKey.id });
    expect((await one.expect('Access.Resolve', proxy, { keyHash })).key).toBeUndefined();
  });

  it('refuse a token as soon as either one has revoked it', async () => {
    const somebody = await createPerson(one, acme, 'ROLE_ADMIN');
    expect((await two.call('Organizations.List', somebody.token)).code).toBe('OK');
    await one.expect('People.Update', acme.owner.token, { id: somebody.id, active: false });
    expect((await two.call('Organizations.List', somebody.token)).code).toBe('UNAUTHENTICATED');
  });

  it('accept the bootstrap token once in all', async () => {
    const called = await two.call('OperatorTokens.Bootstrap', two.bootstrapToken, { name: 'second' });
    expect(called.code).toBe('UNAUTHENTICATED');
  });

  it('report a change at one to the proxies of the other', async () => {
    const { value, virtualKey } = await createKey(one, acme);
    const { path, requestSerialize, responseDeserialize } = services.Access.Watch;
    const Constructor = makeGenericClientConstructor(services.Access, 'Access');
    const client = new Constructor(`127.0.0.1:${two.plane.grpcPort}`, credentials.createInsecure());
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadataWith(proxy));
    const received: WatchResponse__Output[] = [];
    stream.on('data', (message: WatchResponse__Output) => received.push(message)).on('error', () => undefined);
    stream.write({ start: { maxStaleSeconds: 60 } });
    await until(() => received.some((message) => message.started != null));
    await one.expect('VirtualKeys.Revoke', acme.owner.token, { id: virtualKey.id });
    const hash = hashCredential(value);
    await until(() =>
      received
        .flatMap((message) => message.changes?.invalidations ?? [])
        .some(({ keyHash, state }) => keyHash?.toString('hex') === hash && state === 'RECORD_STATE_GONE'),
    );
    stream.cancel();
    client.close();
  });

  it('create one key for a request that is sent to both', async () => {
    const fields = { name: freshName('key'), clientRequestId: 'both' };
    const responses = await Promise.all([one, two, one, two].map((plane) => createKey(plane, acme, fields)));
    expect(new Set(responses.map(({ virtualKey }) => virtualKey.id)).size).toBe(1);
    expect(responses.filter(({ value }) => value !== undefined)).toHaveLength(1);
  });

  it('keep one owner when all owners leave at both', async () => {
    const tenant = await createTenant(one, platform, freshName('org'));
    const owners = [tenant.owner];
    for (let i = 0; i < 3; i++) owners.push(await createPerson(one, tenant, 'ROLE_OWNER'));
    const codes = await Promise.all(
      owners.map(async ({ id, token }, i) => (await (i % 2 ? one : two).call('People.Delete', token, { id })).code),
    );
    expect(codes.filter((code) => code === 'OK')).toHaveLength(3);
  });

  it('keep one unbroken chain of audit events under changes at both', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (i % 2 ? one : two).expect('AiSystems.Create', acme.owner.token, {
          organizationId: acme.id,
          name: freshName('system'),
        }),
      ),
    );
    const store = await openStore({ url: database.url, log: silentLog, clock: systemClock });
    expect(await store.snapshot((db) => verifyAuditChain(db))).toMatchObject({ intact: true });
    await store.close();
  });
});
