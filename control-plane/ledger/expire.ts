// Closes sessions that are silent and moves what they held from leased to unsettled, but for what they have said that they will not
// take, which is free again: first the session, so that it draws no
// more, then each lease in a transaction of its own. Whoever is stopped in between, or works beside another replica, does no harm.
import type { BooksTransaction, Store } from '../store/store.ts';
import { endLease, type LeaseName, readLease, saveLeases } from './leases.ts';
import { holdSession, shareOrganizations } from './locks.ts';
import { silenceMaxMs } from './sessions.ts';
import { lockWindow, saveWindows } from './windows.ts';

// Of one run: the next one comes soon.
const sessionsMax = 100;

/** @returns how many were closed */
export async function expireSessions(store: Pick<Store, 'books'>): Promise<number> {
  const silent = await store.books(({ db, now }) =>
    db
      .selectFrom('ledger_sessions')
      .select('id')
      .where('open', '=', 1)
      .where('expired_at', 'is', null)
      .where('seen_at', '<', now - silenceMaxMs)
      .limit(sessionsMax)
      .execute(),
  );
  let closed = 0;
  for (const { id } of silent) {
    if (await store.books((tx) => closeSilent(tx, id))) closed++;
  }
  // Those that others have closed and not finished as well.
  const unfinished = await store.books(({ db }) =>
    db
      .selectFrom('ledger_sessions')
      .select('id')
      .where('open', '=', 0)
      .where('expired_at', 'is', null)
      .limit(sessionsMax)
      .execute(),
  );
  for (const { id } of unfinished) await expireLeases(store, id);
  return closed;
}

/** @returns whether it was open, and silent */
async function closeSilent(tx: BooksTransaction, id: string): Promise<boolean> {
  const session = await holdSession(tx, id);
  if (session?.open !== 1 || session.seen_at >= tx.now - silenceMaxMs) return false;
  await tx.db.updateTable('ledger_sessions').set({ open: 0 }).where('id', '=', id).execute();
  return true;
}

interface LeaseOf extends LeaseName {
  readonly organizationId: string;
}

async function expireLeases(store: Pick<Store, 'books'>, sessionId: string): Promise<void> {
  const leases = await store.books(({ db }) =>
    db
      .selectFrom('leases')
      .innerJoin('limits', 'limits.id', 'leases.budget_id')
      .select([
        'leases.session_id as session',
        'limits.organization_id as organizationId',
        'leases.budget_id as budgetId',
        'leases.window_start as window',
      ])
      .where('leases.session_id', '=', sessionId)
      .where('leases.state', '=', 'open')
      .execute(),
  );
  for (const lease of leases) await store.books((tx) => expireLease(tx, lease));
  await store.books(({ db, now }) =>
    db
      .updateTable('ledger_sessions')
      .set({ expired_at: now })
      .where('id', '=', sessionId)
      .where('expired_at', 'is', null)
      .execute(),
  );
}

async function expireLease(tx: BooksTransaction, of: LeaseOf): Promise<void> {
  await shareOrganizations(tx, [of.organizationId]);
  await holdSession(tx, of.session);
  const books = await lockWindow(tx, of.budgetId, of.window);
  if (books === undefined) return;
  const lease = await readLease(tx.db, of);
  if (lease?.state !== 'open') return;
  const ended = endLease(lease, books, lease.remaining - Math.min(lease.shut, lease.remaining));
  await saveLeases(tx.db, [ended.lease]);
  await saveWindows(tx.db, [ended.books]);
}
