// Where the Secrets that pods mount come from, with the keys they hold: a Certificate of cert-manager, or the operator.
import { Certificate } from '@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate';
import { type KubernetesObject, ofKind } from './objects.ts';

/** What no manifest makes, because it is secret: docs/kubernetes.md says how each is made. */
export const operatorSecrets: Readonly<Record<string, readonly string[]>> = {
  // bootstrap-token for the first start alone.
  'control-plane': ['database-url', 'master-key', 'record-signing-key', 'bootstrap-token'],
  'egress-gateway': ['redis-url', 'cache-key', 'record-keys'],
};

/** What deploy/certificates/plain.sh makes where there is no cert-manager. */
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
