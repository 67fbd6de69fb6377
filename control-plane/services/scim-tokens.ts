// Tokens with which an issuer provisions people: of the issuer, so of its organization alone. They end with the issuer.
import type { Kysely, Selectable } from 'kysely';
import { createCredential, credentialHint, hashCredential } from '../../common/credential.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateScimTokenRequest__Output } from '../../proto/generated/gateway/v1/CreateScimTokenRequest.ts';
import type { CreateScimTokenResponse } from '../../proto/generated/gateway/v1/CreateScimTokenResponse.ts';
import type { ListScimTokensRequest__Output } from '../../proto/generated/gateway/v1/ListScimTokensRequest.ts';
import type { ListScimTokensResponse } from '../../proto/generated/gateway/v1/ListScimTokensResponse.ts';
import type { RevokeScimTokenRequest__Output } from '../../proto/generated/gateway/v1/RevokeScimTokenRequest.ts';
import type { ScimToken } from '../../proto/generated/gateway/v1/ScimToken.ts';
import { name, timeText } from '../domain/shared-fields.ts';
import { expectNoMachine } from '../rpc/caller.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type Row = Selectable<Schema['scim_tokens']>;

/** Of an issuer, that are not revoked: one in use and one that replaces it, and some more. */
const tokensMax = 10;

export async function create(
  call: ChangeCall,
  request: CreateScimTokenRequest__Output,
): Promise<Outcome<CreateScimTokenResponse>> {
  expectNoMachine(call.caller);
  const fields = checked({ name: name(request.name) });
  await expectRoom(call.db, request.issuerId);
  const value = createCredential('scim');
  const row: Row = {
    id: uuidv7(call.now),
    issuer_id: request.issuerId,
    hash: hashCredential(value),
    name: fields.name,
    hint: credentialHint(value),
    created_at: call.now,
    revoked_at: null,
    used_at: null,
  };
  await call.db.insertInto('scim_tokens').values(row).execute();
  return { ...recorded(call, row), result: { scimToken: message(row), value }, after: message(row) };
}

export async function list(call: ReadCall, request: ListScimTokensRequest__Output): Promise<ListScimTokensResponse> {
  const query = call.db.selectFrom('scim_tokens').selectAll().where('issuer_id', '=', request.issuerId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { scimTokens: items, nextPageToken };
}

export async function revoke(call: ChangeCall, request: RevokeScimTokenRequest__Output): Promise<Outcome<ScimToken>> {
  const { db, now } = call;
  const before = await db.selectFrom('scim_tokens').selectAll().where('id', '=', request.id).executeTakeFirst();
  if (before === undefined) throw notFound('id');
  if (before.revoked_at !== null) return { unchanged: message(before) };
  const after: Row = { ...before, revoked_at: now };
  await db.updateTable('scim_tokens').set(after).where('id', '=', before.id).execute();
  return { ...recorded(call, before), result: message(after), before: message(before), after: message(after) };
}

/** @throws CallError */
async function expectRoom(db: Kysely<Schema>, issuerId: string): Promise<void> {
  const { count } = await db
    .selectFrom('scim_tokens')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('issuer_id', '=', issuerId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) < tokensMax) return;
  throw new CallError('too_many_scim_tokens', `there are ${tokensMax} already; revoke one that is not needed`);
}

function recorded({ caller }: ChangeCall, { id }: Row) {
  return { organizationId: caller.organizationId, target: { kind: 'scim_token', id }, invalidations: [] };
}

function message(row: Row) {
  return {
    id: row.id,
    issuerId: row.issuer_id,
    name: row.name,
    hint: row.hint,
    createdAt: timeText(row.created_at),
    ...(row.revoked_at === null ? {} : { revokedAt: timeText(row.revoked_at) }),
    ...(row.used_at === null ? {} : { lastUsedAt: timeText(row.used_at) }),
  } satisfies ScimToken;
}
