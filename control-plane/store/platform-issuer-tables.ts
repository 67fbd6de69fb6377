// The step of migrations.ts that lets issuers and invitations be the platform's (platform-id.ts), and an issuer have a
// private key in place of a secret.
import { sql } from 'kysely';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import { dropOrganizationReference } from './platform-tables.ts';
import type { MigratedDatabase } from './table-forms.ts';

export async function openSignInToPlatform(db: MigratedDatabase, features: DatabaseFeatures): Promise<void> {
  await dropOrganizationReference(db, 'invitations', features);
  if (features.partitions) {
    await dropOrganizationReference(db, 'issuers', features);
    await sql`alter table identities add column realm text not null default ''`.execute(db);
    await db.schema.dropIndex('identities_subject').execute();
  } else {
    await rebuildIssuers(db, features);
  }
  await db.schema
    .createIndex('identities_subject')
    .unique()
    .on('identities')
    .columns(['issuer_id', 'subject', 'realm'])
    .execute();
  for (const column of [
    sql`secret_kind text not null default 'secret'`,
    sql`key_id text`,
    sql`trust_email integer not null default 0`,
  ]) {
    await sql`alter table issuers add column ${column}`.execute(db);
  }
}

/** Identities refer to issuers, and would be deleted with the table that SQLite replaces. */
async function rebuildIssuers(db: MigratedDatabase, features: DatabaseFeatures): Promise<void> {
  await sql`create table identities_saved as select * from identities`.execute(db);
  await sql`drop table identities`.execute(db);
  await dropOrganizationReference(db, 'issuers', features);
  await db.schema
    .createTable('identities')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('issuer_id', 'text', (column) => column.notNull().references('issuers.id').onDelete('cascade'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('realm', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`insert into identities (id, issuer_id, subject, person_id, created_at)
    select id, issuer_id, subject, person_id, created_at from identities_saved`.execute(db);
  await sql`drop table identities_saved`.execute(db);
  await db.schema
    .createIndex('identities_person')
    .unique()
    .on('identities')
    .columns(['person_id', 'issuer_id'])
    .execute();
}
