// The table of what is to be told of budgets, and the step of migrations.ts that makes it.
import { sql } from 'kysely';
import type { MigratedDatabase } from './table-forms.ts';

export type NoticeKind = 'threshold' | 'exceeded' | 'unsettled';

/** What is told of a budget's window. Key: (budget_id, window_start, kind, about). Versions before had budget_alerts. */
export interface BudgetNoticesTable {
  budget_id: string;
  window_start: string;
  kind: NoticeKind;
  /** What tells it from others of its kind: "80@1000000000" and "@1000000000" of an amount, "<session>@<ms>" of an age. */
  about: string;
  organization_id: string;
  /** Of a threshold. */
  percent: number | null;
  /** Of the budget, nano-dollars, when it was noted; null where it does not matter. */
  amount: number | null;
  noted_at: number;
  /** When the audit event and the deliveries were written, or there was nothing to tell any more. */
  told_at: number | null;
}

/** In place of budget_alerts, whose key did not tell one amount of a budget from another. What was told then is not told again. */
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
  // Looked for every second: of all notices ever, only the few that nobody was told of.
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
  // Looked for every minute.
  await db.schema
    .createIndex('budget_windows_unsettled')
    .on('budget_windows')
    .columns(['budget_id', 'window_start'])
    .where(sql<boolean>`unsettled > 0`)
    .execute();
}
