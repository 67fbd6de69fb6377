// Uninstalling in any order leaves no fail-closed webhook. Kubernetes' own controllers delete namespaces and dependent
// objects.
import {
  type Check,
  createNamespace,
  createPodAt,
  eventually,
  must,
  mustEqual,
  optedIn,
  type Scene,
  sidecarIn,
} from '../check.ts';
import type { Cluster } from '../cluster.ts';
import type { Control } from '../control.ts';
import { applyGateway, keeperOverlay, objectsOf } from '../manifests.ts';
import { endInjectors, startInjectors } from './install.ts';

const isThere = ({ tryKubectl }: Control) =>
  tryKubectl(['get', 'mutatingwebhookconfiguration', 'model-gateway-injector']).ok;

export const uninstallChecks: readonly Check[] = [
  {
    name: 'the Deployment deleted alone: its keepers take the webhooks with them',
    run: async (cluster, scene) => {
      await installed(cluster, scene);
      const begun = performance.now();
      cluster.control.kubectl(['-n', 'model-gateway', 'delete', 'deployment', 'injector', '--wait=false']);
      await gone(cluster.control);
      return `gone after ${Math.round(performance.now() - begun)} ms`;
    },
  },
  {
    name: 'the Deployment deleted in the foreground, its keeper ended the moment after: gone as well',
    run: async (cluster, scene) => {
      await installed(cluster, scene);
      cluster.control.kubectl([
        '-n',
        'model-gateway',
        'delete',
        'deployment',
        'injector',
        '--cascade=foreground',
        '--wait=false',
      ]);
      await endInjectors(scene);
      await gone(cluster.control);
      return undefined;
    },
  },
  {
    name: 'the Deployment kept, its pods restarted: the webhooks stay',
    run: async (cluster, scene) => {
      await installed(cluster, scene);
      await endInjectors(scene);
      must(isThere(cluster.control), 'the webhooks are gone');
      return undefined;
    },
  },
  {
    name: 'the namespace deleted while no keeper runs: the garbage collector takes the webhooks, and pods start again',
    run: async (cluster, scene) => {
      await installed(cluster, scene);
      await endInjectors(scene);
      const { control } = cluster;
      createNamespace(control, 'left-behind', { labels: optedIn });
      await eventually(() =>
        must(createPodAt(control, { namespace: 'left-behind' }).refusal, 'not refused without an injector'),
      );
      control.kubectl(['delete', 'namespace', 'model-gateway', '--wait=false']);
      await gone(control, 60_000);
      await eventually(() => must(createPodAt(control, { namespace: 'left-behind' }).pod, 'pods are still refused'));
      return undefined;
    },
  },
  {
    name: 'the namespace deleted first, with keepers: the webhooks go at once, and pods of apps never wait',
    run: async (cluster, scene) => {
      const { control } = cluster;
      await installed(cluster, scene);
      must(sidecarIn(createPodAt(control, { namespace: 'left-behind' }).pod), 'before');
      const begun = performance.now();
      control.kubectl(['delete', 'namespace', 'model-gateway', '--wait=false']);
      await gone(control, 5_000);
      const { pod, refusal } = createPodAt(control, { namespace: 'left-behind' });
      must(pod, `a pod is refused: ${refusal}`);
      return `gone after ${Math.round(performance.now() - begun)} ms`;
    },
  },
  {
    name: 'kubectl delete of everything: nothing of the gateway is left in the cluster',
    run: async (cluster, scene) => {
      const { control } = cluster;
      await installed(cluster, scene);
      const objects = JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: objectsOf({ overlay: keeperOverlay }),
      });
      control.kubectl(['delete', '--ignore-not-found', '--wait=false', '-f', '-'], objects);
      await gone(control, 10_000);
      await endInjectors(scene);
      await eventually(() => {
        const kinds = 'mutatingwebhookconfigurations,clusterroles,clusterrolebindings,namespaces';
        const left = control.kubectl(['get', kinds, '-l', 'app.kubernetes.io/part-of=model-gateway', '-o', 'name']);
        mustEqual(
          left.split('\n').filter((line) => line !== '' && !line.includes('team-a')),
          [],
          'left',
        );
      }, 60_000);
      return undefined;
    },
  },
];

/** Installs the gateway again with one running pod, after waiting for the last check's deletions. */
async function installed(cluster: Cluster, scene: Scene): Promise<void> {
  const { control } = cluster;
  await endInjectors(scene);
  await eventually(() => {
    const { ok, output } = control.tryKubectl(['get', 'namespace', 'model-gateway', '-o', 'jsonpath={.status.phase}']);
    must(!ok || output === 'Active', `the namespace is ${output}`);
  }, 120_000);
  await eventually(() => applyGateway(control));
  await startInjectors(cluster, scene);
  await eventually(() => must(isThere(control), 'no webhooks'));
}

async function gone(control: Control, withinMs = 10_000): Promise<void> {
  await eventually(() => must(!isThere(control), 'the webhooks are still there'), withinMs);
}
