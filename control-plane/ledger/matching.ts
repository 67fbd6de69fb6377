// Finds the budgets that an event counts towards: those of its organization with one of its subjects and with a model
// selector that matches the requested model. A budget without windows must have existed at the event's time. Deleted
// budgets count, because their leases must be settled. A budget that the proxy has charged counts too, because the
// proxy's catalog may know more names of a model.
import { limitsModel } from '../../catalog/model-selector.ts';
import { type BudgetCalendar, windowOf } from '../../common/budget-window.ts';
import { isCounter, limitOfCounter } from '../../common/counter-names.ts';
import { dayMs, minuteMs } from '../../common/durations.ts';
import { raisedIn } from '../store/budget-columns.ts';
import { platformId } from '../store/platform-id.ts';
import type { UsageEventRow } from '../store/schema.ts';
import { type BudgetedSource, subjectColumns } from '../usage/sources.ts';
import type { BudgetOfWindow } from '../webhooks/thresholds.ts';
import { type Budget, type BudgetWindow, countsCopies, countsEarlier } from './budget.ts';
import { budgetNamed } from './counters.ts';
import { countersOf, type Tags } from './event-counters.ts';

/** The budget's window with the amount that holds in it now, for notices. */
export function windowOfBudget({ budget, window }: BudgetWindow, now: number): BudgetOfWindow {
  const { id: budgetId, organizationId, thresholds } = budget;
  return { budgetId, organizationId, window, amount: amountIn(budget, window, now), thresholds };
}

/** In nano-dollars, with raises. */
export function amountIn(budget: Budget, window: string, now: number): number {
  return budget.amount + raisedIn(budget, window, now);
}

export function windowKey(budgetId: string, window: string): string {
  return `${budgetId} ${window}`;
}

/** Contains each subject once, though a key and its project may belong to the same person. */
export function subjectsOf(source: BudgetedSource): ReadonlySet<string> {
  const subjects = new Set<string>();
  for (const column of subjectColumns) {
    const subject = source[column];
    if (subject !== null) subjects.add(subject);
  }
  if (source.provider_key_id !== null) subjects.add(source.provider_key_id);
  subjects.add(platformId);
  return subjects;
}

/** The fields of an event that are needed besides its source. */
interface Counted {
  readonly row: Pick<UsageEventRow, 'at'> & { readonly tags?: Tags };
  readonly charges: readonly { readonly budgetId: string }[];
}

/** For one source: the windows that count an event. The same window is always the same object. */
export type Counting = (event: Counted) => readonly BudgetWindow[];

export function createMatching(budgets: readonly Budget[]): (source: BudgetedSource) => Counting {
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
      .filter(({ organizationId }) => organizationId === source.organization_id || organizationId === platformId);
    const all = own.filter((budget) => matches(budget, source));
    const others = own.filter((budget) => !all.includes(budget));
    const matching = all.filter(({ counting }) => counting === undefined);
    const countedApart = all.filter(({ counting }) => counting !== undefined);
    // Within a slot, no window ends.
    const slotMs = matching.every(({ period }) => isOfDays(period)) ? dayMs : minuteMs;
    const bySlot = new Map<number, readonly BudgetWindow[]>();
    return (event) => {
      const slot = Math.floor(event.row.at / slotMs);
      const inSlot = bySlot.get(slot) ?? matching.map((budget) => windowIn(budget, event.row.at));
      bySlot.set(slot, inSlot);
      const counts = ({ budget }: BudgetWindow) => isCounted(budget, event);
      const counting = inSlot.every(counts) ? inSlot : inSlot.filter(counts);
      const charged = others.flatMap((budget) => chargedOf(budget, event));
      const counters = countedApart.flatMap((budget) =>
        countersOf(budget, source, { tags: event.row.tags, charged: chargedOf(budget, event) }),
      );
      const more = [...charged, ...counters.filter((budget) => isCounted(budget, event))];
      return more.length === 0 ? counting : [...counting, ...more.map((budget) => windowIn(budget, event.row.at))];
    };
  };
}

/** Whether the windows begin at midnight in UTC only. Others begin at full minutes, in every time zone. */
function isOfDays(calendar: BudgetCalendar): boolean {
  return typeof calendar === 'string' && calendar !== 'hour';
}

function matches(budget: Budget, source: BudgetedSource): boolean {
  // A copy of a request is charged to budgets for such copies.
  if (source.shadow === 1 && !countsCopies(budget)) return false;
  const { model, counting } = budget;
  const { traffic } = counting ?? {};
  if (traffic !== undefined && (traffic === 'direct') !== (source.direct_key === 1)) return false;
  return model === null || limitsModel(model, source.model_asked);
}

/** The budgets of a limit that an event was charged to: itself, or counters. */
function chargedOf(budget: Budget, { charges }: Pick<Counted, 'charges'>): readonly Budget[] {
  return charges.flatMap(({ budgetId }) =>
    limitOfCounter(budgetId) === budget.id && isCounter(budgetId) === (budget.counting?.each !== undefined)
      ? (budgetNamed(budget, budgetId) ?? [])
      : [],
  );
}

/**
 * A budget that does not count usage from before it was created counts charges to it that lie earlier by the proxy's clock
 * estimate, because they were reserved after the creation.
 */
function isCounted(budget: Budget, event: Counted): boolean {
  return countsEarlier(budget) || event.row.at >= budget.createdAt || isCharged(budget, event);
}

function isCharged({ id }: Budget, { charges }: Counted): boolean {
  return charges.some(({ budgetId }) => budgetId === id);
}
