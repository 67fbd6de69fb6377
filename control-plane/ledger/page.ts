// A page of the ledger: locked windows and their leases with the changes of a transaction so far. It is written at the
// end.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';
import { type LeaseName, type LeaseRow, leaseKey, nameOf, readLeases, saveLeases } from './leases.ts';
import type { TimedTransaction } from './locks.ts';
import { type BudgetWindow, windowKey } from './matching.ts';
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
  readonly #books: Map<string, WindowRow>;
  readonly #leases: Map<string, LeaseRow>;
  readonly #changedBooks = new Set<string>();
  readonly #changedLeases = new Set<string>();

  constructor(books: ReadonlyMap<string, WindowRow>, leases: ReadonlyMap<string, LeaseRow>) {
    this.#books = new Map(books);
    this.#leases = new Map(leases);
  }

  books(budgetId: string, window: string): WindowRow {
    const books = this.#books.get(windowKey(budgetId, window));
    if (books === undefined) throw new Error('the row of a window is not locked');
    return books;
  }

  lease(name: LeaseName): LeaseRow | undefined {
    return this.#leases.get(leaseKey(name));
  }

  putBooks(books: WindowRow): void {
    const key = windowKey(books.budget_id, books.window_start);
    this.#books.set(key, books);
    this.#changedBooks.add(key);
  }

  putLease(lease: LeaseRow): void {
    const key = leaseKey(nameOf(lease));
    this.#leases.set(key, lease);
    this.#changedLeases.add(key);
  }

  async save(db: Kysely<Schema>): Promise<void> {
    await saveWindows(db, rowsOf(this.#changedBooks, this.#books));
    await saveLeases(db, rowsOf(this.#changedLeases, this.#leases));
  }
}

function rowsOf<Row>(keys: ReadonlySet<string>, rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...keys].toSorted().flatMap((key) => rows.get(key) ?? []);
}
