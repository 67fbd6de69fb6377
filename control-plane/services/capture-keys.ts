// Key pairs of captures: an organization has one from the first time that capture is on, and another every month while it
// is. A replaced pair stays until nothing is sealed to it any more, and is deleted then, so that what a backup still has of
// it cannot be opened with a later database.
import type { Kysely } from 'kysely';
import type { SealKeys } from '../../common/seal.ts';
import { captureKeyMs, createSealedCaptureKey, lateCapturesMs, unsealCaptureKey } from '../domain/capture-key.ts';
import { timeText } from '../domain/shared-fields.ts';
import { CallError } from '../rpc/errors.ts';
import type { Schema } from '../store/schema.ts';

/** A generation without its secret, as the audit log shows it. */
export interface CaptureKeyView {
  readonly generation: number;
  readonly createdAt: string;
  readonly replacedAt?: string;
}

interface KeyOf {
  readonly organizationId: string;
  readonly now: number;
}

/** Makes a key pair if there is no present one, or if it is older than a month. @returns whether it made one */
export async function ensureCaptureKey(
  db: Kysely<Schema>,
  masterKeys: SealKeys,
  { organizationId, now }: KeyOf,
): Promise<boolean> {
  const newest = await db
    .selectFrom('capture_keys')
    .select(['generation', 'created_at', 'replaced_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined && newest.replaced_at === null && now - newest.created_at < captureKeyMs) return false;
  await replaceCaptureKey(db, { organizationId, now });
  const generation = (newest?.generation ?? 0) + 1;
  const keys = createSealedCaptureKey(masterKeys, { organizationId, generation });
  const row = { organization_id: organizationId, generation, ...keys, created_at: now, replaced_at: null };
  await db.insertInto('capture_keys').values(row).execute();
  return true;
}

/** Ends the present generation. @returns whether there was one */
export async function replaceCaptureKey(db: Kysely<Schema>, { organizationId, now }: KeyOf): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('capture_keys')
    .set({ replaced_at: now })
    .where('organization_id', '=', organizationId)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes replaced generations to which nothing is sealed. @returns whether there were any */
export async function dropCaptureKeys(db: Kysely<Schema>, { organizationId, now }: KeyOf): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('capture_keys')
    .where('organization_id', '=', organizationId)
    .where('replaced_at', '<=', now - lateCapturesMs)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('captures')
            .select('captures.id')
            .whereRef('captures.organization_id', '=', 'capture_keys.organization_id')
            .whereRef('captures.generation', '=', 'capture_keys.generation'),
        ),
      ),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Newest first. */
export async function captureKeysOf(db: Kysely<Schema>, organizationId: string): Promise<CaptureKeyView[]> {
  const rows = await db
    .selectFrom('capture_keys')
    .select(['generation', 'created_at', 'replaced_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('generation', 'desc')
    .execute();
  return rows.map(({ generation, created_at, replaced_at }) => ({
    generation,
    createdAt: timeText(created_at),
    ...(replaced_at !== null && { replacedAt: timeText(replaced_at) }),
  }));
}

/** @returns the private key, 32 bytes. @throws CallError capture_sealed */
export async function privateKeyOf(
  db: Kysely<Schema>,
  masterKeys: SealKeys,
  { organizationId, generation }: { readonly organizationId: string; readonly generation: number },
): Promise<Buffer> {
  const row = await db
    .selectFrom('capture_keys')
    .select('secret')
    .where('organization_id', '=', organizationId)
    .where('generation', '=', generation)
    .executeTakeFirst();
  const key = row && unsealCaptureKey(masterKeys, { organizationId, generation }, row.secret);
  if (key === undefined)
    throw new CallError('capture_sealed', 'the content cannot be opened: is its master key among those given?');
  return key;
}
