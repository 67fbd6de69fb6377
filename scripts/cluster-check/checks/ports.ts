// Two unchanged applications on 8080 beside their sidecars, one that declares the port and one that does not. The
// ReplicaSet controller creates their pods, the gateway's webhook patches them, each has its own network, and requests
// go all the way to a simulated vendor.
import { join } from 'node:path';
import { createCredential } from '../../../common/credential.ts';
import { createSealKey } from '../../../common/seal.ts';
import { startSimulator } from '../../../simulator/index.ts';
import type { TestPod } from '../../../test/support/injection.ts';
import { projectRoot, startProcess, until } from '../../../test/support/process.ts';
import { storedKeys, vendorSettings } from '../../../test/support/vendors.ts';
import { type Check, eventually, must, mustEqual, mustMatch, sidecarIn } from '../check.ts';
import { type Cluster, gatewayctl, untilReady } from '../cluster.ts';
import { type Control, hostAddress } from '../control.ts';
import { apply, images, tenantObjects } from '../manifests.ts';
import { secretText } from './install.ts';

const namespace = 'team-a';
const app = join(projectRoot, 'scripts/cluster-check/app.mjs');
const closers: (() => unknown)[] = [];

export const portChecks: readonly Check[] = [
  {
    name: 'the control plane and the egress gateway run from their Deployments, with certificates of the keeper’s',
    run: async (cluster, scene) => {
      scene.virtualKey = await startGateway(cluster);
      return undefined;
    },
  },
  {
    name: 'a namespace of apps gets its sidecars’ certificate from the keeper',
    run: async ({ control }, { virtualKey = '' }) => {
      apply(control, tenantObjects(namespace));
      control.kubectl([
        '-n',
        namespace,
        'create',
        'secret',
        'generic',
        'model-gateway-key',
        `--from-literal=virtual-key=${virtualKey}`,
      ]);
      const begun = performance.now();
      await eventually(() => {
        const key = { namespace, name: 'model-gateway-sidecar-tls', key: 'tls.crt' };
        mustMatch(secretText(control, key), /BEGIN CERTIFICATE/, 'the certificate');
      }, 90_000);
      return `after ${Math.round((performance.now() - begun) / 1000)} s`;
    },
  },
  ...([true, false] as const).map((declares): Check => {
    const what = declares ? 'declares 8080' : 'only listens on 8080';
    return {
      name: `an app that ${what} runs unchanged beside its sidecar, and gets its response through it`,
      run: async (cluster) => {
        const pod = await deployedPod(cluster.control, declares ? 'declares' : 'listens', {
          ...(declares && { ports: [{ containerPort: 8080 }] }),
        });
        return runPod(cluster, pod);
      },
    };
  }),
  {
    name: 'an app that declares 15400 and 15490 runs beside a sidecar on other ports, and its author gets a warning',
    run: async (cluster) => {
      const ports = [{ containerPort: 15_400 }, { containerPort: 15_490 }];
      const pod = await deployedPod(cluster.control, 'moves', { ports });
      mustEqual(
        [
          pod.metadata.annotations?.['model-gateway.io/port'],
          pod.metadata.annotations?.['model-gateway.io/admin-port'],
        ],
        ['15401', '15402'],
        'the annotations',
      );
      return runPod(cluster, pod);
    },
  },
  {
    name: 'a sidecar whose port is in use ends at once, and names the container',
    run: async (cluster) => {
      const pod = await deployedPod(cluster.control, 'takes', {});
      const running = await cluster.podAs(namespace, pod);
      const thief = running.runHere('app', [
        process.execPath,
        '-e',
        "require('net').createServer().listen(15400, '127.0.0.1', () => console.log('\"msg\":\"taken\"'))",
      ]);
      await untilReady(thief, 'taken');
      const sidecar = running.run('model-gateway', { image: 'proxy' });
      mustEqual(await sidecar.exited, 1, 'the exit code');
      mustMatch(
        sidecar.stderr(),
        /127\.0\.0\.1:15400 is already in use by container app, as user 0; the pod’s annotation model-gateway\.io\/port/,
        'its error',
      );
      await running.close();
      return sidecar.stderr().trim();
    },
  },
  {
    name: 'programs of these checks are ended before the next checks',
    run: async () => {
      for (const close of closers.splice(0).toReversed()) await close();
      return undefined;
    },
  },
];

/** Starts the sidecar first, like a native sidecar, then the app, for which 8080 is free. */
async function runPod(cluster: Cluster, pod: TestPod): Promise<string> {
  const running = await cluster.podAs(namespace, pod);
  const sidecar = running.run('model-gateway', { image: 'proxy' });
  await untilReady(sidecar, 'ready for requests');
  const [adminPort] = (sidecarIn(pod)?.ports ?? []) as { containerPort: number }[];
  const admin = `http://${running.address}:${adminPort?.containerPort}`;
  // The pod's address serves only metrics and probes.
  for (const [path, status] of Object.entries({ livez: 200, readyz: 200, metrics: 200, '': 404, debug: 404 }))
    mustEqual((await fetch(`${admin}/${path}`)).status, status, `/${path} on the pod’s address`);
  const process_ = running.runHere('app', [process.execPath, app]);
  await untilReady(process_, 'app listens');
  const response = await fetch(`http://${running.address}:8080/`);
  const result = await response.text();
  mustEqual(response.status, 200, `the app’s response (${result}; ${sidecar.stdout().slice(-600)})`);
  await running.close();
  return `the app responds on 8080: ${JSON.stringify(result.slice(0, 40))}`;
}

/** A pod as the ReplicaSet controller creates it. */
async function deployedPod(control: Control, name: string, container: object): Promise<TestPod> {
  const labels = { app: name };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'example/app:1', ...container }] },
      },
    },
  };
  control.kubectl(['create', '-f', '-'], JSON.stringify(deployment));
  return eventually(() => {
    const { items } = JSON.parse(
      control.kubectl(['-n', namespace, 'get', 'pods', '-l', `app=${name}`, '-o', 'json']),
    ) as { items: TestPod[] };
    const [pod] = items;
    must(pod && sidecarIn(pod), 'no pod with a sidecar');
    mustEqual(sidecarIn(pod)?.image, images.proxy, 'the sidecar’s image');
    return pod;
  });
}

/** Follows docs/kubernetes.md. @returns a virtual key */
async function startGateway(cluster: Cluster): Promise<string> {
  const { control, folder } = cluster;
  const simulator = await startSimulator({ host: hostAddress, port: 0 });
  const redis = startProcess('redis-server', [
    '--bind',
    hostAddress,
    '--port',
    '6379',
    '--save',
    '',
    '--protected-mode',
    'no',
  ]);
  closers.push(
    () => simulator.close(),
    () => redis.stop(),
  );
  const secret = (name: string, values: Record<string, string>) =>
    control.kubectl([
      '-n',
      'model-gateway',
      'create',
      'secret',
      'generic',
      name,
      ...Object.entries(values).map(([key, value]) => `--from-literal=${key}=${value}`),
    ]);
  const bootstrap = createCredential('bootstrap');
  secret('control-plane', {
    'database-url': 'sqlite:/var/run/model-gateway/data/gateway.db',
    'master-key': createSealKey(),
    'bootstrap-token': bootstrap,
  });
  secret('egress-gateway', { 'redis-url': `redis://${hostAddress}:6379`, 'cache-key': createSealKey() });
  const [plane, egress] = [await cluster.podOf('control-plane'), await cluster.podOf('egress-gateway')];
  closers.push(
    () => plane.close(),
    () => egress.close(),
  );
  cluster.setHosts({
    ...Object.fromEntries(
      ['control-plane', 'control-plane-http'].map((name) => [`${name}.model-gateway.svc`, plane.address]),
    ),
    'egress-gateway.model-gateway.svc': egress.address,
  });
  await untilReady(
    plane.run('control-plane', {
      image: 'control-plane',
      env: { GATEWAY_BOOTSTRAP_TOKEN: bootstrap },
      scratch: ['/var/run/model-gateway/data'],
    }),
    '"msg":"ready"',
  );
  const vendors = Object.entries(vendorSettings(simulator.baseUrls, simulator.port)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  await untilReady(
    egress.run('egress-gateway', {
      image: 'proxy',
      env: { ...Object.fromEntries(vendors), GATEWAY_PRIVATE_UPSTREAMS: `${hostAddress}:${simulator.port}` },
    }),
    'ready for requests',
  );
  return firstKey(control, folder, bootstrap);
}

async function firstKey(control: Control, folder: string, bootstrap: string): Promise<string> {
  const { writeFileSync } = await import('node:fs');
  const caFile = join(folder, 'plane-ca.crt');
  writeFileSync(caFile, secretText(control, { namespace: 'model-gateway', name: 'control-plane-tls', key: 'ca.crt' }));
  const server = ['--server', 'control-plane.model-gateway.svc:50051', '--ca-file', caFile];
  const ctl = (args: string[], input?: string) => gatewayctl(folder, args, input).trim();
  ctl(['context', 'add', 'cluster', ...server]);
  ctl(['bootstrap', 'Peter Platform'], bootstrap);
  const owner = ctl(['organizations', 'create', 'acme', '--owner', 'Olga Owner']);
  ctl(['context', 'add', 'acme', ...server, '--organization', 'acme']);
  ctl(['login'], owner);
  ctl(
    ['provider-keys', 'create', 'gpt-provider', 'main', '--secret-file', '-'],
    storedKeys['gpt-provider'].secret.apiKey,
  );
  ctl(['systems', 'create', 'shop']);
  return until(() => ctl(['keys', 'create', 'shop', '--system', 'shop']), { what: 'a virtual key' });
}
