// Parts that several migrations share: the columns of all resources, unique names, indexes for lists.
import { type CreateTableBuilder, type Kysely, type QueryExecutorProvider, sql } from 'kysely';

/** A database during migration. Steps write SQL, because the types of the tables are those of the last step. */
export type MigratedDatabase = Pick<Kysely<unknown>, 'schema'> & QueryExecutorProvider;

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
  | 'guardrails'
  | 'routes'
  | 'stops'
  | 'issuers';

export function resourceTable(
  db: MigratedDatabase,
  name: ResourceTable,
): CreateTableBuilder<ResourceTable, 'id' | 'created_at' | 'revision'> {
  return db.schema
    .createTable(name)
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull());
}

export function uniqueName(db: MigratedDatabase, table: ResourceTable) {
  return db.schema.createIndex(`${table}_name_unique`).unique().on(table).columns(['organization_id', 'name']);
}

/** The platform's resources have no organization. As nulls they would all count as different. */
export function uniqueNameWithPlatform(db: MigratedDatabase, table: 'people' | 'providers') {
  return db.schema
    .createIndex(`${table}_name_unique`)
    .unique()
    .on(table)
    .expression(sql`coalesce(organization_id, '')`)
    .column('name');
}

/** Lists are of one organization, in the order of ids (UUIDv7: the order of creation). */
export async function pagedByOrganization(db: MigratedDatabase, tables: readonly ResourceTable[]): Promise<void> {
  for (const table of tables) {
    await db.schema.createIndex(`${table}_organization`).on(table).columns(['organization_id', 'id']).execute();
  }
}
