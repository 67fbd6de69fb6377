// Shares of a budget's window that its books have reached. Each is noted once, by the transaction that reaches it: the row
// is there exactly if the spending is. alerts.ts tells of it later.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';

/** In percent of the budget's amount. */
export const thresholdPercents = [50, 80, 100] as const;

/** What the books of a window hold by now, with its row still locked. */
export interface WindowSpent {
  readonly budgetId: string;
  readonly organizationId: string;
  /** As windowOf names it. */
  readonly window: string;
  /** Of the budget, nano-dollars. */
  readonly amount: number;
  /** Nano-dollars. */
  readonly spent: number;
}

interface ThresholdsTransaction {
  readonly db: Kysely<Schema>;
  /** The database's clock, milliseconds. */
  readonly now: number;
}

/** Notes what is reached and not noted yet; one statement, none where nothing is reached. */
export async function noteThresholds(
  { db, now }: ThresholdsTransaction,
  windows: readonly WindowSpent[],
): Promise<void> {
  const rows = windows.flatMap((window) =>
    thresholdPercents
      .filter((percent) => hasReached(window, percent))
      .map((percent) => ({
        budget_id: window.budgetId,
        organization_id: window.organizationId,
        window_start: window.window,
        percent,
        reached_at: now,
        told_at: null,
      })),
  );
  for (let from = 0; from < rows.length; from += insertRowsMax) {
    await db
      .insertInto('budget_alerts')
      .values(rows.slice(from, from + insertRowsMax))
      .onConflict((conflict) => conflict.columns(['budget_id', 'window_start', 'percent']).doNothing())
      .execute();
  }
}

// Both databases bound the parameters of a statement.
const insertRowsMax = 1000;

// A hundred times the largest budget is beyond 2^53.
function hasReached({ spent, amount }: WindowSpent, percent: number): boolean {
  return spent > 0 && BigInt(spent) * 100n >= BigInt(percent) * BigInt(amount);
}
