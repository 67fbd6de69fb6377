// A whole gateway for tests, in this process on free ports: control plane, simulator and any number of proxies, with
// one organization that has a key of the simulated vendor. All sockets are real; every log line is kept.
import { join } from 'node:path';
import type { Clock } from '../../common/clock.ts';
import { createCredential } from '../../common/credential.ts';
import { createLogger } from '../../common/logger.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../common/record-signature.ts';
import { createSealKey } from '../../common/seal.ts';
import { type ControlPlaneOptions, startControlPlane } from '../../control-plane/app.ts';
import { readControlPlaneSettings } from '../../control-plane/settings.ts';
import { type RunningProxy, startProxy } from '../../proxy/app.ts';
import type { ServiceNetwork } from '../../proxy/guardrails/inspection/live-guardrails.ts';
import { readProxySettings } from '../../proxy/settings.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { freely } from './operators.ts';
import { type Child, startNode, until } from './process.ts';
import { askTestServers } from './test-servers.ts';
import { storedKeys, vendorSettings } from './vendors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type RunningControlPlane = Awaited<ReturnType<typeof startControlPlane>>;

export interface TestGateway {
  readonly simulator: Simulator;
  readonly controlPlane: RunningControlPlane;
  readonly proxy: TestProxy;
  readonly platform: OperatorApi;
  readonly organization: TestOrganization;
  readonly proxyToken: string;
  /** The secrets that it was started with, for tests that search for leaks. */
  readonly secrets: GatewaySecrets;
  /** Every log line of control plane and proxies. */
  readonly logs: string[];
  createOrganization(name: string): Promise<TestOrganization>;
  /** A further replica over the same database. */
  startControlPlane(env?: Environment): Promise<RunningControlPlane>;
  /** A further replica as in production: a separate process. */
  startControlPlaneProcess(env?: Environment): Promise<ControlPlaneProcess>;
  startProxy(env?: Environment): Promise<TestProxy>;
  /** A proxy as in production: a separate process, ready for requests. */
  startProxyProcess(env?: Environment, options?: PlaneOptions): Promise<ProxyProcess>;
  close(): Promise<void>;
}

export interface GatewaySecrets {
  readonly bootstrapToken: string;
  readonly platformToken: string;
  readonly masterKey: string;
  readonly cacheKey: string;
  /** The private key in PEM. */
  readonly recordKey: string;
}

export interface TestOrganization {
  readonly id: string;
  readonly ownerId: string;
  readonly ownerToken: string;
  /** Calls as the organization's owner. */
  readonly api: OperatorApi;
  createKey(fields?: object): Promise<{ readonly id: string; readonly value: string }>;
  /** Stores keys of all vendors except the GPT vendor, whose key every organization has. */
  storeProviderKeys(): Promise<void>;
}

export interface TestProxy extends RunningProxy {
  readonly url: string;
  readonly adminUrl: string;
}

export interface ProxyProcess {
  readonly child: Child;
  readonly port: number;
  readonly url: string;
  readonly adminUrl: string;
}

export interface ControlPlaneProcess {
  readonly child: Child;
  readonly grpcPort: number;
  readonly adminUrl: string;
}

export interface GatewayOptions {
  /** Default: SQLite in memory. */
  readonly databaseUrl?: string;
  readonly controlPlane?: Environment;
  readonly proxy?: Environment;
  /** Clock of control planes, and so of a SQLite database. Default: the system's. */
  readonly clock?: Clock;
  /** Network of guardrails' services for proxies in this process. */
  readonly serviceNetwork?: ServiceNetwork;
  /** Network of webhooks' receivers. */
  readonly webhookNetwork?: ControlPlaneOptions['webhookNetwork'];
}

export const providerSecret = storedKeys['gpt-provider'].secret.apiKey;

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const logs: string[] = [];
  const log = createLogger({
    name: 'test',
    level: 'debug',
    stream: { write: (line) => void logs.push(line) },
  });
  const closers: (() => Promise<unknown>)[] = [];
  const bootstrapToken = createCredential('bootstrap');
  const masterKey = createSealKey();
  const cacheKey = createSealKey();
  const recordKey = createSigningKey();

  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  closers.push(() => simulator.close());
  const upstream = vendorSettings(simulator.baseUrls, simulator.port);
  const controlPlaneEnvironment = (env: Environment): Environment => ({
    GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
    GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_DATABASE_URL: options.databaseUrl ?? 'sqlite::memory:',
    GATEWAY_MASTER_KEY: masterKey,
    GATEWAY_RECORD_SIGNING_KEY: recordKey,
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    ...upstream,
    GATEWAY_DRAIN_GRACE: '2s',
    ...options.controlPlane,
    ...env,
  });
  const newControlPlane = async (env: Environment = {}) => {
    const settings = readControlPlaneSettings(controlPlaneEnvironment(env));
    const started = await startControlPlane(settings, {
      log,
      rates: freely,
      ...(options.clock && { clock: options.clock }),
      ...(options.webhookNetwork && { webhookNetwork: options.webhookNetwork }),
    });
    closers.push(() => started.close());
    return started;
  };
  const controlPlane = await newControlPlane();
  const { platform, platformToken, proxyToken } = await bootstrap(controlPlane.httpPort, bootstrapToken);

  const proxyEnvironment = (env: Environment): Environment => ({
    GATEWAY_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${controlPlane.grpcPort}`,
    GATEWAY_PROXY_TOKEN: proxyToken,
    GATEWAY_CACHE_KEY: cacheKey,
    GATEWAY_RECORD_KEYS: publicPemOf(parseSigningKey(recordKey)),
    GATEWAY_ORGANIZATION_SHARE: '100',
    GATEWAY_DRAIN_GRACE: '2s',
    ...upstream,
    ...options.proxy,
    ...env,
  });
  const newProxy = async (env: Environment = {}) => {
    const proxy = await startProxy(readProxySettings(proxyEnvironment(env)), {
      log,
      ...(options.serviceNetwork && { serviceNetwork: options.serviceNetwork }),
    });
    closers.push(() => proxy.drain());
    const urls = { url: `http://127.0.0.1:${proxy.port}`, adminUrl: `http://127.0.0.1:${proxy.adminPort}` };
    return { ...proxy, ...urls };
  };
  const createOrganization = (name: string) => newOrganization(platform, controlPlane.httpPort, name);
  return {
    simulator,
    controlPlane,
    proxy: await newProxy(),
    platform,
    organization: await createOrganization('acme'),
    proxyToken,
    secrets: { bootstrapToken, platformToken, masterKey, cacheKey, recordKey },
    logs,
    createOrganization,
    startControlPlane: newControlPlane,
    startControlPlaneProcess: async (env = {}) => {
      const { child, line } = await startPlane('control-plane/main.ts', controlPlaneEnvironment(env));
      closers.push(() => child.stop());
      return { child, grpcPort: line.grpc_port ?? 0, adminUrl: `http://127.0.0.1:${line.admin_port}` };
    },
    startProxy: newProxy,
    startProxyProcess: async (env = {}, options = {}) => {
      const started = await startProxyProcess(proxyEnvironment(env), options);
      closers.push(() => started.child.stop());
      return started;
    },
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

async function startProxyProcess(env: Environment, options: PlaneOptions): Promise<ProxyProcess> {
  const { child, line } = await startPlane('proxy/main.ts', env, options);
  const { port = 0, admin_port } = line;
  const adminUrl = `http://127.0.0.1:${admin_port}`;
  const { timeoutMs = 60_000 } = options;
  await until(async () => (await fetch(`${adminUrl}/readyz`)).ok, {
    what: 'the proxy to be ready',
    timeoutMs,
  });
  return { child, port, url: `http://127.0.0.1:${port}`, adminUrl };
}

export interface PlaneOptions {
  /** Time until it is ready; default 60,000. */
  readonly timeoutMs?: number;
  /** Files and sockets that it may have open. */
  readonly descriptorsMax?: number;
  /** A prefix of its command, such as `unshare` and its arguments. */
  readonly within?: readonly string[];
  /** Arguments of Node before the program. */
  readonly nodeArgs?: readonly string[];
}

/** Starts a program. @returns it with the fields of its log line "ready" */
export async function startPlane(
  main: string,
  env: Environment,
  { timeoutMs = 60_000, nodeArgs = [], ...limits }: PlaneOptions = {},
) {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const child = startNode([...nodeArgs, await programOf(main)], {
    env: Object.fromEntries(given),
    ...limits,
  });
  const ended = child.exited.then(() => {
    throw new Error(`${main} did not start: ${child.stderr()}`);
  });
  const ready = until(() => /^.*"msg":"ready.*$/m.exec(child.stdout())?.[0], {
    what: `${main} to be ready`,
    timeoutMs,
  });
  const line = await Promise.race([ended, ready]).catch(async (error: unknown) => {
    // Otherwise it would take the port of the next one.
    await child.stop('SIGKILL');
    throw error;
  });
  return { child, line: JSON.parse(line) as Readonly<Record<string, number>> };
}

let bundles: string | undefined;

/** Outside a test run, programs start from the bundles in this folder from now on. */
export function startFrom(folder: string): void {
  bundles = folder;
}

/** In a test run this is the program's bundle, because bundles are shipped. */
export async function programOf(main: string): Promise<string> {
  const folder = process.env.VITEST === undefined ? bundles : await askTestServers('programs');
  return folder === undefined ? main : join(folder, main.replace(/main\.ts$/, 'bin/main.mjs'));
}

/** Creates the first operator, and a credential for proxies. */
export async function bootstrap(port: number, token: string) {
  const made = await operatorApi(port, token).call('OperatorTokens/Bootstrap', { name: 'platform' });
  const platformToken = String(made.token);
  const platform = operatorApi(port, platformToken);
  const proxyToken = await platform.call('ProxyTokens/Create', { name: 'proxy' });
  return { platform, platformToken, proxyToken: String(proxyToken.value) };
}

export async function newOrganization(platform: OperatorApi, port: number, name: string): Promise<TestOrganization> {
  const created = (await platform.call('Organizations/Create', { name, owner: { name: 'owner' } })) as {
    organization: { id: string };
    owner: { id: string };
    ownerToken: string;
  };
  const { id } = created.organization;
  const api = operatorApi(port, created.ownerToken);
  await api.call('ProviderKeys/Create', {
    organizationId: id,
    provider: 'gpt-provider',
    name: 'stored',
    secret: { apiKey: providerSecret },
  });
  let count = 0;
  return {
    id,
    ownerId: created.owner.id,
    ownerToken: created.ownerToken,
    api,
    createKey: async (fields = {}) => {
      count++;
      const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id };
      const made = (await api.call('VirtualKeys/Create', {
        organizationId: id,
        name: `key-${count}`,
        scope,
        ...fields,
      })) as { virtualKey: { id: string }; value: string };
      return { id: made.virtualKey.id, value: made.value };
    },
    storeProviderKeys: async () => {
      for (const [provider, key] of Object.entries(storedKeys)) {
        if (provider === 'gpt-provider') continue;
        await api.call('ProviderKeys/Create', { organizationId: id, provider, name: provider, ...key });
      }
    },
  };
}

/** The body of the smallest chat request, for the generic route. */
export function chatBody(fields: object = {}): string {
  return JSON.stringify({
    model: 'gpt-provider/gpt-4o-mini',
    messages: [{ role: 'user', content: 'Hello' }],
    ...fields,
  });
}

/** A chat request as fetch takes it. */
export function chatRequest(key: string, fields: object = {}, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: chatBody(fields),
  };
}
