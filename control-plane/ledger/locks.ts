// The order in which every transaction locks what the ledger is made of, so that none waits for another in a circle: the turn at
// organizations' books (shared) → sessions (shared) by id → which of their events are booked, by id → budget_windows by their key → their leases, which nobody reads or
// writes without the lock of their window. Whoever makes, changes or ends a budget has the turn alone, and whoever closes a
// session has that alone. A budget's amount is read under these locks.
import type { Selectable } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';

/** A transaction of the books, or a change that touches them. */
export type LedgerTransaction = Pick<BooksTransaction, 'db' | 'locks'>;

/** One that makes windows. */
export type TimedTransaction = Pick<BooksTransaction, 'db' | 'locks' | 'now'>;

export type SessionRow = Selectable<Schema['ledger_sessions']>;

export async function shareOrganizations(
  { db, locks }: LedgerTransaction,
  ids: readonly string[],
): Promise<void> {
  await locks.organizations(db, ids, 'shared');
}

export async function shareSessions(
  { db, locks }: LedgerTransaction,
  ids: readonly string[],
): Promise<readonly SessionRow[]> {
  if (ids.length === 0) return [];
  return await locks
    .share(db.selectFrom('ledger_sessions').selectAll().where('id', 'in', ids).orderBy('id'))
    .execute();
}

/** Nobody draws in the session meanwhile. */
export async function holdSession(
  { db, locks }: LedgerTransaction,
  id: string,
): Promise<SessionRow | undefined> {
  return await locks
    .update(db.selectFrom('ledger_sessions').selectAll().where('id', '=', id))
    .executeTakeFirst();
}
