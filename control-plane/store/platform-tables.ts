// Tables whose rows may be the platform's have its id (platform-id.ts) in place of an organization's. The steps of
// migrations.ts here let them have it.
import { sql } from 'kysely';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import type { MigratedDatabase } from './table-forms.ts';

export async function allowPlatformLimits(db: MigratedDatabase, features: DatabaseFeatures): Promise<void> {
  await dropOrganizationReference(db, 'limits', features);
}

/**
 * The table no longer refers to organizations. SQLite cannot change a table's references, so it gets a new table; no
 * table may refer to it then, because its rows are deleted with it.
 */
export async function dropOrganizationReference(
  db: MigratedDatabase,
  table: 'limits' | 'issuers' | 'invitations',
  { partitions }: DatabaseFeatures,
): Promise<void> {
  if (partitions) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.id(`${table}_organization_id_fkey`)}`.execute(db);
    return;
  }
  await rebuilt(db, table);
}

const reference = / references "organizations" \("id"\)/;

async function rebuilt(db: MigratedDatabase, name: string): Promise<void> {
  const { rows } = await sql<{ readonly type: string; readonly sql: string | null }>`
    select type, sql from sqlite_master where tbl_name = ${name}`.execute(db);
  const table = rows.find(({ type }) => type === 'table')?.sql ?? '';
  const indexes = rows.flatMap(({ type, sql: text }) => (type === 'index' && text !== null ? [text] : []));
  if (!reference.test(table)) throw new Error(`the table ${name} has another form than its migrations give it`);
  const draft = `${name}_of_all`;
  await sql.raw(table.replace(reference, '').replace(`"${name}"`, `"${draft}"`)).execute(db);
  await sql`insert into ${sql.table(draft)} select * from ${sql.table(name)}`.execute(db);
  await sql`drop table ${sql.table(name)}`.execute(db);
  await sql`alter table ${sql.table(draft)} rename to ${sql.table(name)}`.execute(db);
  for (const index of indexes) await sql.raw(index).execute(db);
}
