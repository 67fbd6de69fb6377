// Who people are at issuers. What makes identities is in auth/: a sign-in.
import type { Kysely, Selectable } from 'kysely';
import type { DeleteIdentityRequest__Output } from '../../proto/generated/gateway/v1/DeleteIdentityRequest.ts';
import type { DeleteIdentityResponse } from '../../proto/generated/gateway/v1/DeleteIdentityResponse.ts';
import type { Identity } from '../../proto/generated/gateway/v1/Identity.ts';
import type { ListIdentitiesRequest__Output } from '../../proto/generated/gateway/v1/ListIdentitiesRequest.ts';
import type { ListIdentitiesResponse } from '../../proto/generated/gateway/v1/ListIdentitiesResponse.ts';
import { endSessionsOfIdentity } from '../auth/sessions.ts';
import { mayChangePerson } from '../domain/roles.ts';
import { timeText } from '../domain/shared-fields.ts';
import { notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { findPerson, ownersOnly } from './people.ts';

type Row = Selectable<Schema['identities']>;

export async function list(call: ReadCall, request: ListIdentitiesRequest__Output): Promise<ListIdentitiesResponse> {
  const query = call.db.selectFrom('identities').selectAll().where('person_id', '=', request.personId);
  const { items, nextPageToken } = await pageOf(query, request, (row) => row);
  const names = await issuerNames(call.db, items);
  return { identities: items.map((row) => message(row, names)), nextPageToken };
}

export async function remove(
  call: ChangeCall,
  request: DeleteIdentityRequest__Output,
): Promise<Outcome<DeleteIdentityResponse>> {
  const { db } = call;
  const row = await db.selectFrom('identities').selectAll().where('id', '=', request.id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  const person = await findPerson(db, row.person_id);
  if (!mayChangePerson(call.caller, person.role)) throw ownersOnly();
  const before = message(row, await issuerNames(db, [row]));
  const sessionsEnded = await endSessionsOfIdentity(call, row.id);
  await db.deleteFrom('identities').where('id', '=', row.id).execute();
  return {
    result: { sessionsEnded },
    organizationId: person.organization_id ?? undefined,
    target: { kind: 'person', id: person.id },
    before,
    after: { sessionsEnded },
    invalidations: [],
  };
}

async function issuerNames(db: Kysely<Schema>, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map((row) => row.issuer_id))];
  const issuers = await db.selectFrom('issuers').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(issuers.map(({ id, name }) => [id, name]));
}

function message(row: Row, names: ReadonlyMap<string, string>) {
  return {
    id: row.id,
    personId: row.person_id,
    issuerId: row.issuer_id,
    issuerName: names.get(row.issuer_id) ?? '',
    subject: row.subject,
    createdAt: timeText(row.created_at),
  } satisfies Identity;
}
