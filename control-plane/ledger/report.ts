// Books what requests used, many reports in one transaction and a number of statements that does not grow with it. An event counts
// once, towards every budget that matches it by its own attributes, and gives back the escrow that was taken for it.

import type { Kysely } from 'kysely';
import { windowOf } from '../../common/budget-window.ts';
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { recordUsage } from '../usage/record.ts';
import { noteThresholds } from '../webhooks/thresholds.ts';
import { partsOf, plus } from './bounds.ts';
import { readBudgets } from './budgets.ts';
import { freeOf } from './draw.ts';
import { type LeaseRow, saveLeases, takeFrom } from './leases.ts';
import { shareOrganizations, shareSessions } from './locks.ts';
import { type BudgetWindow, createMatching, subjectsOf, windowKey } from './matching.ts';
import { lockWindows, saveWindows, type WindowRow } from './windows.ts';

export interface Charge {
  readonly budgetId: string;
  readonly window: string;
  /** Nano-dollars that were taken from the slice. */
  readonly escrow: number;
}

export interface ReportedEvent {
  readonly row: UsageEventRow;
  readonly charges: readonly Charge[];
}

export interface Reported {
  /** Events that were not in the books before. */
  readonly recorded: number;
  readonly duplicate: number;
  /** Of organizations that are not there: they can never be booked. */
  readonly unknown: number;
  /** Windows that this has taken above their limit, or further above it. */
  readonly over: number;
}

export async function report(tx: BooksTransaction, events: readonly ReportedEvent[]): Promise<Reported> {
  const [reported] = await reportTogether(tx, [events]);
  if (reported === undefined) throw new Error('a report has no result');
  return reported;
}

/** An event of several counts with the first; what they have taken above limits together is told with the first. */
export async function reportTogether(
  tx: BooksTransaction,
  reports: readonly (readonly ReportedEvent[])[],
): Promise<readonly Reported[]> {
  const events = reports.flat();
  const bookable = await lockOwners(tx, events);
  const counting = await readCounting(tx, bookable);
  const wanted = new Map<string, BudgetWindow>();
  for (const event of bookable) for (const window of counting(event)) wanted.set(keyOf(window), window);
  const books = new Books(await lockWindows(tx, wanted), await readLeases(tx.db, bookable, wanted));
  const fresh = await recordUsage(
    tx,
    bookable.map(({ row }) => row),
  );
  const first = new Set(firstOf(bookable, fresh));
  for (const event of first) books.book(event, counting(event));
  await saveWindows(tx.db, books.changedWindows());
  for (const part of partsOf(books.changedLeases())) await saveLeases(tx.db, part);
  const spent = books.spentIn(wanted);
  await noteThresholds(tx, spent.map(toThreshold));
  const over = spent.filter(({ budget, row, before }) => isOver(budget.amount, row, before)).length;
  const known = new Set(bookable);
  return reports.map((own, index) => ({ ...countOf(own, known, first), over: index === 0 ? over : 0 }));
}

type Events = ReadonlySet<ReportedEvent>;

function countOf(own: readonly ReportedEvent[], known: Events, fresh: Events): Omit<Reported, 'over'> {
  const recorded = own.filter((event) => fresh.has(event)).length;
  const unknown = own.filter((event) => !known.has(event)).length;
  return { recorded, duplicate: own.length - unknown - recorded, unknown };
}

/** Locks organizations and sessions. @returns the events that can be booked */
async function lockOwners(
  tx: BooksTransaction,
  events: readonly ReportedEvent[],
): Promise<readonly ReportedEvent[]> {
  const named = distinct(events.map(({ row }) => row.organization_id));
  await shareOrganizations(tx, named);
  const organizations = await existing(tx.db, named);
  const bookable = events.filter(({ row }) => organizations.has(row.organization_id));
  const charged = bookable.filter(({ charges }) => charges.length > 0);
  await shareSessions(tx, distinct(charged.map(({ row }) => row.session_id)));
  return bookable;
}

async function existing(db: Kysely<Schema>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('organizations').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

type Counting = (event: ReportedEvent) => readonly BudgetWindow[];

/** Of the batch's budgets, which windows count an event. */
async function readCounting(tx: BooksTransaction, events: readonly ReportedEvent[]): Promise<Counting> {
  const budgets = await readBudgets(tx.db, {
    organizationIds: distinct(events.map(({ row }) => row.organization_id)),
    subjectIds: distinct(events.flatMap(({ row }) => [...subjectsOf(row)])),
    now: tx.now,
  });
  const matching = createMatching(budgets);
  const found = new Map<ReportedEvent, readonly BudgetWindow[]>();
  return (event) => {
    const known = found.get(event);
    if (known !== undefined) return known;
    const { charges, row } = event;
    const chargedIds = charges.map(({ budgetId }) => budgetId);
    const windows = matching(row, chargedIds).map((budget) => ({
      budget,
      window: windowOf(budget.period, row.at),
    }));
    found.set(event, windows);
    return windows;
  };
}

/** All leases of these windows that the batch charges, and some that it does not: their windows are locked all the same. */
async function readLeases(
  db: Kysely<Schema>,
  events: readonly ReportedEvent[],
  windows: ReadonlyMap<string, BudgetWindow>,
): Promise<readonly LeaseRow[]> {
  const sessions = new Set<string>();
  const charged = new Map<string, BudgetWindow>();
  for (const { row, charges } of events) {
    for (const { budgetId, window } of charges) {
      const key = windowKey(budgetId, window);
      const locked = windows.get(key);
      if (locked === undefined) continue;
      sessions.add(row.session_id);
      charged.set(key, locked);
    }
  }
  if (charged.size === 0) return [];
  const of = [...charged.values()];
  const found: LeaseRow[] = [];
  for (const budgetIds of partsOf(distinct(of.map(({ budget }) => budget.id)))) {
    const leases = await db
      .selectFrom('leases')
      .selectAll()
      .where('session_id', 'in', [...sessions])
      .where('budget_id', 'in', budgetIds)
      .where('window_start', 'in', distinct(of.map(({ window }) => window)))
      .execute();
    found.push(...leases);
  }
  return found;
}

/** Each new event once, though the batch may have it twice. */
function firstOf(events: readonly ReportedEvent[], fresh: ReadonlySet<string>): readonly ReportedEvent[] {
  const left = new Set(fresh);
  return events.filter(({ row }) => left.delete(row.id));
}

/** Windows and leases as the batch changes them; written when all of it is booked. */
class Books {
  readonly #before: ReadonlyMap<string, WindowRow>;
  readonly #windows = new Map<string, WindowRow>();
  readonly #leases: Map<string, LeaseRow>;
  readonly #changedLeases = new Set<string>();

  constructor(windows: ReadonlyMap<string, WindowRow>, leases: readonly LeaseRow[]) {
    this.#before = windows;
    this.#leases = new Map(leases.map((lease) => [leaseKey(lease.session_id, lease), lease]));
  }

  book({ row, charges }: ReportedEvent, counting: readonly BudgetWindow[]): void {
    for (const window of counting) {
      const key = keyOf(window);
      const books = this.#windows.get(key) ?? this.#before.get(key);
      if (books === undefined) throw new Error('the row of a window is not locked');
      const charge = charges.find((each) => windowKey(each.budgetId, each.window) === key);
      const settled = charge === undefined ? books : this.#settle(row.session_id, books, charge.escrow);
      this.#windows.set(key, { ...settled, spent: plus(settled.spent, row.cost) });
    }
  }

  /** The escrow goes back, or as much of it as the lease has left. */
  #settle(sessionId: string, books: WindowRow, escrow: number): WindowRow {
    const key = leaseKey(sessionId, books);
    const lease = this.#leases.get(key);
    if (lease === undefined) return books;
    const after = takeFrom(lease, books, Math.min(escrow, lease.remaining));
    this.#leases.set(key, after.lease);
    this.#changedLeases.add(key);
    return after.books;
  }

  changedWindows(): readonly WindowRow[] {
    return [...this.#windows.values()];
  }

  changedLeases(): readonly LeaseRow[] {
    return [...this.#changedLeases].flatMap((key) => this.#leases.get(key) ?? []);
  }

  /** Windows of budgets that are there, whose spending has changed. */
  spentIn(windows: ReadonlyMap<string, BudgetWindow>): readonly Spent[] {
    return [...windows].flatMap(([key, window]) => {
      const [before, row] = [this.#before.get(key), this.#windows.get(key)];
      if (window.budget.deleted || before === undefined || row === undefined) return [];
      return row.spent === before.spent ? [] : [{ ...window, before, row }];
    });
  }
}

interface Spent extends BudgetWindow {
  readonly before: WindowRow;
  readonly row: WindowRow;
}

function toThreshold({ budget, window, row }: Spent) {
  const { id: budgetId, organizationId, amount } = budget;
  return { budgetId, organizationId, window, amount, spent: row.spent };
}

function isOver(amount: number, row: WindowRow, before: WindowRow): boolean {
  const free = freeOf(row, amount);
  return free < 0 && free < freeOf(before, amount);
}

function keyOf({ budget, window }: BudgetWindow): string {
  return windowKey(budget.id, window);
}

function leaseKey(
  sessionId: string,
  { budget_id, window_start }: Pick<LeaseRow, 'budget_id' | 'window_start'>,
) {
  return `${sessionId} ${windowKey(budget_id, window_start)}`;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
