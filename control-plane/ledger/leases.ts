// What a session holds of a window, and the one operation of it at a time: sent again unchanged it is answered the same.

import type { Kysely, Selectable } from 'kysely';
import { windowOf, windowStart } from '../../common/budget-window.ts';
import type { ProxyCaller } from '../services/caller.ts';
import type { Schema } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { readBudget } from './budgets.ts';
import { type SessionRow, shareOrganizations, shareSessions } from './locks.ts';
import { type Budget, windowKey } from './matching.ts';
import { requireOwn } from './sessions.ts';
import { lockWindows, saveWindows, type WindowRow } from './windows.ts';

export type LeaseRow = Selectable<Schema['leases']>;

/** Of a lease; draws and returns are counted together, from 1. */
export interface Operation {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  readonly seq: number;
}

/** Everything that an operation looks at, locked. */
export interface OpenLease {
  readonly budget: Budget;
  readonly session: SessionRow;
  readonly books: WindowRow;
  /** One that is not there yet has done nothing: its seq is 0. */
  readonly lease: LeaseRow;
}

/** There is nothing that an operation could be of, now or later. */
export type NoLease = 'gone' | 'window' | 'deleted';

/** @throws CallError not_found for the session of another proxy */
export async function openLease(
  tx: BooksTransaction,
  caller: ProxyCaller,
  { session: sessionId, budgetId, window }: Operation,
): Promise<OpenLease | NoLease> {
  const known = await readBudget(tx.db, budgetId);
  if (known === undefined || !mayTouch(caller, known)) return 'deleted';
  await shareOrganizations(tx, [known.organizationId]);
  const [session] = await shareSessions(tx, [sessionId]);
  if (session === undefined) return 'gone';
  requireOwn(session, caller);
  if (!isNear(known, window, tx.now)) return 'window';
  // The amount may have changed until the organization was ours to share.
  const budget = await readBudget(tx.db, budgetId);
  if (budget === undefined) return 'deleted';
  const key = windowKey(budgetId, window);
  const books = (await lockWindows(tx, new Map([[key, { budget, window }]]))).get(key);
  if (books === undefined) throw new Error('the row of a window is gone');
  const lease = await readLease(tx.db, sessionId, books);
  return { budget, session, books, lease: lease ?? newLease(session, books) };
}

/** Writes what an operation has done. */
export async function saveLease(
  db: Kysely<Schema>,
  { books, lease }: { readonly books: WindowRow; readonly lease: LeaseRow },
): Promise<void> {
  await saveLeases(db, [lease]);
  await saveWindows(db, [books]);
}

/** Of windows that are locked. */
export async function saveLeases(db: Kysely<Schema>, leases: readonly LeaseRow[]): Promise<void> {
  await db
    .insertInto('leases')
    .values(leases)
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'budget_id', 'window_start']).doUpdateSet(({ ref }) => ({
        remaining: ref('excluded.remaining'),
        state: ref('excluded.state'),
        seq: ref('excluded.seq'),
        answer: ref('excluded.answer'),
      })),
    )
    .execute();
}

export async function readLease(
  db: Kysely<Schema>,
  sessionId: string,
  { budget_id, window_start }: Pick<WindowRow, 'budget_id' | 'window_start'>,
): Promise<LeaseRow | undefined> {
  return await db
    .selectFrom('leases')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('budget_id', '=', budget_id)
    .where('window_start', '=', window_start)
    .executeTakeFirst();
}

/** Takes from what a lease has left, and from where the window counts that. @returns both after it */
export function takeFrom(
  lease: LeaseRow,
  books: WindowRow,
  amount: number,
): { readonly lease: LeaseRow; readonly books: WindowRow } {
  const held = lease.state === 'open' ? 'leased' : 'unsettled';
  return {
    lease: { ...lease, remaining: lease.remaining - amount },
    books: { ...books, [held]: books[held] - amount },
  };
}

/** A bound proxy sees its organization's budgets, as if nothing else existed. */
function mayTouch(caller: ProxyCaller, budget: Budget): boolean {
  return caller.organizationId === undefined || caller.organizationId === budget.organizationId;
}

// Beyond it no operation is sent again: what is refused there need not be remembered.
const nearMs = 75 * 86_400_000;

/** Whether it is a window of the budget, of about this time: then it may be granted, or may have been. */
function isNear({ period }: Budget, window: string, now: number): boolean {
  const start = windowStart(window) ?? now;
  return windowOf(period, start) === window && Math.abs(start - now) <= nearMs;
}

function newLease(session: SessionRow, books: WindowRow): LeaseRow {
  return {
    session_id: session.id,
    budget_id: books.budget_id,
    window_start: books.window_start,
    remaining: 0,
    state: session.open === 1 ? 'open' : 'expired',
    seq: 0,
    answer: '',
  };
}
