// The order in which every transaction locks ledger rows, so that transactions cannot deadlock: the organizations'
// ledger locks (shared) → sessions (shared) by id → their rows of booked_ordinals by id → limit_counters by id →
// budget_windows by key → their leases, which are only read or written under the lock of their window. A transaction that
// creates, changes or deletes a budget takes the organization's lock exclusively; one that closes a session takes the
// session's lock exclusively. A budget's amount is read under these locks.
import type { Selectable } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';

/** A ledger transaction, or a change that reads or writes ledger rows. */
export type LedgerLocking = Pick<LedgerTransaction, 'db' | 'locks'>;

/** A transaction that creates rows of windows. */
export type TimedTransaction = Pick<LedgerTransaction, 'db' | 'locks' | 'now'>;

export type SessionRow = Selectable<Schema['ledger_sessions']>;

export async function shareOrganizations({ db, locks }: LedgerLocking, ids: readonly string[]): Promise<void> {
  await locks.organizations(db, ids, 'shared');
}

export async function shareSessions(
  { db, locks }: LedgerLocking,
  ids: readonly string[],
): Promise<readonly SessionRow[]> {
  if (ids.length === 0) return [];
  return await locks.share(db.selectFrom('ledger_sessions').selectAll().where('id', 'in', ids).orderBy('id')).execute();
}

/** Takes the session's lock exclusively, so that nothing is acquired in it meanwhile. */
export async function lockSession({ db, locks }: LedgerLocking, id: string): Promise<SessionRow | undefined> {
  return await locks.update(db.selectFrom('ledger_sessions').selectAll().where('id', '=', id)).executeTakeFirst();
}
