// The table of what provider keys cost by hour, and the step of migrations.ts that creates it.
import type { MigratedDatabase } from './table-forms.ts';

/**
 * Costs of usage_events with a provider key by hour, updated in the transaction that records them. Copies of requests count
 * too, because the key's account pays for them. Key: all columns but the last.
 */
export interface ProviderKeyHoursTable {
  organization_id: string;
  /** Start of the hour, in milliseconds. */
  hour: number;
  provider_key_id: string;
  /** `<provider>/<model>` */
  model_asked: string;
  /** Nano-dollars. */
  cost: number;
}

export async function createProviderKeyHours(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('usage_provider_key_hours')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('provider_key_id', 'text', (column) => column.notNull())
    .addColumn('model_asked', 'text', (column) => column.notNull())
    .addColumn('cost', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_provider_key_hours_pkey', [
      ...(['organization_id', 'hour', 'provider_key_id', 'model_asked'] as const),
    ])
    .execute();
}
