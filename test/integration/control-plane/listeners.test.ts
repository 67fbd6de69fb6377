// The listeners of the control plane, except for the unary methods: watches of proxies, health, reflection, limits,
// metrics, and an orderly stop.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type Client,
  type ClientDuplexStream,
  credentials,
  makeGenericClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { openConnectionShare } from '../../../common/connection-cap.ts';
import { createCredential, hashCredential } from '../../../common/credential.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import { startHttpApi } from '../../../control-plane/api/http-api.ts';
import { createMetrics } from '../../../control-plane/telemetry/metrics.ts';
import type { WatchResponse__Output } from '../../../proto/generated/gateway/v1/WatchResponse.ts';
import { services } from '../../../proto/load.ts';
import { encodeReport } from '../../../proxy/control-plane/wire-report.ts';
import { directCallers } from '../../support/direct-callers.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freshName,
  metadataWith,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { noGauges } from '../../support/replica.ts';
import { silentLog } from '../../support/silent-log.ts';
import { usageOf } from '../../support/usage-queue.ts';

let plane: OperatorsPlane;
let platform: Someone;
const clients: Client[] = [];

async function openPlane(env: Readonly<Record<string, string>> = {}): Promise<void> {
  plane = await startOperatorsPlane({ env: { GATEWAY_GRPC_REFLECTION: 'true', ...env } });
  platform = await bootstrap(plane);
}
async function closePlane(): Promise<void> {
  for (const client of clients.splice(0)) client.close();
  await plane.close();
}
/** One control plane for the tests of a part; each has its own organizations. */
function onePlane(): void {
  beforeAll(() => openPlane());
  afterAll(closePlane);
}

function clientOf(definition: Parameters<typeof makeGenericClientConstructor>[0]): Client {
  const Constructor = makeGenericClientConstructor(definition, 'test');
  const client = new Constructor(`127.0.0.1:${plane.plane.grpcPort}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  clients.push(client);
  return client;
}

class Watching {
  readonly received: WatchResponse__Output[] = [];
  ended: ServiceError | 'in good order' | undefined;
  readonly stream: ClientDuplexStream<object, WatchResponse__Output>;

  constructor(token: string) {
    const { path, requestSerialize, responseDeserialize } = services.Access.Watch;
    const client = clientOf(services.Access);
    this.stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadataWith(token));
    this.stream.on('data', (message: WatchResponse__Output) => this.received.push(message));
    this.stream.on('error', (error: ServiceError) => {
      this.ended = error;
    });
    this.stream.on('end', () => {
      this.ended ??= 'in good order';
    });
    this.stream.write({ start: { maxStaleSeconds: 3600 } });
  }
}

async function newProxyToken(fields: object = {}): Promise<{ id: string; value: string }> {
  const made = await plane.expect('ProxyTokens.Create', platform.token, { name: 'proxy', ...fields });
  return { id: made.proxyToken.id, value: made.value };
}

describe('a watch over gRPC', () => {
  onePlane();

  it("receives the revocation of a key, by the key's hash", async () => {
    const acme = await createTenant(plane, platform, freshName('acme'));
    const key = await createKey(plane, acme);
    const watching = new Watching((await newProxyToken()).value);
    await until(() => watching.received.some((message) => message.started != null));
    await plane.expect('VirtualKeys.Revoke', acme.owner.token, { id: key.virtualKey.id });
    const invalidation = await until(() =>
      watching.received.flatMap((message) => message.changes?.invalidations ?? []).find((one) => one.keyHash != null),
    );
    expect(invalidation.keyHash?.toString('hex')).toBe(hashCredential(key.value));
    expect(invalidation.state).toBe('RECORD_STATE_GONE');
    watching.stream.write({ ask: { nonce: '7' } });
    const response = await until(() => watching.received.find((message) => message.answer != null));
    expect(response.answer).toMatchObject({ nonce: '7', position: { revision: invalidation.revision } });
    watching.stream.cancel();
  });

  it('receives one invalidation for every live value, scope and organization', async () => {
    const acme = await createTenant(plane, platform, freshName('acme'));
    const system = await plane.expect('AiSystems.Create', acme.owner.token, {
      organizationId: acme.id,
      name: 'bot',
    });
    const key = await createKey(plane, acme, { scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id } });
    const { id } = key.virtualKey;
    const rotated = await plane.expect('VirtualKeys.Rotate', acme.owner.token, { id, graceSeconds: 60 });
    const watching = new Watching((await newProxyToken()).value);
    await until(() => watching.received.some((message) => message.started != null));
    await plane.expect('AiSystems.Delete', acme.owner.token, { id: system.id });
    await plane.expect('Organizations.Suspend', platform.token, { id: acme.id });
    const reported = await until(() => {
      const all = watching.received.flatMap((message) => message.changes?.invalidations ?? []);
      const from = all.slice(-4).map((one) => one.keyHash?.toString('hex') ?? `${one.kind} ${one.id} ${one.state}`);
      return from.at(-1)?.startsWith('RECORD_KIND_ORGANIZATION') && from;
    });
    expect(reported.slice(0, 3).toSorted()).toEqual(
      [
        hashCredential(key.value),
        hashCredential(rotated.value),
        `RECORD_KIND_AI_SYSTEM ${system.id} RECORD_STATE_GONE`,
      ].toSorted(),
    );
    expect(reported[3]).toBe(`RECORD_KIND_ORGANIZATION ${acme.id} RECORD_STATE_CHANGED`);
    watching.stream.cancel();
  });

  it.each([
    ['an invalid proxy token', 'gw-proxy-x', 16],
    ['an operator', undefined, 7],
  ])('is refused to %s', async (_who, token, code) => {
    const watching = new Watching(token ?? platform.token);
    expect(await until(() => watching.ended)).toMatchObject({ code });
  });

  it('ends with the first heartbeat after its token was revoked', async () => {
    const token = await newProxyToken();
    const watching = new Watching(token.value);
    await until(() => watching.received.some((message) => message.started != null));
    await plane.expect('ProxyTokens.Revoke', platform.token, { id: token.id });
    watching.stream.write({ ask: { nonce: '1' } });
    expect(await until(() => watching.ended)).toMatchObject({ code: 16 });
  });

  it('shows a bound proxy nothing of other organizations', async () => {
    const acme = await createTenant(plane, platform, freshName('acme'));
    const other = await createTenant(plane, platform, freshName('other'));
    const bound = (await newProxyToken({ organizationId: acme.id })).value;
    const keys = { own: await createKey(plane, acme), foreign: await createKey(plane, other) };
    const resolve = async (value: string) =>
      (await plane.expect('Access.Resolve', bound, { keyHash: Buffer.from(hashCredential(value), 'hex') })).key;
    expect(await resolve(keys.own.value)).toMatchObject({ organizationId: acme.id });
    expect(await resolve(keys.foreign.value)).toBeUndefined();
    const watching = new Watching(bound);
    await until(() => watching.received.some((message) => message.started != null));
    await plane.expect('VirtualKeys.Revoke', other.owner.token, { id: keys.foreign.virtualKey.id });
    await plane.expect('VirtualKeys.Revoke', acme.owner.token, { id: keys.own.virtualKey.id });
    const hashes = await until(() => {
      const seen = watching.received
        .flatMap((message) => message.changes?.invalidations ?? [])
        .flatMap(({ keyHash }) => keyHash?.toString('hex') ?? []);
      return seen.includes(hashCredential(keys.own.value)) && seen;
    });
    expect(hashes).not.toContain(hashCredential(keys.foreign.value));
    watching.stream.cancel();
  });

  it('shows a bound proxy the stops of the platform, and none of other organizations', async () => {
    const [acme, other] = [freshName('acme'), freshName('other')].map((name) => createTenant(plane, platform, name));
    const bound = (await newProxyToken({ organizationId: (await acme)?.id })).value;
    const watching = new Watching(bound);
    await until(() => watching.received.some((message) => message.started != null));
    const stop = { target: { directKeys: true }, reason: 'a test' };
    const foreign = { ...stop, organizationId: (await other)?.id };
    await plane.expect('Stops.Create', (await other)?.owner.token ?? '', foreign);
    const { id } = await plane.expect('Stops.Create', platform.token, stop);
    const seen = () => watching.received.flatMap((message) => message.changes?.invalidations ?? []);
    await until(() => seen().length > 0);
    expect(seen()).toMatchObject([{ kind: 'RECORD_KIND_PLATFORM', id: 'platform', state: 'RECORD_STATE_CHANGED' }]);
    await plane.expect('Stops.Delete', platform.token, { id });
    watching.stream.cancel();
  });

  it('accepts usage of its own organization from a bound proxy, and refuses any other', async () => {
    const acme = await createTenant(plane, platform, freshName('acme'));
    const other = await createTenant(plane, platform, freshName('other'));
    const bound = (await newProxyToken({ organizationId: acme.id })).value;
    const used = (organizationId: string) =>
      usageOf({ organizationId, keyId: uuidv7(), session: '', at: Date.now(), charges: [] });
    const report = (...organizationIds: readonly string[]) =>
      plane.call('Ledger.ReportUsage', bound, encodeReport(organizationIds.map(used)));
    expect(await report(acme.id)).toMatchObject({ code: 'OK' });
    expect(await report(other.id)).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await report(acme.id, other.id)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe('the gRPC listener', () => {
  onePlane();

  it('serves health checks', async () => {
    for (const name of ['', 'gateway.v1.Access', 'gateway.v1.VirtualKeys']) {
      expect(await health(name)).toEqual({ status: 'SERVING' });
    }
  });

  it('serves reflection when it is enabled', async () => {
    const { ReflectionService } = await import('@grpc/reflection');
    const added: Parameters<typeof makeGenericClientConstructor>[0][] = [];
    new ReflectionService({}).addToServer({ addService: (definition) => void added.push(definition) });
    const [definition] = added;
    if (definition === undefined) throw new Error('no reflection service');
    const { path, requestSerialize, responseDeserialize } = definition.ServerReflectionInfo ?? {};
    if (!path || !requestSerialize || !responseDeserialize) throw new Error('no reflection method');
    const client = clientOf(definition);
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const response = new Promise<{ listServicesResponse: { service: { name: string }[] } }>((resolve, reject) => {
      stream.on('data', resolve).on('error', reject);
    });
    stream.write({ listServices: '' });
    const names = (await response).listServicesResponse.service.map(({ name }) => name);
    expect(names).toContain('gateway.v1.VirtualKeys');
    stream.end();
  });

  it('refuses a message over 4 MiB', async () => {
    const called = await plane.call('AiSystems.Create', platform.token, {
      name: 'x'.repeat(4 * 1024 * 1024 + 1),
    });
    expect(called.code).toBe('RESOURCE_EXHAUSTED');
  });
});

function health(name: string): Promise<object | undefined> {
  const { path, requestSerialize, responseDeserialize } = healthService.Check ?? {};
  if (!path || !requestSerialize || !responseDeserialize) throw new Error('no health service');
  return new Promise((resolve, reject) => {
    clientOf(healthService).makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service: name },
      (error: ServiceError | null, value?: object) => (error === null ? resolve(value) : reject(error)),
    );
  });
}

describe('the admin listener', () => {
  // Its metrics count from the start.
  onePlane();

  it('serves liveness, readiness and metrics', async () => {
    const get = (path: string) => fetch(`http://127.0.0.1:${plane.plane.adminPort}${path}`);
    expect((await get('/livez')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    await plane.call('Organizations.List', 'gw-op-wrong');
    const watching = new Watching((await newProxyToken()).value);
    await until(() => watching.received.length > 0);
    const metrics = await (await get('/metrics')).text();
    expect(metrics).toContain(
      'gateway_control_plane_calls_total{method="Organizations.List",code="UNAUTHENTICATED"} 1',
    );
    expect(metrics).toContain('gateway_control_plane_call_duration_seconds_count{method="OperatorTokens.Bootstrap"} 1');
    expect(metrics).toMatch(/^gateway_control_plane_watchers 1$/m);
    expect(metrics).toMatch(/^gateway_control_plane_feed_revision 2$/m);
    watching.stream.cancel();
    await until(async () => /^gateway_control_plane_watchers 0$/m.test(await (await get('/metrics')).text()));
  });
});

describe('a stop of the control plane', () => {
  it('ends watches in order, responds to every change that it has made, and accepts no new calls', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-stop-'));
    const file = join(directory, 'test.db');
    await openPlane({ GATEWAY_DATABASE_URL: `sqlite:${file}` });
    const watching = new Watching((await newProxyToken()).value);
    await until(() => watching.received.some((message) => message.started != null));
    const calls = Array.from({ length: 30 }, (_, i) =>
      plane.call('Organizations.Create', platform.token, { name: `org ${i}`, owner: { name: 'Olga' } }),
    );
    await calls[0];
    const began = performance.now();
    await plane.plane.close();
    expect(performance.now() - began).toBeLessThan(2000);
    const response = (await Promise.all(calls)).filter(({ code }) => code === 'OK').length;
    using database = new DatabaseSync(file);
    expect(database.prepare('select count(*) as made from organizations').get()).toEqual({ made: response });
    expect(await until(() => watching.ended)).toBe('in good order');
    expect((await plane.call('Organizations.List', platform.token)).code).toBe('UNAVAILABLE');
    await expect(fetch(`http://127.0.0.1:${plane.plane.httpPort}/`)).rejects.toThrow();
    await closePlane();
    rmSync(directory, { recursive: true });
  });
});

describe('the timeout of the JSON API', () => {
  it('ends a request that does not arrive in time', async () => {
    const deps = {
      dispatcher: {
        call: () => Promise.reject(new Error('unused')),
        download: () => Promise.reject(new Error('unused')),
        proxy: () => Promise.reject(new Error('unused')),
      },
      clock: systemClock,
      log: silentLog,
      metrics: createMetrics(noGauges),
    };
    const address = { host: '127.0.0.1', port: 0 };
    const server = await startHttpApi(
      {
        ...{ address, tls: undefined, callers: directCallers(), hosts: [], requestTimeoutMs: 200 },
        connections: openConnectionShare(1024),
      },
      deps,
    );
    try {
      const slow = await openConnection(server.port);
      slow.send(
        'POST /gateway.v1.Organizations/List HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
          `authorization: Bearer ${createCredential('operator')}\r\ncontent-length: 100\r\n\r\n{`,
      );
      const began = performance.now();
      await slow.closed;
      expect(performance.now() - began).toBeLessThan(2000);
      const silent = await openConnection(server.port);
      silent.send('POST /gateway.v1.Organ');
      await silent.closed;
    } finally {
      await server.close(0, 0);
    }
  });
});
