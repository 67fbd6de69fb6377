// Closes a session whose proxy no longer reserves money from it. Outstanding money of its leases is unconfirmed until
// it is reported; the rest is free at once. It closes a piece at a time, so it may stop in between or run twice without
// harm.
import type { ProxyCaller } from '../rpc/caller.ts';
import { limitOf } from '../store/limit-counting.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import type { BudgetWindow } from './budget.ts';
import { readBudgetsById } from './budgets.ts';
import { endLease, type LeaseName, type LeaseRow, nameOf } from './leases.ts';
import { lockSession, shareOrganizations } from './locks.ts';
import { windowKey } from './matching.ts';
import { openPage } from './page.ts';
import { addSession, requireOwn } from './sessions.ts';

export interface SessionEnd {
  readonly session: string;
  /** By windowKey: nano-dollars that requests have reserved from a lease, or that are not reported yet. */
  readonly outstanding: ReadonlyMap<string, number>;
  /** Whether leases that are not named stay unchanged. Otherwise nothing of them is outstanding. */
  readonly andOthers: boolean;
}

const leasesMax = 200;

/**
 * @returns nano-dollars that are free again.
 * @throws CallError not_found for the session of another proxy; StoreUnavailableError
 */
export async function closeSession(
  store: Pick<Store, 'ledger'>,
  caller: ProxyCaller,
  end: SessionEnd,
): Promise<{ readonly freed: number; readonly now: number; readonly epoch: string }> {
  let freed = 0;
  for (;;) {
    const { now, epoch, piece } = await store.ledger(async (tx) => ({
      now: tx.now,
      epoch: tx.epoch,
      piece: await closePiece(tx, caller, end),
    }));
    freed += piece.freed;
    if (!piece.more) return { freed, now, epoch };
  }
}

async function closePiece(
  tx: LedgerTransaction,
  caller: ProxyCaller,
  end: SessionEnd,
): Promise<{ readonly freed: number; readonly more: boolean }> {
  // Finds the rows to lock before it locks any.
  const found = await unended(tx, end);
  const budgets = await readBudgetsById(
    tx.db,
    found.map(({ budget_id }) => budget_id),
  );
  const organizations = new Set(Array.from(budgets.values(), ({ organizationId }) => organizationId));
  await shareOrganizations(tx, [...organizations].toSorted());
  const session = await lockSession(tx, end.session);
  if (session === undefined) {
    // A restored database has lost the session. It is recorded as closed, so that a late message cannot open it and
    // acquire money that nobody would settle.
    const isNoted = await addSession(tx, caller, { id: end.session, open: false });
    return { freed: 0, more: !isNoted };
  }
  requireOwn(session, caller);
  await tx.db.updateTable('ledger_sessions').set({ open: 0 }).where('id', '=', end.session).execute();
  const wanted = new Map<string, BudgetWindow>();
  const names: LeaseName[] = [];
  for (const lease of found) {
    const budget = budgets.get(lease.budget_id);
    if (budget === undefined) continue;
    wanted.set(windowKey(budget.id, lease.window_start), { budget, window: lease.window_start });
    names.push(nameOf(lease));
  }
  const page = await openPage(tx, wanted, names);
  let freed = 0;
  for (const name of names) {
    const lease = page.lease(name);
    if (lease === undefined || !isToEnd(lease, end)) continue;
    const kept = Math.min(lease.remaining, outstandingOf(lease, end));
    const ended = endLease(lease, page.window(name.budgetId, name.window), kept);
    freed += lease.remaining - kept;
    page.putLease(ended.lease);
    page.putWindow(ended.windowRow);
  }
  await page.save(tx.db);
  // There may be more leases: an acquisition has just created one, or there are more than fit into a piece.
  return { freed, more: (await unended(tx, end)).length > 0 };
}

async function unended({ db }: LedgerTransaction, end: SessionEnd): Promise<readonly LeaseRow[]> {
  const leases = await db
    .selectFrom('leases')
    .innerJoin('limits', (join) => join.on('limits.id', '=', limitOf('leases.budget_id')))
    .selectAll('leases')
    .where('session_id', '=', end.session)
    .where('remaining', '>', 0)
    .orderBy('budget_id')
    .orderBy('window_start')
    .execute();
  return leases.filter((lease) => isToEnd(lease, end)).slice(0, leasesMax);
}

function isToEnd(lease: LeaseRow, end: SessionEnd): boolean {
  if (end.andOthers && !end.outstanding.has(keyOf(lease))) return false;
  return lease.remaining > 0 && (lease.state === 'open' || lease.remaining > outstandingOf(lease, end));
}

function outstandingOf(lease: LeaseRow, { outstanding }: SessionEnd): number {
  return outstanding.get(keyOf(lease)) ?? 0;
}

function keyOf({ budget_id, window_start }: LeaseRow): string {
  return windowKey(budget_id, window_start);
}
