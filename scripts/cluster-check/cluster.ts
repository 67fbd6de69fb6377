// A cluster for checks: Kubernetes' control plane, and the pods of the gateway's Deployments as processes. Each pod has
// its own network, and exactly the environment, command, user and volumes that the API server has for it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '../../keeper/api/client.ts';
import type { TestPod } from '../../test/support/injection.ts';
import type { Child } from '../../test/support/process.ts';
import { projectRoot, until } from '../../test/support/process.ts';
import { buildPrograms } from '../build.ts';
import type { Binaries } from './build.ts';
import { type Control, hostAddress, startControl } from './control.ts';
import { createNetwork, createPod, type Network, type Pod } from './kubelet.ts';

export interface Cluster {
  readonly control: Control;
  readonly admin: ApiClient;
  readonly folder: string;
  /** A pod of a Deployment in the gateway's namespace; not running yet. */
  podOf(deployment: string): Promise<RunningPod>;
  /** An admitted pod; not running yet. */
  podAs(namespace: string, pod: TestPod): Promise<RunningPod>;
  /** Sets the injector's pods as endpoints of its Service at the API server. */
  setEndpoints(pods: readonly RunningPod[]): void;
  /** Sets names as cluster DNS would, for containers that start later. */
  setHosts(hosts: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

export interface RunningPod extends Pod {
  readonly address: string;
}

const gatewayNamespace = 'model-gateway';

export async function startCluster(binaries: Binaries): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-cluster-check-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    openNetwork(folder);
    const control = await startControl(binaries, join(folder, 'control'));
    closers.push(() => control.close());
    const dist = join(folder, 'dist');
    await buildPrograms(dist, ['proxy', 'control-plane', 'injector', 'keeper', 'gatewayctl']);
    const admin = await openAdmin(control);
    closers.push(() => admin.close());
    const start = async (namespace: string, pod: TestPod): Promise<RunningPod> => {
      const network: Network = await createNetwork();
      const local = createPod({ control, admin, dist, namespace, pod, network });
      let closed: Promise<void> | undefined;
      const closePod = () => {
        closed ??= local.close().then(() => network.close());
        return closed;
      };
      closers.push(closePod);
      return { ...pick(local), address: network.address, close: closePod };
    };
    return {
      control,
      admin,
      folder,
      close,
      podOf: (deployment) => start(gatewayNamespace, templateOf(control, deployment)),
      podAs: start,
      setEndpoints: (pods) => setEndpoints(control, pods),
      setHosts: (hosts) => writeHosts(folder, hosts),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function pick(pod: Pod): Pick<Pod, 'run' | 'runHere'> {
  return { run: (...given) => pod.run(...given), runHere: (...given) => pod.runHere(...given) };
}

/** Called in the process's own network and mount namespace. */
function openNetwork(folder: string): void {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  ip('link', 'set', 'lo', 'up');
  ip('addr', 'add', `${hostAddress}/24`, 'dev', 'lo');
  // Pods reach each other through this process.
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  writeHosts(folder, {});
  execFileSync('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts']);
}

function writeHosts(folder: string, hosts: Readonly<Record<string, string>>): void {
  const all = { localhost: '127.0.0.1', 'kubernetes.default.svc': hostAddress, ...hosts };
  // In place, because containers have this file mounted.
  writeFileSync(
    join(folder, 'hosts'),
    Object.entries(all)
      .map(([name, address]) => `${address} ${name}\n`)
      .join(''),
  );
}

async function openAdmin(control: Control): Promise<ApiClient> {
  control.kubectl(['-n', 'default', 'create', 'serviceaccount', 'admin']);
  const binding = ['create', 'clusterrolebinding', 'admin', '--clusterrole=cluster-admin'];
  control.kubectl([...binding, '--serviceaccount=default:admin']);
  const token = control.kubectl(['-n', 'default', 'create', 'token', 'admin', '--duration=8h']).trim();
  const { readFileSync } = await import('node:fs');
  return createApiClient({
    url: `https://${hostAddress}`,
    ca: { current: readFileSync(control.caFile) },
    token: { current: token },
    userAgent: 'cluster-check',
  });
}

function templateOf(control: Control, deployment: string): TestPod {
  const output = control.kubectl(['-n', gatewayNamespace, 'get', 'deployment', deployment, '-o', 'json']);
  return (JSON.parse(output) as { spec: { template: TestPod } }).spec.template;
}

function setEndpoints(control: Control, pods: readonly RunningPod[]): void {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: {
      name: 'injector-check',
      namespace: gatewayNamespace,
      labels: { 'kubernetes.io/service-name': 'injector' },
    },
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    endpoints: pods.map(({ address }) => ({ addresses: [address], conditions: { ready: true } })),
  };
  control.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(slice));
}

/** Waits for the log line of a ready program. @throws Error with its output if it ends before */
export async function untilReady(child: Child, words: string): Promise<void> {
  const ended = child.exited.then((code) => {
    throw new Error(`ended with ${code}: ${child.stderr()}${child.stdout().slice(-2000)}`);
  });
  await Promise.race([ended, until(() => child.stdout().includes(words), { timeoutMs: 60_000, what: words })]);
}

/** Runs gatewayctl as an operator does. @throws Error with its output */
export function gatewayctl(folder: string, args: readonly string[], input = ''): string {
  mkdirSync(join(folder, 'ctl'), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, 'gatewayctl/main.ts'), ...args], {
    encoding: 'utf8',
    input,
    env: { ...process.env, GATEWAYCTL_CONFIG: join(folder, 'ctl', 'config.json') },
  });
  if (status !== 0) throw new Error(`gatewayctl ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}
