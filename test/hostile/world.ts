// A whole gateway for the hostile-tenant suite, every part a separate process: control plane over SQLite, proxy, Redis,
// upstreams. Settings make resources scarce where they can, so that a resource is exhausted long before the processor.
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import type { OperatorApi } from '../../quickstart/operator-api.ts';
import type { ServerSource } from '../support/containers.ts';
import { bootstrap, newOrganization, startPlane, type TestOrganization } from '../support/gateway.ts';
import { type Child, startedWith, startNode, until } from '../support/process.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { metric } from '../support/telemetry.ts';
import { elsewhere } from './attack.ts';
import { bounds } from './bounds.ts';
import type { LoopTimes } from './loop-watch.ts';
import { type UpstreamKind, kinds as upstreamKinds } from './upstream.ts';

export interface Tenant {
  readonly organization: TestOrganization;
  /** Its own key, for all models. */
  readonly key: string;
  /** The address of its callers. */
  readonly address: string;
}

export interface Plane {
  readonly child: Child;
  readonly adminUrl: string;
}

export interface World {
  readonly proxy: Plane & { readonly port: number; readonly url: string };
  readonly controlPlane: Plane & { readonly httpPort: number; readonly grpcPort: number };
  readonly platform: OperatorApi;
  /**
   * Creates a tenant with a provider for each kind of the upstream, under the kind's name. Hostile tenants use an
   * upstream process of their own.
   */
  createTenant(name: 'neighbour' | 'guarded' | 'hostile'): Promise<Tenant>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** The source of Redis; by default the one of the vitest run. */
  readonly from?: ServerSource;
}

/** The time that a busy machine may need to start a program. */
const startMs = 60_000;

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closing of closers.splice(0).toReversed()) await closing();
  };
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closers = (() => unknown)[];

async function start({ from }: WorldOptions, closers: Closers): Promise<Omit<World, 'close'>> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-hostile-'));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  const redis = await startRedis(from === undefined ? {} : { from });
  closers.push(() => redis.stop());
  const { port: upstreamPort, dnsPort } = await startUpstream(closers);
  const { port: hostilePort, child } = await startUpstream(closers);
  setPriority(child.pid, elsewhere);

  const bootstrapToken = createCredential('bootstrap');
  const hosts = Array.from({ length: 16 }, (_, index) => `m${index}.models.example:${upstreamPort}`);
  const shared = {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'loop-watch.ts')}`,
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_PRIVATE_UPSTREAMS: [`127.0.0.1:${upstreamPort}`, `127.0.0.1:${hostilePort}`, ...hosts].join(),
  };
  const controlPlane = await startPlane(
    'control-plane/main.ts',
    {
      ...shared,
      GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
      GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
      GATEWAY_DATABASE_URL: `sqlite:${join(directory, 'gateway.db')}`,
      GATEWAY_MASTER_KEY: createSealKey(),
      GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    },
    { timeoutMs: startMs },
  );
  closers.push(() => controlPlane.child.stop());
  const { grpc_port: grpcPort = 0, http_port: httpPort = 0 } = controlPlane.line;
  const { platform, proxyToken } = await bootstrap(httpPort, bootstrapToken);
  const locations: Locations = { redis, upstreamPort, dnsPort, grpcPort, proxyToken };
  const proxy = await startPlane(
    'proxy/main.ts',
    { ...shared, ...proxyEnvironment(locations) },
    { timeoutMs: startMs },
  );
  closers.push(() => proxy.child.stop());
  const proxyPort = proxy.line.port ?? 0;
  const ready = `http://127.0.0.1:${proxy.line.admin_port}/readyz`;
  await until(async () => (await fetch(ready)).ok, { timeoutMs: startMs, what: 'the proxy to be ready' });
  let tenants = 0;
  return {
    proxy: {
      ...{ child: proxy.child, port: proxyPort, url: `http://127.0.0.1:${proxyPort}` },
      adminUrl: `http://127.0.0.1:${proxy.line.admin_port}`,
    },
    controlPlane: {
      ...{ child: controlPlane.child, grpcPort, httpPort },
      adminUrl: `http://127.0.0.1:${controlPlane.line.admin_port}`,
    },
    platform,
    createTenant: async (name) => {
      tenants++;
      const organization = await newOrganization(platform, httpPort, `${name}-${tenants}`);
      for (const kind of Object.keys(upstreamKinds) as UpstreamKind[]) {
        const isNeighbour = name !== 'hostile';
        const host = isNeighbour && kind === 'closing' ? 'm0.models.example' : '127.0.0.1';
        const port = isNeighbour ? upstreamPort : hostilePort;
        await addProvider(organization, kind, `http://${host}:${port}/${kind}/v1`);
      }
      const address = `127.0.${1 + Math.floor(tenants / 200)}.${1 + (tenants % 200)}`;
      return { organization, key: (await organization.createKey()).value, address };
    },
  };
}

async function startUpstream(closers: Closers) {
  const child = startNode(['test/hostile/upstream.ts']);
  closers.push(() => child.stop());
  const { port = 0, dns_port: dnsPort = 0 } = await startedWith(child);
  return { child, port, dnsPort };
}

interface Locations {
  readonly redis: TestRedis;
  readonly upstreamPort: number;
  readonly dnsPort: number;
  readonly grpcPort: number;
  readonly proxyToken: string;
}

function proxyEnvironment({ redis, upstreamPort, dnsPort, grpcPort, proxyToken }: Locations) {
  return {
    REDIS_URL: redis.url,
    GATEWAY_CACHE_KEY: createSealKey(),
    GATEWAY_LISTEN: '127.0.0.1:0',
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${grpcPort}`,
    GATEWAY_PROXY_TOKEN: proxyToken,
    GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${upstreamPort}/fast/v1`,
    GATEWAY_DNS_SERVERS: `127.0.0.1:${dnsPort}`,
    GATEWAY_IN_FLIGHT_MAX: String(bounds.inFlight),
    GATEWAY_READ_ON_MAX: String(bounds.readOn),
    GATEWAY_READ_ON_SECONDS: '6',
    GATEWAY_BACKGROUND_MAX: String(bounds.background),
    GATEWAY_BUFFERED_BYTES_MAX: `${bounds.bufferedMiB}MiB`,
    GATEWAY_CONNECTIONS_MAX: String(bounds.connections),
    GATEWAY_DRAIN_GRACE: '1s',
  };
}

async function addProvider({ id, api }: TestOrganization, name: string, baseUrl: string): Promise<void> {
  const keys = { wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', keyForm: 'KEY_FORM_NONE' };
  await api.call('Providers/Create', { ...keys, organizationId: id, name, baseUrl });
}

/** The longest tick of a plane's event loop since the last call. */
export async function loopTimes({ child }: Plane): Promise<LoopTimes> {
  const before = lines(child).length;
  child.signal('SIGUSR2');
  await until(() => lines(child).length > before, { timeoutMs: 30_000, what: 'a plane to print its times' });
  const { loop } = JSON.parse(lines(child).at(-1) ?? '') as { readonly loop: LoopTimes };
  return loop;
}

const lines = (child: Child) =>
  child
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{"loop"') && line.endsWith('}'));

/** The number of refusals of a resource since the start. */
export function refusals(plane: Plane, resource: string): Promise<number> {
  return metric(plane, 'gateway_share_refused_total', { resource });
}

export function used(plane: Plane, resource: string): Promise<number> {
  return metric(plane, 'gateway_share_used', { resource });
}
