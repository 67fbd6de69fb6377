// Budgets as the ledger reads them. Only a budget's amount with its raises, its thresholds, whether it is
// soft, and its deletion can change, and only under the exclusive
// lock of its organization. So these values are read after the shared lock is taken.
import type { Kysely, Selectable } from 'kysely';
import { canonicalSelector } from '../../catalog/model-selector.ts';
import { windowMaxMs } from '../../common/budget-window.ts';
import { limitOfCounter } from '../../common/counter-names.ts';
import { calendarOf, raisesOf, thresholdsOf } from '../store/budget-columns.ts';
import { budgetKinds } from '../store/budget-tables.ts';
import { countingOf } from '../store/limit-counting.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import { usageWaitsMaxMs } from './bounds.ts';
import type { Budget } from './budget.ts';
import { budgetNamed } from './counters.ts';

/** Includes deleted budgets. @param ids of budgets, and names of their counters, whose values are not read */
export async function readBudgetsById(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Budget>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('limits')
    .selectAll()
    .where('id', 'in', [...new Set(ids.map(limitOfCounter))])
    .where('kind', 'in', budgetKinds)
    .execute();
  const limits = new Map(rows.flatMap((row) => budgetOf(row) ?? []).map((budget) => [budget.id, budget]));
  const named = ids.flatMap((id): (readonly [string, Budget])[] => {
    const limit = limits.get(limitOfCounter(id));
    const budget = limit && budgetNamed(limit, id);
    return budget === undefined ? [] : [[id, budget]];
  });
  return new Map(named);
}

// Longer than a window, and longer than an event may wait to be reported.
const deletedKeptMs = windowMaxMs + usageWaitsMaxMs;

interface BudgetsQuestion {
  readonly organizationIds: readonly string[];
  readonly subjectIds: readonly string[];
  readonly now: number;
}

/**
 * All budgets that may count usage of these subjects, the platform's among them. A budget that was deleted long ago has no leases that an event
 * could settle.
 */
export async function readBudgets(
  db: Kysely<Schema>,
  { organizationIds, subjectIds, now }: BudgetsQuestion,
): Promise<readonly Budget[]> {
  if (subjectIds.length === 0) return [];
  const rows = await db
    .selectFrom('limits')
    .selectAll()
    .where('kind', 'in', budgetKinds)
    .where('organization_id', 'in', [...organizationIds, platformId])
    .where('subject_id', 'in', [...subjectIds, platformId])
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', now - deletedKeptMs)]))
    .execute();
  return rows.flatMap((row) => budgetOf(row) ?? []);
}

function budgetOf(row: Selectable<Schema['limits']>): Budget | undefined {
  if (row.period === null) return undefined;
  return {
    id: row.id,
    organizationId: row.organization_id,
    subjectKind: row.subject_kind,
    subjectId: row.subject_id,
    period: calendarOf({ ...row, period: row.period }),
    amount: row.amount,
    raises: raisesOf(row),
    soft: row.soft === 1,
    thresholds: thresholdsOf(row),
    model: row.model === null ? null : canonicalSelector(row.model),
    createdAt: row.created_at,
    deleted: row.deleted_at !== null,
    counting: countingOf(row),
  };
}
