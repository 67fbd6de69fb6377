// An organization's record key in the database: sealed, and bound to its organization and generation, like the secret of
// a provider key. It is a secret for proxies, which derive a key from it for each use; no operator ever sees it.
import { randomBytes } from 'node:crypto';
import { dayMs } from '../../common/durations.ts';
import { type SealContext, type SealKeys, seal, unseal } from '../../common/seal.ts';

/** The row that a sealed key belongs to. */
export interface RecordKeyBinding {
  readonly organizationId: string;
  readonly generation: number;
}

const keyBytes = 32;

/** How many generations are open at a time: no generation is replaced while the one before still opens. */
export const generationsMax = 2;

/** A generation opens for so long after it was replaced: 90 days. */
export const replacedKeptMs = 90 * dayMs;

/** Whether a generation may be dropped. Both are times of the database's clock. */
export function isOver(replacedAt: number, now: number): boolean {
  return now - replacedAt >= replacedKeptMs;
}

/** A new key. @returns base64, for column `secret` */
export function createSealedRecordKey(keys: SealKeys, binding: RecordKeyBinding): string {
  return sealRecordKey(keys, binding, randomBytes(keyBytes));
}

/** @returns base64, for column `secret` */
export function sealRecordKey(keys: SealKeys, binding: RecordKeyBinding, key: Uint8Array): string {
  return seal(keys, context(binding), key).toString('base64');
}

/** Undefined if no key opens it for this row. */
export function unsealRecordKey(keys: SealKeys, binding: RecordKeyBinding, sealed: string): Buffer | undefined {
  return unseal(keys, context(binding), Buffer.from(sealed, 'base64'));
}

function context({ organizationId, generation }: RecordKeyBinding): SealContext {
  return { derive: ['record-key', organizationId], associated: [organizationId, 'record-key', String(generation)] };
}
