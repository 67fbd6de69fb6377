// The table of counters: the values that a limit counts apart, and the step of migrations.ts that creates it.
import type { MigratedDatabase } from './table-forms.ts';

/**
 * A value that a budget for each value has a window for. Key: id, the name that the ledger has for it
 * (common/counter-names.ts). Rates have no rows here.
 */
export interface LimitCountersTable {
  id: string;
  limit_id: string;
  organization_id: string;
  /** The id of a virtual key, a person or an AI system, or a tag's value; empty for the counter of further values. */
  value: string;
  /** 1: callers choose the values, so that their number is bounded. */
  by_caller: 0 | 1;
  /** When its newest window ends; null: never. */
  ends_at: number | null;
}

export async function createLimitCounters(db: MigratedDatabase): Promise<void> {
  await db.schema.alterTable('limits').addColumn('counting', 'text').execute();
  await db.schema
    .createTable('limit_counters')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('limit_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('by_caller', 'integer', (column) => column.notNull())
    .addColumn('ends_at', 'bigint')
    .execute();
  await db.schema.createIndex('limit_counters_limit').on('limit_counters').columns(['limit_id', 'id']).execute();
  await db.schema
    .createIndex('limit_counters_organization')
    .on('limit_counters')
    .columns(['organization_id', 'by_caller', 'ends_at'])
    .execute();
}
