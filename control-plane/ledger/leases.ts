// What sessions hold of windows, and the one operation of a lease at a time: sent again unchanged it is answered the same.
import { type Kysely, type Selectable, sql } from 'kysely';
import { windowOf, windowStart } from '../../common/budget-window.ts';
import type { ProxyCaller } from '../services/caller.ts';
import { CallError } from '../services/errors.ts';
import type { Schema } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { partsOf } from './bounds.ts';
import { readBudgetsById } from './budgets.ts';
import { type SessionRow, shareOrganizations, shareSessions } from './locks.ts';
import { type Budget, type BudgetWindow, windowKey } from './matching.ts';
import { requireOwn } from './sessions.ts';
import { lockWindows, saveWindows, type WindowRow } from './windows.ts';

export type LeaseRow = Selectable<Schema['leases']>;

/** Of a lease; draws and returns are counted together, from 1. */
export interface Operation {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  readonly seq: number;
}

/** Everything that an operation looks at, locked. */
export interface OpenLease {
  readonly budget: Budget;
  readonly session: SessionRow;
  readonly books: WindowRow;
  /** One that is not there yet has done nothing: its seq is 0. */
  readonly lease: LeaseRow;
}

/** There is nothing that an operation could be of, now or later. */
export type NoLease = 'gone' | 'window' | 'deleted';

/** What is to be done with one lease. */
export interface LeaseWork<Answer> {
  readonly caller: ProxyCaller;
  readonly operation: Operation;
  /** Decides, from what is locked. */
  step(open: OpenLease | NoLease, now: number): Step<Answer>;
}

export interface Step<Answer> {
  readonly answer: Answer;
  /** What lease and window are afterwards; absent where nothing changes. */
  readonly after?: Pick<OpenLease, 'books' | 'lease'>;
}

/**
 * Does one after the other, in one transaction with a fixed number of statements.
 * @returns in the order of the works; rejected is one that names the session of another proxy (CallError not_found)
 */
export async function workOnLeases<Answer>(
  tx: BooksTransaction,
  works: readonly LeaseWork<Answer>[],
): Promise<readonly PromiseSettledResult<Answer>[]> {
  const page = await openPage(tx, works);
  const results = works.map((work): PromiseSettledResult<Answer> => {
    try {
      const { answer, after } = work.step(page.find(work), tx.now);
      if (after !== undefined) page.put(after);
      return { status: 'fulfilled', value: answer };
    } catch (reason) {
      if (!(reason instanceof CallError)) throw reason;
      return { status: 'rejected', reason };
    }
  });
  await page.save(tx.db);
  return results;
}

/** Of windows that are locked. */
export async function saveLeases(db: Kysely<Schema>, leases: readonly LeaseRow[]): Promise<void> {
  await db
    .insertInto('leases')
    .values(leases)
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'budget_id', 'window_start']).doUpdateSet(({ ref }) => ({
        remaining: ref('excluded.remaining'),
        state: ref('excluded.state'),
        seq: ref('excluded.seq'),
        answer: ref('excluded.answer'),
      })),
    )
    .execute();
}

export async function readLease(
  db: Kysely<Schema>,
  sessionId: string,
  { budget_id, window_start }: Pick<WindowRow, 'budget_id' | 'window_start'>,
): Promise<LeaseRow | undefined> {
  return await db
    .selectFrom('leases')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('budget_id', '=', budget_id)
    .where('window_start', '=', window_start)
    .executeTakeFirst();
}

/** Takes from what a lease has left, and from where the window counts that. @returns both after it */
export function takeFrom(
  lease: LeaseRow,
  books: WindowRow,
  amount: number,
): { readonly lease: LeaseRow; readonly books: WindowRow } {
  const held = lease.state === 'open' ? 'leased' : 'unsettled';
  return {
    lease: { ...lease, remaining: lease.remaining - amount },
    books: { ...books, [held]: books[held] - amount },
  };
}

type Asked = Pick<LeaseWork<unknown>, 'caller' | 'operation'>;

/** Locks what the works look at, in the order of locks.ts. */
async function openPage(tx: BooksTransaction, works: readonly Asked[]): Promise<Page> {
  const known = await readBudgetsById(tx.db, idsOf(works, 'budgetId'));
  const touched = works.filter((work) => mayTouch(work, known));
  const organizations = new Set(
    touched.flatMap(({ operation }) => known.get(operation.budgetId)?.organizationId ?? []),
  );
  await shareOrganizations(tx, [...organizations]);
  const sessions = await shareSessions(tx, idsOf(touched, 'session'));
  // Amounts may have changed until the organizations were ours to share.
  const budgets = await readBudgetsById(tx.db, idsOf(touched, 'budgetId'));
  const page = { budgets, sessions: new Map(sessions.map((row) => [row.id, row])), now: tx.now };
  const wanted = new Map<string, BudgetWindow>();
  for (const { operation } of touched) {
    const budget = budgets.get(operation.budgetId);
    if (budget === undefined || !isNear(budget, operation.window, tx.now)) continue;
    wanted.set(windowKey(budget.id, operation.window), { budget, window: operation.window });
  }
  const books = wanted.size === 0 ? new Map<string, WindowRow>() : await lockWindows(tx, wanted);
  const leases = await readLeases(
    tx.db,
    touched.map(({ operation }) => operation),
  );
  return new Page({ ...page, books: new Map(books), leases });
}

interface PageRows {
  /** By id. */
  readonly budgets: ReadonlyMap<string, Budget>;
  readonly sessions: ReadonlyMap<string, SessionRow>;
  /** By windowKey. */
  readonly books: Map<string, WindowRow>;
  /** By leaseKey. */
  readonly leases: Map<string, LeaseRow>;
  readonly now: number;
}

/** What a transaction has locked, as its works have left it so far. */
class Page {
  readonly #rows: PageRows;
  readonly #changedBooks = new Set<string>();
  readonly #changedLeases = new Set<string>();

  constructor(rows: PageRows) {
    this.#rows = rows;
  }

  /** @throws CallError not_found for the session of another proxy */
  find({ caller, operation }: Asked): OpenLease | NoLease {
    const { budgets, sessions, books: windows, leases, now } = this.#rows;
    const budget = budgets.get(operation.budgetId);
    if (budget === undefined || !mayTouch({ caller, operation }, budgets)) return 'deleted';
    const session = sessions.get(operation.session);
    if (session === undefined) return 'gone';
    requireOwn(session, caller);
    if (!isNear(budget, operation.window, now)) return 'window';
    const books = windows.get(windowKey(operation.budgetId, operation.window));
    if (books === undefined) throw new Error('the row of a window is gone');
    const lease = leases.get(leaseKey(session.id, books)) ?? newLease(session, books);
    return { budget, session, books, lease };
  }

  put({ books, lease }: Pick<OpenLease, 'books' | 'lease'>): void {
    const [ofBooks, ofLease] = [
      windowKey(books.budget_id, books.window_start),
      leaseKey(lease.session_id, books),
    ];
    this.#rows.books.set(ofBooks, books);
    this.#rows.leases.set(ofLease, lease);
    this.#changedBooks.add(ofBooks);
    this.#changedLeases.add(ofLease);
  }

  async save(db: Kysely<Schema>): Promise<void> {
    const { books, leases } = this.#rows;
    const changed = <Row>(keys: ReadonlySet<string>, rows: ReadonlyMap<string, Row>) =>
      [...keys].toSorted().flatMap((key) => rows.get(key) ?? []);
    const changedLeases = changed(this.#changedLeases, leases);
    if (changedLeases.length === 0) return;
    for (const part of partsOf(changedLeases)) await saveLeases(db, part);
    await saveWindows(db, changed(this.#changedBooks, books));
  }
}

function leaseKey(
  sessionId: string,
  { budget_id, window_start }: Pick<WindowRow, 'budget_id' | 'window_start'>,
): string {
  return `${sessionId} ${windowKey(budget_id, window_start)}`;
}

function idsOf(works: readonly Asked[], which: 'budgetId' | 'session'): readonly string[] {
  return [...new Set(works.map(({ operation }) => operation[which]))].toSorted();
}

async function readLeases(
  db: Kysely<Schema>,
  operations: readonly Operation[],
): Promise<Map<string, LeaseRow>> {
  const leases = new Map<string, LeaseRow>();
  for (const part of partsOf(operations)) {
    const keys = sql.join(
      part.map(({ session, budgetId, window }) => sql`(${session}, ${budgetId}, ${window})`),
    );
    const rows = await db
      .selectFrom('leases')
      .selectAll()
      .where(sql<boolean>`(session_id, budget_id, window_start) in (values ${keys})`)
      .execute();
    for (const row of rows) leases.set(leaseKey(row.session_id, row), row);
  }
  return leases;
}

/** A bound proxy sees its organization's budgets, as if nothing else existed. */
function mayTouch({ caller, operation }: Asked, budgets: ReadonlyMap<string, Budget>): boolean {
  const budget = budgets.get(operation.budgetId);
  return budget !== undefined && (caller.organizationId ?? budget.organizationId) === budget.organizationId;
}

// Beyond it no operation is sent again: what is refused there need not be remembered.
const nearMs = 75 * 86_400_000;

/** Whether it is a window of the budget, of about this time: then it may be granted, or may have been. */
function isNear({ period }: Budget, window: string, now: number): boolean {
  const start = windowStart(window) ?? now;
  return windowOf(period, start) === window && Math.abs(start - now) <= nearMs;
}

function newLease(session: SessionRow, books: WindowRow): LeaseRow {
  return {
    session_id: session.id,
    budget_id: books.budget_id,
    window_start: books.window_start,
    remaining: 0,
    state: session.open === 1 ? 'open' : 'expired',
    seq: 0,
    answer: '',
  };
}
