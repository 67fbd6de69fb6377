// The ways to find a request's organization, one for each row of methods.ts, and the check that it owns a resource that
// the request refers to.
import type { Kysely } from 'kysely';
import type { LimitSubjectKind } from '../../proto/words/access.ts';
import type { Reference } from '../domain/enum-names.ts';
import { id } from '../domain/shared-fields.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { Belongs, ReadCall } from './method.ts';

/** The caller's own organization, for requests that name none. */
export async function callersOwn(_request: unknown, call: ReadCall): Promise<Belongs> {
  return call.caller.organizationId ?? null;
}

/** `organization_id` of the request. */
export async function named(request: { readonly organizationId: string }): Promise<Belongs> {
  return checked({ organization_id: id(request.organizationId) }).organization_id;
}

/** `organization_id` of the request; absent for a platform operator's own resources. */
export async function namedOrPlatform(request: { readonly organizationId?: string }, call: ReadCall): Promise<Belongs> {
  if (request.organizationId !== undefined) return await named({ organizationId: request.organizationId });
  if (call.caller.organizationId === undefined) return null;
  throw invalidRequest([{ field: 'organization_id', description: 'is required' }]);
}

/** `organization_id` of the request; empty for the platform's limits. */
export async function namedOrPlatforms(request: { readonly organizationId: string }, call: ReadCall): Promise<Belongs> {
  if (request.organizationId !== '') return await named(request);
  if (call.caller.organizationId === undefined) return null;
  const description = 'must be the id of your organization; what is the platform’s is for platform operators';
  throw invalidRequest([{ field: 'organization_id', description }]);
}

/** `organization_id` of the request; absent for what is the caller's own. */
export async function namedOrOwn(request: { readonly organizationId?: string }, call: ReadCall): Promise<Belongs> {
  const { organizationId } = request;
  return organizationId === undefined ? await callersOwn(request, call) : await named({ organizationId });
}

/** `id` is an organization's. */
export async function itself(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const row = await call.db.selectFrom('organizations').select('id').where('id', '=', request.id).executeTakeFirst();
  return row?.id;
}

type OwnedTable =
  | 'ai_systems'
  | 'people'
  | 'virtual_keys'
  | 'provider_keys'
  | 'providers'
  | 'limits'
  | 'prices'
  | 'webhooks'
  | 'guardrails'
  | 'routes'
  | 'stops'
  | 'issuers'
  | 'sign_in_domains'
  | 'invitations'
  | 'capture_settings';

/** `limit_id` is a limit's, or that of a deleted budget. */
export async function ofLimit({ limitId }: { readonly limitId: string }, call: ReadCall): Promise<Belongs> {
  checked({ limit_id: id(limitId) });
  return await ofLimitRow({ id: limitId }, call);
}

/** `webhook_id` is a webhook's. */
export async function ofWebhook({ webhookId }: { readonly webhookId: string }, call: ReadCall): Promise<Belongs> {
  checked({ webhook_id: id(webhookId) });
  return await ofRow('webhooks')({ id: webhookId }, call);
}

/** `id` is that of a delivery, whose webhook may be deleted. */
export async function ofDelivery(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const row = await call.db
    .selectFrom('webhook_deliveries')
    .select('organization_id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  return row?.organization_id;
}

/** `id` is that of a row in a table whose rows belong to an organization. */
export function ofRow(table: OwnedTable) {
  return async (request: { readonly id: string }, call: ReadCall): Promise<Belongs> => {
    checked({ id: id(request.id) });
    const row = await call.db
      .selectFrom(table)
      .select('organization_id')
      .where('id', '=', request.id)
      .executeTakeFirst();
    return row?.organization_id === platformId ? null : row?.organization_id;
  };
}

/** `id` is a limit's. */
export const ofLimitRow = ofRow('limits');

/** `id` is that of a person's identity at an issuer. */
export async function ofIdentity(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const row = await call.db
    .selectFrom('identities')
    .select('person_id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  return row === undefined ? undefined : await organizationOfPerson(row.person_id, call);
}

/** `id` is a custom provider's. Everyone may read the platform's. */
export async function ofReadableProvider(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  const belongs = await ofRow('providers')(request, call);
  return belongs === null ? callersOwn(request, call) : belongs;
}

/** `id` is a stop's. The platform's bind everyone, so everyone may read them. */
export async function ofReadableStop(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  const belongs = await ofRow('stops')(request, call);
  return belongs === null ? callersOwn(request, call) : belongs;
}

/** `issuer_id` is an issuer's. */
export async function ofIssuer({ issuerId }: { readonly issuerId: string }, call: ReadCall): Promise<Belongs> {
  checked({ issuer_id: id(issuerId) });
  return await ofRow('issuers')({ id: issuerId }, call);
}

/** `id` is that of an issuer's SCIM token. */
export async function ofScimToken(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const token = await call.db
    .selectFrom('scim_tokens')
    .select('issuer_id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  return token === undefined ? undefined : await ofIssuer({ issuerId: token.issuer_id }, call);
}

/** `person_id` names a person. */
export async function ofPerson(request: { readonly personId: string }, call: ReadCall): Promise<Belongs> {
  checked({ person_id: id(request.personId) });
  return await organizationOfPerson(request.personId, call);
}

/** `id` is an operator token's. */
export async function ofOperatorToken(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const token = await call.db
    .selectFrom('operator_tokens')
    .select('person_id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  return token === undefined ? undefined : await organizationOfPerson(token.person_id, call);
}

/** `id` is that of a session of the console. */
export async function ofSession(request: { readonly id: string }, call: ReadCall): Promise<Belongs> {
  checked({ id: id(request.id) });
  const session = await call.db
    .selectFrom('console_sessions')
    .select('person_id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  return session === undefined ? undefined : await organizationOfPerson(session.person_id, call);
}

async function organizationOfPerson(personId: string, call: ReadCall): Promise<Belongs> {
  const person = await call.db
    .selectFrom('people')
    .select('organization_id')
    .where('id', '=', personId)
    .executeTakeFirst();
  return person?.organization_id;
}

const referred = {
  ai_system: { table: 'ai_systems', what: 'an AI system' },
  person: { table: 'people', what: 'a person' },
  virtual_key: { table: 'virtual_keys', what: 'a virtual key' },
  provider_key: { table: 'provider_keys', what: 'a provider key' },
} as const satisfies Record<Exclude<LimitSubjectKind, 'organization' | 'platform'>, object>;

/**
 * @throws CallError unless the resource belongs to the organization; a reference to the organization itself, or to the
 * platform, was checked when it was read
 */
export async function requireExists(
  db: Kysely<Schema>,
  organizationId: string,
  { field, kind, id }: Reference<LimitSubjectKind> & { readonly field: string },
): Promise<void> {
  if (kind === 'organization' || kind === 'platform') return;
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
