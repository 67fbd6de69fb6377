// The tables of what organizations set about signing in, and the step of migrations.ts that creates them: the name in
// the address of their sign-in page, e-mail domains, times of sessions, and issuers of the platform.
import { type Generated, sql } from 'kysely';
import { slugOf } from '../../common/slug.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** E-mail domains that organizations claim. */
export interface SignInDomainsTable {
  id: string;
  organization_id: string;
  /** In lower case, ASCII. A verified one belongs to one organization. */
  domain: string;
  /** The random value of the DNS record. */
  challenge: string;
  /** Null: not verified, or no longer. */
  verified_at: number | null;
  /** Whether a platform operator vouched for it: then no DNS record is needed. */
  vouched: 0 | 1;
  /** When DNS was last read. */
  checked_at: number | null;
  /** Checks in a row that did not find the record. */
  missed: number;
  created_at: number;
}

/** A row exists once something is set. */
export interface SignInSettingsTable {
  organization_id: string;
  /** JSON: ids of the platform's issuers that sign in people of the organization. */
  platform_issuers: string;
  /** Shorter than those of the platform; null: the platform's. */
  idle_ms: number | null;
  max_ms: number | null;
}

/** The slug of an organization is a column of organizations; null in rows that an earlier version wrote. */
export interface SlugColumn {
  slug: Generated<string | null>;
}

export async function createSignInDomains(db: MigratedDatabase): Promise<void> {
  await db.schema.alterTable('organizations').addColumn('slug', 'text').execute();
  await db.schema.createIndex('organizations_slug_unique').unique().on('organizations').column('slug').execute();
  await nameOrganizations(db);
  await db.schema
    .createTable('sign_in_domains')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('challenge', 'text', (column) => column.notNull())
    .addColumn('verified_at', 'bigint')
    .addColumn('vouched', 'integer', (column) => column.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('missed', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('sign_in_domains_organization')
    .unique()
    .on('sign_in_domains')
    .columns(['organization_id', 'domain'])
    .execute();
  await db.schema
    .createIndex('sign_in_domains_verified')
    .unique()
    .on('sign_in_domains')
    .column('domain')
    .where(sql<boolean>`verified_at is not null`)
    .execute();
  await db.schema
    .createTable('sign_in_settings')
    .addColumn('organization_id', 'text', (column) => column.notNull().primaryKey().references('organizations.id'))
    .addColumn('platform_issuers', 'text', (column) => column.notNull())
    .addColumn('idle_ms', 'bigint')
    .addColumn('max_ms', 'bigint')
    .execute();
}

/** Gives each organization a slug made from its name. */
async function nameOrganizations(db: MigratedDatabase): Promise<void> {
  const { rows } = await sql<{ readonly id: string; readonly name: string }>`
    select id, name from organizations order by id`.execute(db);
  const taken = new Set<string>();
  for (const { id, name } of rows) {
    const slug = slugOf(name, (text) => taken.has(text));
    taken.add(slug);
    await sql`update organizations set slug = ${slug} where id = ${id}`.execute(db);
  }
}
