// A gateway of programs as in production, for the runs of this folder: control planes over PostgreSQL, Redis, proxies,
// and two vendors, each a process of its own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCredential } from '../../common/credential.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../common/record-signature.ts';
import { createSealKey } from '../../common/seal.ts';
import type { OperatorApi } from '../../quickstart/operator-api.ts';
import { findServerSource, type ServerSource } from '../support/containers.ts';
import {
  bootstrap,
  type Environment,
  newOrganization,
  type PlaneOptions,
  startPlane,
  type TestOrganization,
} from '../support/gateway.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Child, startedWith, startNode, until } from '../support/process.ts';
import { startRedis } from '../support/redis.ts';
import { createBudget } from '../support/spending.ts';
import { readiness } from '../support/telemetry.ts';
import { storedKeys } from '../support/vendors.ts';
import { models, prices } from './prices.ts';
import type { Outage, SimulatedVendor, VendorRequests } from './vendor.ts';

/** A running program. */
export interface Program {
  readonly child: Child;
  /** Fields of its log line "ready". */
  readonly ports: Readonly<Record<string, number>>;
  readonly url: string;
  readonly adminUrl: string;
}

export interface Vendor {
  readonly child: Child;
  readonly port: number;
  fail(outage: Outage): Promise<void>;
  requests(): Promise<VendorRequests>;
}

export interface World {
  readonly platform: OperatorApi;
  readonly vendors: Readonly<Record<SimulatedVendor, Vendor>>;
  /** The first control plane. */
  readonly controlPlane: Program;
  startControlPlane(env?: Environment, options?: PlaneOptions): Promise<Program>;
  /** @returns it when it is ready */
  startProxy(env?: Environment, options?: PlaneOptions): Promise<Program>;
  /** @param httpPort of the JSON API that its operators use; default: the first control plane's */
  createTenant(name: string, httpPort?: number): Promise<Tenant>;
  /** Called in reverse order when the world ends. */
  onClose(close: () => unknown): void;
  close(): Promise<void>;
}

export interface Tenant {
  readonly organization: TestOrganization;
  /** A budget of the organization, which is never spent. */
  readonly budget: string;
}

/** The time that a busy machine may need to start a program. */
export const startMs = 240_000;

type Closers = (() => unknown)[];

export async function startWorld(source?: ServerSource): Promise<World> {
  const closers: Closers = [];
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    return { ...(await assemble(source ?? (await findServerSource()), closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(source: ServerSource, closers: Closers): Promise<Omit<World, 'close'>> {
  const postgres = await startPostgres(source);
  closers.push(() => postgres.stop());
  const redis = await startRedis({ from: source });
  closers.push(() => redis.stop());
  const vendors = {
    'gpt-provider': await startVendor('gpt-provider', closers),
    'assistant-provider': await startVendor('assistant-provider', closers),
  };
  const secrets = { bootstrapToken: createCredential('bootstrap'), recordKey: createSigningKey() };
  const upstreams = Object.values(vendors)
    .map(({ port }) => `127.0.0.1:${port}`)
    .join(',');
  const environment = controlPlaneEnvironment(postgres.url, upstreams, secrets);
  const startControlPlane = (env: Environment = {}, options: PlaneOptions = {}) =>
    startProgram('control-plane/main.ts', { ...environment, ...env }, options);
  const controlPlane = await startControlPlane();
  closers.push(() => controlPlane.child.stop());
  const httpPort = controlPlane.ports.http_port ?? 0;
  const { platform, proxyToken } = await bootstrap(httpPort, secrets.bootstrapToken);
  const proxyEnvironment: Environment = {
    ...listens,
    GATEWAY_LISTEN: '127.0.0.1:0',
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${controlPlane.ports.grpc_port}`,
    GATEWAY_PROXY_TOKEN: proxyToken,
    GATEWAY_CACHE_KEY: createSealKey(),
    GATEWAY_RECORD_KEYS: publicPemOf(parseSigningKey(secrets.recordKey)),
    GATEWAY_ORGANIZATION_SHARE: '100',
    REDIS_URL: redis.url,
    GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${vendors['gpt-provider'].port}/v1`,
    GATEWAY_ASSISTANT_PROVIDER_URL: `http://127.0.0.1:${vendors['assistant-provider'].port}/assistant-provider`,
    GATEWAY_PRIVATE_UPSTREAMS: upstreams,
  };
  return {
    ...{ platform, vendors, controlPlane, startControlPlane },
    startProxy: async (env = {}, options = {}) => {
      const proxy = await startProgram('proxy/main.ts', { ...proxyEnvironment, ...env }, options);
      closers.push(() => proxy.child.stop());
      await until(async () => (await readiness(proxy)) === 'ok', { timeoutMs: startMs, what: 'a proxy to be ready' });
      return proxy;
    },
    createTenant: (name, port = httpPort) => createTenant(platform, port, name),
    onClose: (closing) => void closers.push(closing),
  };
}

const listens = { GATEWAY_ADMIN_LISTEN: '127.0.0.1:0' };

function controlPlaneEnvironment(
  databaseUrl: string,
  upstreams: string,
  { bootstrapToken, recordKey }: { readonly bootstrapToken: string; readonly recordKey: string },
): Environment {
  return {
    ...listens,
    GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
    GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
    GATEWAY_DATABASE_URL: databaseUrl,
    GATEWAY_MASTER_KEY: createSealKey(),
    GATEWAY_RECORD_SIGNING_KEY: recordKey,
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    GATEWAY_PRIVATE_UPSTREAMS: upstreams,
  };
}

export async function startProgram(main: string, env: Environment, options: PlaneOptions = {}): Promise<Program> {
  const { child, line: ports } = await startPlane(main, env, { timeoutMs: startMs, ...options });
  const adminUrl = `http://127.0.0.1:${ports.admin_port}`;
  keepLog(main, child);
  return { child, ports, url: `http://127.0.0.1:${ports.port ?? ports.http_port}`, adminUrl };
}

/** For the search for a fault: RESILIENCE_LOGS names a folder that gets the programs' logs when they have ended. */
function keepLog(main: string, child: Child): void {
  const folder = process.env.RESILIENCE_LOGS;
  if (folder === undefined) return;
  const file = join(folder, `${main.replace('/main.ts', '')}-${child.pid}.log`);
  void child.exited.then(() => writeFileSync(file, `${child.stdout()}${child.stderr()}`));
}

export async function startVendor(name: SimulatedVendor, closers: Closers): Promise<Vendor> {
  const child = startNode(['test/resilience/vendor.ts', name]);
  closers.push(() => child.stop('SIGKILL'));
  const { port = 0, control_port: controlPort } = await startedWith(child);
  const control = `http://127.0.0.1:${controlPort}/`;
  return {
    ...{ child, port },
    fail: async (outage) => {
      const body = outage === undefined ? '' : JSON.stringify(outage);
      await (await fetch(control, { method: 'PUT', body })).text();
    },
    requests: async () => (await (await fetch(control)).json()) as VendorRequests,
  };
}

export async function createTenant(platform: OperatorApi, httpPort: number, name: string): Promise<Tenant> {
  const organization = await newOrganization(platform, httpPort, name);
  const { api, id } = organization;
  const vendor = 'assistant-provider';
  await api.call('ProviderKeys/Create', { organizationId: id, provider: vendor, name: vendor, ...storedKeys[vendor] });
  for (const model of Object.values(models)) await api.call('Prices/Create', { organizationId: id, model, prices });
  const groups = Object.values(models).map((model) => ({ targets: [{ model }] }));
  await api.call('Routes/Create', { organizationId: id, name: 'fast', groups });
  const budget = await createBudget(organization, { kind: 'ORGANIZATION', id }, { amountUsd: '100000' });
  return { organization, budget };
}
