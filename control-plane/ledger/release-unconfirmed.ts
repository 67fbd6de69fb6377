// Releases unconfirmed money of a proxy that fell silent and will not report any more. Late reports are still recorded
// and may then exceed the limit: releasing is the operator's choice.
import { limitOfCounter } from '../../common/counter-names.ts';
import { readLease, saveLeases, takeFrom } from './leases.ts';
import { type LedgerLocking, shareOrganizations, shareSessions } from './locks.ts';
import { lockWindow, saveWindows } from './windows.ts';

export interface UnconfirmedLease {
  readonly sessionId: string;
  readonly budgetId: string;
  readonly window: string;
}

export interface Released {
  readonly organizationId: string;
  /** Nano-dollars that are free again. */
  readonly released: number;
  /** Nano-dollars of the lease that are still unconfirmed. */
  readonly remaining: number;
  /** Id of the proxy's token, or the name in its certificate. */
  readonly proxy: string;
  /** When the proxy last sent a message. */
  readonly seenAt: number;
}

/**
 * Call it in a transaction that has locked nothing of the ledger yet.
 * @param amount nano-dollars, capped at the unconfirmed amount; undefined for all
 * @returns undefined if there is no such lease, or the lease is still open
 */
export async function releaseUnconfirmed(
  tx: LedgerLocking,
  { sessionId, budgetId, window }: UnconfirmedLease,
  amount: number | undefined,
): Promise<Released | undefined> {
  const budget = await tx.db
    .selectFrom('limits')
    .select('organization_id')
    .where('id', '=', limitOfCounter(budgetId))
    .executeTakeFirst();
  if (budget === undefined) return undefined;
  await shareOrganizations(tx, [budget.organization_id]);
  const [session] = await shareSessions(tx, [sessionId]);
  const windowRow = await lockWindow(tx, budgetId, window);
  if (session === undefined || windowRow === undefined) return undefined;
  const lease = await readLease(tx.db, { session: sessionId, budgetId, window });
  if (lease?.state !== 'expired') return undefined;
  const released = Math.min(amount ?? lease.remaining, lease.remaining);
  const after = takeFrom(lease, windowRow, released);
  await saveLeases(tx.db, [after.lease]);
  await saveWindows(tx.db, [after.windowRow]);
  return {
    organizationId: budget.organization_id,
    released,
    remaining: after.lease.remaining,
    proxy: session.proxy,
    seenAt: session.seen_at,
  };
}
