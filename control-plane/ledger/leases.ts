// What sessions hold of windows. Nobody reads or writes a lease without the lock of its window.
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import { partsOf } from './bounds.ts';
import { windowKey } from './matching.ts';
import type { WindowRow } from './windows.ts';

export type LeaseRow = Selectable<Schema['leases']>;

export interface LeaseName {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
}

export function leaseKey({ session, budgetId, window }: LeaseName): string {
  return `${session} ${windowKey(budgetId, window)}`;
}

/** @returns by leaseKey, those that are there */
export async function readLeases(
  db: Kysely<Schema>,
  names: readonly LeaseName[],
): Promise<ReadonlyMap<string, LeaseRow>> {
  const leases = new Map<string, LeaseRow>();
  for (const part of partsOf(names)) {
    const keys = sql.join(
      part.map(({ session, budgetId, window }) => sql`(${session}, ${budgetId}, ${window})`),
    );
    const rows = await db
      .selectFrom('leases')
      .selectAll()
      .where(sql<boolean>`(session_id, budget_id, window_start) in (values ${keys})`)
      .execute();
    for (const row of rows) leases.set(leaseKey(nameOf(row)), row);
  }
  return leases;
}

export async function readLease(db: Kysely<Schema>, name: LeaseName): Promise<LeaseRow | undefined> {
  return (await readLeases(db, [name])).get(leaseKey(name));
}

export function nameOf(lease: Pick<LeaseRow, 'session_id' | 'budget_id' | 'window_start'>): LeaseName {
  return { session: lease.session_id, budgetId: lease.budget_id, window: lease.window_start };
}

/** Of windows that are locked. */
export async function saveLeases(db: Kysely<Schema>, leases: readonly LeaseRow[]): Promise<void> {
  for (const part of partsOf(leases)) {
    await db
      .insertInto('leases')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'budget_id', 'window_start']).doUpdateSet(({ ref }) => ({
          remaining: ref('excluded.remaining'),
          state: ref('excluded.state'),
          seq: ref('excluded.seq'),
          answer: ref('excluded.answer'),
          shut: ref('excluded.shut'),
          back: ref('excluded.back'),
        })),
      )
      .execute();
  }
}

/**
 * The session takes no more of the lease: what it keeps is unsettled until it is reported or returned, the rest is free again. Its
 * proxy may not have heard, and return what was freed: that is noted as `back`.
 * @param kept nano-dollars, at most what the lease has left
 */
export function endLease(
  lease: LeaseRow,
  books: WindowRow,
  kept: number,
): { readonly lease: LeaseRow; readonly books: WindowRow } {
  const freed = lease.remaining - kept;
  const isOpen = lease.state === 'open';
  return {
    lease: { ...lease, state: 'expired', remaining: kept, back: lease.back + freed },
    books: {
      ...books,
      leased: books.leased - (isOpen ? lease.remaining : 0),
      unsettled: books.unsettled + (isOpen ? kept : -freed),
    },
  };
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
