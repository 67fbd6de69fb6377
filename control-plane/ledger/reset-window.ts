// Resets of budgets: the spent money of a window counts from zero again. Recorded usage stays; an adjustment of the
// window takes the spent money away, so that recorded usage and adjustments are the spent money, as always.
import { sql } from 'kysely';
import { windowOf } from '../../common/budget-window.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { BudgetWindow } from './budget.ts';
import { readBudgetsById } from './budgets.ts';
import { shareOrganizations, type TimedTransaction } from './locks.ts';
import { windowKey } from './matching.ts';
import { openPage } from './page.ts';
import type { WindowRow } from './windows.ts';

export interface WindowReset extends BudgetWindow {
  readonly before: WindowRow;
  readonly after: WindowRow;
}

/**
 * Call it in a transaction that has locked nothing of the ledger yet.
 * @param budgetId of a budget for each value the name of a counter
 * @returns the budget's window that contains the present; the same before and after if nothing is spent. Undefined if
 * there is no such budget, or if it is deleted
 */
export async function resetWindow(
  tx: TimedTransaction,
  budgetId: string,
  reason: string,
): Promise<WindowReset | undefined> {
  const known = (await readBudgetsById(tx.db, [budgetId])).get(budgetId);
  if (known === undefined) return undefined;
  await shareOrganizations(tx, [known.organizationId]);
  const budget = (await readBudgetsById(tx.db, [budgetId])).get(budgetId);
  if (budget === undefined || budget.deleted) return undefined;
  const one = { budget, window: windowOf(budget.period, tx.now) };
  const page = await openPage(tx, new Map([[windowKey(budget.id, one.window), one]]), []);
  const before = page.window(budget.id, one.window);
  if (before.spent === 0) return { ...one, before, after: before };
  const after = { ...before, spent: 0 };
  page.putWindow(after);
  await page.save(tx.db);
  const adjustmentId = await addAdjustment(tx, one, { amount: -before.spent, reason });
  await forgetNotices(tx, one, adjustmentId);
  return { ...one, before, after };
}

interface Adjustment {
  /** Nano-dollars, above or below 0. */
  readonly amount: number;
  readonly reason: string;
}

/** Call it with the window locked. @returns its id */
export async function addAdjustment(
  { db, now }: Pick<TimedTransaction, 'db' | 'now'>,
  { budget, window }: BudgetWindow,
  { amount, reason }: Adjustment,
): Promise<string> {
  const id = uuidv7(now);
  await db
    .insertInto('budget_adjustments')
    .values({
      ...{ id, organization_id: budget.organizationId, budget_id: budget.id, window_start: window },
      ...{ amount, reason, created_at: now },
    })
    .execute();
  return id;
}

/** The sum of a window's adjustments, in nano-dollars: below 0 after a reset. */
export async function readAdjusted(
  db: TimedTransaction['db'],
  { budget, window }: Pick<BudgetWindow, 'window'> & { readonly budget: { readonly id: string } },
): Promise<number> {
  const { sum } = await db
    .selectFrom('budget_adjustments')
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as('sum'))
    .where('budget_id', '=', budget.id)
    .where('window_start', '=', window)
    .executeTakeFirstOrThrow();
  return Number(sum);
}

/** Thresholds and refusals are reported again from here on. Those that are not sent yet still are. */
async function forgetNotices(
  { db }: Pick<TimedTransaction, 'db'>,
  { budget, window }: BudgetWindow,
  adjustmentId: string,
): Promise<void> {
  await db
    .updateTable('budget_notices')
    .set({ about: sql<string>`about || ${`#${adjustmentId}`}` })
    .where('budget_id', '=', budget.id)
    .where('window_start', '=', window)
    .where('kind', 'in', ['threshold', 'exceeded'])
    .where('about', 'not like', '%#%')
    .execute();
}
