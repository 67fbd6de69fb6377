// Writes down what the API server asks of webhooks about pods, for npm test: what is new since those that are there were written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, startNode } from '../../../test/support/process.ts';
import { createAuthority } from '../../../test/support/tls.ts';
import { type Check, createNamespace, createPodAt, eventually, must } from '../check.ts';
import { untilReady } from '../cluster.ts';
import { type Control, hostAddress } from '../control.ts';

const folder = join(projectRoot, 'test/integration/injector/reviews');
const namespace = 'recorded';
const labels = { 'model-gateway.io/inject': 'enabled' };

/** Pods by the name of their recording. */
const pods: Readonly<Record<string, object>> = {
  'declares-8080': { ports: [{ containerPort: 8080 }, { containerPort: 9090 }] },
  'declares-15400': { ports: [{ containerPort: 15_400 }] },
  guaranteed: { resources: { limits: { cpu: '1', memory: '1Gi' } } },
  'limit-range-defaults': {},
};

export const reviewChecks: readonly Check[] = [
  {
    name: 'reviews of the API server are written down',
    run: async ({ control }) => {
      const limits = [
        {
          type: 'Container',
          default: { cpu: '400m', memory: '300Mi' },
          defaultRequest: { cpu: '200m', memory: '200Mi' },
        },
      ];
      createNamespace(control, namespace, { labels });
      const range = {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'limits', namespace },
        spec: { limits },
      };
      const [recorder, later] = [
        await start(control, 'aa-recorder', 'record-reviews'),
        await start(control, 'zz-later', 'later-webhook'),
      ];
      try {
        for (const [recording, container] of Object.entries(pods)) {
          if (recording === 'limit-range-defaults')
            control.kubectl(['apply', '-f', '-'], JSON.stringify(range));
          await eventually(() => {
            const { pod, refusal } = createPodAt(control, {
              namespace,
              labels: { recording },
              container,
              isStored: true,
            });
            must(
              pod?.spec.containers.some(({ name }) => name === 'late'),
              refusal ?? 'the later webhook was not asked',
            );
          });
        }
      } finally {
        await recorder.close();
        await later.close();
      }
      return Object.keys(pods).join(', ');
    },
  },
];

let port = 9543;

async function start(control: Control, name: string, script: string) {
  const authority = await createAuthority(name);
  const { certFile, keyFile } = await authority.issue({ commonName: name, names: [`IP:${hostAddress}`] });
  const own = ++port;
  const child = startNode([
    `scripts/cluster-check/${script}.ts`,
    hostAddress,
    String(own),
    certFile,
    keyFile,
    folder,
  ]);
  await untilReady(child, '"msg":');
  const webhook = {
    ...{
      name: `${name}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
    },
    clientConfig: {
      url: `https://${hostAddress}:${own}/`,
      caBundle: readFileSync(authority.caFile).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    reinvocationPolicy: 'IfNeeded',
  };
  const kind = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' };
  control.kubectl(
    ['create', '-f', '-'],
    JSON.stringify({ ...kind, metadata: { name }, webhooks: [webhook] }),
  );
  return {
    close: async () => {
      control.kubectl(['delete', 'mutatingwebhookconfiguration', name]);
      await child.stop();
      authority.remove();
    },
  };
}
