// Closes silent sessions. Every replica looks for them every few seconds, at random intervals. The session is closed
// first, so that it acquires no more; then each lease is ended in its own transaction: its money becomes unconfirmed,
// except the shut part, which is free again. A replica may stop in between, or work beside another, without harm.
import type { Logger } from '../../common/logger.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import { endLease, type LeaseName, readLease, saveLeases } from './leases.ts';
import { lockSession, shareOrganizations } from './locks.ts';
import type { LedgerMetrics } from './metrics.ts';
import { silenceMaxMs } from './sessions.ts';
import { lockWindow, saveWindows } from './windows.ts';

export interface ExpiryDeps {
  readonly store: Pick<Store, 'ledger'>;
  readonly log: Logger;
  readonly metrics: Pick<LedgerMetrics, 'sessionsExpired'>;
  readonly timers?: Timers;
  /** At least 0 and below 1. */
  readonly random?: () => number;
}

const everyMs = 4000;

export function startExpiry(deps: ExpiryDeps): { close(): Promise<void> } {
  const { timers = systemTimers, random = Math.random } = deps;
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let cancel: () => void;
  const again = () => {
    cancel = timers.after(everyMs * (0.75 + random() / 2), () => {
      running = expireOnce(deps).then(() => {
        if (!closed) again();
      });
    });
  };
  again();
  return {
    close: async () => {
      closed = true;
      cancel();
      await running;
    },
  };
}

async function expireOnce({ store, log, metrics }: ExpiryDeps): Promise<void> {
  try {
    const count = await expireSessions(store);
    metrics.sessionsExpired(count);
    if (count > 0)
      log.warn({ sessions: count }, 'sessions of silent proxies were closed: the money of their leases is unconfirmed');
  } catch (err) {
    log.warn({ err }, 'silent sessions could not be closed; trying again');
  }
}

// The limit of one run; the next one comes soon.
const sessionsMax = 100;

/** @returns how many sessions were closed */
export async function expireSessions(store: Pick<Store, 'ledger'>): Promise<number> {
  const silent = await store.ledger(({ db, now }) =>
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
    if (await store.ledger((tx) => closeSilent(tx, id))) closed++;
  }
  // Includes sessions that another replica has closed without ending their leases.
  const unfinished = await store.ledger(({ db }) =>
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

/** @returns whether the session was open and silent */
async function closeSilent(tx: LedgerTransaction, id: string): Promise<boolean> {
  const session = await lockSession(tx, id);
  if (session?.open !== 1 || session.seen_at >= tx.now - silenceMaxMs) return false;
  await tx.db.updateTable('ledger_sessions').set({ open: 0 }).where('id', '=', id).execute();
  return true;
}

interface LeaseOf extends LeaseName {
  readonly organizationId: string;
}

async function expireLeases(store: Pick<Store, 'ledger'>, sessionId: string): Promise<void> {
  const leases = await store.ledger(({ db }) =>
    db
      .selectFrom('leases')
      .innerJoin('budget_windows as window_row', (join) =>
        join
          .onRef('window_row.budget_id', '=', 'leases.budget_id')
          .onRef('window_row.window_start', '=', 'leases.window_start'),
      )
      .select([
        'leases.session_id as session',
        'window_row.organization_id as organizationId',
        'leases.budget_id as budgetId',
        'leases.window_start as window',
      ])
      .where('leases.session_id', '=', sessionId)
      .where('leases.state', '=', 'open')
      .execute(),
  );
  for (const lease of leases) await store.ledger((tx) => expireLease(tx, lease));
  await store.ledger(({ db, now }) =>
    db
      .updateTable('ledger_sessions')
      .set({ expired_at: now })
      .where('id', '=', sessionId)
      .where('expired_at', 'is', null)
      .execute(),
  );
}

async function expireLease(tx: LedgerTransaction, of: LeaseOf): Promise<void> {
  await shareOrganizations(tx, [of.organizationId]);
  await lockSession(tx, of.session);
  const windowRow = await lockWindow(tx, of.budgetId, of.window);
  if (windowRow === undefined) return;
  const lease = await readLease(tx.db, of);
  if (lease?.state !== 'open') return;
  const ended = endLease(lease, windowRow, lease.remaining - Math.min(lease.shut, lease.remaining));
  await saveLeases(tx.db, [ended.lease]);
  await saveWindows(tx.db, [ended.windowRow]);
}
