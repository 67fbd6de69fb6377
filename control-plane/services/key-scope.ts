// What a virtual key belongs to: its organization, an AI system or a person; and who may have a key of which scope.

import { type ScopeKind, scopeKinds } from '../../proto/words/access.ts';
import { type Reference, referenceOf } from '../domain/enum-names.ts';
import { mayHoldKeyOf } from '../domain/roles.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import { permissionDenied } from '../rpc/errors.ts';
import type { ReadCall } from '../rpc/method.ts';

export type KeyScope = Reference<ScopeKind>;

export const keyScope = referenceOf(scopeKinds);

/** A member has to do with keys scoped to themself only. @throws CallError */
export function requireOwnScope(caller: OperatorCaller, scope: KeyScope): void {
  if (caller.role !== 'member' || (scope.kind === 'person' && scope.id === caller.personId)) return;
  throw permissionDenied('a member creates, sees, rotates and revokes keys scoped to themself only');
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
