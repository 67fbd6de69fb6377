// Status over gRPC and the JSON API: the report of a replica about itself, who may see it, and the list of watching
// proxies.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogState } from '../../../catalog/in-force.ts';
import { Secret } from '../../../common/secret.ts';
import { version } from '../../../common/version.ts';
import type { Watcher__Output as Watcher } from '../../../proto/generated/gateway/v1/Watcher.ts';
import { type ControlPlaneClient, createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { openControlPlaneTls } from '../../../proxy/control-plane/client-tls.ts';
import type { ProxySelf } from '../../../proxy/control-plane/proxy-self.ts';
import { operatorApi } from '../../../quickstart/operator-api.ts';
import {
  bootstrap,
  createTenant,
  databases,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  startReplicas,
  type TestTenant,
} from '../../support/operators.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/process.ts';
import { silentLog } from '../../support/silent-log.ts';
import { createAuthority } from '../../support/tls.ts';

const catalog = { asOf: '2026-01-01', digest: '0123456789abcdef', rejected: true, shippedAsOf: '2026-02-01' };
const self: ProxySelf = {
  ...{ version: '0.1.0', host: 'proxy-a' },
  ...{ redis: () => 'ok', catalog: () => catalog },
};

interface Watching {
  /** Sends a request on the watch, which reports the state again. */
  ask(): void;
  end(): void;
}

function watchAt(plane: OperatorsPlane, token: string, reported?: ProxySelf): Watching {
  const client: ControlPlaneClient = createControlPlaneClient({
    addresses: [`127.0.0.1:${plane.plane.grpcPort}`],
    token: new Secret(token),
    ...{ credentials: undefined, allowPlaintext: false },
    ...(reported && { self: reported }),
  });
  const handlers = { message: () => undefined, closed: () => undefined };
  const stream = client.watch({ since: undefined, maxStaleMs: 60_000 }, handlers);
  let nonce = 0;
  return {
    ask: () => stream.ask(++nonce),
    end: () => {
      stream.cancel();
      client.close();
    },
  };
}

/** Waits until the replica reports the expected watchers. */
async function watchersAt(
  plane: OperatorsPlane,
  platform: Someone,
  asExpected: (watchers: readonly Watcher[]) => boolean,
): Promise<readonly Watcher[]> {
  return await until(
    async () => {
      const { watchers } = (await plane.expect('Status.Get', platform.token)).watchers;
      return asExpected(watchers) ? watchers : undefined;
    },
    { what: 'watchers to be as expected' },
  );
}

describe.each(databases)('Status over $name', ({ name, open }) => {
  let database: Awaited<ReturnType<typeof open>>;
  let plane: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  beforeAll(async () => {
    database = await open();
    plane = await startOperatorsPlane({ env: database.env });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  it('reports version, host, time, database and a fresh feed', async () => {
    const before = Date.now();
    const status = await plane.expect('Status.Get', acme.member.token);
    expect(status).toMatchObject({
      ...{ version, replica: expect.stringMatching(/.+/) },
      database: name === 'SQLite' ? 'DATABASE_KIND_SQLITE' : 'DATABASE_KIND_POSTGRES',
    });
    expect(Date.parse(status.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(status.startedAt)).toBeLessThanOrEqual(before);
    // The feed learns of a change shortly after it was made.
    const revision = async () => Number((await plane.expect('Status.Get', acme.member.token)).feed.position.revision);
    await until(async () => (await revision()) > 0, { what: 'the feed to deliver the first change' });
    expect(Number(status.feed.ageMs)).toBeLessThan(5000);
    expect(status.catalog).toEqual(catalogState({ isRejected: false }));
  });

  it('reports to every caller their identity and the end of their token', async () => {
    const { caller } = await plane.expect('Status.Get', acme.owner.token);
    expect(caller).toMatchObject({
      ...{ personId: acme.owner.id, name: 'Olga', role: 'ROLE_OWNER', organizationId: acme.id },
    });
    const days = (Date.parse(caller.tokenEndsAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThanOrEqual(90);
    const { caller: operator } = await plane.expect('Status.Get', platform.token);
    expect(operator).toMatchObject({ role: 'ROLE_PLATFORM_OPERATOR', name: 'platform' });
    expect(operator).not.toHaveProperty('organizationId');
  });

  it.each(['owner', 'admin', 'member'] as const)('reports no proxies to: %s', async (role) => {
    const status = await plane.expect('Status.Get', acme[role].token);
    expect(status.watchers ?? undefined).toBeUndefined();
  });
});

describe('the proxies that watch', () => {
  let database: TestDatabase;
  let one: OperatorsPlane;
  let two: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let token: string;
  let boundToken: string;
  beforeAll(async () => {
    database = await createDatabase();
    [one, two] = await startReplicas(database.url);
    platform = await bootstrap(one);
    acme = await createTenant(one, platform, 'acme');
    token = (await one.expect('ProxyTokens.Create', platform.token, { name: 'egress' })).value;
    const bound = { name: 'tenant', organizationId: acme.id };
    boundToken = (await one.expect('ProxyTokens.Create', platform.token, bound)).value;
  });
  afterAll(async () => {
    await one.close();
    await two.close();
    await database.drop();
  });

  it('are listed by the replica that they watch, and by no other', async () => {
    const here = watchAt(one, token, self);
    const [watcher] = await watchersAt(one, platform, (watchers) => watchers[0]?.version !== undefined);
    expect(watcher).toMatchObject({
      ...{ tokenName: 'egress', address: '127.0.0.1', version: '0.1.0', host: 'proxy-a' },
      ...{ redis: 'REDIS_STATE_OK', catalog },
    });
    expect(watcher).not.toHaveProperty('organizationId');
    expect(Math.abs(Number(watcher?.clockAheadMs))).toBeLessThan(5000);
    expect(await watchersAt(two, platform, () => true)).toEqual([]);
    here.end();
    await watchersAt(one, platform, (watchers) => watchers.length === 0);
  });

  it('report their state again with each request', async () => {
    let redis: 'ok' | 'failing' = 'ok';
    const watching = watchAt(one, token, { ...self, redis: () => redis });
    const [first] = await watchersAt(one, platform, (watchers) => watchers[0]?.version !== undefined);
    expect(first).not.toHaveProperty('askedAt');
    redis = 'failing';
    watching.ask();
    const [requested] = await watchersAt(one, platform, ([watcher]) => watcher?.redis === 'REDIS_STATE_FAILING');
    expect(Math.abs(Date.now() - Date.parse(requested?.askedAt ?? ''))).toBeLessThan(5000);
    watching.end();
    await watchersAt(one, platform, (watchers) => watchers.length === 0);
  });

  it('are listed in order with their organization, each separately even if they share a token', async () => {
    const watching = [
      watchAt(one, token, { ...self, host: 'proxy-c' }),
      watchAt(one, boundToken, { ...self, host: 'proxy-b', redis: () => 'none' }),
      watchAt(one, token, { ...self, host: 'proxy-a', redis: () => undefined }),
    ];
    const watchers = await watchersAt(one, platform, (all) => all.filter((w) => w.version).length === 3);
    expect(watchers.map(({ host, tokenName, redis }) => [tokenName, host, redis])).toEqual([
      ['egress', 'proxy-a', 'REDIS_STATE_UNSPECIFIED'],
      ['egress', 'proxy-c', 'REDIS_STATE_OK'],
      ['tenant', 'proxy-b', 'REDIS_STATE_NONE'],
    ]);
    expect(watchers[2]?.organizationId).toBe(acme.id);
    for (const { end } of watching) end();
    await watchersAt(one, platform, (all) => all.length === 0);
  });

  it('are listed without the fields that older proxies do not report', async () => {
    const watching = watchAt(one, token);
    watching.ask();
    const [watcher] = await watchersAt(one, platform, ([first]) => first?.askedAt !== undefined);
    expect(watcher).toMatchObject({ tokenName: 'egress', redis: 'REDIS_STATE_UNSPECIFIED' });
    for (const field of ['version', 'host', 'clockAheadMs', 'catalog']) expect(watcher).not.toHaveProperty(field);
    watching.end();
    await watchersAt(one, platform, (all) => all.length === 0);
  });

  it('are the same over the JSON API, for platform operators only', async () => {
    const watching = watchAt(one, token, self);
    await watchersAt(one, platform, (watchers) => watchers[0]?.version !== undefined);
    const { httpPort } = one.plane;
    const reported = await operatorApi(httpPort, platform.token).call('Status/Get', {});
    expect(reported).toMatchObject({
      ...{ version, database: 'DATABASE_KIND_POSTGRES' },
      watchers: { total: 1, watchers: [{ host: 'proxy-a', redis: 'REDIS_STATE_OK' }] },
    });
    expect(await operatorApi(httpPort, acme.owner.token).call('Status/Get', {})).not.toHaveProperty('watchers');
    watching.end();
  });
});

describe('a proxy that is identified by its certificate', () => {
  it('is listed with the name in its certificate', async () => {
    const authority = await createAuthority();
    const server = await authority.issue({ commonName: 'control plane' });
    const egress = await authority.issue({ commonName: 'egress', names: ['DNS:egress.example'] });
    const plane = await startOperatorsPlane({
      env: {
        GATEWAY_TLS_CERT_FILE: server.certFile,
        GATEWAY_TLS_KEY_FILE: server.keyFile,
        GATEWAY_TLS_CLIENT_CA_FILE: authority.caFile,
        GATEWAY_PROXY_CERTIFICATES: 'egress.example',
      },
    });
    const { httpPort, grpcPort } = plane.plane;
    const callApi = trusting(authority.caFile, httpPort);
    const { token } = await callApi('OperatorTokens/Bootstrap', plane.bootstrapToken, { name: 'platform' });
    const tls = await openControlPlaneTls({ caFile: authority.caFile, ...egress }, silentLog);
    const client = createControlPlaneClient({
      ...{ addresses: [`localhost:${grpcPort}`], token: undefined, credentials: tls.credentials, self },
      allowPlaintext: false,
    });
    const handlers = { message: () => undefined, closed: () => undefined };
    client.watch({ since: undefined, maxStaleMs: 60_000 }, handlers);
    const reported = await until(
      async () => {
        const { watchers } = await callApi('Status/Get', token, {});
        return watchers.total === 1 && watchers.watchers[0].version !== undefined ? watchers : undefined;
      },
      { what: 'the proxy to be reported' },
    );
    expect(reported.watchers).toMatchObject([{ identity: 'egress.example', host: 'proxy-a' }]);
    expect(reported.watchers[0]).not.toHaveProperty('tokenName');
    client.close();
    tls.close();
    await plane.close();
    authority.remove();
  });
});

/** The JSON API over TLS. */
function trusting(caFile: string, port: number) {
  const agent = new Agent({ connect: { ca: readFileSync(caFile) } });
  return async (method: string, token: string, body: object): Promise<JsonResponse> => {
    const { body: response } = await request(`https://localhost:${port}/gateway.v1.${method}`, {
      ...{ method: 'POST', dispatcher: agent, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    });
    return await response.json();
  };
}
