// The row that records how far the audit log was verified and when a replica must check it next, and the step of
// migrations.ts that creates it. An attacker who can write to the database can write this row too: it saves work but
// proves nothing.
import { sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

/** One row. */
export interface AuditChecksTable {
  id: 1;
  /** When the next check begins. During a check: when it counts as abandoned. */
  due_at: number;
  /** The last revision up to which the log was found intact. */
  verified_revision: number;
  verified_hash: string;
  /** When the log was last verified; null for never. */
  verified_at: number | null;
  /** When the log was last verified from its first event on. */
  whole_at: number | null;
  /** The newest event that is anchored at every target. */
  anchored_revision: number;
  /** The flaw as JSON of {revision, reason}; null for none. */
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
