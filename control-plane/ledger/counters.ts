// Counters of budgets for each value. The ledger knows a counter as a budget of its own with the terms of its limit, so
// leases, charges and expiry treat it like any other. Its row in limit_counters begins with the first acquisition or the
// first usage of the value. Callers choose the values of tags, so an organization's counters of these are bounded: values
// beyond share the limit's counter for further values.
import { sql } from 'kysely';
import { windowEnd, windowStart } from '../../common/budget-window.ts';
import {
  counterOf,
  isCounter,
  isOtherCounter,
  limitOfCounter,
  otherCounterOf,
  otherValues,
  tagOfEach,
} from '../../common/counter-names.ts';
import { partsOf } from './bounds.ts';
import type { Budget, BudgetWindow } from './budget.ts';
import type { TimedTransaction } from './locks.ts';

/** Counters with a current window that an organization may have for values of tags. Virtual keys, people and AI systems always have one. */
export const countersMax = 10_000;

/** @param value undefined: the counter of further values */
export function budgetOfCounter(budget: Budget, value: string | undefined): Budget {
  if (value === undefined) return { ...budget, id: otherCounterOf(budget.id), value: otherValues };
  return { ...budget, id: counterOf(budget.id, value), value };
}

/** @param budget with one counter or without any. @param id of the budget that counts: its own, or a counter's */
export function budgetNamed(budget: Budget, id: string): Budget | undefined {
  if (id === budget.id) return budget;
  if (budget.counting?.each === undefined || limitOfCounter(id) !== budget.id) return undefined;
  return isOtherCounter(id) ? budgetOfCounter(budget, undefined) : { ...budget, id };
}

/** The counter that counts instead if one has no room. */
export function otherBudget(counter: Budget): Budget {
  return budgetOfCounter({ ...counter, id: limitOfCounter(counter.id) }, undefined);
}

interface Wanted {
  readonly budget: Budget;
  /** Undefined: it never ends. */
  readonly endsAt: number | undefined;
}

/**
 * Notes that these windows have counters. Call it after sessions are locked and before windows are: its rows come between
 * them in the order of locks.ts. The bound is exact for one transaction; others that run at the same moment may each add
 * as many as it still had room for.
 * @param isCharged whether a counter is to count in any case: money was acquired for it
 * @returns ids of the counters that have no room, and no row
 */
export async function admitCounters(
  tx: TimedTransaction,
  windows: Iterable<BudgetWindow>,
  isCharged: (id: string) => boolean = () => false,
  roomOf = countersMax,
): Promise<ReadonlySet<string>> {
  const wanted = newestOf(windows);
  if (wanted.size === 0) return new Set();
  const known = await readEnds(tx, [...wanted.keys()]);
  const isCurrent = (id: string) => {
    const endsAt = known.get(id);
    return endsAt === null || (endsAt !== undefined && endsAt > tx.now);
  };
  const refused = new Set<string>();
  const added = [...wanted.values()].filter(({ budget }) => isByCaller(budget) && !isCurrent(budget.id));
  for (const [organizationId, own] of Map.groupBy(added, ({ budget }) => budget.organizationId)) {
    const bounded = own.filter(({ budget }) => !isCharged(budget.id));
    const nameless = bounded.filter(({ budget }) => budget.value === undefined);
    const named = bounded.filter(({ budget }) => budget.value !== undefined);
    const room = named.length === 0 ? 0 : roomOf - (await countOf(tx, organizationId));
    for (const { budget } of [...nameless, ...named.slice(Math.max(0, room))]) refused.add(budget.id);
  }
  const changed = [...wanted.values()].filter(({ budget, endsAt }) => {
    const ends = known.get(budget.id);
    return !refused.has(budget.id) && (ends === undefined || (ends !== null && ends < (endsAt ?? Number.MAX_VALUE)));
  });
  await saveCounters(tx, changed);
  return refused;
}

function isByCaller({ id, counting }: Budget): boolean {
  return counting?.each !== undefined && tagOfEach(counting.each) !== undefined && !isOtherCounter(id);
}

/** In the order of their ids, in which all transactions lock their rows. */
function newestOf(windows: Iterable<BudgetWindow>): ReadonlyMap<string, Wanted> {
  const newest = new Map<string, Wanted>();
  for (const { budget, window } of windows) {
    if (!isCounter(budget.id)) continue;
    const start = windowStart(window);
    const endsAt = start === undefined ? undefined : windowEnd(budget.period, start);
    const before = newest.get(budget.id);
    if (before === undefined || (before.endsAt ?? Number.MAX_VALUE) < (endsAt ?? Number.MAX_VALUE))
      newest.set(budget.id, { budget: before?.budget.value === undefined ? budget : before.budget, endsAt });
  }
  return new Map([...newest].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function readEnds({ db }: TimedTransaction, ids: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
  const ends = new Map<string, number | null>();
  for (const part of partsOf(ids)) {
    const rows = await db.selectFrom('limit_counters').select(['id', 'ends_at']).where('id', 'in', part).execute();
    for (const row of rows) ends.set(row.id, row.ends_at);
  }
  return ends;
}

async function countOf({ db, now }: TimedTransaction, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('limit_counters')
    .select(sql<number>`cast(count(*) as bigint)`.as('count'))
    .where('organization_id', '=', organizationId)
    .where('by_caller', '=', 1)
    .where((where) => where.or([where('ends_at', 'is', null), where('ends_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function saveCounters({ db }: TimedTransaction, counters: readonly Wanted[]): Promise<void> {
  const rows = counters.map(({ budget, endsAt }) => ({
    id: budget.id,
    limit_id: limitOfCounter(budget.id),
    organization_id: budget.organizationId,
    value: isOtherCounter(budget.id) ? '' : (budget.value ?? ''),
    by_caller: isByCaller(budget) ? (1 as const) : (0 as const),
    ends_at: endsAt ?? null,
  }));
  for (const part of partsOf(rows)) {
    await db
      .insertInto('limit_counters')
      .values(part)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ ends_at: ref('excluded.ends_at') })))
      .execute();
  }
}
