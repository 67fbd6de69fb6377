// Proxy tokens: they identify a proxy to the control plane, and may bind it to one organization.
import type { Selectable } from 'kysely';
import { createCredential, credentialHint, hashCredential } from '../../common/credential.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateProxyTokenRequest__Output } from '../../proto/generated/gateway/v1/CreateProxyTokenRequest.ts';
import type { CreateProxyTokenResponse } from '../../proto/generated/gateway/v1/CreateProxyTokenResponse.ts';
import type { ListProxyTokensRequest__Output } from '../../proto/generated/gateway/v1/ListProxyTokensRequest.ts';
import type { ListProxyTokensResponse } from '../../proto/generated/gateway/v1/ListProxyTokensResponse.ts';
import type { ProxyToken } from '../../proto/generated/gateway/v1/ProxyToken.ts';
import type { RevokeProxyTokenRequest__Output } from '../../proto/generated/gateway/v1/RevokeProxyTokenRequest.ts';
import { optional } from '../domain/field.ts';
import { id, name, timeText } from '../domain/shared-fields.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';

type Row = Selectable<Schema['proxy_tokens']>;

export async function create(
  call: ChangeCall,
  request: CreateProxyTokenRequest__Output,
): Promise<Outcome<CreateProxyTokenResponse>> {
  const fields = checked({
    name: name(request.name),
    organization_id: optional(id, request.organizationId),
  });
  if (fields.organization_id !== undefined) await requireOrganization(call, fields.organization_id);
  const value = createCredential('proxy');
  const row: Row = {
    id: uuidv7(call.now),
    hash: hashCredential(value),
    name: fields.name,
    hint: credentialHint(value),
    organization_id: fields.organization_id ?? null,
    created_at: call.now,
    revoked_at: null,
  };
  await call.db.insertInto('proxy_tokens').values(row).execute();
  return {
    ...recorded(row),
    result: { proxyToken: message(row), value },
    after: message(row),
    invalidations: [],
  };
}

export async function list(call: ReadCall, request: ListProxyTokensRequest__Output): Promise<ListProxyTokensResponse> {
  const query = call.db.selectFrom('proxy_tokens').selectAll();
  const { items, nextPageToken } = await pageOf(query, request, message);
  const names = await organizationNames(
    call,
    items.flatMap(({ organizationId }) => organizationId ?? []),
  );
  const named = items.map((item) => ({ ...item, organizationName: names.get(item.organizationId ?? '') ?? '' }));
  return { proxyTokens: named, nextPageToken };
}

async function organizationNames({ db }: ReadCall, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('organizations').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function revoke(call: ChangeCall, request: RevokeProxyTokenRequest__Output): Promise<Outcome<ProxyToken>> {
  checked({ id: id(request.id) });
  const before = await call.db.selectFrom('proxy_tokens').selectAll().where('id', '=', request.id).executeTakeFirst();
  if (before === undefined) throw notFound('id');
  if (before.revoked_at !== null) return { unchanged: message(before) };
  const after: Row = { ...before, revoked_at: call.now };
  await call.db.updateTable('proxy_tokens').set(after).where('id', '=', before.id).execute();
  return {
    ...recorded(before),
    result: message(after),
    before: message(before),
    after: message(after),
    invalidations: [],
  };
}

async function requireOrganization(call: ChangeCall, organizationId: string): Promise<void> {
  const row = await call.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (row !== undefined) return;
  throw invalidRequest([{ field: 'organization_id', description: 'must be the id of an organization' }]);
}

/** A proxy token belongs to the platform, even if it is bound: its audit events are for platform operators. */
function recorded(row: Row) {
  return { organizationId: undefined, target: { kind: 'proxy_token', id: row.id } };
}

function message(row: Row) {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    createdAt: timeText(row.created_at),
    ...(row.revoked_at === null ? {} : { revokedAt: timeText(row.revoked_at) }),
  } satisfies ProxyToken;
}
