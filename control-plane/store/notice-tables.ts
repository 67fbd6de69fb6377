// The table of notices about budgets, and the step of migrations.ts that creates it.
import { sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

export type NoticeKind = 'threshold' | 'exceeded' | 'unsettled';

/**
 * A notice about a budget's window. Key: (budget_id, window_start, kind, about). Earlier versions had budget_alerts.
 */
export interface BudgetNoticesTable {
  budget_id: string;
  window_start: string;
  kind: NoticeKind;
  /**
   * Distinguishes notices of one kind: "80@1000000000" and "@1000000000" for an amount, "<session>@<ms>" for an age;
   * after a reset of the window with "#<adjustment>" behind it.
   */
  about: string;
  organization_id: string;
  /** The share of a threshold. */
  percent: number | null;
  /** The budget's amount when the notice was written, in nano-dollars; null if it does not matter. */
  amount: number | null;
  noted_at: number;
  /** When the audit event and the deliveries were written, or the notice was found to be obsolete. */
  told_at: number | null;
}

/**
 * Replaces budget_alerts, whose key did not distinguish amounts of a budget. Alerts that were sent then are not sent
 * again.
 */
export async function createBudgetNotices(db: MigratedDatabase): Promise<void> {
  await db.schema
    .createTable('budget_notices')
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('about', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('percent', 'integer')
    .addColumn('amount', 'bigint')
    .addColumn('noted_at', 'bigint', (column) => column.notNull())
    .addColumn('told_at', 'bigint')
    .addPrimaryKeyConstraint('budget_notices_pkey', ['budget_id', 'window_start', 'kind', 'about'])
    .execute();
  // The periodic task looks every second for the few notices that were not sent yet, among all notices ever.
  await db.schema
    .createIndex('budget_notices_untold')
    .on('budget_notices')
    .column('noted_at')
    .where(sql<boolean>`told_at is null`)
    .execute();
  await sql`
    insert into budget_notices
      (budget_id, window_start, kind, about, organization_id, percent, amount, noted_at, told_at)
    select alert.budget_id, alert.window_start, 'threshold',
      cast(alert.percent as text) || '@' || cast(budget.amount as text),
      alert.organization_id, alert.percent, budget.amount, alert.reached_at, alert.told_at
    from budget_alerts as alert join limits as budget on budget.id = alert.budget_id`.execute(db);
  // The periodic task looks for them every minute.
  await db.schema
    .createIndex('budget_windows_unsettled')
    .on('budget_windows')
    .columns(['budget_id', 'window_start'])
    .where(sql<boolean>`unsettled > 0`)
    .execute();
}
