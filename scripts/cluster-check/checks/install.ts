// From an empty cluster to one in which pods get sidecars: the placeholder is refused, the keeper issues certificates,
// the webhooks are complete.
import { X509Certificate } from 'node:crypto';
import { type Check, eventually, must, mustEqual, mustMatch, type Scene } from '../check.ts';
import { type Cluster, type RunningPod, untilReady } from '../cluster.ts';
import { apply, applyGateway, keeperOverlay, objectsOf } from '../manifests.ts';

export const installChecks: readonly Check[] = [
  {
    name: 'the manifests are accepted with strict validation, without a warning',
    run: async ({ control }) => {
      mustEqual(apply(control, objectsOf({ overlay: keeperOverlay, withImages: false })), [], 'output of kubectl');
      const others = ['overlays/egress-gateway', 'overlays/sidecar', 'overlays/sidecar-full-mode', 'overlays/demo'];
      for (const other of others)
        mustEqual(apply(control, objectsOf({ overlay: other }), ['--dry-run=server', '--force-conflicts']), [], other);
      return `${others.length + 1} overlays`;
    },
  },
  {
    name: 'pods of all three Deployments are admitted in the restricted namespace',
    run: async ({ control }) => {
      const names = await eventually(() => {
        const output = control.kubectl(['-n', 'model-gateway', 'get', 'pods', '-o', 'name']);
        const found = ['control-plane', 'egress-gateway', 'injector'].filter((name) => output.includes(`pod/${name}-`));
        must(found.length === 3, `only pods of ${found.join(', ')}`);
        return found;
      });
      return names.join(', ');
    },
  },
  {
    name: 'a keeper that finds the placeholder for the sidecar’s image ends with 64, and names it',
    run: async (cluster) => {
      const pod = await cluster.podOf('injector');
      const keeper = pod.run('keeper', { image: 'control-plane' });
      mustEqual(await keeper.exited, 64, 'the exit code');
      mustMatch(
        keeper.stderr(),
        /placeholder registry\.invalid\/model-gateway\/proxy:0\.1\.0: name your own/,
        'its error',
      );
      await pod.close();
      return undefined;
    },
  },
  {
    name: 'with images named the keeper makes all certificates, and the injector starts with its own',
    run: async (cluster, scene) => {
      applyGateway(cluster.control);
      const begun = performance.now();
      await startInjectors(cluster, scene, { replicas: 2 });
      checkCertificates(cluster);
      return `both replicas ready after ${Math.round(performance.now() - begun)} ms`;
    },
  },
  {
    name: 'the webhook configuration is whole: the authority in each webhook, the namespace as its owner',
    run: async ({ control }) => {
      await eventually(() => {
        const { metadata, webhooks } = configurationOf(control);
        const bundles = new Set(webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ''));
        must(bundles.size === 1 && !bundles.has(''), 'a webhook lacks its authority');
        mustEqual(
          metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
          ['Namespace model-gateway'],
          'its owner',
        );
      });
      return undefined;
    },
  },
  {
    name: 'the account of the keeper has the rights that it needs, and may create nothing',
    run: async ({ control }) => {
      const as = '--as=system:serviceaccount:model-gateway:injector';
      const can = (...args: string[]) => control.run(['auth', 'can-i', as, ...args]).stdout.trim();
      const configuration = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
      for (const verb of ['get', 'watch', 'patch', 'delete'])
        mustEqual(can(verb, `${configuration}/model-gateway-injector`), 'yes', `${verb} its webhooks`);
      for (const verb of ['get', 'patch', 'delete', 'update'])
        mustEqual(can(verb, `${configuration}/another`), 'no', `${verb} others’ webhooks`);
      const kinds = [configuration, 'secrets', 'leases', 'pods', 'namespaces', 'podtemplates', 'deployments', 'roles'];
      for (const kind of kinds) mustEqual(can('create', kind, '-n', 'model-gateway'), 'no', `create ${kind}`);
      mustEqual(can('get', 'secrets/control-plane', '-n', 'model-gateway'), 'no', 'read the control plane’s Secret');
      mustEqual(can('list', 'secrets', '-n', 'model-gateway'), 'no', 'list Secrets');
      return `${kinds.length} kinds tried`;
    },
  },
];

export interface InjectorOptions {
  readonly replicas?: number;
  /** Of the keeper. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts pods of the injector's Deployment, and sets them as endpoints of its Service. */
export async function startInjectors(
  cluster: Cluster,
  { injectors }: Scene,
  { replicas = 1, env = {} }: InjectorOptions = {},
): Promise<void> {
  for (let replica = 0; replica < replicas; replica++) injectors.push(await startInjector(cluster, env));
  cluster.setEndpoints(injectors);
}

/** Ends all running pods. */
export async function endInjectors({ injectors }: Scene): Promise<void> {
  for (const pod of injectors.splice(0)) await pod.close();
}

/**
 * Starts the keeper first, because the injector needs its certificates. Like a kubelet, it restarts the injector until
 * they exist.
 */
async function startInjector(cluster: Cluster, env: Readonly<Record<string, string>>): Promise<RunningPod> {
  const pod = await cluster.podOf('injector');
  const keeper = pod.run('keeper', { image: 'control-plane', env });
  await untilReady(keeper, '"msg":"keeping"');
  await eventually(async () => {
    const injector = pod.run('injector', { image: 'control-plane' });
    await untilReady(injector, 'ready for reviews');
  });
  await eventually(async () => {
    for (const port of [9092, 9093]) {
      const response = await fetch(`http://${pod.address}:${port}/readyz`);
      must(response.ok, `port ${port} of the pod: ${await response.text()}`);
    }
  });
  return pod;
}

interface Configuration {
  readonly metadata: {
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly caBundle?: string };
  }[];
}

export function configurationOf(control: Cluster['control']): Configuration {
  return JSON.parse(control.kubectl(['get', 'mutatingwebhookconfiguration', 'model-gateway-injector', '-o', 'json']));
}

function checkCertificates({ control }: Cluster): void {
  const names = ['control-plane-tls', 'egress-gateway-tls', 'egress-gateway-client-tls', 'injector-tls'];
  for (const name of names) {
    const read = (key: string) => secretText(control, { namespace: 'model-gateway', name, key });
    const certificate = new X509Certificate(read('tls.crt'));
    must(certificate.verify(new X509Certificate(read('ca.crt')).publicKey), `${name} is not signed by its ca.crt`);
  }
  must(
    secretText(control, { namespace: 'model-gateway', name: 'sidecars-ca', key: 'ca.crt' }).includes('BEGIN'),
    'no sidecars-ca',
  );
}

export function secretText(
  control: Cluster['control'],
  { namespace, name, key }: { readonly namespace: string; readonly name: string; readonly key: string },
): string {
  const path = `jsonpath={.data.${key.replaceAll('.', '\\.')}}`;
  return Buffer.from(control.kubectl(['-n', namespace, 'get', 'secret', name, '-o', path]), 'base64').toString();
}
