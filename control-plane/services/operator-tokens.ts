// Operator tokens: valid for at most 90 days, and always of a person, with no more rights than that person. The
// bootstrap token creates the first.
import { dayMs } from '../../common/durations.ts';
import type { BootstrapRequest__Output } from '../../proto/generated/gateway/v1/BootstrapRequest.ts';
import type { BootstrapResponse } from '../../proto/generated/gateway/v1/BootstrapResponse.ts';
import type { CreateOperatorTokenRequest__Output } from '../../proto/generated/gateway/v1/CreateOperatorTokenRequest.ts';
import type { CreateOperatorTokenResponse } from '../../proto/generated/gateway/v1/CreateOperatorTokenResponse.ts';
import type { ListOperatorTokensRequest__Output } from '../../proto/generated/gateway/v1/ListOperatorTokensRequest.ts';
import type { ListOperatorTokensResponse } from '../../proto/generated/gateway/v1/ListOperatorTokensResponse.ts';
import type { OperatorToken } from '../../proto/generated/gateway/v1/OperatorToken.ts';
import type { RevokeOperatorTokenRequest__Output } from '../../proto/generated/gateway/v1/RevokeOperatorTokenRequest.ts';
import { optional } from '../domain/field.ts';
import { mayHandleTokensOf } from '../domain/roles.ts';
import { email, name, timeText, within } from '../domain/shared-fields.ts';
import { expectNoMachine } from '../rpc/caller.ts';
import { checked } from '../rpc/checked.ts';
import { notFound, permissionDenied } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { issueOperatorToken as insertOperatorToken, type OperatorTokenRow } from '../store/operator-token-rows.ts';
import type { BootstrapCall, ChangeCall, Outcome, ReadCall } from './method.ts';
import { findPerson, insertPerson, type PersonRow, personMessage } from './people.ts';

type Row = OperatorTokenRow;

const daysMax = 90;

export async function bootstrap(
  call: BootstrapCall,
  request: BootstrapRequest__Output,
): Promise<Outcome<BootstrapResponse>> {
  const fields = checked({ name: name(request.name), email: optional(email, request.email) });
  await call.db.updateTable('feed').set({ bootstrapped_at: call.now }).execute();
  const person = await insertPerson(call, {
    organizationId: null,
    name: fields.name,
    email: fields.email ?? null,
    role: 'platform_operator',
    allowedModels: [],
  });
  const token = await issueOperatorToken(call, { personId: person.id, name: 'first token' });
  return {
    result: { operator: personMessage(person), token: token.value },
    organizationId: undefined,
    target: { kind: 'person', id: person.id },
    after: personMessage(person),
    invalidations: [],
  };
}

export async function create(
  call: ChangeCall,
  request: CreateOperatorTokenRequest__Output,
): Promise<Outcome<CreateOperatorTokenResponse>> {
  const fields = checked({
    name: name(request.name),
    days: optional(within(1, daysMax), request.days),
  });
  expectNoMachine(call.caller);
  const person = await personWithTokens(call, request.personId);
  if (person.kind === 'service') {
    throw permissionDenied('a service account gets its tokens by Tokens.Exchange alone');
  }
  const { row, value } = await issueOperatorToken(call, {
    personId: person.id,
    name: fields.name,
    days: fields.days,
  });
  return {
    ...recorded(row, person),
    result: { operatorToken: message(row), value },
    after: message(row),
    invalidations: [],
  };
}

export async function list(
  call: ReadCall,
  request: ListOperatorTokensRequest__Output,
): Promise<ListOperatorTokensResponse> {
  const person = await personWithTokens(call, request.personId);
  const query = call.db.selectFrom('operator_tokens').selectAll().where('person_id', '=', person.id);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { operatorTokens: items, nextPageToken };
}

export async function revoke(
  call: ChangeCall,
  request: RevokeOperatorTokenRequest__Output,
): Promise<Outcome<OperatorToken>> {
  const before = await call.db
    .selectFrom('operator_tokens')
    .selectAll()
    .where('id', '=', request.id)
    .executeTakeFirst();
  if (before === undefined) throw notFound('id');
  const person = await personWithTokens(call, before.person_id);
  if (before.revoked_at !== null) return { unchanged: message(before) };
  const after: Row = { ...before, revoked_at: call.now };
  await call.db.updateTable('operator_tokens').set(after).where('id', '=', before.id).execute();
  return {
    ...recorded(before, person),
    result: message(after),
    before: message(before),
    after: message(after),
    invalidations: [],
  };
}

/** Creates a token that is valid for 90 days, or the given ones. Its value is to be shown once. */
export function issueOperatorToken(
  { db, now }: Pick<ChangeCall, 'db' | 'now'>,
  {
    personId,
    name: text,
    days = daysMax,
  }: { readonly personId: string; readonly name: string; readonly days?: number | undefined },
): Promise<{ readonly row: OperatorTokenRow; readonly value: string }> {
  return insertOperatorToken({ db, now }, { personId, name: text, endsAt: now + days * dayMs });
}

/** @throws CallError if the caller may not handle this person's tokens */
async function personWithTokens(call: ReadCall, personId: string): Promise<PersonRow> {
  const person = await findPerson(call.db, personId);
  if (mayHandleTokensOf(call.caller, person)) return person;
  throw permissionDenied('an admin handles the tokens of anybody but owners, a member only their own');
}

function recorded(row: Row, person: PersonRow) {
  return {
    organizationId: person.organization_id ?? undefined,
    target: { kind: 'operator_token', id: row.id },
  };
}

function message(row: Row) {
  return {
    id: row.id,
    personId: row.person_id,
    name: row.name,
    hint: row.hint,
    createdAt: timeText(row.created_at),
    endsAt: timeText(row.ends_at),
    ...(row.revoked_at === null ? {} : { revokedAt: timeText(row.revoked_at) }),
  } satisfies OperatorToken;
}
