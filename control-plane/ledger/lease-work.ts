// Operations of proxies on leases, one at a time. An operation that is repeated unchanged gets the same response.
import { windowMaxMs, windowOf, windowStart } from '../../common/budget-window.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError } from '../rpc/errors.ts';
import { platformId } from '../store/platform-id.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import { type BudgetOfWindow, noteExceeded } from '../webhooks/thresholds.ts';
import { Batches, type Done } from './batches.ts';
import { usageWaitsMaxMs } from './bounds.ts';
import type { Budget, BudgetWindow } from './budget.ts';
import { readBudgetsById } from './budgets.ts';
import { admitCounters } from './counters.ts';
import { Healing } from './healing.ts';
import type { LeaseName, LeaseRow } from './leases.ts';
import { type SessionRow, shareOrganizations, shareSessions } from './locks.ts';
import { amountIn, windowKey } from './matching.ts';
import { openPage, type Page } from './page.ts';
import { requireOwn } from './sessions.ts';
import type { WindowRow } from './windows.ts';

/** An operation on a lease. Acquisitions and releases share one sequence, from 1. */
export interface Operation extends LeaseName {
  readonly seq: number;
  /** Nano-dollars of the lease that are shut after the operation; undefined means 0. */
  readonly shut?: number;
  /** Of a lease of a counter: its value, with which it may begin. */
  readonly counterValue?: string | undefined;
}

/** The time at which an operation is executed. */
export interface Instant {
  /** The database's clock, in milliseconds. */
  readonly now: number;
  /** Whether the database may have lost its last commits, which proxies are about to report again. */
  readonly isHealing: boolean;
}

/** All rows that an operation reads, locked. */
export interface OpenLease {
  /** Its amount has the raises that hold in the window. */
  readonly budget: Budget;
  readonly session: SessionRow;
  readonly windowRow: WindowRow;
  /** A lease that does not exist yet has seq 0. */
  readonly lease: LeaseRow;
}

/** Why there is no lease that the operation could be applied to, now or later. */
export type NoLease = 'gone' | 'window' | 'deleted' | 'full';

/** An operation that is to be applied to one lease. */
export interface LeaseWork<ReadResponse> {
  readonly caller: ProxyCaller;
  readonly operation: Operation;
  /** Decides from the locked rows. */
  step(open: OpenLease | NoLease, instant: Instant): Step<ReadResponse>;
}

export interface Step<ReadResponse> {
  readonly response: ReadResponse;
  /** Whether the window refused the operation because of spent money. */
  readonly exceeded?: true;
  /** The new lease and window; absent if nothing changes. */
  readonly after?: Pick<OpenLease, 'windowRow' | 'lease'>;
}

/**
 * Runs the operations one after the other, in one transaction with a fixed number of statements.
 * @returns results in the order of the operations; one that names the session of another proxy is rejected (CallError
 * not_found)
 */
export async function workOnLeases<ReadResponse>(
  tx: LedgerTransaction,
  works: readonly LeaseWork<ReadResponse>[],
  healing: Healing,
): Promise<readonly PromiseSettledResult<ReadResponse>[]> {
  const opened = await open(tx, works);
  const instant = { now: tx.now, isHealing: await healing.isHealing(tx) };
  const exceeded = new Map<string, BudgetOfWindow>();
  const results = works.map((work): PromiseSettledResult<ReadResponse> => {
    try {
      const found = find(opened, work);
      const { response, after, exceeded: isExceeded } = work.step(found, instant);
      if (isExceeded && typeof found !== 'string')
        exceeded.set(windowKey(found.budget.id, work.operation.window), ofLease(found, work));
      if (after !== undefined) {
        opened.page.putWindow(after.windowRow);
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

/** The budget of an open lease has its raises in its amount. */
function ofLease({ budget }: OpenLease, { operation }: LeaseWork<unknown>): BudgetOfWindow {
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
  /** Counters without a row, and without room for one. */
  readonly full: ReadonlySet<string>;
}

/** Locks the rows that the operations read, in the order of locks.ts. */
async function open(tx: LedgerTransaction, works: readonly LeaseRequest[]): Promise<Opened> {
  const known = await readBudgetsById(tx.db, idsOf(works, 'budgetId'));
  const touched = works.filter((work) => mayTouch(work, known));
  const organizations = new Set(
    touched.flatMap(({ operation }) => known.get(operation.budgetId)?.organizationId ?? []),
  );
  await shareOrganizations(tx, [...organizations]);
  const sessions = await shareSessions(tx, idsOf(touched, 'session'));
  // Amounts may have changed until the organizations were locked.
  const budgets = await readBudgetsById(tx.db, idsOf(touched, 'budgetId'));
  const wanted = new Map<string, BudgetWindow>();
  for (const { operation } of touched) {
    const budget = budgets.get(operation.budgetId);
    if (budget === undefined || !isNear(budget, operation.window, tx.now)) continue;
    const key = windowKey(budget.id, operation.window);
    const value = operation.counterValue ?? wanted.get(key)?.budget.value ?? budget.value;
    wanted.set(key, { budget: value === undefined ? budget : { ...budget, value }, window: operation.window });
  }
  const full = await admitCounters(tx, wanted.values());
  for (const [key, { budget }] of wanted) if (full.has(budget.id)) wanted.delete(key);
  const leases = touched.map(({ operation }) => operation);
  const page = await openPage(tx, wanted, leases);
  return { budgets, sessions: new Map(sessions.map((row) => [row.id, row])), page, now: tx.now, full };
}

/** @throws CallError not_found for the session of another proxy */
function find(
  { budgets, sessions, page, now, full }: Opened,
  { caller, operation }: LeaseRequest,
): OpenLease | NoLease {
  const budget = budgets.get(operation.budgetId);
  if (budget === undefined || !mayTouch({ caller, operation }, budgets)) return 'deleted';
  const session = sessions.get(operation.session);
  if (session === undefined) return 'gone';
  requireOwn(session, caller);
  if (!isNear(budget, operation.window, now)) return 'window';
  if (full.has(budget.id)) return 'full';
  const windowRow = page.window(budget.id, operation.window);
  const raised = { ...budget, amount: amountIn(budget, operation.window, now) };
  return { budget: raised, session, windowRow, lease: page.lease(operation) ?? newLease(session, windowRow) };
}

function idsOf(works: readonly LeaseRequest[], which: 'budgetId' | 'session'): readonly string[] {
  return [...new Set(works.map(({ operation }) => operation[which]))].toSorted();
}

/** For a bound proxy only the budgets of its organization and of the platform exist. */
function mayTouch({ caller, operation }: LeaseRequest, budgets: ReadonlyMap<string, Budget>): boolean {
  const budget = budgets.get(operation.budgetId);
  if (budget === undefined) return false;
  return [undefined, budget.organizationId].includes(caller.organizationId) || budget.organizationId === platformId;
}

// No operation is retried after this time, so a refusal outside it need not be stored.
const nearMs = windowMaxMs + usageWaitsMaxMs;

/**
 * Whether the name is a window of the budget near the present time, so that it may be granted now or was granted
 * earlier.
 */
function isNear({ period }: Budget, window: string, now: number): boolean {
  const start = windowStart(window) ?? now;
  return windowOf(period, start) === window && Math.abs(start - now) <= nearMs;
}

function newLease(session: SessionRow, windowRow: WindowRow): LeaseRow {
  return {
    session_id: session.id,
    budget_id: windowRow.budget_id,
    window_start: windowRow.window_start,
    remaining: 0,
    state: session.open === 1 ? 'open' : 'expired',
    seq: 0,
    answer: '',
    shut: 0,
    back: 0,
  };
}

/** Operations that arrive together share one transaction. */
interface LeaseBatchesOptions {
  /** How many transactions may run at once. */
  readonly atOnceMax?: number;
  /** How many operations one transaction may contain. */
  readonly batchMax?: number;
}

export class LeaseBatches {
  readonly #batches: Batches<LeaseWork<unknown>, unknown>;

  constructor(store: Pick<Store, 'ledger'>, { atOnceMax = 2, batchMax = 500 }: LeaseBatchesOptions = {}) {
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
