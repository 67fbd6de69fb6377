// What migrations write more than once: the columns that all resources have, names that are unique, indexes for lists.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

export type ResourceTable =
  | 'organizations'
  | 'people'
  | 'ai_systems'
  | 'virtual_keys'
  | 'provider_keys'
  | 'providers'
  | 'limits'
  | 'prices'
  | 'webhooks'
  | 'guardrails';

export function resourceTable(
  db: Kysely<Schema>,
  name: ResourceTable,
): CreateTableBuilder<ResourceTable, 'id' | 'created_at' | 'revision'> {
  return db.schema
    .createTable(name)
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull());
}

export function uniqueName(db: Kysely<Schema>, table: ResourceTable) {
  return db.schema
    .createIndex(`${table}_name_unique`)
    .unique()
    .on(table)
    .columns(['organization_id', 'name']);
}

/** What belongs to the platform has no organization; as nulls they would all count as different. */
export function uniqueNameWithPlatform(db: Kysely<Schema>, table: 'people' | 'providers') {
  return db.schema
    .createIndex(`${table}_name_unique`)
    .unique()
    .on(table)
    .expression(sql`coalesce(organization_id, '')`)
    .column('name');
}

/** Lists are of one organization, in the order of their ids (UUIDv7: the order of creation). */
export async function pagedByOrganization(
  db: Kysely<Schema>,
  tables: readonly ResourceTable[],
): Promise<void> {
  for (const table of tables) {
    await db.schema
      .createIndex(`${table}_organization`)
      .on(table)
      .columns(['organization_id', 'id'])
      .execute();
  }
}
