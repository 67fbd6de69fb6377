// The key pair to which proxies seal captured content of an organization. The private key is sealed in the database, and
// bound to its organization and generation, like a record key; no proxy and no operator ever gets it.
import { dayMs } from '../../common/durations.ts';
import { createHpkeKeys } from '../../common/hpke.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';

/** The row that a sealed private key belongs to. */
export interface CaptureKeyBinding {
  readonly organizationId: string;
  readonly generation: number;
}

/** A key pair is replaced after this. */
export const captureKeyMs = 30 * dayMs;
/** How long proxies may still seal to a replaced key: their records and reports may be late. */
export const lateCapturesMs = 2 * dayMs;

/** A new key pair. @returns both keys in base64, for the columns */
export function createSealedCaptureKey(
  keys: SealKeys,
  binding: CaptureKeyBinding,
): { readonly public_key: string; readonly secret: string } {
  const { publicKey, privateKey } = createHpkeKeys();
  return { public_key: publicKey.toString('base64'), secret: sealCaptureKey(keys, binding, privateKey) };
}

/** @returns base64, for column `secret` */
export function sealCaptureKey(keys: SealKeys, binding: CaptureKeyBinding, privateKey: Uint8Array): string {
  return seal(keys, context(binding), privateKey).toString('base64');
}

/** Undefined if no key opens it for this row. */
export function unsealCaptureKey(keys: SealKeys, binding: CaptureKeyBinding, sealed: string): Buffer | undefined {
  return unseal(keys, context(binding), Buffer.from(sealed, 'base64'));
}

function context({ organizationId, generation }: CaptureKeyBinding): SealContext {
  return { derive: ['capture-key', organizationId], associated: [organizationId, 'capture-key', String(generation)] };
}
