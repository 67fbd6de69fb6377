// The audit log, newest first.
import type { Selectable } from 'kysely';
import type { AuditEvent } from '../../proto/generated/gateway/v1/AuditEvent.ts';
import type { ListAuditEventsRequest__Output } from '../../proto/generated/gateway/v1/ListAuditEventsRequest.ts';
import type { ListAuditEventsResponse } from '../../proto/generated/gateway/v1/ListAuditEventsResponse.ts';
import { optional } from '../domain/field.ts';
import { id, timeText } from '../domain/fields.ts';
import type { Schema } from '../store/schema.ts';
import { checked } from './checked.ts';
import type { ReadCall } from './method.ts';
import { cutPage, pageByRevision } from './page.ts';

type Row = Selectable<Schema['audit_events']>;

export async function list(
  call: ReadCall,
  request: ListAuditEventsRequest__Output,
): Promise<ListAuditEventsResponse> {
  const { size, limit, after } = pageByRevision(request);
  const { target_id } = checked({ target_id: optional(id, request.targetId) });
  let query = call.db
    .selectFrom('audit_events')
    .selectAll()
    .where(
      'organization_id',
      request.organizationId === undefined ? 'is' : '=',
      request.organizationId ?? null,
    )
    .orderBy('revision', 'desc')
    .limit(limit);
  if (target_id !== undefined) query = query.where('target_id', '=', target_id);
  if (after !== undefined) query = query.where('revision', '<', after);
  const { items, nextPageToken } = cutPage(await query.execute(), size, (row) => row.revision, message);
  return { events: items, nextPageToken };
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
