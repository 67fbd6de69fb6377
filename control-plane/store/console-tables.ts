// The tables of the console's sessions, and the step of migrations.ts that creates them. Secrets are hashes only.
import type { Generated } from 'kysely';
import type { SignInMethod } from '../../proto/words/sessions.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** One sign-in at the console. A row ends with its person, and with the operator token that it was made of. */
export interface ConsoleSessionsTable {
  id: string;
  person_id: string;
  method: SignInMethod;
  /** The operator token with which the person signed in. */
  token_id: string | null;
  /** The identity with which the person signed in at an issuer. */
  identity_id: string | null;
  /** Hash of the cookie's value. */
  hash: string;
  /** Hash of the value before it. */
  former_hash: string | null;
  /** Null until the present value was sent; then when the former one stops working. */
  former_ends_at: number | null;
  /** When the present value was made. */
  rotated_at: number;
  created_at: number;
  /** When the person last proved who they are: at the issuer, or by the token or link. */
  authenticated_at: number;
  /** Written once a minute. */
  seen_at: number;
  idle_ends_at: number;
  ends_at: number;
  ended_at: number | null;
  /** The issuer's id of its session. */
  issuer_session: string | null;
  address: string;
  user_agent: string;
  /** Codes of devices that were typed and do not exist. */
  wrong_codes: Generated<number>;
}

/** Access tokens of sessions: several, because each tab of a browser has its own. */
export interface ConsoleTokensTable {
  hash: string;
  session_id: string;
  ends_at: number;
}

/** Links that sign in once. */
export interface ConsoleLinksTable {
  hash: string;
  person_id: string;
  ends_at: number;
}

export async function createConsoleSessions(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('console_sessions')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('method', 'text', (column) => column.notNull())
    .addColumn('token_id', 'text', (column) => column.references('operator_tokens.id').onDelete('cascade'))
    .addColumn('identity_id', 'text')
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('former_hash', 'text')
    .addColumn('former_ends_at', 'bigint')
    .addColumn('rotated_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('authenticated_at', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('idle_ends_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('issuer_session', 'text')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('console_sessions_person').on('console_sessions').columns(['person_id', 'id']).execute();
  await db.schema.createIndex('console_sessions_former').on('console_sessions').column('former_hash').execute();
  await db.schema.createIndex('console_sessions_ends').on('console_sessions').column('ends_at').execute();

  await db.schema
    .createTable('console_tokens')
    .addColumn('hash', 'text', (column) => column.notNull().primaryKey())
    .addColumn('session_id', 'text', (column) => column.notNull().references('console_sessions.id').onDelete('cascade'))
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('console_tokens_session')
    .on('console_tokens')
    .columns(['session_id', 'ends_at'])
    .execute();

  await db.schema
    .createTable('console_links')
    .addColumn('hash', 'text', (column) => column.notNull().primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
}
