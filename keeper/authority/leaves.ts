// The certificates of the gateway's programs, and whether one must be renewed: pure. Names and usages are those of
// deploy/certificates/cert-manager.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { certificatesIn } from '../../common/certificate-ends.ts';
import type { AuthorityName, SecretData } from './authorities.ts';

export interface Leaf {
  readonly secret: string;
  readonly authority: AuthorityName;
  readonly usage: 'server' | 'client';
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

/** The certificates of the gateway's own namespace. */
export function leavesOf(namespace: string): readonly Leaf[] {
  const server = (secret: string, dnsNames: readonly string[], addresses: readonly string[] = []): Leaf => ({
    secret,
    authority: 'internal',
    usage: 'server',
    dnsNames,
    addresses,
  });
  const service = (name: string) =>
    [`.${namespace}.svc`, `.${namespace}.svc.cluster.local`, `.${namespace}`, ''].map((rest) => name + rest);
  return [
    // Also for `kubectl port-forward`.
    server(
      'control-plane-tls',
      [...service('control-plane'), ...service('control-plane-http'), 'localhost'],
      ['127.0.0.1'],
    ),
    server('egress-gateway-tls', service('egress-gateway')),
    server('injector-tls', service('injector').slice(0, 2)),
    {
      secret: 'egress-gateway-client-tls',
      authority: 'internal',
      usage: 'client',
      addresses: [],
      // The control plane recognizes a proxy by this name. It is not a host name, so no server's certificate has it.
      dnsNames: [`egress-gateway.proxies.${namespace}`],
    },
  ];
}

/** The certificate of the sidecars in an app namespace. */
export function tenantLeaf(namespace: string): Leaf {
  return {
    secret: 'model-gateway-sidecar-tls',
    authority: 'sidecars',
    usage: 'client',
    addresses: [],
    dnsNames: [`sidecars.${namespace}`],
  };
}

export interface LeafContext {
  /** PEM of the trusted authorities. */
  readonly bundle: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The content of a leaf's Secret. */
export interface StoredLeaf {
  readonly certificate: X509Certificate | undefined;
  /** PEM of the authorities in the same Secret. */
  readonly bundle: string | undefined;
}

/** The due step; undefined: none. */
export type LeafStep = 'renew' | 'update_bundle';

export function leafStepOf(leaf: Leaf, storedLeaf: StoredLeaf, context: LeafContext): LeafStep | undefined {
  if (!isGood(leaf, storedLeaf, context)) return 'renew';
  return storedLeaf.bundle === context.bundle ? undefined : 'update_bundle';
}

function isGood(leaf: Leaf, { certificate }: StoredLeaf, { bundle, now }: LeafContext): boolean {
  if (certificate === undefined) return false;
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const isYoung = now < from + ((to - from) * 2) / 3;
  return isYoung && hasNames(leaf, certificate) && isSignedBy(bundle, certificate);
}

/** Undefined for a certificate without a matching key. */
export function certificateIn(data: SecretData): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(data['tls.crt'] ?? '');
    return certificate.checkPrivateKey(createPrivateKey(data['tls.key'] ?? '')) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function hasNames({ dnsNames, addresses }: Leaf, { subjectAltName = '' }: X509Certificate): boolean {
  const wanted = [...dnsNames.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP Address:${address}`)];
  const had = new Set(subjectAltName.split(', '));
  return wanted.length === had.size && wanted.every((name) => had.has(name));
}

function isSignedBy(bundle: string, certificate: X509Certificate): boolean {
  return certificatesIn(bundle).some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
}
