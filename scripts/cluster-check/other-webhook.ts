// Starts another webhook as a separate process, because the check blocks while kubectl runs. The API server calls it
// for the pods of one namespace, before or after the gateway's webhook by the name of its configuration.
import { readFileSync } from 'node:fs';
import { startNode } from '../../test/support/process.ts';
import { createAuthority } from '../../test/support/tls.ts';
import { untilReady } from './cluster.ts';
import { type Control, hostAddress } from './control.ts';

export interface OtherWebhook {
  /** Name of the configuration. */
  readonly name: string;
  readonly namespace: string;
  /** A file of this folder. It takes address, port, certificate and key, and logs a line when it listens. */
  readonly script: string;
  /** Its further arguments. */
  readonly args?: readonly string[];
}

let port = 9443;

export async function startOtherWebhook(
  control: Control,
  { name, namespace, script, args = [] }: OtherWebhook,
): Promise<{ close(): Promise<void> }> {
  const authority = await createAuthority(name);
  const { certFile, keyFile } = await authority.issue({ commonName: name, names: [`IP:${hostAddress}`] });
  const own = ++port;
  const file = `scripts/cluster-check/${script}.ts`;
  const child = startNode([file, hostAddress, String(own), certFile, keyFile, ...args]);
  await untilReady(child, '"msg":');
  const webhook = {
    name: `${name}.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    clientConfig: {
      url: `https://${hostAddress}:${own}/`,
      caBundle: readFileSync(authority.caFile).toString('base64'),
    },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  };
  const kind = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' };
  const configuration = { ...kind, metadata: { name }, webhooks: [webhook] };
  control.kubectl(['create', '-f', '-'], JSON.stringify(configuration));
  return {
    close: async () => {
      control.kubectl(['delete', 'mutatingwebhookconfiguration', name]);
      await child.stop();
      authority.remove();
    },
  };
}
