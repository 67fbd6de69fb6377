// The tables of service accounts, and the step of migrations.ts that creates them: which outside tokens each account
// trusts, and which of them were used.
import type { MigratedDatabase } from './table-forms.ts';

/** Outside tokens that fit a row are exchanged for tokens of the account. */
export interface ServiceTrustsTable {
  id: string;
  person_id: string;
  /** Exactly as tokens have it. */
  issuer: string;
  audience: string;
  /** JSON: `[{"claim", "value"}]` */
  claims: string;
  created_at: number;
  /** Of the last exchange by this row; null: none. */
  exchanged_at: number | null;
}

/** Outside tokens that an account has used, until they have ended. */
export interface SpentTokensTable {
  person_id: string;
  /** SHA-256 of issuer and `jti`. */
  hash: string;
  ends_at: number;
}

export async function createServiceAccounts(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('people')
    .addColumn('kind', 'text', (column) => column.notNull().defaultTo('human'))
    .execute();
  await db.schema
    .createTable('service_trusts')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('issuer', 'text', (column) => column.notNull())
    .addColumn('audience', 'text', (column) => column.notNull())
    .addColumn('claims', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('service_trusts_person').on('service_trusts').columns(['person_id', 'id']).execute();
  // A token of an exchange ends with the trust row by which it was issued.
  await db.schema
    .alterTable('operator_tokens')
    .addColumn('trust_id', 'text', (column) => column.references('service_trusts.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('operator_tokens_trust').on('operator_tokens').column('trust_id').execute();
  await db.schema
    .createTable('spent_tokens')
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('spent_tokens_pkey', ['person_id', 'hash'])
    .execute();
}
