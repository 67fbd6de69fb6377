// Records the usage of requests: many reports in one transaction, with a number of statements that does not grow with
// them. An event counts once, towards every budget that matches its own attributes, and settles its pending charge
// (`escrow`).
import type { Kysely } from 'kysely';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { type FoldedTo, positionsIn } from '../usage/fold-position.ts';
import { recordUsage } from '../usage/record.ts';
import { groupByBudgetedSource } from '../usage/sources.ts';
import type { TaggedEventRow } from '../usage/tagged-event.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import { freeOf } from './acquire.ts';
import { plus } from './bounds.ts';
import type { BudgetWindow } from './budget.ts';
import { readBudgets } from './budgets.ts';
import { admitCounters, otherBudget } from './counters.ts';
import { type LeaseName, takeFrom } from './leases.ts';
import { shareOrganizations, shareSessions } from './locks.ts';
import { amountIn, createMatching, subjectsOf, windowKey, windowOfBudget } from './matching.ts';
import { lockOrdinals, saveOrdinals } from './ordinals.ts';
import { openPage, type Page } from './page.ts';
import type { WindowRow } from './windows.ts';

export interface Charge {
  readonly budgetId: string;
  readonly window: string;
  /** Nano-dollars that were charged to the lease. */
  readonly escrow: number;
}

export interface ReportedEvent {
  readonly row: TaggedEventRow;
  readonly charges: readonly Charge[];
  /** The event's ordinal in its session; undefined if its proxy does not count. */
  readonly ordinal?: number | undefined;
}

export interface UsageReport {
  readonly events: readonly ReportedEvent[];
  /** The organization of a bound proxy, which must not mark events in sessions of other organizations as recorded. */
  readonly boundTo?: string | undefined;
}

export interface Reported {
  /** Events that were not recorded before. */
  readonly recorded: number;
  readonly duplicate: number;
  /** Events of organizations that do not exist; they can never be recorded. */
  readonly unknown: number;
  /** Windows that these events took above their limit, or further above it. */
  readonly over: number;
}

/**
 * An event in several reports counts for the first of them. Windows above their limit are reported with the first too.
 */
export async function reportTogether(
  tx: LedgerTransaction,
  reports: readonly UsageReport[],
): Promise<readonly Reported[]> {
  const { bookable, numbered, foldedTo } = await lockOwners(tx, reports);
  const matching = await readCounting(tx, bookable);
  const ordinals = await lockOrdinals(tx, distinct([...numbered].map(({ row }) => row.session_id)));
  const counting = await withCounters(tx, matching);
  const requested = sumByWindow(bookable, counting);
  const page = await openPage(tx, byKey(requested.keys()), leasesOf(requested));
  const isRecorded = (event: ReportedEvent) =>
    numbered.has(event) && ordinals.get(event.row.session_id)?.has(event.ordinal ?? 0) === true;
  const unbooked = bookable.filter((event) => !isRecorded(event));
  const freshIds = await recordUsage(
    tx,
    unbooked.map(({ row }) => row),
    foldedTo,
  );
  const fresh = new Set(firstOf(unbooked, freshIds));
  for (const { ordinal, row } of numbered) if (ordinal) ordinals.get(row.session_id)?.add(ordinal);
  await saveOrdinals(tx, ordinals);
  const recorded = [...sumByWindow(fresh, counting)].map(([window, sums]) => record(page, window, sums));
  await page.save(tx.db);
  const spent = recorded.filter(({ budget, row, before }) => !budget.deleted && row.spent !== before.spent);
  await noteThresholds(
    tx,
    spent.map((one) => ({ ...windowOfBudget(one, tx.now), spent: one.row.spent })),
  );
  const over = spent.filter((one) => isOver(one, tx.now)).length;
  const known = new Set(bookable);
  return reports.map(({ events }, index) => ({
    ...countOf(events, known, fresh),
    over: index === 0 ? over : 0,
  }));
}

type Events = ReadonlySet<ReportedEvent>;

function countOf(own: readonly ReportedEvent[], known: Events, fresh: Events): Omit<Reported, 'over'> {
  const recorded = own.filter((event) => fresh.has(event)).length;
  const unknown = own.filter((event) => !known.has(event)).length;
  return { recorded, duplicate: own.length - unknown - recorded, unknown };
}

interface Owned {
  /** Events of organizations that exist. */
  readonly bookable: readonly ReportedEvent[];
  /** The bookable events whose ordinals count. */
  readonly numbered: Events;
  readonly foldedTo: FoldedTo;
}

/** Locks organizations and sessions. */
async function lockOwners(tx: LedgerTransaction, reports: readonly UsageReport[]): Promise<Owned> {
  const events = reports.flatMap((report) => report.events);
  const named = distinct(events.map(({ row }) => row.organization_id));
  await shareOrganizations(tx, [...named, platformId]);
  const { organizations, foldedTo } = await existing(tx.db, named);
  const bookable = events.filter(({ row }) => organizations.has(row.organization_id));
  const sessions = await shareSessions(
    tx,
    distinct(bookable.flatMap(({ row }) => (row.session_id === '' ? [] : row.session_id))),
  );
  const boundTo = new Map(sessions.map((session) => [session.id, session.organization_id]));
  const numbered = reports.flatMap((report) =>
    report.events.filter(
      ({ ordinal, row }) =>
        ordinal !== undefined &&
        row.session_id !== '' &&
        organizations.has(row.organization_id) &&
        (report.boundTo === undefined || boundTo.get(row.session_id) === report.boundTo),
    ),
  );
  return { bookable, numbered: new Set(numbered), foldedTo };
}

/** Which of the organizations exist, and up to where their sums are folded, in one statement. */
async function existing(db: Kysely<Schema>, ids: readonly string[]) {
  if (ids.length === 0) return { organizations: new Set<string>(), foldedTo: positionsIn([]) };
  const rows = await db
    .selectFrom('organizations')
    .leftJoin('usage_folds', 'usage_folds.organization_id', 'organizations.id')
    .select('organizations.id')
    .selectAll('usage_folds')
    .where('organizations.id', 'in', ids)
    .execute();
  const folds = rows.flatMap(({ id, ...fold }) => (isFold(fold) ? [fold] : []));
  return { organizations: new Set(rows.map(({ id }) => id)), foldedTo: positionsIn(folds) };
}

function isFold(row: object): row is Schema['usage_folds'] {
  return 'source' in row && row.source !== null;
}

/** The windows of budgets that count each event. */
type Counting = ReadonlyMap<ReportedEvent, readonly BudgetWindow[]>;

async function readCounting(tx: LedgerTransaction, events: readonly ReportedEvent[]): Promise<Counting> {
  const bySource = groupByBudgetedSource(events, ({ row }) => row);
  const sources = [...bySource.keys()];
  const budgets = await readBudgets(tx.db, {
    organizationIds: distinct(sources.map((source) => source.organization_id)),
    subjectIds: distinct(sources.flatMap((source) => [...subjectsOf(source)])),
    now: tx.now,
  });
  const matching = createMatching(budgets);
  const counting = new Map<ReportedEvent, readonly BudgetWindow[]>();
  for (const [source, own] of bySource) {
    const windowsOf = matching(source);
    for (const event of own) counting.set(event, windowsOf(event));
  }
  return counting;
}

/** With a counter for further values where another one has no room. */
async function withCounters(tx: LedgerTransaction, counting: Counting): Promise<Counting> {
  const windows = new Set([...counting.values()].flat());
  const charged = new Set([...counting.keys()].flatMap(({ charges }) => charges.map(({ budgetId }) => budgetId)));
  const refused = await admitCounters(tx, windows, (id) => charged.has(id));
  if (refused.size === 0) return counting;
  const others = new Map<string, BudgetWindow>();
  const placed = (one: BudgetWindow): BudgetWindow => {
    if (!refused.has(one.budget.id)) return one;
    const budget = otherBudget(one.budget);
    const key = windowKey(budget.id, one.window);
    const other = others.get(key) ?? { budget, window: one.window };
    others.set(key, other);
    return other;
  };
  const moved = new Map([...counting].map(([event, own]) => [event, [...new Set(own.map(placed))]] as const));
  await admitCounters(tx, others.values());
  return moved;
}

/** The cost that events add to a window, and the pending charges that they settle. */
interface Sums {
  cost: number;
  /** Pending charges by session. */
  readonly escrows: Map<string, number>;
}

function sumByWindow(events: Iterable<ReportedEvent>, counting: Counting): ReadonlyMap<BudgetWindow, Sums> {
  const sums = new Map<BudgetWindow, Sums>();
  for (const event of events) {
    const { row, charges } = event;
    for (const window of counting.get(event) ?? []) {
      const sum = sums.get(window) ?? { cost: 0, escrows: new Map() };
      sums.set(window, sum);
      sum.cost = plus(sum.cost, row.cost);
      const charge = charges.find((each) => isOf(each, window));
      if (charge === undefined) continue;
      sum.escrows.set(row.session_id, plus(sum.escrows.get(row.session_id) ?? 0, charge.escrow));
    }
  }
  return sums;
}

function isOf(charge: Charge, { budget, window }: BudgetWindow): boolean {
  return charge.budgetId === budget.id && charge.window === window;
}

function byKey(windows: Iterable<BudgetWindow>): ReadonlyMap<string, BudgetWindow> {
  return new Map(Array.from(windows, (each) => [windowKey(each.budget.id, each.window), each]));
}

function leasesOf(requested: ReadonlyMap<BudgetWindow, Sums>): readonly LeaseName[] {
  return [...requested].flatMap(([{ budget, window }, { escrows }]) =>
    Array.from(escrows.keys(), (session) => ({ session, budgetId: budget.id, window })),
  );
}

/** Returns each new event once, though the batch may contain it twice. */
function firstOf(events: readonly ReportedEvent[], fresh: ReadonlySet<string>): readonly ReportedEvent[] {
  const left = new Set(fresh);
  return events.filter(({ row }) => left.delete(row.id));
}

/** Adds the cost to the window, and takes the pending charges from the leases, as far as these have so much left. */
function record(page: Page, of: BudgetWindow, { cost, escrows }: Sums): RecordedUsage {
  const { budget, window } = of;
  const before = page.window(budget.id, window);
  let windowRow = before;
  for (const [session, escrow] of escrows) {
    const lease = page.lease({ session, budgetId: budget.id, window });
    if (lease === undefined) continue;
    const after = takeFrom(lease, windowRow, Math.min(escrow, lease.remaining));
    page.putLease(after.lease);
    windowRow = after.windowRow;
  }
  const row = { ...windowRow, spent: plus(windowRow.spent, cost) };
  page.putWindow(row);
  return { ...of, before, row };
}

interface RecordedUsage extends BudgetWindow {
  readonly before: WindowRow;
  readonly row: WindowRow;
}

/** A soft budget has no limit to exceed. */
function isOver({ budget, window, row, before }: RecordedUsage, now: number): boolean {
  if (budget.soft) return false;
  const amount = amountIn(budget, window, now);
  const free = freeOf(row, amount);
  return free < 0 && free < freeOf(before, amount);
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
