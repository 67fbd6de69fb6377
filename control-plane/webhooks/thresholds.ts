// Shares of a budget's window that its books have reached, and that it has refused a request. Each is noted once for an amount of
// the budget, by the transaction in which it happens: a budget that is raised or lowered is one that nothing was told of.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';

/** In percent of the budget's amount. */
export const thresholdPercents = [50, 80, 100] as const;

/** A window of a budget, with its row locked. */
export interface BudgetOfWindow {
  readonly budgetId: string;
  readonly organizationId: string;
  /** As windowOf names it. */
  readonly window: string;
  /** Of the budget, nano-dollars. */
  readonly amount: number;
}

/** What the books of a window hold by now. */
export interface WindowSpent extends BudgetOfWindow {
  /** Nano-dollars. */
  readonly spent: number;
}

interface NotingTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, milliseconds. */
  readonly now: number;
}

/** Notes what is reached and not noted yet; one statement, none where nothing is reached. */
export async function noteThresholds(
  { db, now }: NotingTransaction,
  windows: readonly WindowSpent[],
): Promise<void> {
  const rows = windows.flatMap((window) =>
    thresholdPercents
      .filter((percent) => hasReached(window, percent))
      .map((percent) => ({
        ...noticeOf(window, 'threshold', now),
        percent,
        about: `${percent}@${window.amount}`,
      })),
  );
  await insertNotices(db, rows);
}

/** Notes windows that have refused a draw because of what is spent: whoever waited for it is refused. */
export async function noteExceeded(
  { db, now }: NotingTransaction,
  windows: readonly BudgetOfWindow[],
): Promise<void> {
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

/** So many columns as a row has: both databases bound the parameters of a statement. */
const insertRowsMax = 1000;

/** Those that are not there yet; none where there are none. In one order, so that nobody waits in a circle. */
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
