// People: members of an organization, and platform operators. domain/roles.ts decides what only owners may do.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreatePersonRequest__Output } from '../../proto/generated/gateway/v1/CreatePersonRequest.ts';
import type { DeletePersonRequest__Output } from '../../proto/generated/gateway/v1/DeletePersonRequest.ts';
import type { DeletePersonResponse } from '../../proto/generated/gateway/v1/DeletePersonResponse.ts';
import type { GetPersonRequest__Output } from '../../proto/generated/gateway/v1/GetPersonRequest.ts';
import type { ListPeopleRequest__Output } from '../../proto/generated/gateway/v1/ListPeopleRequest.ts';
import type { ListPeopleResponse } from '../../proto/generated/gateway/v1/ListPeopleResponse.ts';
import type { Person } from '../../proto/generated/gateway/v1/Person.ts';
import type { UpdatePersonRequest__Output } from '../../proto/generated/gateway/v1/UpdatePersonRequest.ts';
import { type Role, roles } from '../../proto/words/access.ts';
import { endSessionsOf } from '../auth/sessions.ts';
import { clearable, type Field, invalid, optional, valid } from '../domain/field.ts';
import { modelSelectors, type WrittenSelector } from '../domain/model-selector.ts';
import { isIndispensableRole, mayChangePerson, roleFits } from '../domain/roles.ts';
import { email, name, timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { PersonKind } from '../store/people-table.ts';
import type { Schema } from '../store/schema.ts';
import type { Change } from '../store/store.ts';
import { flag, globsOf, globsText, isSame } from './columns.ts';
import { revokeKeysOfScope } from './key-values.ts';
import { readKnownModels } from './known-models.ts';
import { deleteLimitsUnder } from './limit-rows.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { withMatches } from './selector-check.ts';

export type PersonRow = Selectable<Schema['people']>;

export async function create(call: ChangeCall, request: CreatePersonRequest__Output): Promise<Outcome<Person>> {
  const organizationId = request.organizationId ?? null;
  const known = await readKnownModels(call.db, organizationId, request.allowedModels);
  const fields = checked({
    name: name(request.name),
    email: optional(email, request.email),
    role: roleIn(organizationId)(request.role),
    allowed_models: optional(modelSelectors(known, request.allowUnmatched === true), request.allowedModels),
  });
  if (!mayChangePerson(call.caller, fields.role)) throw ownersOnly();
  const row = await insertPerson(call, {
    organizationId,
    name: fields.name,
    email: fields.email ?? null,
    role: fields.role,
    allowedModels: fields.allowed_models ?? [],
  });
  const person = personMessage(row);
  const made: Outcome<Person> = {
    result: person,
    organizationId: organizationId ?? undefined,
    target: { kind: 'person', id: row.id },
    after: person,
    invalidations: [],
  };
  return withMatches(made, fields.allowed_models);
}

export async function get(call: ReadCall, request: GetPersonRequest__Output): Promise<Person> {
  if (call.caller.role === 'member' && request.id !== call.caller.personId) {
    throw permissionDenied('a member sees themself only');
  }
  return personMessage(await findPerson(call.db, request.id));
}

export async function list(call: ReadCall, request: ListPeopleRequest__Output): Promise<ListPeopleResponse> {
  const query = call.db
    .selectFrom('people')
    .selectAll()
    .where('organization_id', request.organizationId === undefined ? 'is' : '=', request.organizationId ?? null);
  const { items, nextPageToken } = await pageOf(query, request, personMessage);
  return { people: items, nextPageToken };
}

/** Whether the request gives or takes a role. */
export function changesRole({ role }: UpdatePersonRequest__Output): boolean {
  return role !== undefined;
}

export async function update(call: ChangeCall, request: UpdatePersonRequest__Output): Promise<Outcome<Person>> {
  const before = await findHuman(call.db, request.id);
  const known = await readKnownModels(call.db, before.organization_id, request.allowedModels);
  const fields = checked({
    name: optional(name, request.name),
    email: clearable(email, request.email),
    role: optional(roleIn(before.organization_id), request.role),
    allowed_models: optional(modelSelectors(known, request.allowUnmatched === true), request.allowedModels),
  });
  expectRevision(request.ifRevision, before.revision);
  if (!mayChangePerson(call.caller, before.role, fields.role)) throw ownersOnly();
  const columns = {
    name: fields.name ?? before.name,
    email: fields.email === undefined ? before.email : fields.email,
    role: fields.role ?? before.role,
    role_by_hand: fields.role === undefined ? before.role_by_hand : flag(true),
    active: request.active === undefined ? before.active : flag(request.active),
    deactivated_by: request.active ? null : before.deactivated_by,
    allowed_models: fields.allowed_models ? globsText(fields.allowed_models) : before.allowed_models,
  };
  if (isSame(before, columns)) {
    return withMatches<Person>({ unchanged: personMessage(before) }, fields.allowed_models);
  }
  const after: PersonRow = { ...before, ...columns, revision: call.revision };
  if (after.role !== before.role || after.active === 0) await keepOneOf(call.db, before);
  await call.db.updateTable('people').set(after).where('id', '=', before.id).execute();
  // Another person may have received this token before; it must not become an owner's.
  const becomesOwner = after.role === 'owner' && before.role !== 'owner';
  if (becomesOwner) await revokeTokens(call, before.id);
  if (becomesOwner || after.active === 0) await endSessionsOf(call, before.id);
  const changed: Outcome<Person> = {
    result: personMessage(after),
    organizationId: before.organization_id ?? undefined,
    target: { kind: 'person', id: before.id },
    before: personMessage(before),
    after: personMessage(after),
    invalidations: [{ kind: 'person', ref: before.id, state: 'changed' }],
  };
  return withMatches(changed, fields.allowed_models);
}

export async function remove(
  call: ChangeCall,
  request: DeletePersonRequest__Output,
): Promise<Outcome<DeletePersonResponse>> {
  const row = await findHuman(call.db, request.id);
  if (!mayChangePerson(call.caller, row.role)) throw ownersOnly();
  await keepOneOf(call.db, row);
  return { ...(await deletePerson(call, row)), before: personMessage(row) };
}

/** Deletes the row with what is the person's: keys, limits, and by the row's deletion tokens and sessions. */
export async function deletePerson(call: ChangeCall, row: PersonRow): Promise<Change<{ keysRevoked: number }>> {
  const limitsDeleted = await deleteLimitsUnder(call, row.id);
  const { keysRevoked, invalidations } = await revokeKeysOfScope(call, 'person', row.id);
  await call.db.deleteFrom('people').where('id', '=', row.id).execute();
  return {
    result: { keysRevoked },
    organizationId: row.organization_id ?? undefined,
    target: { kind: 'person', id: row.id },
    after: { keysRevoked, limitsDeleted },
    invalidations: [...invalidations, { kind: 'person', ref: row.id, state: 'gone' }],
  };
}

export interface NewPerson {
  readonly organizationId: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  /** Default: human. */
  readonly kind?: PersonKind;
  readonly allowedModels: readonly WrittenSelector[];
}

export async function insertPerson(
  call: Pick<ChangeCall, 'db' | 'now' | 'revision'>,
  person: NewPerson,
): Promise<PersonRow> {
  const row: PersonRow = {
    id: uuidv7(call.now),
    organization_id: person.organizationId,
    name: person.name,
    email: person.email,
    role: person.role,
    role_by_hand: 1,
    kind: person.kind ?? 'human',
    active: 1,
    deactivated_by: null,
    allowed_models: globsText(person.allowedModels),
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('people').values(row).execute();
  return row;
}

export async function findPerson(db: Kysely<Schema>, id: string): Promise<PersonRow> {
  const row = await db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

/** A person whom this service changes. @throws CallError for service accounts, which have a service of their own */
async function findHuman(db: Kysely<Schema>, id: string): Promise<PersonRow> {
  const row = await findPerson(db, id);
  if (row.kind === 'human') return row;
  throw invalidRequest([{ field: 'id', description: 'must not be a service account; ServiceAccounts changes those' }]);
}

export function personMessage(row: PersonRow) {
  return {
    id: row.id,
    ...(row.organization_id === null ? {} : { organizationId: row.organization_id }),
    name: row.name,
    ...(row.email === null ? {} : { email: row.email }),
    role: roles.names[row.role],
    active: row.active === 1,
    allowedModels: globsOf('people', row),
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
    serviceAccount: row.kind === 'service',
  } satisfies Person;
}

/** The role of a person of the organization. */
export function roleIn(organizationId: string | null): (text: string) => Field<Role> {
  return (text) => {
    const role = roles.wordOf(text);
    if (role !== undefined && roleFits(role, organizationId)) return valid(role);
    return organizationId === null
      ? invalid('must be ROLE_PLATFORM_OPERATOR for a person without an organization')
      : invalid('must be ROLE_OWNER, ROLE_ADMIN or ROLE_MEMBER');
  };
}

export function ownersOnly(): CallError {
  return permissionDenied('only an owner changes owners, makes them, or takes the role away');
}

/** @throws CallError if this is the last active owner, or the last active platform operator */
export async function keepOneOf(db: Kysely<Schema>, person: PersonRow): Promise<void> {
  if (person.active === 0 || !isIndispensableRole(person.role)) return;
  const other = await db
    .selectFrom('people')
    .select('id')
    .where('organization_id', person.organization_id === null ? 'is' : '=', person.organization_id)
    .where('role', '=', person.role)
    .where('active', '=', 1)
    .where('id', '!=', person.id)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  const who = person.role === 'owner' ? 'owner' : 'platform operator';
  throw new CallError('last_owner', `this is the last active ${who}: make another person ${who} first`);
}

async function revokeTokens(call: ChangeCall, personId: string): Promise<void> {
  await call.db
    .updateTable('operator_tokens')
    .set({ revoked_at: call.now })
    .where('person_id', '=', personId)
    .where('revoked_at', 'is', null)
    .execute();
}
