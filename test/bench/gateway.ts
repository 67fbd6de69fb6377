// The gateway as deployed: the bundles of both planes as separate processes. The control plane uses SQLite and
// runs on the load's core; the proxy has its core for itself, writes its access log to a file, and has the virtual key
// in its cache.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import type { Bundle, Program } from '../../scripts/build.ts';
import { freePort, until } from '../support/process.ts';
import { startRedis } from '../support/redis.ts';
import { storedKeys } from '../support/vendors.ts';
import { canned } from './canned.ts';
import { type Cores, startPinned } from './cores.ts';
import type { Subject } from './subjects.ts';

export interface BenchGateway {
  /** Starts a fresh proxy process and waits until it is ready. @param virtualKey default: one without limits */
  startProxy(virtualKey?: string, env?: Readonly<Record<string, string>>): Promise<GatewaySubject>;
  /** @returns a virtual key of an AI system in its own organization, to which these limits and guardrails apply */
  createKey(limits: readonly BenchLimit[], guardrails?: readonly BenchGuardrail[]): Promise<string>;
  /** @returns a virtual key of an organization with the routes below, without limits */
  createRoutedKey(): Promise<string>;
  /** @returns a virtual key of an organization that names these tags */
  createTaggedKey(names: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Routes of one target that responds, of one that fails, and of both. A 404 is counted against no target. */
export const failoverRoutes = ['served', 'failed', 'after'] as const;
export type Failover = (typeof failoverRoutes)[number];

export interface GatewaySubject extends Subject {
  readonly adminUrl: string;
}

/** The fields of Limits/Create, without the subject. */
export interface BenchLimit {
  readonly on: 'ORGANIZATION' | 'AI_SYSTEM' | 'VIRTUAL_KEY';
  readonly fields: Readonly<Record<string, string>>;
}

/** The fields of Guardrails/Create, without organization and name. */
export interface BenchGuardrail {
  readonly stage: string;
  readonly action: string;
  readonly check: object;
}

export async function startGateway(
  bundles: readonly Bundle[],
  cores: Cores,
  upstreamPort: number,
): Promise<BenchGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const main = (program: Program) => bundles.find((bundle) => bundle.program === program)?.main ?? program;
  const [grpcPort, httpPort, controlAdminPort] = [await freePort(), await freePort(), await freePort()];
  const bootstrapToken = createCredential('bootstrap');
  const upstream = `127.0.0.1:${upstreamPort}`;
  const controlPlane = await startPinned(cores.load, httpPort, [process.execPath, main('control-plane')], {
    GATEWAY_GRPC_LISTEN: `127.0.0.1:${grpcPort}`,
    GATEWAY_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    GATEWAY_ADMIN_LISTEN: `127.0.0.1:${controlAdminPort}`,
    GATEWAY_DATABASE_URL: `sqlite:${join(directory, 'gateway.db')}`,
    GATEWAY_MASTER_KEY: createSealKey(),
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    GATEWAY_PRIVATE_UPSTREAMS: upstream,
    GATEWAY_LOG_FILE: join(directory, 'control-plane.log'),
  });
  const missing = `http://${upstream}/missing/v1`;
  const { proxyToken, createKey, createRoutedKey, createTaggedKey } = await bootstrap(
    httpPort,
    bootstrapToken,
    missing,
  );
  // Takes usage that the control plane cannot accept as fast as it arrives, because it shares its core with the load.
  const redis = await startRedis({ from: 'local' });
  const shared = { REDIS_URL: redis.url, GATEWAY_CACHE_KEY: createSealKey() };
  const unlimited = await createKey([]);
  const startProxy: BenchGateway['startProxy'] = async (virtualKey = unlimited, env = {}) => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const proxy = await startPinned(cores.subject, port, [process.execPath, main('proxy')], {
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      GATEWAY_CONTROL_PLANE: `127.0.0.1:${grpcPort}`,
      GATEWAY_PROXY_TOKEN: proxyToken,
      ...baseUrls(`http://${upstream}`),
      GATEWAY_PRIVATE_UPSTREAMS: upstream,
      GATEWAY_ORGANIZATION_SHARE: '100',
      GATEWAY_DRAIN_GRACE: '1s',
      GATEWAY_LOG_FILE: join(directory, 'proxy.log'),
      ...shared,
      ...env,
    });
    const adminUrl = `http://127.0.0.1:${adminPort}`;
    const isReady = () =>
      fetch(`${adminUrl}/readyz`).then(
        (response) => response.ok,
        () => false, // not listening yet
      );
    await until(isReady, { what: 'the proxy to be ready' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${virtualKey}` };
    return { ...proxy, name: 'gateway', port, adminUrl, headers };
  };
  const stop = async () => {
    await controlPlane.stop();
    await redis.stop();
    rmSync(directory, { recursive: true });
  };
  return { startProxy, createKey, createRoutedKey, createTaggedKey, stop };
}

/** @param missing a base URL at which every path is 404 */
async function bootstrap(httpPort: number, bootstrapToken: string, missing: string) {
  const { token } = await operatorApi(httpPort, bootstrapToken).call('OperatorTokens/Bootstrap', {
    name: 'bench',
  });
  const platform = operatorApi(httpPort, String(token));
  const proxyToken = await platform.call('ProxyTokens/Create', { name: 'bench' });
  let organizations = 0;
  const createOrganization = async () => {
    organizations++;
    const { organization, ownerToken } = (await platform.call('Organizations/Create', {
      name: `bench-${organizations}`,
      owner: { name: 'owner' },
    })) as { organization: { id: string }; ownerToken: string };
    return { organization, api: operatorApi(httpPort, ownerToken) };
  };
  return {
    proxyToken: String(proxyToken.value),
    createRoutedKey: async () => {
      const { organization, api } = await createOrganization();
      const key = await createKey(api, organization.id, []);
      await createRoutes(api, organization.id, missing);
      return key;
    },
    createTaggedKey: async (names: readonly string[]) => {
      const { organization, api } = await createOrganization();
      const settings = { tags: { names: { names } } };
      await api.call('Organizations/UpdateSettings', { id: organization.id, settings });
      return createKey(api, organization.id, []);
    },
    createKey: async (limits: readonly BenchLimit[], guardrails: readonly BenchGuardrail[] = []) => {
      const { organization, api } = await createOrganization();
      for (const [index, guardrail] of guardrails.entries()) {
        const name = `bench-${index}`;
        await api.call('Guardrails/Create', { organizationId: organization.id, name, ...guardrail });
      }
      return createKey(api, organization.id, limits);
    },
  };
}

async function createRoutes(api: OperatorApi, organizationId: string, missing: string): Promise<void> {
  // Of another provider, so that the measured model has one key, as the route has.
  const failing = await api.call('ProviderKeys/Create', {
    ...{ organizationId, provider: 'search-provider', name: 'missing' },
    ...{ secret: { apiKey: 'made-up-0123456789' }, settings: { baseUrl: missing } },
  });
  const served = { targets: [{ model: canned['gpt-provider'].model }] };
  const failed = { targets: [{ model: canned['search-provider'].model, providerKeyId: failing.id }] };
  const routes = { served: [served], failed: [failed], after: [failed, served] } satisfies Record<Failover, object[]>;
  for (const [name, groups] of Object.entries(routes)) {
    await api.call('Routes/Create', { organizationId, name, groups });
  }
}

async function createKey(api: OperatorApi, organizationId: string, limits: readonly BenchLimit[]) {
  for (const [provider, providerKey] of Object.entries(storedKeys)) {
    await api.call('ProviderKeys/Create', { organizationId, provider, name: provider, ...providerKey });
  }
  const system = await api.call('AiSystems/Create', { organizationId, name: 'bench' });
  const created = (await api.call('VirtualKeys/Create', {
    organizationId,
    name: 'bench',
    scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id },
  })) as { virtualKey: { id: string }; value: string };
  const ids = {
    ORGANIZATION: organizationId,
    AI_SYSTEM: String(system.id),
    VIRTUAL_KEY: created.virtualKey.id,
  } satisfies Record<BenchLimit['on'], string>;
  for (const { on, fields } of limits) {
    const subject = { kind: `LIMIT_SUBJECT_KIND_${on}`, id: ids[on] };
    await api.call('Limits/Create', { organizationId, subject, ...fields });
  }
  return created.value;
}

function baseUrls(origin: string): Readonly<Record<string, string>> {
  return {
    GATEWAY_GPT_PROVIDER_URL: `${origin}/v1`,
    GATEWAY_ASSISTANT_PROVIDER_URL: `${origin}/assistant-provider`,
    GATEWAY_SEARCH_PROVIDER_URL: `${origin}/search-provider`,
    GATEWAY_MANAGED_CLOUD_MODELS_URL: `${origin}/managed-cloud-models`,
  };
}
