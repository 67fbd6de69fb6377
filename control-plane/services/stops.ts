// Stops: switches by which operators refuse requests at every proxy. The platform's are in the platform's record, an
// organization's in its own, so the change feed names that record when one changes.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { dayMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateStopRequest__Output } from '../../proto/generated/gateway/v1/CreateStopRequest.ts';
import type { DeleteStopRequest__Output } from '../../proto/generated/gateway/v1/DeleteStopRequest.ts';
import type { DeleteStopResponse } from '../../proto/generated/gateway/v1/DeleteStopResponse.ts';
import type { GetStopRequest__Output } from '../../proto/generated/gateway/v1/GetStopRequest.ts';
import type { ListStopsRequest__Output } from '../../proto/generated/gateway/v1/ListStopsRequest.ts';
import type { ListStopsResponse } from '../../proto/generated/gateway/v1/ListStopsResponse.ts';
import type { Stop } from '../../proto/generated/gateway/v1/Stop.ts';
import { optional } from '../domain/field.ts';
import { timeText } from '../domain/shared-fields.ts';
import { publicReason, type StopRules, stopTarget, timeAfter } from '../domain/stop.ts';
import { checked } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import { callableBy } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { present, readNames } from '../usage/names.ts';
import { enqueueDeliveries, enqueueForAll } from '../webhooks/enqueue.ts';
import { readKnownModels } from './known-models.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { organizationChanged } from './organizations.ts';
import { openAt, platformChanged, type StopRow, stopMessage } from './stop-rows.ts';

/** For the platform, and for one organization, whose record contains all of them. Ended ones do not count. */
export const stopsMax = 100;
/** How long ended stops are listed. */
const endedForMs = 7 * dayMs;

export async function create(call: ChangeCall, request: CreateStopRequest__Output): Promise<Outcome<Stop>> {
  const organizationId = request.organizationId ?? null;
  const fields = checked({
    target: stopTarget(await rulesFor(call.db, organizationId, request))(request.target),
    reason: publicReason(request.reason),
    ends_at: optional(timeAfter(call.now), request.endsAt),
  });
  await forgetEnded(call, organizationId);
  await requireRoom(call, organizationId);
  const row: StopRow = {
    id: uuidv7(call.now),
    organization_id: organizationId,
    ...fields.target.columns,
    reason: fields.reason,
    created_by: call.caller.personId,
    ends_at: fields.ends_at ?? null,
    created_at: call.now,
    revision: call.revision,
  };
  await call.db.insertInto('stops').values(row).execute();
  await notify(call, row, 'created');
  const stop = stopMessage(row, call.now);
  const { match } = fields.target;
  return { ...recorded(row), result: { ...stop, ...(match && { match }) }, after: stop };
}

export async function get(call: ReadCall, request: GetStopRequest__Output): Promise<Stop> {
  const row = await find(call.db, request.id);
  const [stop] = await withAuthors(call, row.organization_id, [stopMessage(row, call.now, call.caller.organizationId)]);
  return stop ?? {};
}

export async function list(call: ReadCall, request: ListStopsRequest__Output): Promise<ListStopsResponse> {
  const query = call.db
    .selectFrom('stops')
    .selectAll()
    .where(ownAndPlatforms(request.organizationId ?? null));
  const { organizationId } = call.caller;
  const { items, nextPageToken } = await pageOf(query, request, (row) => stopMessage(row, call.now, organizationId));
  return { stops: await withAuthors(call, request.organizationId ?? null, items), nextPageToken };
}

/** @param organizationId whose people made those that have an author. @returns the stops with their names */
async function withAuthors(
  { db }: ReadCall,
  organizationId: string | null,
  stops: readonly ReturnType<typeof stopMessage>[],
): Promise<Stop[]> {
  const ids = present(stops.map(({ createdBy }) => createdBy));
  const names = await readNames(db, 'people', { organizationId, ids });
  return stops.map((stop) => ({ ...stop, createdByName: names.get(stop.createdBy) ?? '' }));
}

export async function remove(
  call: ChangeCall,
  request: DeleteStopRequest__Output,
): Promise<Outcome<DeleteStopResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('stops').where('id', '=', row.id).execute();
  await notify(call, row, 'lifted');
  return { ...recorded(row), result: {}, before: stopMessage(row, call.now) };
}

async function rulesFor(
  db: Kysely<Schema>,
  organizationId: string | null,
  { target, allowUnmatched }: CreateStopRequest__Output,
): Promise<StopRules> {
  let named = db
    .selectFrom('providers')
    .select('name')
    .where('name', '=', target?.provider ?? '');
  // The platform also stops providers of organizations, by their name.
  if (organizationId !== null) named = named.where(callableBy(organizationId));
  const rows = await named.execute();
  return {
    known: await readKnownModels(db, organizationId, target?.model),
    customProviders: new Set(rows.map(({ name }) => name)),
    insists: allowUnmatched === true,
  };
}

async function forgetEnded({ db, now }: ChangeCall, organizationId: string | null): Promise<void> {
  await db
    .deleteFrom('stops')
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where('ends_at', '<', now - endedForMs)
    .execute();
}

/** @throws CallError */
async function requireRoom({ db, now }: ChangeCall, organizationId: string | null): Promise<void> {
  const { count } = await db
    .selectFrom('stops')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where(openAt(now))
    .executeTakeFirstOrThrow();
  if (count < stopsMax) return;
  throw new CallError('too_many_stops', `there are ${stopsMax} already; lift one that is not needed`);
}

/** The platform's stops concern every organization. */
async function notify(call: ChangeCall, row: StopRow, change: 'created' | 'lifted'): Promise<void> {
  const { id, target, reason, createdAt, endsAt = null } = stopMessage(row, call.now);
  const event = {
    type: 'stop.changed',
    timestamp: timeText(call.now),
    data: { change, organizationId: row.organization_id, stop: { id, target, reason, createdAt, endsAt } },
  };
  if (row.organization_id === null) await enqueueForAll(call, event);
  else await enqueueDeliveries(call, row.organization_id, event);
}

function ownAndPlatforms(organizationId: string | null) {
  return (where: ExpressionBuilder<Schema, 'stops'>) => {
    const platforms = where('organization_id', 'is', null);
    return organizationId === null ? platforms : where.or([platforms, where('organization_id', '=', organizationId)]);
  };
}

async function find(db: Kysely<Schema>, id: string): Promise<StopRow> {
  const row = await db.selectFrom('stops').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function recorded({ id, organization_id: organizationId }: StopRow) {
  return {
    organizationId: organizationId ?? undefined,
    target: { kind: 'stop', id },
    invalidations: [organizationId === null ? platformChanged : organizationChanged(organizationId)],
  };
}
