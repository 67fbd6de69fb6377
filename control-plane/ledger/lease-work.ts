// What proxies do with leases, one operation at a time: sent again unchanged it is answered the same.
import { windowOf, windowStart } from '../../common/budget-window.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError } from '../rpc/errors.ts';
import type { BooksTransaction, Store } from '../store/store.ts';
import { type BudgetOfWindow, noteExceeded } from '../webhooks/thresholds.ts';
import { Batches, type Done } from './batches.ts';
import { readBudgetsById } from './budgets.ts';
import { Healing } from './healing.ts';
import type { LeaseName, LeaseRow } from './leases.ts';
import { type SessionRow, shareOrganizations, shareSessions } from './locks.ts';
import { type Budget, type BudgetWindow, windowKey } from './matching.ts';
import { openPage, type Page } from './page.ts';
import { requireOwn } from './sessions.ts';
import type { WindowRow } from './windows.ts';

/** Of a lease; draws and returns are counted together, from 1. */
export interface Operation extends LeaseName {
  readonly seq: number;
  /** Nano-dollars of the lease that the session will not take from then on; undefined: 0. */
  readonly shut?: number;
}

/** When an operation is executed. */
export interface Moment {
  /** The database's clock, milliseconds. */
  readonly now: number;
  /** The database may have lost what was committed last, and proxies are about to report it again. */
  readonly isHealing: boolean;
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
export interface LeaseWork<ReadResponse> {
  readonly caller: ProxyCaller;
  readonly operation: Operation;
  /** Decides, from what is locked. */
  step(open: OpenLease | NoLease, moment: Moment): Step<ReadResponse>;
}

export interface Step<ReadResponse> {
  readonly answer: ReadResponse;
  /** The window has refused because of what is spent. */
  readonly exceeded?: true;
  /** What lease and window are afterwards; absent where nothing changes. */
  readonly after?: Pick<OpenLease, 'books' | 'lease'>;
}

/**
 * Does one after the other, in one transaction with a fixed number of statements.
 * @returns in the order of the works; rejected is one that names the session of another proxy (CallError not_found)
 */
export async function workOnLeases<ReadResponse>(
  tx: BooksTransaction,
  works: readonly LeaseWork<ReadResponse>[],
  healing: Healing,
): Promise<readonly PromiseSettledResult<ReadResponse>[]> {
  const opened = await open(tx, works);
  const moment = { now: tx.now, isHealing: await healing.isHealing(tx) };
  const exceeded = new Map<string, BudgetOfWindow>();
  const results = works.map((work): PromiseSettledResult<ReadResponse> => {
    try {
      const found = find(opened, work);
      const { answer: response, after, exceeded: isExceeded } = work.step(found, moment);
      if (isExceeded && typeof found !== 'string')
        exceeded.set(windowKey(found.budget.id, work.operation.window), windowOfBudget(found, work));
      if (after !== undefined) {
        opened.page.putBooks(after.books);
        opened.page.putLease(after.lease);
      }
      return { status: 'fulfilled', value: response };
    } catch (reason) {
      if (!(reason instanceof CallError)) throw reason;
      return { status: 'rejected', reason };
    }
  });
  await opened.page.save(tx.db);
  if (exceeded.size > 0) await noteExceeded(tx, [...exceeded.values()]);
  return results;
}

function windowOfBudget({ budget }: OpenLease, { operation }: LeaseWork<unknown>): BudgetOfWindow {
  const { id: budgetId, organizationId, amount } = budget;
  return { budgetId, organizationId, window: operation.window, amount };
}

type LeaseRequest = Pick<LeaseWork<unknown>, 'caller' | 'operation'>;

interface Opened {
  /** By id. */
  readonly budgets: ReadonlyMap<string, Budget>;
  readonly sessions: ReadonlyMap<string, SessionRow>;
  readonly page: Page;
  readonly now: number;
}

/** Locks what the works look at, in the order of locks.ts. */
async function open(tx: BooksTransaction, works: readonly LeaseRequest[]): Promise<Opened> {
  const known = await readBudgetsById(tx.db, idsOf(works, 'budgetId'));
  const touched = works.filter((work) => mayTouch(work, known));
  const organizations = new Set(
    touched.flatMap(({ operation }) => known.get(operation.budgetId)?.organizationId ?? []),
  );
  await shareOrganizations(tx, [...organizations]);
  const sessions = await shareSessions(tx, idsOf(touched, 'session'));
  // Amounts may have changed until the organizations were ours to share.
  const budgets = await readBudgetsById(tx.db, idsOf(touched, 'budgetId'));
  const wanted = new Map<string, BudgetWindow>();
  for (const { operation } of touched) {
    const budget = budgets.get(operation.budgetId);
    if (budget === undefined || !isNear(budget, operation.window, tx.now)) continue;
    wanted.set(windowKey(budget.id, operation.window), { budget, window: operation.window });
  }
  const leases = touched.map(({ operation }) => operation);
  const page = await openPage(tx, wanted, leases);
  return { budgets, sessions: new Map(sessions.map((row) => [row.id, row])), page, now: tx.now };
}

/** @throws CallError not_found for the session of another proxy */
function find(
  { budgets, sessions, page, now }: Opened,
  { caller, operation }: LeaseRequest,
): OpenLease | NoLease {
  const budget = budgets.get(operation.budgetId);
  if (budget === undefined || !mayTouch({ caller, operation }, budgets)) return 'deleted';
  const session = sessions.get(operation.session);
  if (session === undefined) return 'gone';
  requireOwn(session, caller);
  if (!isNear(budget, operation.window, now)) return 'window';
  const books = page.books(budget.id, operation.window);
  return { budget, session, books, lease: page.lease(operation) ?? newLease(session, books) };
}

function idsOf(works: readonly LeaseRequest[], which: 'budgetId' | 'session'): readonly string[] {
  return [...new Set(works.map(({ operation }) => operation[which]))].toSorted();
}

/** A bound proxy sees its organization's budgets, as if nothing else existed. */
function mayTouch({ caller, operation }: LeaseRequest, budgets: ReadonlyMap<string, Budget>): boolean {
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
    shut: 0,
    back: 0,
  };
}

/** Operations that come together are done in one transaction. */
interface LeaseBatchesOptions {
  /** Transactions under way at most. */
  readonly atOnceMax?: number;
  /** Operations in one. */
  readonly batchMax?: number;
}

export class LeaseBatches {
  readonly #batches: Batches<LeaseWork<unknown>, unknown>;

  constructor(store: Pick<Store, 'books'>, { atOnceMax = 2, batchMax = 500 }: LeaseBatchesOptions = {}) {
    const sizes = { atOnceMax, sizeMax: batchMax, sizeOf: () => 1 };
    const healing = new Healing();
    this.#batches = new Batches({
      store,
      ...sizes,
      together: (tx, works: readonly LeaseWork<unknown>[]) => workOnLeases(tx, works, healing),
    });
  }

  /** @throws CallError not_found for the session of another proxy; StoreUnavailableError */
  run<ReadResponse>(work: LeaseWork<ReadResponse>): Promise<Done<ReadResponse>> {
    return this.#batches.run(work) as Promise<Done<ReadResponse>>;
  }
}
