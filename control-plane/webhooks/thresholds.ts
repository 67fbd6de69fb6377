// Notices about a budget's window: thresholds that its spent money reaches, and requests that it refuses. Each is
// recorded once for an amount of the budget, by the transaction in which it happens, so after a change of the amount it
// can be recorded again.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';

/** In percent of the budget's amount, unless the budget has thresholds of its own. */
const usualThresholds: readonly number[] = [50, 80, 100];

/** A window of a budget, with its row locked. */
export interface BudgetOfWindow {
  readonly budgetId: string;
  readonly organizationId: string;
  /** The name that windowOf returns. */
  readonly window: string;
  /** The budget's amount, in nano-dollars. */
  readonly amount: number;
  /** In percent of the amount; absent: the usual ones. */
  readonly thresholds?: readonly number[] | undefined;
}

/** A window with its spent money so far. */
export interface WindowSpent extends BudgetOfWindow {
  /** In nano-dollars. */
  readonly spent: number;
}

interface NotingTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, in milliseconds. */
  readonly now: number;
}

/** Records thresholds that are reached and not recorded yet, in one statement, or none if nothing is reached. */
export async function noteThresholds({ db, now }: NotingTransaction, windows: readonly WindowSpent[]): Promise<void> {
  const rows = windows.flatMap((window) =>
    (window.thresholds ?? usualThresholds)
      .filter((percent) => hasReached(window, percent))
      .map((percent) => ({
        ...noticeOf(window, 'threshold', now),
        percent,
        about: `${percent}@${window.amount}`,
      })),
  );
  await insertNotices(db, rows);
}

/** Records windows that refused an acquisition because of spent money, so that its request was refused. */
export async function noteExceeded({ db, now }: NotingTransaction, windows: readonly BudgetOfWindow[]): Promise<void> {
  await insertNotices(
    db,
    windows.map((window) => noticeOf(window, 'exceeded', now)),
  );
}

function noticeOf(of: BudgetOfWindow, kind: NoticeRow['kind'], now: number): NoticeRow {
  return {
    budget_id: of.budgetId,
    organization_id: of.organizationId,
    window_start: of.window,
    kind,
    about: `@${of.amount}`,
    percent: null,
    amount: of.amount,
    noted_at: now,
    told_at: null,
  };
}

// A hundred times the largest budget is beyond 2^53.
function hasReached({ spent, amount }: WindowSpent, percent: number): boolean {
  return spent > 0 && BigInt(spent) * 100n >= BigInt(percent) * BigInt(amount);
}

/** Written by the transaction in which it happens, once by its key; alerts.ts sends it later. */
type NoticeRow = Schema['budget_notices'];

/** Bounded, because both databases limit the parameters of a statement. */
const insertRowsMax = 1000;

/**
 * Writes the rows that do not exist yet; without rows it does nothing. The order is fixed, so that transactions cannot
 * deadlock.
 */
export async function insertNotices(db: Kysely<Schema>, rows: readonly NoticeRow[]): Promise<void> {
  const ordered = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (let from = 0; from < ordered.length; from += insertRowsMax) {
    await db
      .insertInto('budget_notices')
      .values(ordered.slice(from, from + insertRowsMax))
      .onConflict((conflict) => conflict.columns(['budget_id', 'window_start', 'kind', 'about']).doNothing())
      .execute();
  }
}

function keyOf({ budget_id, window_start, kind, about }: NoticeRow): string {
  return `${budget_id} ${window_start} ${kind} ${about}`;
}
