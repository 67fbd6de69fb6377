// A page of the ledger: locked windows and their leases with the changes of a transaction so far. It is written at the
// end.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { BudgetWindow } from './budget.ts';
import { type LeaseName, type LeaseRow, leaseKey, nameOf, readLeases, saveLeases } from './leases.ts';
import type { TimedTransaction } from './locks.ts';
import { windowKey } from './matching.ts';
import { lockWindows, saveWindows, type WindowRow } from './windows.ts';

/** @param windows by windowKey */
export async function openPage(
  tx: TimedTransaction,
  windows: ReadonlyMap<string, BudgetWindow>,
  leases: readonly LeaseName[],
): Promise<Page> {
  return new Page(await lockWindows(tx, windows), await readLeases(tx.db, leases));
}

export class Page {
  readonly #window: Map<string, WindowRow>;
  readonly #leases: Map<string, LeaseRow>;
  readonly #changedWindows = new Set<string>();
  readonly #changedLeases = new Set<string>();

  constructor(windowRow: ReadonlyMap<string, WindowRow>, leases: ReadonlyMap<string, LeaseRow>) {
    this.#window = new Map(windowRow);
    this.#leases = new Map(leases);
  }

  window(budgetId: string, window: string): WindowRow {
    const windowRow = this.#window.get(windowKey(budgetId, window));
    if (windowRow === undefined) throw new Error('the row of a window is not locked');
    return windowRow;
  }

  lease(name: LeaseName): LeaseRow | undefined {
    return this.#leases.get(leaseKey(name));
  }

  putWindow(windowRow: WindowRow): void {
    const key = windowKey(windowRow.budget_id, windowRow.window_start);
    this.#window.set(key, windowRow);
    this.#changedWindows.add(key);
  }

  putLease(lease: LeaseRow): void {
    const key = leaseKey(nameOf(lease));
    this.#leases.set(key, lease);
    this.#changedLeases.add(key);
  }

  async save(db: Kysely<Schema>): Promise<void> {
    await saveWindows(db, rowsOf(this.#changedWindows, this.#window));
    await saveLeases(db, rowsOf(this.#changedLeases, this.#leases));
  }
}

function rowsOf<Row>(keys: ReadonlySet<string>, rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...keys].toSorted().flatMap((key) => rows.get(key) ?? []);
}
