// Certificates that live for seconds: rotations that normally take months happen while pods are being created, and no
// pod is refused.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { certificatesIn } from '../../../common/certificate-ends.ts';
import {
  type Check,
  createNamespace,
  eventually,
  must,
  mustEqual,
  optedIn,
  sidecarIn,
  startPodAt,
  untilInjected,
} from '../check.ts';
import type { Cluster } from '../cluster.ts';
import type { Control } from '../control.ts';
import { applyGateway } from '../manifests.ts';
import { endInjectors, secretText, startInjectors } from './install.ts';

const lives = { GATEWAY_KEEPER_CERTIFICATE_LIFE: '20s', GATEWAY_KEEPER_AUTHORITY_LIFE: '240s' };
/** The next authority is announced at 160 s and signs from 200 s; the first one is removed at 240 s. */
const watchedMs = 270_000;

const gatewaySecrets = [
  'control-plane-tls',
  'egress-gateway-tls',
  'egress-gateway-client-tls',
  'injector-tls',
  'sidecars-ca',
];

export const certificateChecks: readonly Check[] = [
  {
    name: 'an installation with certificates by plain.sh works, its webhooks kept by the file of their authority',
    run: async (cluster, scene) => {
      const { control } = cluster;
      await endInjectors(scene);
      control.kubectl(['-n', 'model-gateway', 'delete', 'secret', 'model-gateway-authorities', ...gatewaySecrets]);
      control.kubectl(['-n', 'model-gateway', 'delete', 'deployment', 'injector']);
      control.tryKubectl(['delete', 'mutatingwebhookconfiguration', 'model-gateway-injector']);
      control.kubectl(['apply', '-f', '-'], plain(cluster, 'gateway'));
      applyGateway(control, { overlay: 'overlays/sidecar', components: ['certificates/plain'] });
      await startInjectors(cluster, scene);
      await podsGetSidecars(cluster, 'by-plain-sh');
      return undefined;
    },
  },
  {
    name: 'the keeper takes that installation over, but only with the authorities that it is given',
    run: async (cluster, scene) => {
      const { control } = cluster;
      await endInjectors(scene);
      const before = injectorSecret(control, 'tls.crt');
      const authorities = certificatesIn(injectorSecret(control, 'ca.crt'));
      // As the changelog describes: the earlier owner of the Secrets must not delete their data.
      control.kubectl([
        '-n',
        'model-gateway',
        'annotate',
        'secret',
        ...gatewaySecrets,
        'kubectl.kubernetes.io/last-applied-configuration-',
      ]);
      applyGateway(control);
      const pod = await cluster.podOf('injector');
      const keeper = pod.run('keeper', { image: 'control-plane' });
      await eventually(() =>
        must(keeper.stdout().includes('names an authority whose key is not here'), 'it does not name the missing key'),
      );
      mustEqual(injectorSecret(control, 'tls.crt'), before, 'a certificate that it did not make');
      await pod.close();
      control.kubectl(['apply', '--server-side', '--field-manager=plain.sh', '-f', '-'], plain(cluster, 'authorities'));
      applyGateway(control);
      await startInjectors(cluster, scene);
      await podsGetSidecars(cluster, 'by-plain-sh');
      const after = new X509Certificate(injectorSecret(control, 'tls.crt'));
      must(
        authorities.some(({ publicKey }) => after.verify(publicKey)),
        'clients with only the authorities of plain.sh do not trust the injector any more',
      );
      return undefined;
    },
  },
  {
    name: 'certificates are renewed and an authority is rolled under pods that are being created, and none is refused',
    run: async (cluster, scene) => {
      const { control } = cluster;
      await endInjectors(scene);
      // A new start as the runbook describes it: the Secrets are deleted and created empty.
      for (const name of ['model-gateway-authorities', ...gatewaySecrets]) {
        control.kubectl(['-n', 'model-gateway', 'delete', 'secret', name]);
        control.kubectl(['-n', 'model-gateway', 'create', 'secret', 'generic', name]);
      }
      await startInjectors(cluster, scene, { replicas: 2, env: lives });
      createNamespace(control, 'rolled', { labels: optedIn });
      const seen = { leaves: new Set<string>(), authorities: new Set<string>() };
      const began = performance.now();
      let pods = 0;
      while (performance.now() - began < watchedMs) {
        const { pod, refusal } = await startPodAt(control, { namespace: 'rolled' });
        must(
          sidecarIn(pod),
          `after ${Math.round((performance.now() - began) / 1000)} s and ${pods} pods: ${refusal ?? 'no sidecar'}`,
        );
        pods++;
        const stored = async (name: string) =>
          JSON.parse(
            (await control.start(['-n', 'model-gateway', 'get', 'secret', name, '-o', 'json'])).stdout,
          ) as StoredSecret;
        seen.leaves.add((await stored('injector-tls')).data['tls.crt'] ?? '');
        seen.authorities.add((await stored('model-gateway-authorities')).data['internal.crt'] ?? '');
      }
      must(seen.leaves.size >= 15, `only ${seen.leaves.size} certificates`);
      must(seen.authorities.size >= 2, 'the authority did not change');
      return `${pods} pods in ${watchedMs / 1000} s, ${seen.leaves.size} certificates of ${seen.authorities.size} authorities`;
    },
  },
];

interface StoredSecret {
  readonly data: Readonly<Record<string, string>>;
}

const script = join(import.meta.dirname, '../../../deploy/certificates/plain.sh');

function plain({ folder }: Cluster, what: 'gateway' | 'authorities'): string {
  return execFileSync('sh', [script, join(folder, 'authorities'), what], { encoding: 'utf8' });
}

function injectorSecret(control: Control, key: 'tls.crt' | 'ca.crt'): string {
  return secretText(control, { namespace: 'model-gateway', name: 'injector-tls', key });
}

async function podsGetSidecars({ control }: Cluster, namespace: string): Promise<void> {
  if (!control.tryKubectl(['get', 'namespace', namespace]).ok) createNamespace(control, namespace, { labels: optedIn });
  await untilInjected(control, { namespace });
}
