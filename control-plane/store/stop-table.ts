// The table of stops, and the step of migrations.ts that creates it.
import { type MigratedDatabase, pagedByOrganization, resourceTable } from './table-forms.ts';

export interface StopsTable {
  id: string;
  /** Null: the platform's. */
  organization_id: string | null;
  /** Canonical name of a provider; null: of any. */
  provider: string | null;
  /** Selector over `<provider>/<model>`, also of a stop with a provider; null: every model of the provider. */
  model: string | null;
  /** Then `provider` and `model` are null. */
  direct_keys: 0 | 1;
  reason: string;
  /** The person. */
  created_by: string;
  ends_at: number | null;
  created_at: number;
  revision: number;
}

export async function createStops(db: MigratedDatabase): Promise<void> {
  await resourceTable(db, 'stops')
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('provider', 'text')
    .addColumn('model', 'text')
    .addColumn('direct_keys', 'integer', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint')
    .execute();
  await pagedByOrganization(db, ['stops']);
}
