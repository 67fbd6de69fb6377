// What a request refers to by kind and id must be the organization's.

import type { Kysely } from 'kysely';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Reference } from '../domain/enum-names.ts';
import { invalidRequest } from '../rpc/checked.ts';
import type { Schema } from '../store/schema.ts';

const referred = {
  ai_system: { table: 'ai_systems', what: 'an AI system' },
  person: { table: 'people', what: 'a person' },
  virtual_key: { table: 'virtual_keys', what: 'a virtual key' },
} as const satisfies Record<Exclude<LimitSubjectKind, 'organization'>, object>;

/** @throws CallError if it is not one of the organization; the organization itself was compared when it was read */
export async function requireExists(
  db: Kysely<Schema>,
  organizationId: string,
  { field, kind, id }: Reference<LimitSubjectKind> & { readonly field: string },
): Promise<void> {
  if (kind === 'organization') return;
  const { table, what } = referred[kind];
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) {
    throw invalidRequest([{ field: `${field}.id`, description: `must be ${what} of the organization` }]);
  }
}
