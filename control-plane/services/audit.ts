// The audit log: lists its events, newest first, and verifies its chain.
import type { Selectable } from 'kysely';
import type { AuditEvent } from '../../proto/generated/gateway/v1/AuditEvent.ts';
import type { ListAuditEventsRequest__Output } from '../../proto/generated/gateway/v1/ListAuditEventsRequest.ts';
import type { ListAuditEventsResponse } from '../../proto/generated/gateway/v1/ListAuditEventsResponse.ts';
import type { VerifyAuditRequest__Output } from '../../proto/generated/gateway/v1/VerifyAuditRequest.ts';
import type { VerifyAuditResponse } from '../../proto/generated/gateway/v1/VerifyAuditResponse.ts';
import { each, type Field, invalid, optional, valid } from '../domain/field.ts';
import { id, timeText } from '../domain/shared-fields.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { cutPage, pageByRevision } from '../rpc/page.ts';
import { beforeFirst, storedPoints, verifySlice } from '../store/audit-chain.ts';
import type { Schema } from '../store/schema.ts';
import type { ReadCall } from './method.ts';

type Row = Selectable<Schema['audit_events']>;

export async function list(call: ReadCall, request: ListAuditEventsRequest__Output): Promise<ListAuditEventsResponse> {
  const { size, limit, after } = pageByRevision(request);
  const { target_id } = checked({ target_id: optional(id, request.targetId) });
  let query = call.db
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', request.organizationId === undefined ? 'is' : '=', request.organizationId ?? null)
    .orderBy('revision', 'desc')
    .limit(limit);
  if (target_id !== undefined) query = query.where('target_id', '=', target_id);
  if (after !== undefined) query = query.where('revision', '<', after);
  const { items, nextPageToken } = cutPage(await query.execute(), size, (row) => row.revision, message);
  return { events: items, nextPageToken };
}

const sliceRows = 500;
const revisionsMax = 500;

/** Verifies a bounded piece of the log, so that a call never delays others, however long the log is. */
export async function verify(
  { db }: ReadCall,
  { afterRevision, afterHash, revisions }: VerifyAuditRequest__Output,
): Promise<VerifyAuditResponse> {
  const given = checked({
    after_revision: optional(revision, afterRevision),
    after_hash: optional(chainHash, afterHash),
    revisions: each(revision, revisions),
  });
  if ((given.after_revision === undefined) !== (given.after_hash === undefined))
    throw invalidRequest([{ field: 'after_hash', description: 'belongs to after_revision: give both or none' }]);
  if (revisions.length > revisionsMax)
    throw invalidRequest([{ field: 'revisions', description: `must be at most ${revisionsMax}` }]);
  const { after_revision = beforeFirst.revision, after_hash = beforeFirst.hash } = given;
  const slice = await verifySlice(db, { revision: after_revision, hash: after_hash }, sliceRows);
  const links = await storedPoints(db, given.revisions);
  const { reached, events, isEnd, flaw } = slice;
  return { reached, events, isEnd, ...(flaw && { flaw }), links: [...links] };
}

function revision(text: string): Field<number> {
  const number = Number(text);
  return Number.isSafeInteger(number) ? valid(number) : invalid('must be a revision');
}

function chainHash(text: string): Field<string> {
  return /^[0-9a-f]{64}$/.test(text) ? valid(text) : invalid('must be 64 hexadecimal digits');
}

function message(row: Row) {
  return {
    revision: String(row.revision),
    at: timeText(row.at),
    ...(row.organization_id === null ? {} : { organizationId: row.organization_id }),
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    from: row.from_address,
    action: row.action,
    targetKind: row.target_kind,
    targetId: row.target_id,
    ...(row.before === null ? {} : { before: row.before }),
    ...(row.after === null ? {} : { after: row.after }),
    hash: row.hash,
    previousHash: row.previous_hash,
  } satisfies AuditEvent;
}
