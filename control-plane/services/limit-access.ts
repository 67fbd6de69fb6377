// A limit that is to be changed: its row, its subject, and who may change it.
import type { Kysely } from 'kysely';
import type { LimitSubject } from '../domain/limit.ts';
import { mayChangePerson } from '../domain/roles.ts';
import { notFound, permissionDenied } from '../rpc/errors.ts';
import type { Schema } from '../store/schema.ts';
import type { LimitRow } from './limit-rows.ts';
import type { ChangeCall } from './method.ts';
import { findPerson } from './people.ts';
import { findKey, requireNotRevoked } from './virtual-key-rows.ts';

/** @throws CallError not_found, also for a deleted budget */
export async function findLimit(db: Kysely<Schema>, id: string): Promise<LimitRow> {
  const row = await db
    .selectFrom('limits')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

export function subjectOf(row: Pick<LimitRow, 'subject_kind' | 'subject_id'>): LimitSubject {
  return { kind: row.subject_kind, id: row.subject_id };
}

/** @throws CallError for a revoked key, and for owners if an admin calls */
export async function requireMayLimit(call: ChangeCall, { kind, id }: LimitSubject): Promise<void> {
  if (kind === 'virtual_key') requireNotRevoked((await findKey(call.db, id)).row);
  if (kind === 'person' && !mayChangePerson(call.caller, (await findPerson(call.db, id)).role)) {
    throw permissionDenied('only an owner limits owners, or lifts their limits');
  }
}
