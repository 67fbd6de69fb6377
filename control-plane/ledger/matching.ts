// Which budgets an event counts towards: those of its organization whose subject is one of the event's, whose models include
// what was asked for, and, of a budget without windows, that were there already. Deleted ones count: their leases are settled.
import type { BudgetPeriod } from '../../common/budget-window.ts';
import { matchesGlob } from '../../common/model-glob.ts';
import type { UsageEventRow } from '../store/schema.ts';

export interface Budget {
  readonly id: string;
  readonly organizationId: string;
  readonly subjectId: string;
  readonly period: BudgetPeriod;
  /** Nano-dollars. */
  readonly amount: number;
  /** Null: all models. */
  readonly model: string | null;
  readonly createdAt: number;
  readonly deleted: boolean;
}

/** A budget and one of its windows. */
export interface BudgetWindow {
  readonly budget: Budget;
  /** As windowOf names it. */
  readonly window: string;
}

export function windowKey(budgetId: string, window: string): string {
  return `${budgetId} ${window}`;
}

/** Columns that a budget's subject may stand in, of events and of their hours. */
export const subjectColumns = [
  'organization_id',
  'key_id',
  'ai_system_id',
  'person_id',
  'project_key_id',
  'project_ai_system_id',
  'project_person_id',
] as const satisfies readonly (keyof UsageEventRow)[];

/** Each subject once, though a key and its project may be of the same person. */
export function subjectsOf(event: UsageEventRow): ReadonlySet<string> {
  const subjects = new Set<string>();
  for (const column of subjectColumns) {
    const subject = event[column];
    if (subject !== null) subjects.add(subject);
  }
  return subjects;
}

/** @returns what finds the budgets of an event, given the ids of those that its proxy has charged */
export function createMatching(
  budgets: readonly Budget[],
): (event: UsageEventRow, chargedIds?: readonly string[]) => readonly Budget[] {
  const bySubject = Map.groupBy(budgets, ({ subjectId }) => subjectId);
  return (event, chargedIds = []) => {
    const found: Budget[] = [];
    if (bySubject.size === 0) return found;
    for (const subject of subjectsOf(event)) {
      for (const budget of bySubject.get(subject) ?? [])
        if (matches(budget, event, chargedIds)) found.push(budget);
    }
    return found;
  };
}

function matches(budget: Budget, event: UsageEventRow, chargedIds: readonly string[]): boolean {
  return (
    budget.organizationId === event.organization_id &&
    (budget.model === null || matchesGlob(budget.model, event.model_asked)) &&
    // The windows of a day, week or month count what was used in them before the budget was made. What was charged to a total
    // was reserved after that, whatever the proxy's estimate of the clock was.
    (budget.period !== 'total' || event.at >= budget.createdAt || chargedIds.includes(budget.id))
  );
}
