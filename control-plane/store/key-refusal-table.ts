// The tables of what is known of provider keys: notices about refused ones, and the state of each; with the steps of
// migrations.ts that create them.
import type { ProviderKeyState } from '../../proto/words/access.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** `whole`: all models of the key; `model`: one of them. */
export type RefusalExtent = 'whole' | 'model';

/** The last notice about a provider key. Key: (provider_key_id, extent), so it grows with the keys alone. */
export interface KeyRefusalsTable {
  provider_key_id: string;
  extent: RefusalExtent;
  /** The key's revision then: a changed key that is refused again is worth a notice at once. */
  key_revision: number;
  noted_at: number;
}

/** What a test or a proxy found last. Key: provider_key_id; a key without a row is untested. */
export interface KeyStatesTable {
  provider_key_id: string;
  state: ProviderKeyState;
  at: number;
  detail: string;
}

export async function createKeyStates(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('provider_key_states')
    .addColumn('provider_key_id', 'text', (column) =>
      column.notNull().primaryKey().references('provider_keys.id').onDelete('cascade'),
    )
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute();
}

export async function createKeyRefusals(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('provider_key_refusals')
    .addColumn('provider_key_id', 'text', (column) =>
      column.notNull().references('provider_keys.id').onDelete('cascade'),
    )
    .addColumn('extent', 'text', (column) => column.notNull())
    .addColumn('key_revision', 'bigint', (column) => column.notNull())
    .addColumn('noted_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('provider_key_refusals_pkey', ['provider_key_id', 'extent'])
    .execute();
}
