// Reinvocation: a webhook after ours changes pods, so ours is asked again. What the audit log then holds, and what the API server logs.
import { readFileSync } from 'node:fs';
import { startNode } from '../../../test/support/process.ts';
import { createAuthority } from '../../../test/support/tls.ts';
import {
  type Check,
  createNamespace,
  createPodAt,
  eventually,
  must,
  mustEqual,
  sidecarIn,
} from '../check.ts';
import { untilReady } from '../cluster.ts';
import { type Control, hostAddress } from '../control.ts';

const port = 9443;

export const auditChecks: readonly Check[] = [
  {
    name: 'a webhook after ours adds a container: it gets its environment, and no audit annotation is written twice',
    run: async ({ control }) => {
      const later = await startLaterWebhook(control);
      try {
        createNamespace(control, 'audited', { labels: { 'model-gateway.io/inject': 'enabled' } });
        const created = await eventually(() => {
          const one = createPodAt(control, { namespace: 'audited', isStored: true });
          must(
            one.pod?.spec.containers.some(({ name }) => name === 'late'),
            `${one.refusal ?? 'the later webhook was not asked'}`,
          );
          must(sidecarIn(one.pod), 'no sidecar');
          return one;
        });
        const late = created.pod?.spec.containers.find(({ name }) => name === 'late');
        must(
          late?.env?.some(({ name }) => name === 'OPENAI_BASE_URL'),
          'the late container knows no sidecar',
        );
        createPodAt(control, { namespace: 'audited', spec: { hostNetwork: true }, isStored: true });
        const seen = await eventually(() => annotationsIn(control, 'audited'));
        mustEqual(
          seen.injected,
          { 'outcome-0': 'injected', 'outcome-1': 'already_injected' },
          'of an injected pod',
        );
        mustEqual(
          seen.notInjected,
          { 'outcome-0': 'not_injected', 'outcome-1': 'not_injected' },
          'of one that is not',
        );
        const complaints = control
          .apiLog()
          .split('\n')
          .filter((line) => /audit annotation/.test(line));
        mustEqual(complaints, [], 'the API server complains');
        return JSON.stringify(seen.injected);
      } finally {
        await later.close();
      }
    },
  },
];

/** Of the two pods, by the names that our webhook gave them. */
function annotationsIn(control: Control, namespace: string) {
  const ours = 'namespaces.injector.model-gateway.io/';
  const found = control
    .audit()
    .filter(({ objectRef, verb }) => verb === 'create' && objectRef?.namespace === namespace)
    .map(({ annotations = {} }) =>
      Object.fromEntries(
        Object.entries(annotations)
          .filter(([name]) => name.startsWith(ours))
          .map(([name, value]) => [name.slice(ours.length), value]),
      ),
    );
  const injected = found.find((one) => one['outcome-1'] === 'already_injected');
  const notInjected = found.find((one) => one['outcome-0'] === 'not_injected');
  must(injected && notInjected, `the audit log has ${JSON.stringify(found)}`);
  return { injected, notInjected };
}

/** It stands after ours by its configuration's name. */
async function startLaterWebhook(control: Control) {
  const authority = await createAuthority('later webhook');
  const { certFile, keyFile } = await authority.issue({ commonName: 'later', names: [`IP:${hostAddress}`] });
  const child = startNode([
    'scripts/cluster-check/later-webhook.ts',
    hostAddress,
    String(port),
    certFile,
    keyFile,
  ]);
  await untilReady(child, 'later webhook listens');
  control.kubectl(
    ['create', '-f', '-'],
    JSON.stringify(configuration(readFileSync(authority.caFile).toString('base64'))),
  );
  return {
    close: async () => {
      control.kubectl(['delete', 'mutatingwebhookconfiguration', 'zz-later']);
      await child.stop();
      authority.remove();
    },
  };
}

function configuration(caBundle: string): object {
  return {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
    metadata: { name: 'zz-later' },
    webhooks: [
      {
        ...{
          name: 'later.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
        },
        clientConfig: { url: `https://${hostAddress}:${port}/`, caBundle },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'audited' } },
      },
    ],
  };
}
