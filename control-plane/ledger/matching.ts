// Which budgets an event counts towards: those of its organization whose subject is one of the event's, whose models include
// what was asked for, and, of a budget without windows, that were there already. Deleted ones count: their leases are settled. So
// does a budget that the proxy has charged: its catalog may know more names of a model than ours.
import { limitsModel } from '../../catalog/model-selector.ts';
import { type BudgetPeriod, dayMs, windowOf } from '../../common/budget-window.ts';
import type { UsageEventRow } from '../store/schema.ts';
import { type Source, subjectColumns } from '../usage/sources.ts';

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

/** Each subject once, though a key and its project may be of the same person. */
export function subjectsOf(source: Source): ReadonlySet<string> {
  const subjects = new Set<string>();
  for (const column of subjectColumns) {
    const subject = source[column];
    if (subject !== null) subjects.add(subject);
  }
  return subjects;
}

/** What is to be known of an event beyond its source. */
interface Counted {
  readonly row: Pick<UsageEventRow, 'at'>;
  readonly charges: readonly { readonly budgetId: string }[];
}

/** Of one source: which windows count an event. A window is the same object wherever it is found. */
export type Counting = (event: Counted) => readonly BudgetWindow[];

export function createMatching(budgets: readonly Budget[]): (source: Source) => Counting {
  const bySubject = Map.groupBy(budgets, ({ subjectId }) => subjectId);
  const windows = new Map<string, BudgetWindow>();
  const windowIn = (budget: Budget, at: number): BudgetWindow => {
    const window = windowOf(budget.period, at);
    const key = windowKey(budget.id, window);
    const known = windows.get(key) ?? { budget, window };
    windows.set(key, known);
    return known;
  };
  return (source) => {
    const own = [...subjectsOf(source)]
      .flatMap((subject) => bySubject.get(subject) ?? [])
      .filter(({ organizationId }) => organizationId === source.organization_id);
    const matching = own.filter((budget) => matches(budget, source));
    const others = own.filter((budget) => !matching.includes(budget));
    const byDay = new Map<number, readonly BudgetWindow[]>();
    return (event) => {
      const day = Math.floor(event.row.at / dayMs);
      const ofDay = byDay.get(day) ?? matching.map((budget) => windowIn(budget, event.row.at));
      byDay.set(day, ofDay);
      const counts = ({ budget }: BudgetWindow) => isCounted(budget, event);
      const counting = ofDay.every(counts) ? ofDay : ofDay.filter(counts);
      const charged = others.filter((budget) => isCharged(budget, event));
      return charged.length === 0
        ? counting
        : [...counting, ...charged.map((budget) => windowIn(budget, event.row.at))];
    };
  };
}

function matches({ model }: Budget, source: Source): boolean {
  return model === null || limitsModel(model, source.model_asked);
}

/**
 * The windows of a day, week or month count what was used in them before the budget was made. What was charged to a total was
 * reserved after that, whatever the proxy's estimate of the clock was.
 */
function isCounted(budget: Budget, event: Counted): boolean {
  const { period, createdAt } = budget;
  return period !== 'total' || event.row.at >= createdAt || isCharged(budget, event);
}

function isCharged({ id }: Budget, { charges }: Counted): boolean {
  return charges.some(({ budgetId }) => budgetId === id);
}
