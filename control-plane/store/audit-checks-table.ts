// The row that says how far the audit log was verified and which replica's turn it is, and the step of migrations.ts that makes it.
// Whoever can write the database can write it too: it spares work, and proves nothing.
import { sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

/** One row. */
export interface AuditChecksTable {
  id: 1;
  /** When the next check begins; while one is under way, when it counts as abandoned. */
  due_at: number;
  /** Up to where the log was found intact. */
  verified_revision: number;
  verified_hash: string;
  /** When that was; null: never. */
  verified_at: number | null;
  /** When the log was last found intact from its first event on. */
  whole_at: number | null;
  /** The newest event that every target has an anchor of. */
  anchored_revision: number;
  /** What is wrong, as JSON of {revision, reason}; null: nothing. */
  flaw: string | null;
}

export async function createAuditChecks(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('audit_checks')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('verified_revision', 'bigint', (column) => column.notNull())
    .addColumn('verified_hash', 'text', (column) => column.notNull())
    .addColumn('verified_at', 'bigint')
    .addColumn('whole_at', 'bigint')
    .addColumn('anchored_revision', 'bigint', (column) => column.notNull())
    .addColumn('flaw', 'text')
    .execute();
  await sql`
    insert into audit_checks (id, due_at, verified_revision, verified_hash, anchored_revision)
    values (1, 0, 0, '', 0)`.execute(db);
}
