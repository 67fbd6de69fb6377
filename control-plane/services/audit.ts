// The audit log: lists its events, newest first, and verifies its chain.
import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { hourMs } from '../../common/durations.ts';
import type { AuditEvent } from '../../proto/generated/gateway/v1/AuditEvent.ts';
import type { ListAuditEventsRequest__Output } from '../../proto/generated/gateway/v1/ListAuditEventsRequest.ts';
import type { ListAuditEventsResponse } from '../../proto/generated/gateway/v1/ListAuditEventsResponse.ts';
import type { VerifyAuditRequest__Output } from '../../proto/generated/gateway/v1/VerifyAuditRequest.ts';
import type { VerifyAuditResponse } from '../../proto/generated/gateway/v1/VerifyAuditResponse.ts';
import { each, type Field, invalid, optional, valid } from '../domain/field.ts';
import { id, time, timeText } from '../domain/shared-fields.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { cutPage, pageByRevision } from '../rpc/page.ts';
import { beforeFirst, storedPoints, verifySlice } from '../store/audit-chain.ts';
import { type ActorKind, actorKinds } from '../store/audit-table.ts';
import type { Schema } from '../store/schema.ts';
import { type EventNames, readEventNames, readStateNames } from './audit-names.ts';
import type { ReadCall } from './method.ts';

type Row = Selectable<Schema['audit_events']>;
type Events = SelectQueryBuilder<Schema, 'audit_events', Row>;

export async function list(call: ReadCall, request: ListAuditEventsRequest__Output): Promise<ListAuditEventsResponse> {
  const { size, limit, after } = pageByRevision(request);
  const {
    target_id,
    after_revision,
    revision: only,
    ...filters
  } = checked({
    target_id: optional(id, request.targetId),
    actor_id: optional(actorId, request.actorId),
    action: optional(word, request.action),
    since: optional(time, request.since),
    until: optional(time, request.until),
    target_kind: optional(word, request.targetKind),
    actor_kind: optional(actorKind, request.actorKind),
    after_revision: optional(revision, request.afterRevision),
    revision: optional(revision, request.revision),
  });
  const organizationId = request.organizationId ?? null;
  const isFollowed = after_revision !== undefined;
  let query: Events = call.db.selectFrom('audit_events').selectAll();
  query = query.where('organization_id', organizationId === null ? 'is' : '=', organizationId);
  if (target_id !== undefined) query = query.where('target_id', '=', target_id);
  if (only !== undefined) query = query.where('revision', '=', only);
  if (isFollowed) query = query.where('revision', '>', Math.max(after_revision, after ?? 0));
  else if (after !== undefined) query = query.where('revision', '<', after);
  const rows = await filtered(call.db, query, { ...filters, organizationId })
    .orderBy('revision', isFollowed ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  const names = await readEventNames(call.db, organizationId, rows);
  const inStates = request.names ? await readStateNames(call.db, organizationId, rows) : undefined;
  const { items, nextPageToken } = cutPage(
    rows,
    size,
    (row) => row.revision,
    (row) => ({ ...message(row, names), ...(inStates && { names: inStates(row) }) }),
  );
  return { events: items, nextPageToken };
}

interface Filters {
  readonly organizationId: string | null;
  readonly actor_id: string | undefined;
  readonly action: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly target_kind: string | undefined;
  readonly actor_kind: ActorKind | undefined;
}

/** Times are compared exactly; the revisions around them let an index find the range. */
function filtered(db: Kysely<Schema>, query: Events, filters: Filters): Events {
  const { actor_id, action, since, until, target_kind, actor_kind } = filters;
  let narrowed = query;
  if (actor_id !== undefined) narrowed = narrowed.where('actor_id', '=', actor_id);
  if (actor_kind !== undefined) narrowed = narrowed.where('actor_kind', '=', actor_kind);
  if (target_kind !== undefined) narrowed = narrowed.where('target_kind', '=', target_kind);
  if (action !== undefined) narrowed = narrowed.where(ofAction(action));
  if (since !== undefined) {
    const before = nearest(db, filters, { at: since - clockStepMs, side: 'before' });
    narrowed = narrowed.where('at', '>=', since).where(sql<boolean>`revision > coalesce(${before}, 0)`);
  }
  if (until !== undefined) {
    const later = nearest(db, filters, { at: until + clockStepMs, side: 'after' });
    narrowed = narrowed.where('at', '<', until).where(sql<boolean>`revision < coalesce(${later}, ${revisionMax})`);
  }
  return narrowed;
}

/** Events follow each other in the order of revisions; their times do so but for steps of the database's clock. */
const clockStepMs = hourMs;
const revisionMax = Number.MAX_SAFE_INTEGER;

/** The revision of the last event before a time, or of the first one after it. */
function nearest(
  db: Kysely<Schema>,
  { organizationId }: Filters,
  { at, side }: { readonly at: number; readonly side: 'before' | 'after' },
) {
  const [compares, order] = side === 'before' ? (['<', 'desc'] as const) : (['>', 'asc'] as const);
  return db
    .selectFrom('audit_events as near')
    .select('near.revision')
    .where('near.organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where('near.at', compares, at)
    .orderBy('near.at', order)
    .orderBy('near.revision', order)
    .limit(1);
}

/** "VirtualKeys" is every action of that service. */
function ofAction(action: string): RawBuilder<boolean> {
  if (action.includes('.')) return sql<boolean>`action = ${action}`;
  return sql<boolean>`substr(action, 1, ${action.length + 1}) = ${`${action}.`}`;
}

function word(text: string): Field<string> {
  return /^[A-Za-z_.]{1,100}$/.test(text) ? valid(text) : invalid('must be such as in the events');
}

/** Of a person or key; the bootstrap token and the system have a word. */
function actorId(text: string): Field<string> {
  return text.length > 0 && text.length <= 100 ? valid(text) : invalid('must be the id of an actor');
}

function actorKind(text: string): Field<ActorKind> {
  const kind = actorKinds.find((one) => one === text);
  return kind === undefined ? invalid(`must be one of ${actorKinds.join(', ')}`) : valid(kind);
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

function message(row: Row, names: EventNames) {
  const [actorName, targetName] = [names.actorOf(row), names.targetOf(row)];
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
    ...(actorName !== undefined && { actorName }),
    ...(targetName !== undefined && { targetName }),
  } satisfies AuditEvent;
}
