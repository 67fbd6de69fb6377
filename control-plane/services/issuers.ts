// Issuers of organizations and of the platform, at which people sign in to the console. Only owners and platform
// operators change them: an issuer decides who is whom.
import type { Kysely } from 'kysely';
import { Secret } from '../../common/secret.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateIssuerRequest__Output } from '../../proto/generated/gateway/v1/CreateIssuerRequest.ts';
import type { DeleteIssuerRequest__Output } from '../../proto/generated/gateway/v1/DeleteIssuerRequest.ts';
import type { DeleteIssuerResponse } from '../../proto/generated/gateway/v1/DeleteIssuerResponse.ts';
import type { GetIssuerRequest__Output } from '../../proto/generated/gateway/v1/GetIssuerRequest.ts';
import type { Issuer } from '../../proto/generated/gateway/v1/Issuer.ts';
import type { ListIssuersRequest__Output } from '../../proto/generated/gateway/v1/ListIssuersRequest.ts';
import type { ListIssuersResponse } from '../../proto/generated/gateway/v1/ListIssuersResponse.ts';
import type { UpdateIssuerRequest__Output } from '../../proto/generated/gateway/v1/UpdateIssuerRequest.ts';
import { roles } from '../../proto/words/access.ts';
import { unknownPeople } from '../../proto/words/sessions.ts';
import { type IssuerRow, roleRowsOf, sealClientSecret } from '../auth/issuer.ts';
import { endSessionsOfIssuer } from '../auth/sessions.ts';
import { clientKey } from '../domain/client-key.ts';
import { wordOf } from '../domain/enum-names.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { claimRows, clientId, issuerUrl } from '../domain/issuer.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { organizationOrPlatform, ownerNamed, platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { flag, isSame } from './columns.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

export const issuersMax = 10;
const secretLengthMax = 4096;

export async function create(call: ChangeCall, request: CreateIssuerRequest__Output): Promise<Outcome<Issuer>> {
  const organizationId = ownerNamed(request.organizationId);
  const fields = checked({
    name: name(request.name),
    url: issuerUrl(call.deps.privateIssuers.openTo(organizationId))(request.url),
    client_id: clientId(request.clientId),
    secret: optional(clientSecret, request.secret),
    roles: claimRows(request.roles),
    unknown_person: optional(unknownPerson, request.unknownPerson),
    private_key: optional(clientKey, request.privateKey),
    private_key_id: optional(keyId, request.privateKeyId),
  });
  await expectRoom(call.db, organizationId);
  const bare: IssuerRow = {
    id: uuidv7(call.now),
    organization_id: organizationId,
    name: fields.name,
    url: fields.url,
    client_id: fields.client_id,
    secret: null,
    secret_kind: 'secret',
    secret_version: 1,
    key_id: fields.private_key_id ?? null,
    trust_email: flag(request.trustEmail === true),
    roles: JSON.stringify(fields.roles),
    unknown_person: fields.unknown_person ?? 'refuse',
    enabled: 1,
    created_at: call.now,
    revision: call.revision,
  };
  const row = withCredential(call, bare, fields);
  expectNoRoles(row);
  await call.db.insertInto('issuers').values(row).execute();
  return { ...recorded(row), result: message(row), after: message(row) };
}

export async function get(call: ReadCall, request: GetIssuerRequest__Output): Promise<Issuer> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListIssuersRequest__Output): Promise<ListIssuersResponse> {
  const query = call.db
    .selectFrom('issuers')
    .selectAll()
    .where('organization_id', '=', ownerNamed(request.organizationId));
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { issuers: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateIssuerRequest__Output): Promise<Outcome<Issuer>> {
  const before = await find(call.db, request.id);
  const fields = checked({
    name: optional(name, request.name),
    client_id: optional(clientId, request.clientId),
    secret: optional(clientSecret, request.secret),
    roles: optional(claimRows, request.roles?.rows),
    unknown_person: optional(unknownPerson, request.unknownPerson),
    private_key: optional(clientKey, request.privateKey),
    private_key_id: optional(keyId, request.privateKeyId),
  });
  expectRevision(request.ifRevision, before.revision);
  const columns = {
    name: fields.name ?? before.name,
    client_id: fields.client_id ?? before.client_id,
    roles: fields.roles === undefined ? before.roles : JSON.stringify(fields.roles),
    unknown_person: fields.unknown_person ?? before.unknown_person,
    enabled: request.enabled === undefined ? before.enabled : flag(request.enabled),
    key_id: fields.private_key_id === undefined ? before.key_id : fields.private_key_id,
    trust_email: request.trustEmail === undefined ? before.trust_email : flag(request.trustEmail),
  };
  const isCredential = fields.secret !== undefined || fields.private_key !== undefined;
  if (!isCredential && isSame(before, columns)) return { unchanged: message(before) };
  const bare: IssuerRow = { ...before, ...columns, revision: call.revision };
  const after = withCredential(call, bare, fields);
  expectNoRoles(after);
  await call.db.updateTable('issuers').set(after).where('id', '=', before.id).execute();
  if (after.enabled === 0) await endSessionsOfIssuer(call, before.id);
  return { ...recorded(before), result: message(after), before: message(before), after: message(after) };
}

export async function remove(
  call: ChangeCall,
  request: DeleteIssuerRequest__Output,
): Promise<Outcome<DeleteIssuerResponse>> {
  const row = await find(call.db, request.id);
  const sessionsEnded = await endSessionsOfIssuer(call, row.id);
  const deleted = await call.db.deleteFrom('identities').where('issuer_id', '=', row.id).executeTakeFirst();
  await call.db.deleteFrom('issuers').where('id', '=', row.id).execute();
  const result = { identitiesDeleted: Number(deleted.numDeletedRows), sessionsEnded };
  return { ...recorded(row), result, before: message(row), after: result };
}

interface Credential {
  /** Null removes it. */
  readonly secret?: Secret | null | undefined;
  readonly private_key?: Secret | undefined;
}

/** @throws CallError */
function withCredential({ deps }: ChangeCall, row: IssuerRow, { secret, private_key: key }: Credential): IssuerRow {
  if (secret === undefined && key === undefined) return row;
  if (secret && key) {
    throw invalidRequest([{ field: 'private_key', description: 'must be absent where a secret is given' }]);
  }
  const given = key ?? secret ?? null;
  const next = { ...row, secret_version: row.secret_version + 1 };
  return {
    ...next,
    secret_kind: key === undefined ? 'secret' : 'private_key',
    secret: given === null ? null : sealClientSecret(deps.masterKeys, next, given),
  };
}

/** Who manages the platform's issuer would otherwise give roles in every organization that chose it. @throws CallError */
function expectNoRoles(row: IssuerRow): void {
  if (row.organization_id !== platformId || (row.unknown_person === 'refuse' && roleRowsOf(row).length === 0)) return;
  throw invalidRequest([{ field: 'roles', description: 'must be empty: an issuer of the platform gives no roles' }]);
}

/** Empty removes it. */
function keyId(text: string): Field<string | null> {
  if (text === '') return valid(null);
  return /^[\x21-\x7e]{1,256}$/.test(text) ? valid(text) : invalid('must be 1 to 256 visible ASCII characters');
}

/** Empty removes it. */
function clientSecret(text: string): Field<Secret | null> {
  if (text === '') return valid(null);
  return /^[\x21-\x7e]+$/.test(text) && text.length <= secretLengthMax
    ? valid(new Secret(text))
    : invalid(`must be 1 to ${secretLengthMax} visible ASCII characters without white space`);
}

const unknownPerson = wordOf(unknownPeople);

/** @throws CallError */
async function expectRoom(db: Kysely<Schema>, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('issuers')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < issuersMax) return;
  throw new CallError('too_many_issuers', `there are ${issuersMax} already; delete one that is not needed`);
}

async function find(db: Kysely<Schema>, id: string): Promise<IssuerRow> {
  const row = await db.selectFrom('issuers').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

/** No proxy's record contains issuers, so nothing is invalidated. */
function recorded(row: IssuerRow) {
  const organizationId = organizationOrPlatform(row.organization_id);
  return { organizationId, target: { kind: 'issuer', id: row.id }, invalidations: [] };
}

function message(row: IssuerRow) {
  return {
    id: row.id,
    organizationId: organizationOrPlatform(row.organization_id) ?? '',
    name: row.name,
    url: row.url,
    clientId: row.client_id,
    hasSecret: row.secret !== null && row.secret_kind === 'secret',
    hasPrivateKey: row.secret !== null && row.secret_kind === 'private_key',
    privateKeyId: row.key_id ?? '',
    trustEmail: row.trust_email === 1,
    roles: roleRowsOf(row).map(({ claim, value, role }) => ({ claim, value, role: roles.names[role] })),
    unknownPerson: unknownPeople.names[row.unknown_person],
    enabled: row.enabled === 1,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Issuer;
}
