// Which virtual key came with a request that was refused before anybody asked for it: for the log, so that a client that is pointed to
// the wrong place can be found. Memory answers or nobody: strangers cause no look-up.
import { credentialHint, hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { type CredentialHeaders, sentKeys } from './credentials.ts';
import type { Principal } from './principal.ts';

export type SentKey =
  | { readonly keyId: string; readonly organizationId: string }
  /** Well-formed and not known here: its last characters. */
  | { readonly keyHint: string };

/** What memory has of a key, whether or not it may still be used. @param keyHash SHA-256 in hexadecimal */
export type RecallPrincipal = (keyHash: string) => Principal | undefined;

/** @returns undefined where no well-formed key was sent */
export function sentKey(headers: CredentialHeaders, recall: RecallPrincipal): SentKey | undefined {
  const value = sentKeys(headers).find((sent) => isWellFormedCredential('virtualKey', sent));
  if (value === undefined) return undefined;
  const principal = recall(hashCredential(value));
  if (principal === undefined) return { keyHint: credentialHint(value) };
  return { keyId: principal.key.keyId, organizationId: principal.organization.id };
}
