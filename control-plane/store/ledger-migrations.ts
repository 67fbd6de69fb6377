// The tables of budgets, usage, prices and webhooks: further steps of migrations.ts, under its rules.
import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';
import { pagedByOrganization, resourceTable, uniqueName } from './table-forms.ts';

export interface DatabaseFeatures {
  /** Whether tables can be partitioned by day, so that an old day is dropped at once. */
  readonly partitions: boolean;
}

export async function createLedgerWork(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('limits').addColumn('period', 'text').execute();
  await db.schema.alterTable('limits').addColumn('deleted_at', 'bigint').execute();
  await db.schema
    .createTable('budget_windows')
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('spent', 'bigint', (column) => column.notNull().check(sql`spent >= 0`))
    .addColumn('leased', 'bigint', (column) => column.notNull().check(sql`leased >= 0`))
    .addColumn('unsettled', 'bigint', (column) => column.notNull().check(sql`unsettled >= 0`))
    .addPrimaryKeyConstraint('budget_windows_pkey', ['budget_id', 'window_start'])
    .execute();
  await db.schema
    .createIndex('budget_windows_organization')
    .on('budget_windows')
    .columns(['organization_id', 'window_start', 'budget_id'])
    .execute();
  await db.schema
    .createTable('ledger_sessions')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('proxy', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('open', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('expired_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('ledger_sessions_open')
    .on('ledger_sessions')
    .columns(['open', 'expired_at', 'seen_at'])
    .execute();
  await db.schema
    .createTable('leases')
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('remaining', 'bigint', (column) => column.notNull().check(sql`remaining >= 0`))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('leases_pkey', ['session_id', 'budget_id', 'window_start'])
    .execute();
  await db.schema.createIndex('leases_budget').on('leases').columns(['budget_id', 'window_start', 'state']).execute();
}

export async function createUsage(db: Kysely<Schema>, { partitions }: DatabaseFeatures): Promise<void> {
  const events = usageColumns(
    db.schema
      .createTable('usage_events')
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('recorded_at', 'bigint', (column) => column.notNull()),
  ).addPrimaryKeyConstraint('usage_events_pkey', ['day', 'id']);
  await (partitions ? events.modifyEnd(byDay) : events).execute();
  await db.schema
    .createIndex('usage_events_organization')
    .on('usage_events')
    .columns(['organization_id', 'day', 'at', 'id'])
    .execute();
  await createUsageHours(db);
}

const byDay: RawBuilder<unknown> = sql`partition by range (day)`;

function usageColumns<Name extends string>(
  table: CreateTableBuilder<'usage_events', Name>,
): CreateTableBuilder<'usage_events', Name> {
  const texts = ['session_id', 'organization_id', 'key_id', 'request_id', 'provider', 'model_asked'];
  const mayLack = ['ai_system_id', 'person_id', 'project_key_id', 'project_ai_system_id', 'project_person_id'];
  const counts = [...tokenColumns, 'cost', 'status', 'latency_ms', 'attempts'];
  const flags = ['unpriced', 'streamed', 'direct_key', 'estimated'];
  let wide: CreateTableBuilder<'usage_events', string> = table;
  for (const name of [...texts, 'model_answered', 'error_source', 'error_code']) {
    wide = wide.addColumn(name, 'text', (column) => column.notNull());
  }
  for (const name of mayLack) wide = wide.addColumn(name, 'text');
  for (const name of counts) wide = wide.addColumn(name, 'bigint', (column) => column.notNull());
  for (const name of flags) wide = wide.addColumn(name, 'integer', (column) => column.notNull());
  return wide.addColumn('first_token_ms', 'bigint') as CreateTableBuilder<'usage_events', Name>;
}

const tokenColumns = [
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write1h_tokens',
  'reasoning_tokens',
];

/** Adds why a cost is estimated, and the cost that was reported. */
export async function addEstimateReasons(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('usage_events').addColumn('estimate_reason', 'text').execute();
  await db.schema.alterTable('usage_events').addColumn('reported_cost', 'bigint').execute();
}

/** Adds the shut part of leases, the recorded events of sessions, and the epochs. */
export async function addLeaseShares(db: Kysely<Schema>): Promise<void> {
  for (const column of ['shut', 'back'] as const) {
    await db.schema
      .alterTable('leases')
      .addColumn(column, 'bigint', (each) => each.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('ledger_sessions').addColumn('epoch', 'text').execute();
  await db.schema
    .createTable('booked_ordinals')
    .addColumn('session_id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('ranges', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('booked_ordinals_updated').on('booked_ordinals').column('updated_at').execute();
  await db.schema
    .createTable('epochs')
    .addColumn('epoch', 'text', (column) => column.notNull().primaryKey())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('continues_epoch', 'text')
    .addColumn('continues_revision', 'bigint')
    .addColumn('restored_at', 'bigint')
    .execute();
}

/**
 * Adds the epoch of the last change, where the next epoch begins. If an older version made it, the column is null or of
 * an older revision.
 */
export async function addEpochLineage(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('feed').addColumn('epoch', 'text').execute();
  await db.schema.alterTable('feed').addColumn('epoch_revision', 'bigint').execute();
}

/** Adds usage with prices of its own besides plain tokens. */
/** Marks copies of requests among the usage. */
export async function addShadowUsage(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('usage_events')
    .addColumn('shadow', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

export async function addSpecialUsage(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('usage_events').addColumn('special', 'text').execute();
}

async function createUsageHours(db: Kysely<Schema>): Promise<void> {
  const of = [
    'key_id',
    'ai_system_id',
    'person_id',
    'project_key_id',
    'project_ai_system_id',
    'project_person_id',
    'model_asked',
  ] as const;
  const requests = ['requests', 'failed_requests', 'unpriced_requests', 'estimated_requests'];
  let table: CreateTableBuilder<'usage_hours', string> = db.schema
    .createTable('usage_hours')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull());
  for (const name of of) table = table.addColumn(name, 'text', (column) => column.notNull());
  for (const name of [...requests, ...tokenColumns, 'cost', 'latency_ms']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  await table.addPrimaryKeyConstraint('usage_hours_pkey', ['organization_id', 'hour', ...of]).execute();
}

export async function createPrices(db: Kysely<Schema>): Promise<void> {
  await resourceTable(db, 'prices')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('prices', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('prices_model_unique')
    .unique()
    .on('prices')
    .columns(['organization_id', 'model'])
    .execute();
  await pagedByOrganization(db, ['prices']);
}

export async function createWebhooks(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('budget_alerts')
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('percent', 'integer', (column) => column.notNull())
    .addColumn('reached_at', 'bigint', (column) => column.notNull())
    .addColumn('told_at', 'bigint')
    .addPrimaryKeyConstraint('budget_alerts_pkey', ['budget_id', 'window_start', 'percent'])
    .execute();
  // The periodic task looks every second for the few alerts that were not sent yet, among all alerts ever.
  await db.schema
    .createIndex('budget_alerts_untold')
    .on('budget_alerts')
    .column('reached_at')
    .where(sql<boolean>`told_at is null`)
    .execute();
  await resourceTable(db, 'webhooks')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('secret_version', 'integer', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .execute();
  await uniqueName(db, 'webhooks').execute();
  await pagedByOrganization(db, ['webhooks']);
  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('webhook_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_status', 'integer')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['state', 'next_attempt_at'])
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_webhook')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'id'])
    .execute();
}
