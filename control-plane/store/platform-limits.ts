// Limits of the platform are in the table of limits like those of an organization (platform-id.ts). The step of migrations.ts
// here lets the table have them.
import { sql } from 'kysely';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** The table no longer refers to organizations. SQLite cannot change a table's references, so it gets a new table. */
export async function allowPlatformLimits(db: MigratedDatabase, { partitions }: DatabaseFeatures): Promise<void> {
  if (partitions) {
    await sql`alter table limits drop constraint limits_organization_id_fkey`.execute(db);
    return;
  }
  await rebuilt(db);
}

const reference = / references "organizations" \("id"\)/;

async function rebuilt(db: MigratedDatabase): Promise<void> {
  const { rows } = await sql<{ readonly type: string; readonly sql: string | null }>`
    select type, sql from sqlite_master where tbl_name = 'limits'`.execute(db);
  const table = rows.find(({ type }) => type === 'table')?.sql ?? '';
  const indexes = rows.flatMap(({ type, sql: text }) => (type === 'index' && text !== null ? [text] : []));
  if (!reference.test(table)) throw new Error('the table of limits has another form than its migrations give it');
  const created = table.replace(reference, '').replace('"limits"', '"limits_of_all"');
  await sql.raw(created).execute(db);
  await sql`insert into limits_of_all select * from limits`.execute(db);
  await sql`drop table limits`.execute(db);
  await sql`alter table limits_of_all rename to limits`.execute(db);
  for (const index of indexes) await sql.raw(index).execute(db);
}
