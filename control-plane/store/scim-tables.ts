// The tables of provisioning by SCIM, and the step of migrations.ts that creates them: tokens of issuers, users with the
// people that they are, groups and their members.
import type { MigratedDatabase } from './table-forms.ts';

export interface ScimTokensTable {
  id: string;
  issuer_id: string;
  hash: string;
  name: string;
  hint: string;
  created_at: number;
  revoked_at: number | null;
  /** To the minute; null: never. */
  used_at: number | null;
}

export interface ScimUsersTable {
  id: string;
  issuer_id: string;
  person_id: string;
  /** Whether provisioning made the person, and so keeps their name and address. */
  made_person: 0 | 1;
  user_name: string;
  /** In lower case: names differ by more than case. */
  user_name_key: string;
  external_id: string | null;
  /** JSON in lower case: `["a@example.com"]` */
  emails: string;
  /** JSON: the other attributes as they were sent. */
  attributes: string;
  created_at: number;
  modified_at: number;
  revision: number;
}

export interface ScimGroupsTable {
  id: string;
  issuer_id: string;
  display_name: string;
  external_id: string | null;
  created_at: number;
  modified_at: number;
  revision: number;
}

export interface ScimMembersTable {
  group_id: string;
  user_id: string;
}

export interface ScimTables {
  scim_tokens: ScimTokensTable;
  scim_users: ScimUsersTable;
  scim_groups: ScimGroupsTable;
  scim_members: ScimMembersTable;
}

export async function createScim(db: MigratedDatabase): Promise<void> {
  // The issuer whose provisioning made the person inactive, and may make them active again.
  await db.schema.alterTable('people').addColumn('deactivated_by', 'text').execute();
  const ofIssuer = (table: keyof ScimTables) =>
    db.schema
      .createTable(table)
      .addColumn('id', 'text', (column) => column.notNull().primaryKey())
      .addColumn('issuer_id', 'text', (column) => column.notNull().references('issuers.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (column) => column.notNull());
  await ofIssuer('scim_tokens')
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await ofIssuer('scim_users')
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('made_person', 'integer', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) => column.notNull())
    .addColumn('user_name_key', 'text', (column) => column.notNull())
    .addColumn('external_id', 'text')
    .addColumn('emails', 'text', (column) => column.notNull())
    .addColumn('attributes', 'text', (column) => column.notNull())
    .addColumn('modified_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await ofIssuer('scim_groups')
    .addColumn('display_name', 'text', (column) => column.notNull())
    .addColumn('external_id', 'text')
    .addColumn('modified_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('scim_members')
    .addColumn('group_id', 'text', (column) => column.notNull().references('scim_groups.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('scim_users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('scim_members_pkey', ['group_id', 'user_id'])
    .execute();
  await createIndexes(db);
}

async function createIndexes({ schema }: MigratedDatabase): Promise<void> {
  for (const table of ['scim_tokens', 'scim_users', 'scim_groups'] as const) {
    await schema.createIndex(`${table}_issuer`).on(table).columns(['issuer_id', 'id']).execute();
  }
  for (const column of ['user_name_key', 'person_id'] as const) {
    await schema.createIndex(`scim_users_${column}`).unique().on('scim_users').columns(['issuer_id', column]).execute();
  }
  for (const table of ['scim_users', 'scim_groups'] as const) {
    await schema.createIndex(`${table}_external`).on(table).columns(['issuer_id', 'external_id']).execute();
  }
  await schema.createIndex('scim_users_person').on('scim_users').column('person_id').execute();
  await schema.createIndex('scim_members_user').on('scim_members').column('user_id').execute();
}
