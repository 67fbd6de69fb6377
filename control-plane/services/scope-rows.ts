// The AI system or person that a virtual key belongs to.
import type { Kysely } from 'kysely';
import type { ScopeKind } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';

type OwnedScopeKind = Exclude<ScopeKind, 'organization'>;

export const scopeTables = {
  ai_system: 'ai_systems',
  person: 'people',
} as const satisfies Record<OwnedScopeKind, keyof Schema>;

/** The row's fields that both have, and its table; undefined if it was deleted. */
export async function readScopeRow(db: Kysely<Schema>, kind: OwnedScopeKind, id: string) {
  const table = scopeTables[kind];
  const row = await db
    .selectFrom(table)
    .select(['id', 'name', 'organization_id', 'active', 'allowed_models', 'revision'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { ...row, kind, table };
}
