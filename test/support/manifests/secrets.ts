// The origin of the Secrets that pods mount, with their keys: a Certificate of cert-manager, or the operator.
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { type KubernetesObject, ofKind } from './objects.ts';

/** Secrets that no manifest contains; docs/kubernetes.md describes how each is made. */
export const operatorSecrets: Readonly<Record<string, readonly string[]>> = {
  // bootstrap-token is for the first start only.
  'control-plane': ['database-url', 'master-key', 'record-signing-key', 'bootstrap-token'],
  'egress-gateway': ['redis-url', 'cache-key', 'record-keys'],
};

/** Secrets that deploy/certificates/plain.sh makes without cert-manager. */
export const plainSecrets: Readonly<Record<string, readonly string[]>> = {
  'control-plane-tls': ['tls.crt', 'tls.key', 'ca.crt'],
  'egress-gateway-tls': ['tls.crt', 'tls.key', 'ca.crt'],
  'egress-gateway-client-tls': ['tls.crt', 'tls.key', 'ca.crt'],
  'injector-tls': ['tls.crt', 'tls.key', 'ca.crt'],
  'sidecars-ca': ['ca.crt'],
};

/** Keys by Secret. */
export function secretsOf(objects: readonly KubernetesObject[]): Readonly<Record<string, readonly string[]>> {
  const certificates = ofKind(objects, Certificate.is);
  if (certificates.length === 0) return { ...plainSecrets, ...operatorSecrets };
  const made = certificates.map(({ spec }) => [spec?.secretName, ['tls.crt', 'tls.key', 'ca.crt']]);
  return { ...Object.fromEntries(made), ...operatorSecrets };
}
