// A cluster of one node for tests: the images as containers that reach each other as in deploy/, with TLS under two
// authorities, a real Redis and a simulated vendor. Pods go through the injector, which is called as an API server
// calls it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { createCredential } from '../../common/credential.ts';
import { createSealKey } from '../../common/seal.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { type ContainerSpec, startContainerOf } from './container.ts';
import { applyPatch, type TestPod } from './injection.ts';
import { GrpcCaller, responseOf } from './operators.ts';
import { containerOf, createSecrets, type PodSecrets } from './pod.ts';
import { type Child, startedWith } from './process.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { ask, injectorEnvironment, type Review, responseIn } from './reviews.ts';
import { askTestServers } from './test-servers.ts';
import { type CertificateFiles, createAuthority, type TestAuthority } from './tls.ts';
import { storedKeys, vendorSettings } from './vendors.ts';

export interface TestCluster {
  readonly simulator: Simulator;
  /** Secrets of the apps' namespace. */
  readonly secrets: PodSecrets;
  /** Values that no app may ever contain. */
  readonly confidential: readonly string[];
  createKey(): Promise<{ readonly id: string; readonly value: string }>;
  revokeKey(id: string): Promise<void>;
  /** The pod of the review with these annotations, as the API server stores it. */
  admit(review: Review, annotations: Readonly<Record<string, string>>): Promise<TestPod>;
  /**
   * Starts the sidecar of a pod; returns when its startup probe succeeds. @param env further settings, such as a
   * simulated vendor's
   */
  startSidecar(pod: TestPod, env?: Readonly<Record<string, string>>): Promise<Child>;
  /** The simulated vendor's address, for a proxy that calls it itself. */
  readonly vendor: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const egressName = 'egress-gateway.model-gateway.svc';
const tlsFolder = '/var/run/model-gateway/tls';

export async function startCluster(): Promise<TestCluster> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    return await assemble(closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(closers: (() => unknown)[], close: () => Promise<void>): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-cluster-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const [simulator, redis, internal, sidecars, dist] = await Promise.all([
    startSimulator({ host: '127.0.0.1', port: 0 }),
    startRedis(),
    createAuthority('internal'),
    createAuthority('sidecars'),
    askTestServers('programs'),
  ]);
  const secrets = createSecrets();
  closers.push(() => simulator.close(), redis.stop, internal.remove, sidecars.remove, secrets.remove);
  const start = async (image: string, { ready, ...spec }: Start) => {
    const child = startContainerOf({ image, dist, ...spec });
    closers.push(() => child.stop());
    return { child, line: await startedWith(child, ready) };
  };
  const node: Node = { start, secrets, internal, sidecars, redis, simulator };
  const plane = await startPlane(node);
  closers.push(plane.close);
  const egressPort = await startEgress(node, plane.grpcPort);
  const api = await startInjector(node, { egressPort, grpcPort: plane.grpcPort });
  closers.push(api.close);
  await storeSecrets(node, plane.proxyToken);
  return {
    ...{ simulator, secrets, close },
    ...{ createKey: plane.createKey, revokeKey: plane.revokeKey, admit: api.admit },
    confidential: [plane.proxyToken, redis.url, ...Object.values(storedKeys).flatMap(secretValues)],
    vendor: vendorOf(simulator),
    startSidecar: async (pod, env = {}) => {
      const { env: own, ...spec } = containerOf(pod, 'model-gateway', secrets);
      const { child } = await start('proxy', {
        ...spec,
        env: { ...own, ...env },
        ready: 'ready for requests',
      });
      return child;
    },
  };
}

interface Start extends Omit<ContainerSpec, 'image' | 'dist'> {
  /** Text of the log line when it is ready. */
  readonly ready: string;
}

interface Node {
  start(image: string, spec: Start): Promise<{ child: Child; line: Readonly<Record<string, number>> }>;
  readonly secrets: PodSecrets;
  readonly internal: TestAuthority;
  readonly sidecars: TestAuthority;
  readonly redis: TestRedis;
  readonly simulator: Simulator;
}

const serverTls = {
  GATEWAY_TLS_CERT_FILE: `${tlsFolder}/tls.crt`,
  GATEWAY_TLS_KEY_FILE: `${tlsFolder}/tls.key`,
};

/** A Secret as cert-manager writes it. */
function tlsSecret({ certFile, keyFile }: CertificateFiles, caFile: string) {
  const read = (file: string) => readFileSync(file, 'utf8');
  return { 'tls.crt': read(certFile), 'tls.key': read(keyFile), 'ca.crt': read(caFile) };
}

/** A folder with a certificate of the internal authority, as our containers mount it. */
async function issued({ secrets, internal }: Node, name: string, names?: readonly string[]): Promise<string> {
  const certificate = await internal.issue({ commonName: name, ...(names !== undefined && { names }) });
  secrets.set(name, tlsSecret(certificate, internal.caFile));
  return secrets.folder(name, { secretName: name, defaultMode: 0o444 });
}

async function startPlane(node: Node) {
  const bootstrapToken = createCredential('bootstrap');
  const { line } = await node.start('control-plane', {
    env: {
      GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
      GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
      GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
      GATEWAY_DATABASE_URL: 'sqlite:/data/gateway.db',
      GATEWAY_MASTER_KEY: createSealKey(),
      GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
      GATEWAY_PROXY_CERTIFICATES: egressName,
      GATEWAY_TLS_CLIENT_CA_FILE: `${tlsFolder}/ca.crt`,
      ...serverTls,
    },
    mounts: { [tlsFolder]: await issued(node, 'control-plane-tls') },
    scratch: ['/data'],
    ready: 'ready',
  });
  const grpcPort = line.grpc_port ?? 0;
  const caller = new GrpcCaller(`localhost:${grpcPort}`, credentials.createSsl(readFileSync(node.internal.caFile)));
  const call = async (method: string, token: string, request: object) =>
    responseOf(await caller.call(method, token, request), method);
  const { token: platform } = await call('OperatorTokens.Bootstrap', bootstrapToken, { name: 'platform' });
  const proxyToken = await call('ProxyTokens.Create', String(platform), { name: 'sidecars' });
  const made = await call('Organizations.Create', String(platform), {
    name: 'acme',
    owner: { name: 'owner' },
  });
  const { organization, ownerToken: owner } = made as { organization: { id: string }; ownerToken: string };
  const organizationId = organization.id;
  const stored = { organizationId, provider: 'gpt-provider', name: 'stored', ...storedKeys['gpt-provider'] };
  await call('ProviderKeys.Create', owner, stored);
  let keys = 0;
  return {
    grpcPort,
    proxyToken: String(proxyToken.value),
    createKey: async () => {
      const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId };
      const request = { organizationId, name: `key-${++keys}`, scope };
      const { virtualKey, value } = await call('VirtualKeys.Create', owner, request);
      return { id: (virtualKey as { id: string }).id, value: String(value) };
    },
    revokeKey: async (id: string) => void (await call('VirtualKeys.Revoke', owner, { id })),
    close: () => caller.close(),
  };
}

/** @returns the port of its listener with mutual TLS */
async function startEgress(node: Node, grpcPort: number): Promise<number> {
  node.secrets.set('sidecars-ca', { 'ca.crt': readFileSync(node.sidecars.caFile, 'utf8') });
  const client = '/var/run/model-gateway/client-tls';
  const { line } = await node.start('proxy', {
    env: {
      GATEWAY_LISTEN: '127.0.0.1:0',
      GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
      GATEWAY_TLS_LISTEN: '127.0.0.1:0',
      ...serverTls,
      GATEWAY_TLS_CLIENT_CA_FILE: '/var/run/model-gateway/sidecars-ca/ca.crt',
      GATEWAY_CONTROL_PLANE: `localhost:${grpcPort}`,
      GATEWAY_CONTROL_PLANE_TLS: 'true',
      GATEWAY_CONTROL_PLANE_CA_FILE: `${client}/ca.crt`,
      GATEWAY_CONTROL_PLANE_CERT_FILE: `${client}/tls.crt`,
      GATEWAY_CONTROL_PLANE_KEY_FILE: `${client}/tls.key`,
      REDIS_URL: node.redis.url,
      GATEWAY_CACHE_KEY: createSealKey(),
      ...vendorOf(node.simulator),
    },
    mounts: {
      [tlsFolder]: await issued(node, 'egress-gateway-tls'),
      [client]: await issued(node, 'egress-gateway-client-tls', [`DNS:${egressName}`]),
      '/var/run/model-gateway/sidecars-ca': node.secrets.folder('ca', { secretName: 'sidecars-ca' }),
    },
    ready: 'ready for requests',
  });
  return line.tls_port ?? 0;
}

async function startInjector(node: Node, { egressPort, grpcPort }: { egressPort: number; grpcPort: number }) {
  const { line } = await node.start('control-plane', {
    args: ['/app/injector/bin/main.mjs'],
    env: {
      ...injectorEnvironment({ certFile: `${tlsFolder}/tls.crt`, keyFile: `${tlsFolder}/tls.key` }),
      GATEWAY_INJECTOR_MODES: 'forward,full',
      GATEWAY_INJECTOR_EGRESS_URL: `https://localhost:${egressPort}`,
      GATEWAY_INJECTOR_EGRESS_CA_FILE: `${tlsFolder}/ca.crt`,
      GATEWAY_INJECTOR_CONTROL_PLANE: `localhost:${grpcPort}`,
    },
    mounts: { [tlsFolder]: await issued(node, 'injector-tls') },
    ready: 'ready for reviews',
  });
  const agent = new Agent({ ca: readFileSync(node.internal.caFile) });
  const admit: TestCluster['admit'] = async (review, annotations) => {
    const { object } = review.request;
    const metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } };
    const pod = { ...object, metadata };
    const body = { ...review, request: { ...review.request, object: pod } };
    const response = responseIn(await ask(line.port ?? 0, body, { agent }));
    if (!response.allowed || response.patch.length === 0) throw new Error(`not injected: ${JSON.stringify(response)}`);
    return applyPatch(pod, response.patch);
  };
  return { admit, close: () => agent.destroy() };
}

/** The Secrets of an app's namespace, except for the virtual key. */
async function storeSecrets({ secrets, internal, sidecars, redis }: Node, proxyToken: string): Promise<void> {
  const sidecar = await sidecars.issue({ commonName: 'app', names: ['DNS:app.team-a.svc'] });
  secrets.set('model-gateway-sidecar-tls', tlsSecret(sidecar, sidecars.caFile));
  secrets.set('model-gateway-proxy', {
    'proxy-token': proxyToken,
    'redis-url': redis.url,
    'cache-key': createSealKey(),
    'ca.crt': readFileSync(internal.caFile, 'utf8'),
  });
}

function vendorOf({ baseUrls, port }: Simulator): Record<string, string> {
  const entries = Object.entries(vendorSettings(baseUrls, port));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function secretValues({ secret }: { readonly secret: object }): readonly string[] {
  return Object.values(secret).map(String);
}
