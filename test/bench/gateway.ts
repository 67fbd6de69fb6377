// The gateway as it is deployed: the bundles of both planes as processes of their own, the control plane over SQLite on the load's core,
// the proxy alone on its core, its access log in a file, the virtual key in its cache.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type OperatorApi, operatorApi } from '../../quickstart/operator-api.ts';
import type { Bundle } from '../../scripts/build.ts';
import { freePort, until } from '../support/process.ts';
import { storedKeys } from '../support/vendors.ts';
import { type Cores, startPinned } from './cores.ts';
import type { Subject } from './subjects.ts';

export interface BenchGateway {
  /** A fresh proxy process, ready, that has seen the key. */
  startProxy(): Promise<Subject & { readonly adminPort: number }>;
  stop(): Promise<void>;
}

export async function startGateway(
  bundles: readonly Bundle[],
  cores: Cores,
  upstreamPort: number,
): Promise<BenchGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const main = (plane: string) => bundles.find((bundle) => bundle.plane === plane)?.main ?? plane;
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
  const { proxyToken, virtualKey } = await prepare(httpPort, bootstrapToken);
  const startProxy = async () => {
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
    });
    const isReady = () =>
      fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
        (response) => response.ok,
        () => false, // not listening yet
      );
    await until(isReady, { what: 'the proxy to be ready' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${virtualKey}` };
    return { ...proxy, name: 'gateway', port, adminPort, headers };
  };
  const stop = async () => {
    await controlPlane.stop();
    rmSync(directory, { recursive: true });
  };
  return { startProxy, stop };
}

async function prepare(httpPort: number, bootstrapToken: string) {
  const call = (token: string, ...args: Parameters<OperatorApi['call']>) =>
    operatorApi(httpPort, token).call(...args);
  const { token } = await call(bootstrapToken, 'OperatorTokens/Bootstrap', { name: 'bench' });
  const proxyToken = await call(String(token), 'ProxyTokens/Create', { name: 'bench' });
  const created = (await call(String(token), 'Organizations/Create', {
    name: 'bench',
    owner: { name: 'owner' },
  })) as { organization: { id: string }; ownerToken: string };
  const { id } = created.organization;
  for (const [provider, providerKey] of Object.entries(storedKeys)) {
    const request = { organizationId: id, provider, name: provider, ...providerKey };
    await call(created.ownerToken, 'ProviderKeys/Create', request);
  }
  const key = await call(created.ownerToken, 'VirtualKeys/Create', {
    organizationId: id,
    name: 'bench',
    scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id },
  });
  return { proxyToken: String(proxyToken.value), virtualKey: String(key.value) };
}

function baseUrls(origin: string): Readonly<Record<string, string>> {
  return {
    GATEWAY_GPT_PROVIDER_URL: `${origin}/v1`,
    GATEWAY_ASSISTANT_PROVIDER_URL: `${origin}/assistant-provider`,
    GATEWAY_SEARCH_PROVIDER_URL: `${origin}/search-provider`,
    GATEWAY_MANAGED_CLOUD_MODELS_URL: `${origin}/managed-cloud-models`,
  };
}
