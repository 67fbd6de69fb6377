// E-mail domains of organizations. A verified domain leads people with such an address to the organization's issuers, so
// it belongs to one organization, which a DNS record or a platform operator vouches for.
import type { Kysely, Selectable } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { AddSignInDomainRequest__Output } from '../../proto/generated/gateway/v1/AddSignInDomainRequest.ts';
import type { CheckSignInDomainRequest__Output } from '../../proto/generated/gateway/v1/CheckSignInDomainRequest.ts';
import type { DeleteSignInDomainRequest__Output } from '../../proto/generated/gateway/v1/DeleteSignInDomainRequest.ts';
import type { DeleteSignInDomainResponse } from '../../proto/generated/gateway/v1/DeleteSignInDomainResponse.ts';
import type { ListSignInDomainsRequest__Output } from '../../proto/generated/gateway/v1/ListSignInDomainsRequest.ts';
import type { ListSignInDomainsResponse } from '../../proto/generated/gateway/v1/ListSignInDomainsResponse.ts';
import type { SignInDomain } from '../../proto/generated/gateway/v1/SignInDomain.ts';
import { domainStates } from '../../proto/words/sessions.ts';
import { afterCheck, proofOf, verifiedElsewhere } from '../auth/domain-proof.ts';
import { timeText } from '../domain/shared-fields.ts';
import { createChallenge, emailDomain, recordOf } from '../domain/sign-in-domain.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, Outcome, OutsideCall, ReadCall } from './method.ts';

type Row = Selectable<Schema['sign_in_domains']>;

export const domainsMax = 50;

export async function add(call: ChangeCall, request: AddSignInDomainRequest__Output): Promise<Outcome<SignInDomain>> {
  const { db, now } = call;
  const { organizationId } = request;
  const { domain } = checked({ domain: emailDomain(request.domain) });
  await expectOrganization(db, organizationId);
  const known = await db
    .selectFrom('sign_in_domains')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .execute();
  const same = known.find((row) => row.domain === domain);
  if (same !== undefined) return { unchanged: message(same) };
  if (known.length >= domainsMax) {
    throw new CallError('too_many_domains', `there are ${domainsMax} already; remove one that is not needed`);
  }
  const row: Row = {
    id: uuidv7(now),
    organization_id: organizationId,
    domain,
    challenge: createChallenge(),
    verified_at: null,
    vouched: 0,
    checked_at: null,
    missed: 0,
    created_at: now,
  };
  await db.insertInto('sign_in_domains').values(row).execute();
  return { ...recorded(row), result: message(row), after: message(row) };
}

export async function list(
  call: ReadCall,
  request: ListSignInDomainsRequest__Output,
): Promise<ListSignInDomainsResponse> {
  const query = call.db.selectFrom('sign_in_domains').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { domains: items, nextPageToken };
}

/** DNS is read outside of the transaction. */
export async function planCheck(call: OutsideCall, request: CheckSignInDomainRequest__Output) {
  const { id, vouch = false } = request;
  const row = await call.read(async (db, caller) => {
    if (vouch && caller.role !== 'platform_operator') {
      throw permissionDenied('only a platform operator vouches for a domain; publish its record and check again');
    }
    return await find(db, id);
  });
  const proof = vouch ? 'proven' : await proofOf(row, call.deps.readTxt);
  return async (change: ChangeCall): Promise<Outcome<SignInDomain>> => {
    const before = await find(change.db, id);
    if (proof === 'proven' && (await verifiedElsewhere(change.db, before))) {
      throw new CallError(
        'domain_taken',
        'another organization has verified this domain; a platform operator can help',
      );
    }
    const checks = afterCheck(before, proof, change.now);
    const after: Row = { ...before, ...checks, vouched: vouch ? 1 : before.vouched };
    await change.db.updateTable('sign_in_domains').set(after).where('id', '=', id).execute();
    return { ...recorded(before), result: message(after), before: message(before), after: message(after) };
  };
}

export async function remove(
  call: ChangeCall,
  request: DeleteSignInDomainRequest__Output,
): Promise<Outcome<DeleteSignInDomainResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('sign_in_domains').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

async function find(db: Kysely<Schema>, id: string): Promise<Row> {
  const row = await db.selectFrom('sign_in_domains').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

/** @throws CallError */
async function expectOrganization(db: Kysely<Schema>, id: string): Promise<void> {
  const row = await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('organization_id');
}

/** No proxy's record contains domains, so nothing is invalidated. */
function recorded(row: Row) {
  return { organizationId: row.organization_id, target: { kind: 'domain', id: row.id }, invalidations: [] };
}

function message(row: Row) {
  const state = row.verified_at === null ? 'unverified' : row.vouched === 1 ? 'vouched' : 'verified';
  return {
    id: row.id,
    organizationId: row.organization_id,
    domain: row.domain,
    ...recordOf(row),
    state: domainStates.names[state],
    ...(row.checked_at !== null && { checkedAt: timeText(row.checked_at) }),
    createdAt: timeText(row.created_at),
  } satisfies SignInDomain;
}
