// doctor on a healthy gateway and on broken ones: it names the cause, and continues with the checks that are still
// possible.
import { Metadata, Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogInForce, catalogState } from '../../../catalog/in-force.ts';
import { createCredential } from '../../../common/credential.ts';
import { Secret } from '../../../common/secret.ts';
import { version } from '../../../common/version.ts';
import { checkNames } from '../../../gatewayctl/doctor/finding.ts';
import { errorDetail, services } from '../../../proto/load.ts';
import { createControlPlaneClient } from '../../../proxy/control-plane/client.ts';
import { type BlackHole, startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { visit } from '../../support/diagnosis.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { bootstrap, startOperatorsPlane } from '../../support/operators.ts';
import { createDatabase } from '../../support/postgres.ts';
import { freePort, until } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

const minuteMs = 60_000;

describe('doctor at a gateway', () => {
  let redis: TestRedis;
  let gateway: TestGateway;
  let server: string;
  let token: string;
  beforeAll(async () => {
    redis = await startRedis();
    gateway = await startGateway({ proxy: { REDIS_URL: redis.url } });
    server = `127.0.0.1:${gateway.controlPlane.grpcPort}`;
    token = gateway.secrets.platformToken;
    await until(async () => (await visit({ server, token })).found('redis').verdict === 'ok', {
      what: 'the proxy to report its Redis',
    });
  });
  afterAll(async () => {
    await gateway.close();
    await redis.stop();
  });

  it('finds a healthy one healthy, check by check', async () => {
    const visited = await visit({ server, token, proxies: [gateway.proxy.adminUrl] });
    const looked = checkNames.filter((name) => name !== 'program' && name !== 'certificates');
    expect(visited.diagnosis.findings.map(({ check }) => check)).toEqual(looked);
    // In a year the shipped catalog is old, and the check rightly warns.
    const others = visited.diagnosis.findings.filter(({ check }) => check !== 'catalog');
    expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['ok']));
    expect(visited.found('catalog').says).toContain(`all go by that of ${catalogInForce().asOf}`);
    expect(visited.diagnosis.failed).toBe(false);
    expect(visited.found('token').says).toMatch(/platform’s, platform operator; it ends in (89|90) days/);
    expect(visited.found('versions').says).toBe(`all are ${version}`);
    expect(visited.found('database').says).toContain('SQLite');
    expect(visited.found('proxy').says).toContain('its feed');
  });

  it('never writes the token', async () => {
    const visited = await visit({ server, token });
    expect(visited.written).not.toContain(token);
    expect(visited.written).not.toContain(token.slice(-10));
  });

  it('shows an owner the token, and nothing about proxies', async () => {
    const visited = await visit({ server, token: gateway.organization.ownerToken });
    expect(visited.found('token').says).toContain(`owner of organization ${gateway.organization.id}`);
    expect(visited.found('proxies')).toMatchObject({ verdict: 'skipped' });
    expect(visited.found('redis')).toMatchObject({ verdict: 'skipped' });
    expect(visited.failures).toEqual([]);
  });

  it('finds localhost even if the server listens on only one of its two addresses', async () => {
    const visited = await visit({ server: `localhost:${gateway.controlPlane.grpcPort}`, token });
    expect(visited.failures).toEqual([]);
    expect(visited.found('name').says).toContain('127.0.0.1');
  });

  it('reports that nothing listens', async () => {
    const visited = await visit({ server: `127.0.0.1:${await freePort()}`, token });
    expect(visited.failures).toEqual(['connection']);
    expect(visited.found('connection').says).toContain('nothing listens');
    expect(visited.found('tls').verdict).toBe('skipped');
  });

  it('reports that the name is unknown', async () => {
    const visited = await visit({ server: 'control-plane.invalid:50051', token });
    expect(visited.failures).toEqual(['name']);
    expect(visited.found('connection').verdict).toBe('skipped');
  });

  it.each(['httpPort', 'adminPort'] as const)('reports a port of HTTP: %s', async (port) => {
    const visited = await visit({ server: `127.0.0.1:${gateway.controlPlane[port]}`, token });
    expect(visited.failures).toEqual(['grpc']);
    expect(visited.found('grpc')).toMatchObject({
      says: expect.stringContaining('HTTP/1.1'),
      advice: expect.stringContaining('50051'),
    });
  });

  it('reports a port that sends nothing', async () => {
    const hole: BlackHole = await startBlackHole();
    const visited = await visit({ server: `127.0.0.1:${hole.port}`, token });
    await hole.stop();
    expect(visited.failures).toEqual(['grpc']);
    expect(visited.found('grpc').says).toContain('speaks no gRPC');
  });

  it('reports that the server uses plain text where TLS is expected', async () => {
    const visited = await visit({ server, token, transport: { kind: 'tls' } });
    expect(visited.failures).toEqual(['tls']);
    expect(visited.found('tls').says).toBe('TLS is expected, but the server speaks plain text');
    expect(visited.found('grpc').verdict).toBe('skipped');
  });

  it('reports that there is no token', async () => {
    const visited = await visit({ server, token: undefined });
    expect(visited.failures).toEqual(['token']);
    expect(visited.found('token').advice).toContain('gatewayctl login');
    expect(visited.found('grpc')).toMatchObject({ verdict: 'ok', says: 'a control plane responds' });
  });

  it.each([
    ['mistyped', () => `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`, 'malformed'],
    ['a proxy’s', () => gateway.proxyToken, 'proxy’s'],
    ['a virtual key', () => createCredential('virtualKey'), 'virtual key'],
    ['the bootstrap token', () => createCredential('bootstrap'), 'bootstrap token'],
    ['of another kind', () => 'letmein', 'none of the gateway’s'],
    ['unknown', () => createCredential('operator'), 'does not accept'],
  ])('reports that the token is %s', async (_what, given, says) => {
    const visited = await visit({ server, token: given() });
    expect(visited.failures).toEqual(['token']);
    expect(visited.found('token').says).toContain(says);
    expect(visited.written).not.toContain(given());
  });

  it('reports that the token is revoked', async () => {
    const { api, ownerId } = gateway.organization;
    const made = await api.call('OperatorTokens/Create', { personId: ownerId, name: 'brief' });
    const brief = String(made.value);
    expect((await visit({ server, token: brief })).failures).toEqual([]);
    await api.call('OperatorTokens/Revoke', { id: (made.operatorToken as { id: string }).id });
    const visited = await visit({ server, token: brief });
    expect(visited.failures).toEqual(['token']);
    expect(visited.found('token').says).toContain('revoked');
  });

  it('warns that the token ends soon', async () => {
    const { api, ownerId } = gateway.organization;
    const made = await api.call('OperatorTokens/Create', { personId: ownerId, name: 'short', days: 3 });
    const visited = await visit({ server, token: String(made.value) });
    expect(visited.found('token')).toMatchObject({
      verdict: 'warning',
      says: expect.stringMatching(/2 days|3 days/),
    });
    expect(visited.diagnosis.failed).toBe(false);
  });

  it.each([
    ['ahead', 10 * minuteMs],
    ['behind', -10 * minuteMs],
  ])('reports that the clock of this machine is ten minutes %s', async (way, offsetMs) => {
    const visited = await visit({ server, token, now: () => Date.now() + offsetMs });
    expect(visited.failures).toEqual(['clock']);
    expect(visited.found('clock')).toMatchObject({
      says: expect.stringContaining(`10 min ${way}`),
      advice: expect.stringContaining('this machine’s clock that is wrong'),
    });
  });

  it('reports proxies of other versions than the control plane', async () => {
    const options = { addresses: [server], credentials: undefined, allowPlaintext: false } as const;
    const client = createControlPlaneClient({
      ...{ ...options, token: new Secret(gateway.proxyToken) },
      self: {
        ...{ version: '0.9.0', host: 'newer-proxy', redis: () => 'ok' },
        catalog: () => catalogState({ isRejected: false }),
      },
    });
    const handlers = { message: () => undefined, closed: () => undefined };
    const watch = client.watch({ since: undefined, maxStaleMs: minuteMs }, handlers);
    await until(async () => (await visit({ server, token })).failures.includes('versions'), {
      what: 'the newer proxy to be seen',
    });
    const visited = await visit({ server, token });
    watch.cancel();
    client.close();
    expect(visited.found('versions').says).toBe(`proxy newer-proxy is 0.9.0, newer than the control plane, ${version}`);
  });

  it('warns of a proxy with another catalog', async () => {
    const options = { addresses: [server], credentials: undefined, allowPlaintext: false } as const;
    const own = { ...catalogState({ isRejected: false }), digest: 'fedcba9876543210' };
    const client = createControlPlaneClient({
      ...{ ...options, token: new Secret(gateway.proxyToken) },
      self: { version, host: 'odd-proxy', redis: () => 'ok', catalog: () => own },
    });
    const handlers = { message: () => undefined, closed: () => undefined };
    const watch = client.watch({ since: undefined, maxStaleMs: minuteMs }, handlers);
    const seen = async () => (await visit({ server, token })).found('catalog');
    const finding = await until(
      async () => {
        const found = await seen();
        return found.says.includes('several') ? found : undefined;
      },
      { what: 'the other catalog to be seen' },
    );
    watch.cancel();
    client.close();
    expect(finding).toMatchObject({ verdict: 'warning' });
    expect(finding.says).toContain('(fedcba9876543210) at proxy odd-proxy');
    expect(finding.advice).toContain('GATEWAY_CATALOG_FILE');
  });

  it('reports that a proxy’s Redis is down', async () => {
    const proxy = await gateway.startProxy({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    await until(async () => (await visit({ server, token })).failures.includes('redis'), {
      what: 'the proxy to report its Redis',
    });
    const visited = await visit({ server, token, proxies: [proxy.adminUrl] });
    await proxy.drain();
    expect(visited.failures).toEqual(['redis', 'proxy']);
    expect(visited.found('proxy').says).toContain('its Redis does not respond');
    expect(visited.found('redis').advice).toContain('REDIS_URL');
  });

  it('reports a proxy’s admin listener that cannot be reached at its address', async () => {
    const visited = await visit({ server, token, proxies: [`http://127.0.0.1:${await freePort()}`] });
    expect(visited.failures).toEqual(['proxy']);
    expect(visited.found('proxy').says).toContain('ECONNREFUSED');
  });

  it('reports a proxy that has never reached a control plane', async () => {
    const away = { GATEWAY_CONTROL_PLANE: `127.0.0.1:${await freePort()}` };
    const proxy = await gateway.startProxy(away);
    const visited = await visit({ server, token, proxies: [proxy.adminUrl] });
    await proxy.drain();
    expect(visited.failures).toEqual(['proxy']);
    expect(visited.found('proxy').advice).toContain('GATEWAY_CONTROL_PLANE');
  });
});

describe('doctor at a control plane without proxies', () => {
  it('warns that no proxy is connected', async () => {
    const plane = await startOperatorsPlane();
    const { token } = await bootstrap(plane);
    const visited = await visit({ server: `127.0.0.1:${plane.plane.grpcPort}`, token });
    await plane.close();
    expect(visited.failures).toEqual([]);
    expect(visited.found('proxies')).toMatchObject({
      verdict: 'warning',
      says: expect.stringContaining('no proxy is connected'),
      advice: expect.stringContaining('GATEWAY_CONTROL_PLANE'),
    });
    expect(visited.found('redis').verdict).toBe('skipped');
  });
});

describe('doctor at a gRPC server', () => {
  let port = 0;
  const token = createCredential('operator');

  async function serving(served: Record<string, ServiceDefinition>): Promise<Server> {
    const grpc = new Server();
    for (const definition of Object.values(served)) {
      const methods = Object.keys(definition).map((name) => [name, refuse] as const);
      grpc.addService(definition, Object.fromEntries(methods));
    }
    port = await new Promise<number>((resolve, reject) => {
      const done = (error: Error | null, port: number) => (error === null ? resolve(port) : reject(error));
      grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
    });
    return grpc;
  }

  /** Refuses the token as every control plane refuses an unknown one. */
  function refuse(_call: unknown, done: (error: object) => void): void {
    const metadata = new Metadata();
    metadata.set('gateway-error-bin', errorDetail.serialize({ reason: 'unauthenticated', violations: [] }));
    done({ code: status.UNAUTHENTICATED, details: 'no', metadata });
  }

  it('recognizes a control plane that is older than the status service', async () => {
    const { Organizations } = services;
    const grpc = await serving({ Organizations });
    const visited = await visit({ server: `127.0.0.1:${port}`, token });
    grpc.forceShutdown();
    expect(visited.found('grpc')).toMatchObject({ verdict: 'warning', advice: 'update the control plane' });
    expect(visited.failures).toEqual([]);
  });

  it('recognizes a server that is no control plane', async () => {
    const grpc = await serving({});
    const visited = await visit({ server: `127.0.0.1:${port}`, token });
    grpc.forceShutdown();
    expect(visited.failures).toEqual(['grpc']);
    expect(visited.found('grpc').says).toContain('not a control plane');
  });
});

describe('doctor at a gateway that is cut off from its database', () => {
  it('reports the database, and that proxies can still be checked', async () => {
    const database = await createDatabase();
    const url = new URL(database.url);
    const forwarder = await startForwarder({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${forwarder.port}`;
    const gateway = await startGateway({ databaseUrl: url.href });
    const server = `127.0.0.1:${gateway.controlPlane.grpcPort}`;
    const token = gateway.secrets.platformToken;
    expect((await visit({ server, token })).failures).toEqual([]);
    await until(async () => (await metric(gateway.proxy, 'gateway_feed_age_seconds')) >= 0, {
      what: 'the feed',
    });
    await forwarder.cut();
    const visited = await visit({ server, token, timeoutMs: 15_000, proxies: [gateway.proxy.adminUrl] });
    expect(visited.failures).toEqual(['database']);
    expect(visited.found('database').says).toContain('database cannot be reached');
    expect(visited.found('grpc').verdict).toBe('ok');
    await forwarder.heal();
    await gateway.close();
    await forwarder.stop();
    await database.drop();
  });
});
