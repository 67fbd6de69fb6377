// Programs that act for somebody who is signed in at the console, and the step of migrations.ts that adds them. Secrets
// are hashes only.
import { sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

/** A program that waits for a token, or has been approved and not fetched it yet. */
export interface ProgramLoginsTable {
  id: string;
  /** Hash of the code that the program fetches its token with. */
  hash: string;
  /** Hash of the code that a person types; null for a program on the machine of the browser. */
  user_code_hash: string | null;
  /** The code challenge (S256); null for a device. */
  challenge: string | null;
  name: string;
  /** Where the program is. */
  address: string;
  state: 'waiting' | 'approved' | 'denied';
  person_id: string | null;
  session_id: string | null;
  created_at: number;
  ends_at: number;
  /** When a device last called for its token. */
  polled_at: number | null;
}

export async function createProgramLogins(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('program_logins')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_code_hash', 'text', (column) => column.unique())
    .addColumn('challenge', 'text')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.references('people.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (column) => column.references('console_sessions.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .addColumn('polled_at', 'bigint')
    .execute();
  await db.schema.createIndex('program_logins_ends').on('program_logins').column('ends_at').execute();
  // The session with which the token ends, and how many wrong codes a session has typed.
  await sql`alter table operator_tokens add column session_id text`.execute(db);
  await sql`alter table console_sessions add column wrong_codes integer not null default 0`.execute(db);
}
