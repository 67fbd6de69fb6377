// The values of virtual keys: the secrets that callers send. Only their hashes are stored. The change feed names every
// value that stops or changes, in one invalidation each.
import { sql } from 'kysely';
import { createCredential, credentialHint, hashCredential } from '../../common/credential.ts';
import type { ScopeKind } from '../../proto/words/access.ts';
import type { Invalidation } from '../store/store.ts';
import type { ChangeCall } from './method.ts';
import type { ValueRow } from './virtual-key-rows.ts';

/** Creates a value and stores its hash. The value is to be shown once. */
export async function addValue(call: ChangeCall, keyId: string): Promise<{ value: string; row: ValueRow }> {
  const value = createCredential('virtualKey');
  const row: ValueRow = {
    hash: hashCredential(value),
    key_id: keyId,
    hint: credentialHint(value),
    ends_at: null,
    created_at: call.now,
  };
  await call.db.insertInto('key_values').values(row).execute();
  return { value, row };
}

/**
 * Sets the end of the present values. If it is not in the future they are deleted at once. A value that ends sooner
 * keeps its end.
 */
export async function endValues(
  call: ChangeCall,
  values: readonly ValueRow[],
  endsAt: number,
): Promise<readonly Invalidation[]> {
  const invalidations: Invalidation[] = [];
  for (const value of values) {
    const end = Math.min(value.ends_at ?? endsAt, endsAt);
    if (end <= call.now) {
      await call.db.deleteFrom('key_values').where('hash', '=', value.hash).execute();
      invalidations.push(gone(value.hash));
    } else if (end !== value.ends_at) {
      await call.db.updateTable('key_values').set({ ends_at: end }).where('hash', '=', value.hash).execute();
      invalidations.push(changed(value.hash));
    }
  }
  return invalidations;
}

/** The last characters of a revoked key's newest value, by which operators find a caller that still uses it. */
const lastHint = sql<string>`coalesce((
  select hint from key_values where key_id = virtual_keys.id and ends_at is null limit 1), '')`;

/** Revokes one key and deletes its values. */
export async function revokeKey(call: ChangeCall, keyId: string): Promise<readonly Invalidation[]> {
  await call.db
    .updateTable('virtual_keys')
    .set({ revoked_at: call.now, revision: call.revision, last_hint: lastHint })
    .where('id', '=', keyId)
    .execute();
  const values = await call.db.deleteFrom('key_values').where('key_id', '=', keyId).returning('hash').execute();
  return values.map((value) => gone(value.hash));
}

/** Revokes every key of an AI system or person that is about to be deleted. */
export async function revokeKeysOfScope(
  call: ChangeCall,
  kind: ScopeKind,
  scopeId: string,
): Promise<{ readonly keysRevoked: number; readonly invalidations: readonly Invalidation[] }> {
  const revoked = await call.db
    .updateTable('virtual_keys')
    .set({ revoked_at: call.now, revision: call.revision, last_hint: lastHint })
    .where('scope_kind', '=', kind)
    .where('scope_id', '=', scopeId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  const values = await call.db
    .deleteFrom('key_values')
    .where('key_id', 'in', (keys) =>
      keys.selectFrom('virtual_keys').select('id').where('scope_kind', '=', kind).where('scope_id', '=', scopeId),
    )
    .returning('hash')
    .execute();
  return { keysRevoked: revoked.length, invalidations: values.map((value) => gone(value.hash)) };
}

export function changed(hash: string): Invalidation {
  return { kind: 'key', ref: hash, state: 'changed' };
}

function gone(hash: string): Invalidation {
  return { kind: 'key', ref: hash, state: 'gone' };
}
