// Routes: names that callers use as models, each with groups of targets. The active ones are part of their
// organization's record, so the change feed names that record when one changes.
import { type Kysely, sql } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { CreateRouteRequest__Output } from '../../proto/generated/gateway/v1/CreateRouteRequest.ts';
import type { DeleteRouteRequest__Output } from '../../proto/generated/gateway/v1/DeleteRouteRequest.ts';
import type { DeleteRouteResponse } from '../../proto/generated/gateway/v1/DeleteRouteResponse.ts';
import type { GetRouteRequest__Output } from '../../proto/generated/gateway/v1/GetRouteRequest.ts';
import type { ListRoutesRequest__Output } from '../../proto/generated/gateway/v1/ListRoutesRequest.ts';
import type { ListRoutesResponse } from '../../proto/generated/gateway/v1/ListRoutesResponse.ts';
import type { Route } from '../../proto/generated/gateway/v1/Route.ts';
import type { UpdateRouteRequest__Output } from '../../proto/generated/gateway/v1/UpdateRouteRequest.ts';
import { scopeKinds } from '../../proto/words/access.ts';
import { optional } from '../domain/field.ts';
import {
  keysOf,
  type RouteRules,
  routeGroups,
  routeName,
  routeShadow,
  type WrittenGroup,
  type WrittenShadow,
} from '../domain/route.ts';
import {
  changedRouteSettings,
  routeCache,
  routeHedge,
  routeRecovery,
  usualRouteSettings,
} from '../domain/route-settings.ts';
import { timeText } from '../domain/shared-fields.ts';
import { checked, expectRevision, invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound } from '../rpc/errors.ts';
import { pageOf } from '../rpc/page.ts';
import type { Schema } from '../store/schema.ts';
import { flag, isSame } from './columns.ts';
import { readKnownModels } from './known-models.ts';
import type { ChangeCall, Outcome, ReadCall } from './method.ts';
import { requireExists } from './organization-of.ts';
import { organizationChanged } from './organizations.ts';
import { encoded, type RouteRow, requireNoAlias, routeBody, settingsOf } from './route-rows.ts';

/** For one organization, whose record contains all of them. */
export const routesMax = 10_000;
/** Of all of them in the record, which must fit into a message with everything else. */
export const routesBytesMax = 2 * 1024 * 1024;

export async function create(call: ChangeCall, request: CreateRouteRequest__Output): Promise<Outcome<Route>> {
  const { organizationId } = request;
  const rules = await rulesFor(call.db, organizationId, request);
  const fields = checked({
    name: routeName(rules)(request.name),
    groups: routeGroups(rules)(request.groups),
    'settings.recovery': routeRecovery(request.settings),
    'settings.cache': routeCache(undefined, request.settings),
    'settings.hedge': routeHedge(undefined, request.settings),
    'settings.shadow': optional(routeShadow(rules), request.settings?.shadow),
  });
  const { 'settings.shadow': shadow, 'settings.cache': cache, 'settings.hedge': hedge } = fields;
  await requireOwn(call.db, organizationId, { groups: fields.groups, shadow });
  await requireNoAlias(call.db, organizationId, fields.name);
  const row = encoded({
    id: uuidv7(call.now),
    organization_id: organizationId,
    name: fields.name,
    active: flag(request.active ?? true),
    target_groups: JSON.stringify(fields.groups),
    settings: JSON.stringify(changedRouteSettings(usualRouteSettings, request.settings, { cache, hedge, shadow })),
    created_at: call.now,
    revision: call.revision,
  });
  await requireRoom(call.db, row);
  await call.db.insertInto('routes').values(row).execute();
  return { ...recorded(row), result: message(row), after: message(row) };
}

export async function get(call: ReadCall, request: GetRouteRequest__Output): Promise<Route> {
  return message(await find(call.db, request.id));
}

export async function list(call: ReadCall, request: ListRoutesRequest__Output): Promise<ListRoutesResponse> {
  const query = call.db.selectFrom('routes').selectAll().where('organization_id', '=', request.organizationId);
  const { items, nextPageToken } = await pageOf(query, request, message);
  return { routes: items, nextPageToken };
}

export async function update(call: ChangeCall, request: UpdateRouteRequest__Output): Promise<Outcome<Route>> {
  const before = await find(call.db, request.id);
  const present = settingsOf(before);
  const rules = await rulesFor(call.db, before.organization_id, request);
  const fields = checked({
    name: optional(routeName(rules), request.name),
    groups: optional(routeGroups(rules), request.groups.length === 0 ? undefined : request.groups),
    'settings.recovery': routeRecovery(request.settings),
    'settings.cache': routeCache(present.cache, request.settings),
    'settings.hedge': routeHedge(present.hedge, request.settings),
    'settings.shadow': optional(routeShadow(rules), request.settings?.shadow),
  });
  const { groups, 'settings.shadow': shadow, 'settings.cache': cache, 'settings.hedge': hedge } = fields;
  expectRevision(request.ifRevision, before.revision);
  const settings = { cache, hedge, shadow: shadow === undefined ? present.shadow : shadow };
  const columns = {
    name: fields.name ?? before.name,
    active: request.active === undefined ? before.active : flag(request.active),
    settings: JSON.stringify(changedRouteSettings(present, request.settings, settings)),
    target_groups: groups === undefined ? before.target_groups : JSON.stringify(groups),
  };
  if (isSame(before, columns)) return { unchanged: message(before) };
  await requireOwn(call.db, before.organization_id, { groups: groups ?? [], shadow });
  if (columns.name !== before.name) await requireNoAlias(call.db, before.organization_id, columns.name);
  const after = encoded({ ...before, ...columns, revision: call.revision });
  await requireRoom(call.db, after);
  await call.db.updateTable('routes').set(after).where('id', '=', before.id).execute();
  return { ...recorded(before), result: message(after), before: message(before), after: message(after) };
}

export async function remove(
  call: ChangeCall,
  request: DeleteRouteRequest__Output,
): Promise<Outcome<DeleteRouteResponse>> {
  const row = await find(call.db, request.id);
  await call.db.deleteFrom('routes').where('id', '=', row.id).execute();
  return { ...recorded(row), result: {}, before: message(row) };
}

async function rulesFor(
  db: Kysely<Schema>,
  organizationId: string,
  request: Pick<UpdateRouteRequest__Output, 'name' | 'groups' | 'settings' | 'allowUnmatched'>,
): Promise<RouteRules> {
  const { name, groups, settings, allowUnmatched } = request;
  const known = await readKnownModels(db, organizationId, name ?? groups[0] ?? settings?.shadow);
  return { organizationId, known, insists: allowUnmatched === true };
}

interface WrittenParts {
  readonly groups: readonly WrittenGroup[];
  readonly shadow: WrittenShadow | null | undefined;
}

/** @throws CallError unless the provider keys and scopes of the route belong to the organization */
async function requireOwn(db: Kysely<Schema>, organizationId: string, written: WrittenParts): Promise<void> {
  await requireProviderKeys(db, organizationId, keysOf(written.groups, written.shadow));
  for (const [index, { conditions }] of written.groups.entries()) {
    const kind = scopeKinds.wordOf(conditions?.scope?.kind);
    if (kind === undefined) continue;
    const field = `groups[${index}].conditions.scope`;
    await requireExists(db, organizationId, { field, kind, id: conditions?.scope?.id ?? '' });
  }
}

async function requireProviderKeys(
  db: Kysely<Schema>,
  organizationId: string,
  named: ReturnType<typeof keysOf>,
): Promise<void> {
  if (named.length === 0) return;
  const rows = await db
    .selectFrom('provider_keys')
    .select(['id', 'provider'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...new Set(named.map(({ to }) => to.id))])
    .execute();
  const found = new Set(rows.map(({ id, provider }) => `${id} ${provider}`));
  const wrong = named.filter(({ to }) => !found.has(`${to.id} ${to.provider}`));
  if (wrong.length === 0) return;
  const description = "must be a provider key of the organization for the model's provider";
  throw invalidRequest(wrong.map(({ at }) => ({ field: at, description })));
}

/** @throws CallError */
async function requireRoom(db: Kysely<Schema>, row: RouteRow): Promise<void> {
  const others = await db
    .selectFrom('routes')
    .select((column) => [
      column.fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(record_bytes), 0)`.as('bytes'),
    ])
    .where('organization_id', '=', row.organization_id)
    .where('id', '!=', row.id)
    .executeTakeFirstOrThrow();
  if (others.count >= routesMax) throw tooMany(`there are ${routesMax} already; delete one that is not needed`);
  const bytes = others.bytes + row.record_bytes;
  if (bytes <= routesBytesMax) return;
  const allowed = `${routesBytesMax / 1024 / 1024} MiB`;
  throw tooMany(`all routes would be ${bytes} bytes in the organization's record; at most ${allowed}`);
}

function tooMany(message: string): CallError {
  return new CallError('too_many_routes', message);
}

async function find(db: Kysely<Schema>, id: string): Promise<RouteRow> {
  const row = await db.selectFrom('routes').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('id');
  return row;
}

function recorded(row: RouteRow) {
  return {
    organizationId: row.organization_id,
    target: { kind: 'route', id: row.id },
    invalidations: [organizationChanged(row.organization_id)],
  };
}

function message(row: RouteRow) {
  return {
    ...routeBody(row),
    organizationId: row.organization_id,
    name: row.name,
    active: row.active === 1,
    createdAt: timeText(row.created_at),
    revision: String(row.revision),
  } satisfies Route;
}
