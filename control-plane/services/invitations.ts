// Invitations to an organization. The value is shown once; the identity that shows it at its first sign-in becomes a
// person with the invitation's role, if its address is the same.
import type { Selectable } from 'kysely';
import { createCredential, hashCredential } from '../../common/credential.ts';
import { dayMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateInvitationRequest__Output } from '../../proto/generated/gateway/v1/CreateInvitationRequest.ts';
import type { CreateInvitationResponse } from '../../proto/generated/gateway/v1/CreateInvitationResponse.ts';
import type { DeleteInvitationRequest__Output } from '../../proto/generated/gateway/v1/DeleteInvitationRequest.ts';
import type { DeleteInvitationResponse } from '../../proto/generated/gateway/v1/DeleteInvitationResponse.ts';
import type { Invitation } from '../../proto/generated/gateway/v1/Invitation.ts';
import type { ListInvitationsRequest__Output } from '../../proto/generated/gateway/v1/ListInvitationsRequest.ts';
import type { ListInvitationsResponse } from '../../proto/generated/gateway/v1/ListInvitationsResponse.ts';
import { roles } from '../../proto/words/access.ts';
import { mayChangePerson } from '../domain/roles.ts';
import { email, timeText } from '../domain/shared-fields.ts';
import { expectNoMachine } from '../rpc/caller.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { organizationOrPlatform, ownerNamed } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { enqueueDeliveries } from '../webhooks/enqueue.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { ownersOnly, roleIn } from './people.ts';

type Row = Selectable<Schema['invitations']>;

const invitationMs = 7 * dayMs;
export const invitationsMax = 1000;

export async function create(
  call: ChangeCall,
  request: CreateInvitationRequest__Output,
): Promise<Outcome<CreateInvitationResponse>> {
  expectNoMachine(call.caller);
  const { db, now, caller } = call;
  const organizationId = ownerNamed(request.organizationId);
  const belongs = organizationOrPlatform(organizationId) ?? null;
  const fields = checked({ email: email(request.email), role: roleIn(belongs)(request.role) });
  if (!mayChangePerson(caller, fields.role)) throw ownersOnly();
  await db.deleteFrom('invitations').where('ends_at', '<=', now).execute();
  await expectRoom(call, organizationId);
  const value = createCredential('invitation');
  const row: Row = {
    id: uuidv7(now),
    organization_id: organizationId,
    hash: hashCredential(value),
    email: fields.email,
    role: fields.role,
    created_by: caller.personId,
    created_at: now,
    ends_at: now + invitationMs,
  };
  await db.insertInto('invitations').values(row).execute();
  if (belongs !== null) await enqueueDeliveries(call, belongs, eventOf(row));
  return { ...recorded(row), result: { invitation: message(row), value }, after: message(row) };
}

export async function list(call: ReadCall, request: ListInvitationsRequest__Output): Promise<ListInvitationsResponse> {
  const query = call.db
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', ownerNamed(request.organizationId))
    .where('ends_at', '>', call.now);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { invitations: items, nextPageToken };
}

export async function remove(
  call: ChangeCall,
  request: DeleteInvitationRequest__Output,
): Promise<Outcome<DeleteInvitationResponse>> {
  const row = await call.db.selectFrom('invitations').selectAll().where('id', '=', request.id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  if (!mayChangePerson(call.caller, row.role)) throw ownersOnly();
  await call.db.deleteFrom('invitations').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

/** Deliveries are stored and shown to operators, so the event has no value: who invites passes the link on. */
function eventOf(row: Row) {
  const { organizationId, ...invitation } = message(row);
  return { type: 'invitation.created', timestamp: timeText(row.created_at), data: { organizationId, invitation } };
}

/** @throws CallError */
async function expectRoom({ db }: ChangeCall, organizationId: string): Promise<void> {
  const { count } = await db
    .selectFrom('invitations')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (count < invitationsMax) return;
  throw new CallError('too_many_invitations', `there are ${invitationsMax} already; delete those that are not needed`);
}

/** No proxy's record contains invitations, so nothing is invalidated. */
function recorded(row: Row) {
  const organizationId = organizationOrPlatform(row.organization_id);
  return { organizationId, target: { kind: 'invitation', id: row.id }, invalidations: [] };
}

function message(row: Row) {
  return {
    id: row.id,
    organizationId: organizationOrPlatform(row.organization_id) ?? '',
    email: row.email,
    role: roles.names[row.role],
    createdBy: row.created_by,
    createdAt: timeText(row.created_at),
    endsAt: timeText(row.ends_at),
  } satisfies Invitation;
}
