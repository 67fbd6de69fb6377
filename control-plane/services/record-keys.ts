// Record keys of organizations: each organization has one from its creation on. After a rotation the generation before
// opens for 90 days more, so that what it sealed is still read.
import type { Kysely, Selectable } from 'kysely';
import type { Logger } from '../../common/logger.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { RecordKey } from '../../proto/generated/gateway/v1/RecordKey.ts';
import type { RotateRecordKeyRequest__Output } from '../../proto/generated/gateway/v1/RotateRecordKeyRequest.ts';
import type { RotateRecordKeyResponse } from '../../proto/generated/gateway/v1/RotateRecordKeyResponse.ts';
import {
  createSealedRecordKey,
  generationsMax,
  isOver,
  replacedKeptMs,
  unsealRecordKey,
} from '../domain/record-key.ts';
import { timeText } from '../domain/shared-fields.ts';
import { CallError } from '../rpc/errors.ts';
import type { AccessRecordKeyRow } from '../store/access-rows.ts';
import type { Schema } from '../store/schema.ts';
import type { Invalidation } from '../store/store.ts';
import type { ChangeCall, Outcome } from './method.ts';

type Row = Selectable<Schema['record_keys']>;

/** A generation without its secret, as the audit log shows it. */
export interface RecordKeyView {
  readonly generation: number;
  readonly createdAt: string;
  readonly replacedAt?: string;
}

export async function rotate(
  call: ChangeCall,
  { id }: RotateRecordKeyRequest__Output,
): Promise<Outcome<RotateRecordKeyResponse>> {
  const before = await generationsOf(call.db, id);
  const replacedAt = before.flatMap(({ replaced_at: at }) => at ?? []).find((at) => !isOver(at, call.now));
  if (replacedAt !== undefined) throw rotatedLately(replacedAt);
  const [newest] = before;
  await dropOver(call.db, id, call.now);
  await call.db
    .updateTable('record_keys')
    .set({ replaced_at: call.now })
    .where('organization_id', '=', id)
    .where('replaced_at', 'is', null)
    .execute();
  const generation = (newest?.generation ?? 0) + 1;
  await insertRecordKey(call.db, call.deps.masterKeys, { organizationId: id, generation, now: call.now });
  return {
    result: {
      generation,
      createdAt: timeText(call.now),
      ...(newest !== undefined && { previousEndsAt: timeText(call.now + replacedKeptMs) }),
    },
    organizationId: id,
    target: { kind: 'record_key', id },
    before: { recordKeys: before.map(viewOf) },
    after: { recordKeys: (await generationsOf(call.db, id)).map(viewOf) },
    invalidations: [recordKeysChanged(id)],
  };
}

function rotatedLately(replacedAt: number): CallError {
  const until = timeText(replacedAt + replacedKeptMs);
  return new CallError('record_key_rotated', `the generation before opens until ${until}: rotate the key after it`);
}

interface NewKey {
  readonly organizationId: string;
  readonly generation: number;
  readonly now: number;
}

export async function insertRecordKey(db: Kysely<Schema>, masterKeys: SealKeys, key: NewKey): Promise<void> {
  const { organizationId, generation, now } = key;
  const secret = createSealedRecordKey(masterKeys, { organizationId, generation });
  const row: Row = { organization_id: organizationId, generation, secret, created_at: now, replaced_at: null };
  await db.insertInto('record_keys').values(row).execute();
}

/**
 * The open generations for proxies, newest first, without those that no master key opens.
 * @param rows of one organization, newest first
 */
export function openRecordKeys(
  { sealKeys, log }: { readonly sealKeys: SealKeys; readonly log: Logger },
  rows: readonly AccessRecordKeyRow[],
): RecordKey[] {
  return rows
    .slice(0, generationsMax)
    .flatMap(({ organization_id: organizationId, generation, secret, created_at }) => {
      const key = unsealRecordKey(sealKeys, { organizationId, generation }, secret);
      if (key !== undefined) return [{ generation, key, createdAt: timeText(created_at) }];
      log.error(
        { organization: organizationId, generation },
        'a record key cannot be unsealed; is its master key among those given?',
      );
      return [];
    });
}

/** Deletes the generations that were replaced long enough ago. @returns whether there were any */
export async function dropOver(db: Kysely<Schema>, organizationId: string, now: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('record_keys')
    .where('organization_id', '=', organizationId)
    .where('replaced_at', '<=', now - replacedKeptMs)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** All stored generations, newest first. */
export function generationsOf(db: Kysely<Schema>, organizationId: string): Promise<Row[]> {
  return db
    .selectFrom('record_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('generation', 'desc')
    .execute();
}

export function viewOf({ generation, created_at, replaced_at }: Row): RecordKeyView {
  return {
    generation,
    createdAt: timeText(created_at),
    ...(replaced_at !== null && { replacedAt: timeText(replaced_at) }),
  };
}

/** The organization's record contains its record keys. */
export function recordKeysChanged(organizationId: string): Invalidation {
  return { kind: 'organization', ref: organizationId, state: 'changed' };
}
