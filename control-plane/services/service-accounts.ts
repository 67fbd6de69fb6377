// Service accounts: people of kind service, with the trust rows by which outside tokens are exchanged for theirs. A
// token ends with its row and its account.
import type { Kysely } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateServiceAccountRequest__Output } from '../../proto/generated/gateway/v1/CreateServiceAccountRequest.ts';
import type { DeleteServiceAccountRequest__Output } from '../../proto/generated/gateway/v1/DeleteServiceAccountRequest.ts';
import type { DeleteServiceAccountResponse } from '../../proto/generated/gateway/v1/DeleteServiceAccountResponse.ts';
import type { GetServiceAccountRequest__Output } from '../../proto/generated/gateway/v1/GetServiceAccountRequest.ts';
import type { ListServiceAccountsRequest__Output } from '../../proto/generated/gateway/v1/ListServiceAccountsRequest.ts';
import type { ListServiceAccountsResponse } from '../../proto/generated/gateway/v1/ListServiceAccountsResponse.ts';
import type { ServiceAccount } from '../../proto/generated/gateway/v1/ServiceAccount.ts';
import type { UpdateServiceAccountRequest__Output } from '../../proto/generated/gateway/v1/UpdateServiceAccountRequest.ts';
import { roles } from '../../proto/words/access.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import { type Trust, trustClaims, trustRows } from '../domain/trust.ts';
import { expectNoMachine } from '../rpc/caller.ts';
import { checked, expectRevision } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { ServiceTrustsTable } from '../store/service-account-tables.ts';
import { flag, isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { deletePerson, insertPerson, type PersonRow } from './people.ts';

const accountsMax = 200;

export async function create(
  call: ChangeCall,
  request: CreateServiceAccountRequest__Output,
): Promise<Outcome<ServiceAccount>> {
  expectNoMachine(call.caller);
  const { organizationId } = request;
  const fields = checked({
    name: name(request.name),
    role: machineRole(request.role),
    trust: trustRows(call.deps.privateIssuers.openTo(organizationId))(request.trust),
  });
  await expectRoom(call.db, organizationId);
  const { name: called, role } = fields;
  const row = await insertPerson(call, {
    ...{ organizationId, name: called, role, email: null, allowedModels: [] },
    kind: 'service',
  });
  const account = message(row, await replaceTrust(call, row.id, [], fields.trust));
  return { ...recorded(row), result: account, after: account };
}

export async function get(call: ReadCall, request: GetServiceAccountRequest__Output): Promise<ServiceAccount> {
  const row = await find(call.db, request.id);
  return message(row, await trustOf(call.db, [row.id]));
}

export async function list(
  call: ReadCall,
  request: ListServiceAccountsRequest__Output,
): Promise<ListServiceAccountsResponse> {
  const query = call.db
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .where('kind', '=', 'service');
  const { items, nextPageToken } = await pageOf(query, request, (row) => row);
  const trust = await trustOf(
    call.db,
    items.map(({ id }) => id),
  );
  return { serviceAccounts: items.map((row) => message(row, trust)), nextPageToken };
}

export async function update(
  call: ChangeCall,
  request: UpdateServiceAccountRequest__Output,
): Promise<Outcome<ServiceAccount>> {
  expectNoMachine(call.caller);
  const before = await find(call.db, request.id);
  const fields = checked({
    name: optional(name, request.name),
    role: optional(machineRole, request.role),
    trust: optional(trustRows(call.deps.privateIssuers.openTo(before.organization_id ?? '')), request.trust?.rows),
  });
  expectRevision(request.ifRevision, before.revision);
  const trusted = await trustOf(call.db, [before.id]);
  const columns = {
    name: fields.name ?? before.name,
    role: fields.role ?? before.role,
    active: request.active === undefined ? before.active : flag(request.active),
  };
  const shown = message(before, trusted);
  if (isSame(before, columns) && (fields.trust === undefined || isSameTrust(trusted, fields.trust))) {
    return { unchanged: shown };
  }
  const row: PersonRow = { ...before, ...columns, revision: call.revision };
  await call.db.updateTable('people').set(row).where('id', '=', row.id).execute();
  const trust = fields.trust === undefined ? trusted : await replaceTrust(call, row.id, trusted, fields.trust);
  const after = message(row, trust);
  const invalidations = [{ kind: 'person', ref: row.id, state: 'changed' }] as const;
  return { ...recorded(row), result: after, before: shown, after, invalidations };
}

export async function remove(
  call: ChangeCall,
  request: DeleteServiceAccountRequest__Output,
): Promise<Outcome<DeleteServiceAccountResponse>> {
  expectNoMachine(call.caller);
  const row = await find(call.db, request.id);
  const before = message(row, await trustOf(call.db, [row.id]));
  return { ...(await deletePerson(call, row)), before };
}

/** Owners are people. */
function machineRole(text: string): Field<'admin' | 'member'> {
  const role = roles.wordOf(text);
  return role === 'admin' || role === 'member' ? valid(role) : invalid('must be ROLE_ADMIN or ROLE_MEMBER');
}

export type TrustRow = ServiceTrustsTable;

/** The claims of a row. */
export const claimsOf = jsonColumn('service_trusts', 'claims', trustClaims);

/** The trust rows of accounts, in the order in which they were made. */
export async function trustOf(db: Kysely<Schema>, accounts: readonly string[]): Promise<readonly TrustRow[]> {
  if (accounts.length === 0) return [];
  return await db.selectFrom('service_trusts').selectAll().where('person_id', 'in', accounts).orderBy('id').execute();
}

/** A row that stays equal stays, with the tokens that were issued by it. */
async function replaceTrust(
  { db, now }: ChangeCall,
  accountId: string,
  before: readonly TrustRow[],
  rows: readonly Trust[],
): Promise<readonly TrustRow[]> {
  const after = rows.map(({ issuer, audience, claims }): TrustRow => {
    const fields = { issuer, audience, claims: JSON.stringify(claims) };
    return (
      before.find((row) => isSame(row, fields)) ?? {
        id: uuidv7(now),
        person_id: accountId,
        ...fields,
        created_at: now,
        exchanged_at: null,
      }
    );
  });
  const gone = before.filter((row) => !after.includes(row)).map(({ id }) => id);
  const added = after.filter((row) => !before.includes(row));
  if (gone.length > 0) await db.deleteFrom('service_trusts').where('id', 'in', gone).execute();
  if (added.length > 0) await db.insertInto('service_trusts').values(added).execute();
  return after;
}

function isSameTrust(before: readonly TrustRow[], rows: readonly Trust[]): boolean {
  const texts = (all: readonly Trust[]) => all.map((row) => JSON.stringify(row)).toSorted();
  const stored = before.map((row) => ({ issuer: row.issuer, audience: row.audience, claims: claimsOf(row) }));
  return JSON.stringify(texts(stored)) === JSON.stringify(texts(rows));
}

/** @throws CallError */
async function expectRoom(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('people')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'service')
    .executeTakeFirstOrThrow();
  if (Number(count) < accountsMax) return;
  throw new CallError('too_many_service_accounts', `there are ${accountsMax} already; delete one that is not needed`);
}

async function find(db: Kysely<Schema>, id: string): Promise<PersonRow> {
  const row = await db
    .selectFrom('people')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'service')
    .executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function recorded({ id, organization_id }: PersonRow) {
  return {
    organizationId: organization_id ?? undefined,
    target: { kind: 'service_account', id },
    invalidations: [],
  };
}

function message(row: PersonRow, trust: readonly TrustRow[]) {
  return {
    id: row.id,
    organizationId: row.organization_id ?? '',
    name: row.name,
    role: roles.names[row.role],
    active: row.active === 1,
    trust: trust.filter(({ person_id }) => person_id === row.id).map(trustMessage),
    ...exchangeOf(trust.filter(({ person_id }) => person_id === row.id)),
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies ServiceAccount;
}

function trustMessage(row: TrustRow) {
  const { id, issuer, audience } = row;
  return { id, issuer, audience, claims: claimsOf(row), ...exchangeOf([row]) };
}

/** The last exchange by any of the rows. */
function exchangeOf(rows: readonly TrustRow[]) {
  const last = Math.max(...rows.map(({ exchanged_at }) => exchanged_at ?? 0));
  return last > 0 ? { lastExchangeAt: timeText(last) } : {};
}
