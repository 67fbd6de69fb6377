// What a virtual key belongs to: its organization, an AI system or a person; and who may have a key of which scope.
import type { Kysely } from 'kysely';
import type { KeyScope__Output } from '../../proto/generated/gateway/v1/KeyScope.ts';
import { type Field, invalid, valid } from '../domain/field.ts';
import { id } from '../domain/fields.ts';
import { mayHoldKeyOf } from '../domain/roles.ts';
import type { Schema, ScopeKind } from '../store/schema.ts';
import type { OperatorCaller } from './caller.ts';
import { invalidRequest } from './checked.ts';
import { permissionDenied } from './errors.ts';
import type { ReadCall } from './method.ts';

export interface KeyScope {
  readonly kind: ScopeKind;
  readonly id: string;
}

export const scopeInContract = {
  organization: 'KEY_SCOPE_KIND_ORGANIZATION',
  ai_system: 'KEY_SCOPE_KIND_AI_SYSTEM',
  person: 'KEY_SCOPE_KIND_PERSON',
} as const satisfies Record<ScopeKind, string>;

const scopeKinds: Readonly<Record<string, ScopeKind>> = {
  KEY_SCOPE_KIND_ORGANIZATION: 'organization',
  KEY_SCOPE_KIND_AI_SYSTEM: 'ai_system',
  KEY_SCOPE_KIND_PERSON: 'person',
};

export function keyScope(organizationId: string): (message: KeyScope__Output | null) => Field<KeyScope> {
  return (message) => {
    const kind =
      message !== null && Object.hasOwn(scopeKinds, message.kind) ? scopeKinds[message.kind] : undefined;
    if (message === null || kind === undefined) {
      const accepted = Object.values(scopeInContract).join(', ');
      return invalid(`must be one of ${accepted}`, '.kind');
    }
    const read = id(message.id);
    if ('problems' in read) return invalid('must be an id: a UUID in lower case', '.id');
    if (kind === 'organization' && read.value !== organizationId) {
      return invalid('must be the id of the organization', '.id');
    }
    return valid({ kind, id: read.value });
  };
}

/** A member has to do with keys scoped to themself only. @throws CallError */
export function requireOwnScope(caller: OperatorCaller, scope: KeyScope): void {
  if (caller.role !== 'member' || (scope.kind === 'person' && scope.id === caller.personId)) return;
  throw permissionDenied('a member creates, sees, rotates and revokes keys scoped to themself only');
}

/** @throws CallError if the AI system or person is not one of the organization */
export async function requireScopeExists(
  db: Kysely<Schema>,
  organizationId: string,
  scope: KeyScope,
): Promise<void> {
  if (scope.kind === 'organization') return;
  const row = await db
    .selectFrom(scope.kind === 'person' ? 'people' : 'ai_systems')
    .select('id')
    .where('id', '=', scope.id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row !== undefined) return;
  const what = scope.kind === 'person' ? 'a person' : 'an AI system';
  throw invalidRequest([{ field: 'scope.id', description: `must be ${what} of the organization` }]);
}

/** Whoever is handed a value acts as its scope. @throws CallError */
export async function requireMayHoldKey(call: ReadCall, scope: KeyScope): Promise<void> {
  if (scope.kind !== 'person') return;
  const person = await call.db
    .selectFrom('people')
    .select(['id', 'role'])
    .where('id', '=', scope.id)
    .executeTakeFirst();
  if (person === undefined || mayHoldKeyOf(call.caller, person)) return;
  throw permissionDenied('only owners are handed values of keys that are scoped to another owner');
}
