// Virtual keys: their rows, their message, their scope, and who may have them.
import type { Kysely, Selectable } from 'kysely';
import { aMap, aString } from '../../common/json-shape.ts';
import type { VirtualKey } from '../../proto/generated/gateway/v1/VirtualKey.ts';
import { keyStatuses, priorityClasses, type ScopeKind, scopeKinds } from '../../proto/words/access.ts';
import { type Reference, referenceOf } from '../domain/enum-names.ts';
import { mayOwnKeyOf } from '../domain/roles.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { globsOf } from './columns.ts';
import { keyStatus } from './key-status.ts';
import type { ReadCall } from './method.ts';

export type KeyRow = Selectable<Schema['virtual_keys']>;
export type ValueRow = Selectable<Schema['key_values']>;

export async function findKey(
  db: Kysely<Schema>,
  id: string,
): Promise<{ readonly row: KeyRow; readonly values: readonly ValueRow[] }> {
  const row = await db.selectFrom('virtual_keys').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return { row, values: await valuesOfKey(db, id) };
}

/** A key that the caller may see. @throws CallError */
export async function findOwnKey(
  call: ReadCall,
  id: string,
): Promise<{ readonly row: KeyRow; readonly values: readonly ValueRow[] }> {
  const found = await findKey(call.db, id);
  requireOwnScope(call.caller, { kind: found.row.scope_kind, id: found.row.scope_id });
  return found;
}

export async function valuesOfKey(db: Kysely<Schema>, keyId: string): Promise<readonly ValueRow[]> {
  return (await valuesOf(db, [keyId])).get(keyId) ?? [];
}

/** The values of keys by key id, newest first. They may include values past their end. */
export async function valuesOf(
  db: Kysely<Schema>,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ValueRow[]>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('key_values')
    .selectAll()
    .where('key_id', 'in', keyIds)
    .orderBy('created_at', 'desc')
    .execute();
  return Map.groupBy(rows, (row) => row.key_id);
}

/** @throws CallError */
export function requireNotRevoked(row: KeyRow): void {
  if (row.revoked_at === null) return;
  throw new CallError('key_revoked', 'the key is revoked, which is final; create another one');
}

/** The hint of the newest value; undefined if all values are gone. */
export function hintOf(values: readonly ValueRow[]): string | undefined {
  return values.find((value) => value.ends_at === null)?.hint;
}

const metadataOf = jsonColumn('virtual_keys', 'metadata', aMap(aString));

export function keyMessage(row: KeyRow, values: readonly ValueRow[], now: number) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    scope: { kind: scopeKinds.names[row.scope_kind], id: row.scope_id },
    name: row.name,
    hint: hintOf(values) ?? row.last_hint,
    active: row.active === 1,
    ...(row.ends_at === null ? {} : { endsAt: timeText(row.ends_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: timeText(row.revoked_at) }),
    allowedModels: globsOf('virtual_keys', row),
    metadata: metadataOf(row),
    createdAt: timeText(row.created_at),
    createdBy: row.created_by,
    ...(row.last_used_at === null ? {} : { lastUsedAt: timeText(row.last_used_at) }),
    revision: String(row.revision),
    rotatedValues: values.flatMap(({ ends_at, hint }) =>
      ends_at !== null && ends_at > now ? [{ hint, endsAt: timeText(ends_at) }] : [],
    ),
    status: keyStatuses.names[keyStatus(row, now)],
    priorityClass: priorityClasses.names[row.priority_class],
    weight: row.weight,
  } satisfies VirtualKey;
}

/** The scope of a virtual key. */
export type KeyScope = Reference<ScopeKind>;

export const keyScope = referenceOf(scopeKinds);

/** A member may handle keys of their own scope only. @throws CallError */
export function requireOwnScope(caller: OperatorCaller, scope: KeyScope): void {
  if (caller.role !== 'member' || (scope.kind === 'person' && scope.id === caller.personId)) return;
  throw permissionDenied('a member creates, sees, rotates and revokes keys scoped to themself only');
}

/** A weight takes slots from the organization's other keys. @throws CallError */
export function requireMayWeigh({ role }: OperatorCaller): void {
  if (role === 'member') throw permissionDenied('owners and admins set weights of keys');
}

/** A caller who receives a value can act as its scope. @throws CallError */
export async function requireMayOwnKey(call: ReadCall, scope: KeyScope): Promise<void> {
  if (scope.kind !== 'person') return;
  const person = await call.db
    .selectFrom('people')
    .select(['id', 'role'])
    .where('id', '=', scope.id)
    .executeTakeFirst();
  if (person === undefined || mayOwnKeyOf(call.caller, person)) return;
  throw permissionDenied('only owners are handed values of keys that are scoped to another owner');
}
