// Whose states and allow-lists bind a virtual key: its organization, its scope below that, and the key.
import type { Kysely, Selectable } from 'kysely';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Schema } from '../store/schema.ts';
import { globsOf } from './columns.ts';
import { readScopeRow } from './scope-rows.ts';
import type { KeyRow } from './virtual-key-rows.ts';

/** The organization, the scope below it if there is one, and the key. */
export interface Holder {
  readonly kind: LimitSubjectKind;
  readonly id: string;
  readonly name: string;
  /** Empty: all models. */
  readonly globs: readonly string[];
}

export interface Holders {
  readonly organization: Selectable<Schema['organizations']>;
  readonly isScopeActive: boolean;
  readonly all: readonly Holder[];
}

export async function readHolders(db: Kysely<Schema>, row: KeyRow): Promise<Holders> {
  const organization = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', row.organization_id)
    .executeTakeFirstOrThrow();
  const scope = row.scope_kind === 'organization' ? undefined : await readScopeRow(db, row.scope_kind, row.scope_id);
  const { id, name } = organization;
  return {
    organization,
    // The scope of a revoked key may be deleted.
    isScopeActive: scope?.active !== 0,
    all: [
      { kind: 'organization', id, name, globs: globsOf('organizations', organization) },
      ...(scope === undefined
        ? []
        : [{ kind: scope.kind, id: scope.id, name: scope.name, globs: globsOf(scope.table, scope) }]),
      { kind: 'virtual_key', id: row.id, name: row.name, globs: globsOf('virtual_keys', row) },
    ],
  };
}
