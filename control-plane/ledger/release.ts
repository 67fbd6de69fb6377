// Gives up what a proxy held when it fell silent and will not report any more. Late reports are booked all the same, and may
// then pass the limit: that is the operator's choice.
import { readLease, saveLeases, takeFrom } from './leases.ts';
import { type LedgerTransaction, shareOrganizations, shareSessions } from './locks.ts';
import { lockWindow, saveWindows } from './windows.ts';

export interface UnsettledLease {
  readonly sessionId: string;
  readonly budgetId: string;
  readonly window: string;
}

export interface Released {
  readonly organizationId: string;
  /** Nano-dollars that are free again. */
  readonly released: number;
  /** What the lease still holds unsettled. */
  readonly remaining: number;
  /** Id of the proxy's token, or the name in its certificate. */
  readonly proxy: string;
  /** When it was last heard. */
  readonly seenAt: number;
}

/**
 * Within a transaction that has locked nothing of the ledger yet.
 * @param amount nano-dollars, never more than there is; undefined: all of it
 * @returns undefined where there is no such lease, or its session is not over
 */
export async function releaseUnsettled(
  tx: LedgerTransaction,
  { sessionId, budgetId, window }: UnsettledLease,
  amount: number | undefined,
): Promise<Released | undefined> {
  const budget = await tx.db
    .selectFrom('limits')
    .select('organization_id')
    .where('id', '=', budgetId)
    .executeTakeFirst();
  if (budget === undefined) return undefined;
  await shareOrganizations(tx, [budget.organization_id]);
  const [session] = await shareSessions(tx, [sessionId]);
  const books = await lockWindow(tx, budgetId, window);
  if (session === undefined || books === undefined) return undefined;
  const lease = await readLease(tx.db, { session: sessionId, budgetId, window });
  if (lease?.state !== 'expired') return undefined;
  const released = Math.min(amount ?? lease.remaining, lease.remaining);
  const after = takeFrom(lease, books, released);
  await saveLeases(tx.db, [after.lease]);
  await saveWindows(tx.db, [after.books]);
  return {
    organizationId: budget.organization_id,
    released,
    remaining: after.lease.remaining,
    proxy: session.proxy,
    seenAt: session.seen_at,
  };
}
