// The tables of metadata in usage, that of keys and the tags of requests, and the steps of migrations.ts that create
// them. A program of the previous version records usage without tags.
import { type CreateTableBuilder, sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

/** An entry of a metadata set in usage. Key: (organization_id, set_id, name). */
export interface UsageMetadataTable {
  organization_id: string;
  /** A hash of the set's content. */
  set_id: string;
  name: string;
  value: string;
}

/** A stored set. Key: (organization_id, set_id). */
export interface UsageMetadataSetsTable {
  organization_id: string;
  set_id: string;
  /** The part in which it is counted: see usage/metadata-sets.ts. */
  part: number;
  /** The start of the day on which usage of it was recorded last. */
  used_on: number;
}

/** A value of a tag that is distinguished. Key: (organization_id, name, value). */
export interface UsageTagValuesTable {
  organization_id: string;
  name: string;
  value: string;
}

/**
 * The part of usage_hours whose keys had metadata, by set. The rest of usage_hours had none. Key: that of usage_hours,
 * and the set.
 */
export interface MetadataSetColumn {
  metadata_set: string;
}

/** The metadata of a key until it was changed, for usage from before that is reported later. Key: (key_id, until). */
export interface KeyMetadataPastTable {
  key_id: string;
  until: number;
  metadata: string;
}

/** Whose usage it is, and of which model: columns of each table of sums by hour, in the order of their keys. */
export const ownerColumns = [
  'key_id',
  'ai_system_id',
  'person_id',
  'project_key_id',
  'project_ai_system_id',
  'project_person_id',
  'model_asked',
] as const;

/** What is summed, in each table of sums by hour. */
export const sumColumns = [
  'requests',
  'failed_requests',
  'unpriced_requests',
  'estimated_requests',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write1h_tokens',
  'reasoning_tokens',
  'cost',
  'latency_ms',
] as const;

export async function createUsageMetadata(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('usage_events')
    .addColumn('metadata_set', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema
    .createTable('usage_metadata')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('set_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_metadata_pkey', ['organization_id', 'set_id', 'name'])
    .execute();
  await db.schema
    .createTable('key_metadata_past')
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('key_metadata_past_pkey', ['key_id', 'until'])
    .execute();
  let hours: CreateTableBuilder<'usage_metadata_hours', string> = db.schema
    .createTable('usage_metadata_hours')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull());
  for (const name of [...ownerColumns, 'metadata_set'])
    hours = hours.addColumn(name, 'text', (column) => column.notNull());
  for (const name of sumColumns) hours = hours.addColumn(name, 'bigint', (column) => column.notNull());
  await hours
    .addPrimaryKeyConstraint('usage_metadata_hours_pkey', ['organization_id', 'hour', ...ownerColumns, 'metadata_set'])
    .execute();
}

/** Sets that exist were of keys' metadata, and count as used today. */
export async function createUsageTags(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('usage_metadata_sets')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('set_id', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('used_on', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_metadata_sets_pkey', ['organization_id', 'set_id'])
    .execute();
  await db.schema
    .createTable('usage_tag_values')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_tag_values_pkey', ['organization_id', 'name', 'value'])
    .execute();
  await sql`insert into usage_metadata_sets (organization_id, set_id, part, used_on)
    select distinct organization_id, set_id, 0, cast(${Date.now()} as bigint) from usage_metadata`.execute(db);
}
