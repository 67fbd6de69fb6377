// The table of routes, and the step of migrations.ts that creates it.
import type { MigratedDatabase } from './table-forms.ts';
import { pagedByOrganization, resourceTable, uniqueName } from './table-forms.ts';

export interface RoutesTable {
  id: string;
  organization_id: string;
  /** A name without a slash, or the canonical name of the model that the route replaces. */
  name: string;
  active: 0 | 1;
  /** Size of the route in the record of its organization. */
  record_bytes: number;
  /** Base64 of the contract's RouteBody, so that records are made without encoding thousands of routes. */
  body: string;
  /** JSON: a list of the contract's RouteGroup, with the weight of each target. */
  target_groups: string;
  /** JSON: the contract's RouteSettings with a value for each setting. */
  settings: string;
  created_at: number;
  revision: number;
}

export async function createRoutes(db: MigratedDatabase): Promise<void> {
  await resourceTable(db, 'routes')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('record_bytes', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('target_groups', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .execute();
  await uniqueName(db, 'routes').execute();
  await pagedByOrganization(db, ['routes']);
}
