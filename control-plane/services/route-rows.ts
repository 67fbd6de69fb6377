// One route: its row, its form in records, and what else must not have its name.
import type { Kysely, Selectable } from 'kysely';
import { aList } from '../../common/json-shape.ts';
import type { RouteBody } from '../../proto/generated/gateway/v1/RouteBody.ts';
import type { RouteGroup } from '../../proto/generated/gateway/v1/RouteGroup.ts';
import type { RouteRecord } from '../../proto/generated/gateway/v1/RouteRecord.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { routeBodyType } from '../../proto/load.ts';
import type { ModelAlias } from '../domain/model-aliases.ts';
import type { WrittenSettings } from '../domain/route-settings.ts';
import { CallError } from '../rpc/errors.ts';
import type { AccessRouteRow } from '../store/access-rows.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { aliasesOf } from './columns.ts';

export type RouteRow = Selectable<Schema['routes']>;

export const groupsOf = jsonColumn('routes', 'target_groups', aList(aMessage<RouteGroup>('RouteGroup')));

export const settingsOf = jsonColumn('routes', 'settings', aMessage<WrittenSettings>('RouteSettings'));

type UnencodedRow = Omit<RouteRow, 'body' | 'record_bytes'>;

export function routeBody(row: UnencodedRow) {
  return {
    id: row.id,
    groups: groupsOf(row),
    settings: settingsOf(row),
    revision: row.revision,
  } satisfies RouteBody;
}

/** The most bytes that a record needs around the name and the body of a route. */
const framingBytes = 16;

export function encoded(row: UnencodedRow): RouteRow {
  const body = routeBodyType.serialize(routeBody(row));
  return { ...row, body: body.toString('base64'), record_bytes: body.length + row.name.length + framingBytes };
}

/** The route as its organization's record contains it. */
export function routeRecord({ name, body }: AccessRouteRow): RouteRecord {
  return { name, body: Buffer.from(body, 'base64') };
}

/**
 * An alias comes before a route of its name, so the route could not be called.
 * @throws CallError if a model alias of the organization has the name
 */
export async function requireNoAlias(db: Kysely<Schema>, organizationId: string, name: string): Promise<void> {
  const organization = await db
    .selectFrom('organizations')
    .select(['id', 'model_aliases'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (!aliasesOf(organization).some((alias) => alias.name === name || alias.name === `route/${name}`)) return;
  const description = 'is taken by a model alias; it must be unique';
  throw new CallError('name_taken', 'a model alias of the organization has this name', [
    { field: 'name', description },
  ]);
}

/** @throws CallError if routes of the organization have names of the aliases */
export async function requireNoRoutes(
  db: Kysely<Schema>,
  organizationId: string,
  aliases: readonly ModelAlias[],
): Promise<void> {
  if (aliases.length === 0) return;
  const names = aliases.map(({ name }) => name);
  const rows = await db
    .selectFrom('routes')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('name', 'in', names)
    .execute();
  if (rows.length === 0) return;
  const taken = new Set(rows.map(({ name }) => name));
  const violations = names.flatMap((name, index) =>
    taken.has(name)
      ? [
          {
            field: `settings.models.aliases.aliases[${index}].name`,
            description: 'is taken by a route; it must be unique',
          },
        ]
      : [],
  );
  throw new CallError('name_taken', 'routes of the organization have these names', violations);
}

/**
 * How many routes lead to models of a custom provider, or replace one; of the platform's, in all organizations. Reads
 * every route that may, because providers are deleted rarely.
 */
export async function countRoutesTo(
  db: Kysely<Schema>,
  { name, organization_id }: { readonly name: string; readonly organization_id: string | null },
): Promise<number> {
  // The names of providers have no character with a meaning in a pattern.
  let query = db
    .selectFrom('routes')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where((where) =>
      where.or([
        where('name', 'like', `${name}/%`),
        where('target_groups', 'like', `%"model":"${name}/%`),
        where('settings', 'like', `%"model":"${name}/%`),
      ]),
    );
  if (organization_id !== null) query = query.where('organization_id', '=', organization_id);
  return (await query.executeTakeFirstOrThrow()).count;
}
