// The tables of sums of usage: by hour, and those that are made of them. The step of migrations.ts creates the latter.
import { type CreateTableBuilder, sql } from 'kysely';
import { minuteMs } from '../../common/durations.ts';
import { ownerColumns, sumColumns } from './metadata-tables.ts';
import type { MigratedDatabase } from './table-forms.ts';

/**
 * Sums of usage_events by hour, updated in the transaction that records them. Key: all columns up to `model_asked`; a
 * missing id is the empty string, so that the key is unique. Copies of requests (`shadow`) are sums of the organization
 * alone, with the model `shadow/<provider>/<model>`.
 */
export interface UsageHoursTable {
  organization_id: string;
  /** Start of the hour, in milliseconds. */
  hour: number;
  key_id: string;
  ai_system_id: string;
  person_id: string;
  project_key_id: string;
  project_ai_system_id: string;
  project_person_id: string;
  /** `<provider>/<model>`, so it contains the provider too. */
  model_asked: string;
  requests: number;
  failed_requests: number;
  unpriced_requests: number;
  estimated_requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cache_write1h_tokens: number;
  reasoning_tokens: number;
  cost: number;
  latency_ms: number;
}

/** A kind of sums; see usage/levels.ts. */
export type SumLevel = (typeof sumLevels)[number];

const sumLevels = [
  ...(['day', 'month', 'scope_day', 'scope_month', 'model_hour', 'model_day', 'set_day', 'set_month'] as const),
] as const;

/** The table whose rows are folded. */
export type FoldSource = 'hours' | 'sets';

/**
 * Sums of rows of usage_hours or usage_metadata_hours that lie before the position in usage_folds, by level. Key: the
 * organization, the level, and the columns from the hour to the set.
 */
interface UsageSumsTable extends UsageHoursTable {
  level: SumLevel;
  /** Start of the hour, the day or the month (UTC), in milliseconds. */
  hour: number;
  /** Empty but in sums by set. */
  metadata_set: string;
}

/** Up to which row an organization's sums by hour are folded. Key: (organization_id, source). */
interface UsageFoldsTable
  extends Pick<
    UsageHoursTable,
    | 'organization_id'
    | 'hour'
    | 'key_id'
    | 'ai_system_id'
    | 'person_id'
    | 'project_key_id'
    | 'project_ai_system_id'
    | 'project_person_id'
    | 'model_asked'
  > {
  /** `begins`, with the empty organization: not before `hour` anything is folded. */
  source: FoldSource | 'begins';
  metadata_set: string;
  /** Whether rows of `hour` are folded too: those before the other columns. */
  inside: 0 | 1;
}

export interface UsageSumTables {
  usage_sums: UsageSumsTable;
  usage_folds: UsageFoldsTable;
}

const owners = [...ownerColumns, 'metadata_set'] as const;

/** A replica of the previous version folds nothing, and must be gone before the first rows are folded. */
const upgradeMs = 15 * minuteMs;

export async function createUsageSums(
  db: MigratedDatabase,
  { partitions }: { readonly partitions: boolean },
): Promise<void> {
  let table: CreateTableBuilder<'usage_sums', string> = db.schema
    .createTable('usage_sums')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull());
  for (const name of owners) table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of sumColumns) table = table.addColumn(name, 'bigint', (column) => column.notNull());
  table = table.addPrimaryKeyConstraint('usage_sums_pkey', ['organization_id', 'level', 'hour', ...owners]);
  // In SQLite the rows are then in the order of their key, in which they are read. PostgreSQL keeps them in the order in
  // which they are written, so a level without many rows is quick to read only if it is a table of its own.
  await table.modifyEnd(partitions ? sql`partition by list (level)` : sql`without rowid`).execute();
  await db.schema.createIndex('usage_sums_key').on('usage_sums').columns(['key_id', 'level', 'hour']).execute();
  if (partitions) for (const level of sumLevels) await createLevel(db, level);
  let folds: CreateTableBuilder<'usage_folds', string> = db.schema
    .createTable('usage_folds')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull());
  for (const name of owners) folds = folds.addColumn(name, 'text', (column) => column.notNull().defaultTo(''));
  await folds
    .addColumn('inside', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('usage_folds_pkey', ['organization_id', 'source'])
    .execute();
  if (!partitions) return;
  await sql`insert into usage_folds (organization_id, source, hour)
    select '', 'begins', cast(${Date.now() + upgradeMs} as bigint) where exists (select 1 from usage_hours)`.execute(
    db,
  );
}

/** With room on its pages, because most rows are added to again and again. */
async function createLevel(db: MigratedDatabase, level: SumLevel): Promise<void> {
  await sql`create table ${sql.table(`usage_sums_${level}`)} partition of usage_sums
    for values in (${sql.lit(level)}) with (fillfactor = 70)`.execute(db);
}
