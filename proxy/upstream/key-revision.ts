// Notices that a provider key was changed, without a copy of its secret.
import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../../common/secret.ts';

/** Of this process alone, so that a revision says nothing about a secret to those who see it elsewhere. */
const key = randomBytes(32);

/**
 * Compute it once for each record.
 * @param parts all that decides whether a vendor accepts the key: the parts of its secret, base URL, region, API version;
 * always in the same order
 * @returns equal for equal parts, within this process
 */
export function keyRevision(parts: readonly (Secret | string | undefined)[]): string {
  const texts = parts.map((part) => (part instanceof Secret ? part.reveal() : (part ?? null)));
  return createHmac('sha256', key).update(JSON.stringify(texts)).digest().subarray(0, 16).toString('base64url');
}
