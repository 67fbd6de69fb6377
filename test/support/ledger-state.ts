// Ledger entries of budgets as proxies leave them, written directly to the database: for tests of what operators see
// and do.
import { randomUUID } from 'node:crypto';
import type { StoreDatabase } from './databases.ts';

export interface LedgerState {
  readonly budgetId: string;
  readonly organizationId: string;
  readonly window: string;
  /** Nano-dollars, as are the others. */
  readonly spent?: number;
  readonly leased?: number;
  readonly unconfirmed?: number;
}

/** Writes the ledger entry of one window. */
export async function writeLedger(database: StoreDatabase, ledger: LedgerState): Promise<void> {
  const { budgetId, organizationId, window, spent = 0, leased = 0, unconfirmed = 0 } = ledger;
  await database.raw(
    `insert into budget_windows (budget_id, organization_id, window_start, spent, leased, unsettled)
     values ('${budgetId}', '${organizationId}', '${window}', ${spent}, ${leased}, ${unconfirmed})`,
  );
}

export interface Lease {
  readonly budgetId: string;
  readonly window: string;
  readonly remaining: number;
  readonly state?: 'open' | 'expired';
  /** Default: now, because a silent session would be closed. */
  readonly seenAt?: number;
}

/**
 * Writes a lease of a separate session, which is open if the lease is. The ledger entry must already include its money.
 * @returns the session
 */
export async function writeLease(database: StoreDatabase, lease: Lease): Promise<string> {
  const { budgetId, window, remaining, state = 'expired', seenAt = Date.now() } = lease;
  const session = randomUUID();
  const open = state === 'open' ? 1 : 0;
  await database.raw(
    `insert into ledger_sessions (id, proxy, organization_id, open, seen_at, expired_at)
     values ('${session}', 'proxy-1', null, ${open}, ${seenAt}, ${open === 1 ? 'null' : seenAt});
     insert into leases (session_id, budget_id, window_start, remaining, state, seq, answer)
     values ('${session}', '${budgetId}', '${window}', ${remaining}, '${state}', 1, '{}')`,
  );
  return session;
}
