// The authorities and their rotation: pure functions on their Secret. Each authority overlaps with its successor: the
// next one is trusted everywhere long before it signs, and the old one until it expires.
import { X509Certificate } from 'node:crypto';
import type { KeyPair } from './x509.ts';

/**
 * Proxies and the control plane trust the first. App namespaces get certificates of the second, which only the egress
 * gateway accepts.
 */
export const authorityNames = ['internal', 'sidecars'] as const;
export type AuthorityName = (typeof authorityNames)[number];

export interface Authority {
  /** Signs certificates. */
  readonly current: KeyPair | undefined;
  /** Is trusted, and will sign later. */
  readonly next: KeyPair | undefined;
  /** Signed before: PEM of its certificate. Its key was deleted. */
  readonly old: string | undefined;
}

/** Keys of the Secret, such as "internal.next.crt". */
export type SecretData = Readonly<Record<string, string>>;

/** @throws Error for an invalid certificate, or one without its key */
export function authorityIn(name: AuthorityName, data: SecretData): Authority {
  return {
    current: pairIn(data, name),
    next: pairIn(data, `${name}.next`),
    old: data[`${name}.old.crt`] || undefined,
  };
}

function pairIn(data: SecretData, name: string): KeyPair | undefined {
  const [cert, key] = [data[`${name}.crt`] ?? '', data[`${name}.key`] ?? ''];
  if (cert === '' && key === '') return undefined;
  try {
    spanOf(cert);
  } catch (cause) {
    throw new Error(`${name}.crt in the Secret of the authorities is no certificate in PEM`, { cause });
  }
  if (key === '') throw new Error(`${name}.key is missing in the Secret of the authorities`);
  return { cert, key };
}

/** As a merge patch: null removes a key. */
export function dataOf(name: AuthorityName, { current, next, old }: Authority): Record<string, string | null> {
  return {
    [`${name}.crt`]: current?.cert ?? null,
    [`${name}.key`]: current?.key ?? null,
    [`${name}.next.crt`]: next?.cert ?? null,
    [`${name}.next.key`]: next?.key ?? null,
    [`${name}.old.crt`]: old ?? null,
  };
}

export type AuthorityStep = 'make' | 'announce' | 'switch' | 'drop_old';

/** The one step that is due, if any. @param now milliseconds since 1970 */
export function stepOf({ current, next, old }: Authority, now: number): AuthorityStep | undefined {
  if (old !== undefined && now >= spanOf(old).notAfter) return 'drop_old';
  if (current === undefined) return next === undefined ? 'make' : 'switch';
  const { notBefore, notAfter } = spanOf(current.cert);
  const at = (part: number) => notBefore + (notAfter - notBefore) * part;
  if (next === undefined) return now >= at(2 / 3) ? 'announce' : undefined;
  // The next authority must have been known for a sixth of a life, even if it was announced late, so that every program
  // has read it.
  const known = now - spanOf(next.cert).notBefore;
  const isKnown = known >= (notAfter - notBefore) / 6;
  return (now >= at(5 / 6) && isKnown) || now >= notAfter ? 'switch' : undefined;
}

export function switched({ current, next }: Authority): Authority {
  return { current: next, next: undefined, old: current?.cert };
}

/** PEM of all trusted authorities; undefined: none exists yet. */
export function bundleOf({ current, next, old }: Authority): string | undefined {
  const certificates = [current?.cert, next?.cert, old].filter((one) => one !== undefined);
  return certificates.length === 0 ? undefined : certificates.map((one) => `${one.trim()}\n`).join('');
}

/** Milliseconds since 1970. @throws Error for an invalid certificate */
export function spanOf(pem: string): { readonly notBefore: number; readonly notAfter: number } {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
}
