// The tables of limits and of budgets' windows, and the step of migrations.ts that adds to them.
import type { Generated } from 'kysely';
import type { BudgetPeriod } from '../../common/budget-window.ts';
import type { LimitKind, LimitSubjectKind } from '../../proto/words/access.ts';
import type { MigratedDatabase } from './table-forms.ts';

/** The kinds of rows that are budgets. */
export const budgetKinds = ['budget', 'calendar_budget', 'counter_budget'] as const;

/**
 * A limit exists as long as its subject: it is deleted when the subject is deleted or revoked. The ledger of a budget
 * outlives it.
 */
export interface LimitsTable {
  id: string;
  organization_id: string;
  subject_kind: LimitSubjectKind;
  subject_id: string;
  /**
   * `calendar_budget`: a budget whose windows programs of the version before do not know. They take it for a limit of an
   * unknown kind, which refuses requests, and leave it alone in the ledger. So they do with a kind `counter_…`, of limits
   * with `counting`.
   */
  kind: LimitKind | 'calendar_budget' | `counter_${LimitKind}`;
  /** Requests, tokens, or nano-dollars of a budget. */
  amount: number;
  /** Null for all models. */
  model: string | null;
  /** For a budget; null for the others. */
  period: BudgetPeriod | null;
  /**
   * When the windows of a budget start, as JSON (budget-columns.ts), if its period alone does not say that; null
   * otherwise.
   */
  calendar: string | null;
  /** 1 for a budget that refuses nothing. It is in no record: the ledger alone counts its usage. */
  soft: Generated<0 | 1>;
  /** A budget's thresholds in percent of its amount, as JSON; null for the usual ones. */
  thresholds: string | null;
  /** A budget's raises, ended ones too, as JSON (budget-columns.ts); null if there was none. */
  raises: string | null;
  /** Which tag's requests it counts, and in how many counters, as JSON (limit-counting.ts); null: all, in one. */
  counting: string | null;
  /** For a deleted budget, whose row stays for the ledger. Rows of other limits are deleted. */
  deleted_at: number | null;
  created_at: number;
  revision: number;
}

/**
 * The ledger of one window of a budget, in nano-dollars; the rest of the limit beyond the three is free. Key:
 * (budget_id, window_start). A row is created when money of its window is first acquired or used.
 */
export interface BudgetWindowsTable {
  budget_id: string;
  organization_id: string;
  /** A UTC day, or "total". */
  window_start: string;
  /** The recorded usage of the window, and its adjustments. */
  spent: number;
  leased: number;
  unsettled: number;
}

/**
 * What was added to a window's spent money beside recorded usage: a reset takes it away. Key: id. So the spent money of
 * a window is always its recorded usage and its adjustments.
 */
export interface BudgetAdjustmentsTable {
  id: string;
  organization_id: string;
  budget_id: string;
  window_start: string;
  /** Nano-dollars; below 0 for a reset. */
  amount: number;
  reason: string;
  created_at: number;
}

/** Adds what finance wants of budgets: soft ones, thresholds, raises, and resets of their windows. */
export async function addBudgetTerms(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('limits')
    .addColumn('soft', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  for (const column of ['calendar', 'thresholds', 'raises'] as const) {
    await db.schema.alterTable('limits').addColumn(column, 'text').execute();
  }
  await db.schema
    .createTable('budget_adjustments')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('budget_id', 'text', (column) => column.notNull())
    .addColumn('window_start', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('budget_adjustments_window')
    .on('budget_adjustments')
    .columns(['budget_id', 'window_start'])
    .execute();
}
