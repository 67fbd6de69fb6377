// The row of audit_checks: when the next check of the audit log is due, and the result of the last one.
import type { ChainPoint } from '../../common/audit-anchor.ts';
import type { ChainFlaw } from '../store/audit-chain.ts';
import type { AuditChecksTable } from '../store/audit-checks-table.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import { enqueueDeliveries, type WebhookEvent } from '../webhooks/enqueue.ts';

/** A replica that is silent for this long has abandoned its check. */
export const abandonedAfterMs = 600_000;

export type AuditCheck = AuditChecksTable;
type LedgerStore = Pick<Store, 'ledger'>;

/**
 * Takes the check if it is due. A due time later than any setting allows was written by hand, so it counts as due.
 * @returns undefined if no check is due or another replica has taken it
 */
export function takeCheck(store: LedgerStore, everyMs: number): Promise<AuditCheck | undefined> {
  return store.ledger(({ db, now }) =>
    db
      .updateTable('audit_checks')
      .set({ due_at: now + abandonedAfterMs })
      .where(({ or, eb }) =>
        or([eb('due_at', '<=', now), eb('due_at', '>', now + Math.max(everyMs, abandonedAfterMs) + abandonedAfterMs)]),
      )
      .returningAll()
      .executeTakeFirst(),
  );
}

/** Renews the due time during a check, so that no other replica takes the check as abandoned. */
export async function keepCheck(store: LedgerStore): Promise<void> {
  await store.ledger(({ db, now }) =>
    db
      .updateTable('audit_checks')
      .set({ due_at: now + abandonedAfterMs })
      .execute(),
  );
}

export function readCheck(store: Pick<Store, 'snapshot'>): Promise<AuditCheck> {
  return store.snapshot((db) => db.selectFrom('audit_checks').selectAll().executeTakeFirstOrThrow());
}

export interface CheckEnd {
  readonly everyMs: number;
  /** The organization whose webhooks get the event. */
  readonly organizationId: string | undefined;
  /** Undefined if there is nothing new to report. */
  readonly event: WebhookEvent | undefined;
}

export interface Intact {
  readonly head: ChainPoint;
  /** Whether the log was verified from its first event on. */
  readonly isWhole: boolean;
  readonly anchoredRevision: number;
}

export async function writeIntact(store: LedgerStore, found: Intact, end: CheckEnd): Promise<void> {
  await store.ledger(async (tx) => {
    await tx.db
      .updateTable('audit_checks')
      .set({
        due_at: tx.now + end.everyMs,
        verified_at: tx.now,
        flaw: null,
        verified_revision: found.head.revision,
        verified_hash: found.head.hash,
        anchored_revision: found.anchoredRevision,
        ...(found.isWhole && { whole_at: tx.now }),
      })
      .execute();
    await notify(tx, end);
  });
}

export async function writeFlaw(store: LedgerStore, flaw: ChainFlaw, end: CheckEnd): Promise<void> {
  await store.ledger(async (tx) => {
    await tx.db
      .updateTable('audit_checks')
      .set({ due_at: tx.now + end.everyMs, verified_at: tx.now, flaw: JSON.stringify(flaw) })
      .execute();
    await notify(tx, end);
  });
}

async function notify(tx: LedgerTransaction, { organizationId, event }: CheckEnd): Promise<void> {
  if (organizationId === undefined || event === undefined) return;
  await enqueueDeliveries(tx, organizationId, event);
}
