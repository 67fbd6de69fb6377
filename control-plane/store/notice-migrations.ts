// The table of what is to be told of budgets: a further step of migrations.ts, under its rules.
import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** In place of budget_alerts, whose key did not tell one amount of a budget from another. What was told then is not told again. */
export async function createBudgetNotices(db: Kysely<Schema>): Promise<void> {
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
