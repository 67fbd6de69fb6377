// The record keys of organizations, sealed like the secrets of provider keys.
import type { MigratedDatabase } from './table-forms.ts';

/** One generation of an organization's record key. Key: (organization_id, generation). */
export interface RecordKeysTable {
  organization_id: string;
  /** Counts from 1; authenticated by the seal. */
  generation: number;
  /** Base64 of the sealed key. */
  secret: string;
  created_at: number;
  /** When the next generation replaced it; null for the newest. */
  replaced_at: number | null;
}

export async function createRecordKeys(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('record_keys')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('replaced_at', 'bigint')
    .addPrimaryKeyConstraint('record_keys_pkey', ['organization_id', 'generation'])
    .execute();
}
