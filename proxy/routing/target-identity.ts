// A target as health counts it, and its parts under the names by which proxies mean the same target.
import { hash } from 'node:crypto';

export interface TargetIdentity {
  readonly organization: string;
  /** Scheme, host and port of the base URL. */
  readonly origin: string;
  /** The canonical name. */
  readonly model: string;
  /**
   * The stored provider key, and its revision (see keyRevision): a changed key starts anew. Undefined: the caller's own
   * key. Such a target is never counted, because its caller decides what fails.
   */
  readonly providerKey: { readonly id: string; readonly revision: string } | undefined;
  /** So many requests in flight make it full, as the group of its route says. Undefined: only what is measured does. */
  readonly inFlightMax?: number | undefined;
}

/**
 * The same in each proxy, and no more than a hash to others.
 * @param organization undefined: for all organizations
 */
export function hostName({ origin, model }: TargetIdentity, organization: string | undefined): string {
  return nameOf('host', organization ?? '', origin, model);
}

/** @param model undefined: all models of the key */
export function keyName({ organization, providerKey }: TargetIdentity, model: string | undefined): string {
  return nameOf('key', organization, providerKey?.id ?? '', model ?? '');
}

function nameOf(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
