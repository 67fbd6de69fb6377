// The tables of issuers and of the identities that people have there, and the step of migrations.ts that creates them.
import type { Generated } from 'kysely';
import type { Role } from '../../proto/words/access.ts';
import type { UnknownPerson } from '../../proto/words/sessions.ts';
import type { ProgramLoginsTable } from './program-tables.ts';
import type { SignInDomainsTable, SignInSettingsTable } from './sign-in-domain-tables.ts';
import { type MigratedDatabase, pagedByOrganization, resourceTable, uniqueName } from './table-forms.ts';

/** The part of schema.ts about signing in at issuers. */
export interface SignInTables {
  console_logins: ConsoleLoginsTable;
  issuers: IssuersTable;
  identities: IdentitiesTable;
  invitations: InvitationsTable;
  program_logins: ProgramLoginsTable;
  sign_in_domains: SignInDomainsTable;
  sign_in_settings: SignInSettingsTable;
}

/** OpenID Connect issuers of organizations and of the platform, whose id their rows then have. */
interface IssuersTable {
  id: string;
  organization_id: string;
  name: string;
  url: string;
  client_id: string;
  /** Base64 of the sealed secret or private key; null: a public client. */
  secret: string | null;
  secret_kind: Generated<'secret' | 'private_key'>;
  /** The id of the private key at the issuer. */
  key_id: string | null;
  /** Whether its addresses count without its word, in domains that the organization has verified. */
  trust_email: Generated<0 | 1>;
  /** Counts the secrets written; authenticated by the seal. */
  secret_version: number;
  /** JSON: `[{"claim", "value", "role"}]` */
  roles: string;
  unknown_person: UnknownPerson;
  enabled: 0 | 1;
  created_at: number;
  revision: number;
}

/** Who a person is at an issuer: unique by issuer, subject and realm, and one for each person and issuer. */
interface IdentitiesTable {
  id: string;
  issuer_id: string;
  subject: string;
  person_id: string;
  created_at: number;
  /** The organization that was signed in to at an issuer of the platform; empty else. */
  realm: Generated<string>;
}

/** Invitations that nobody has used yet. */
interface InvitationsTable {
  id: string;
  organization_id: string;
  hash: string;
  email: string;
  role: Role;
  /** The person. */
  created_by: string;
  created_at: number;
  ends_at: number;
}

/** Logins that came back from an issuer: each is used once. */
interface ConsoleLoginsTable {
  id: string;
  ends_at: number;
}

export async function createSignIn(db: MigratedDatabase): Promise<void> {
  await resourceTable(db, 'issuers')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('secret_version', 'bigint', (column) => column.notNull())
    .addColumn('roles', 'text', (column) => column.notNull())
    .addColumn('unknown_person', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .execute();
  await uniqueName(db, 'issuers').execute();
  await pagedByOrganization(db, ['issuers']);
  await db.schema
    .createTable('identities')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('issuer_id', 'text', (column) => column.notNull().references('issuers.id').onDelete('cascade'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('identities_subject')
    .unique()
    .on('identities')
    .columns(['issuer_id', 'subject'])
    .execute();
  await db.schema
    .createIndex('identities_person')
    .unique()
    .on('identities')
    .columns(['person_id', 'issuer_id'])
    .execute();
  await db.schema.createIndex('console_sessions_identity').on('console_sessions').column('identity_id').execute();
  await db.schema
    .createTable('console_logins')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  // Whether the role was given by hand, and no claim changes it.
  await db.schema
    .alterTable('people')
    .addColumn('role_by_hand', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}

export async function createInvitations(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('invitations_organization')
    .on('invitations')
    .columns(['organization_id', 'id'])
    .execute();
}
