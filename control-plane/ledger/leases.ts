// Leases: money of windows that sessions have acquired. A lease is only read or written under the lock of its window.
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

/** @returns the existing leases, by leaseKey */
export async function readLeases(
  db: Kysely<Schema>,
  names: readonly LeaseName[],
): Promise<ReadonlyMap<string, LeaseRow>> {
  const leases = new Map<string, LeaseRow>();
  for (const part of partsOf(names)) {
    const keys = sql.join(part.map(({ session, budgetId, window }) => sql`(${session}, ${budgetId}, ${window})`));
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

/** Names that are no columns do not compile here; keys of the object that kysely takes would. */
const changedColumns = [
  'remaining',
  'state',
  'seq',
  'answer',
  'shut',
  'back',
] as const satisfies readonly (keyof LeaseRow)[];

/** Writes leases whose windows are locked. */
export async function saveLeases(db: Kysely<Schema>, leases: readonly LeaseRow[]): Promise<void> {
  for (const part of partsOf(leases)) {
    await db
      .insertInto('leases')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns(['session_id', 'budget_id', 'window_start'])
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(changedColumns.map((column) => [column, ref(`excluded.${column}`)])),
          ),
      )
      .execute();
  }
}

/**
 * Ends a lease: the session acquires no more of it. The kept part is unconfirmed until it is reported or released; the
 * rest is free again. The proxy may not know of the end and release freed money too, so the freed amount is recorded as
 * `back`.
 * @param kept nano-dollars, at most the remaining amount of the lease
 */
export function endLease(
  lease: LeaseRow,
  windowRow: WindowRow,
  kept: number,
): { readonly lease: LeaseRow; readonly windowRow: WindowRow } {
  const freed = lease.remaining - kept;
  const isOpen = lease.state === 'open';
  return {
    lease: { ...lease, state: 'expired', remaining: kept, back: lease.back + freed },
    windowRow: {
      ...windowRow,
      leased: windowRow.leased - (isOpen ? lease.remaining : 0),
      unsettled: windowRow.unsettled + (isOpen ? kept : -freed),
    },
  };
}

/**
 * Takes an amount from the lease's remaining money, and from the window's leased or unconfirmed sum.
 * @returns both after it
 */
export function takeFrom(
  lease: LeaseRow,
  windowRow: WindowRow,
  amount: number,
): { readonly lease: LeaseRow; readonly windowRow: WindowRow } {
  const claimed = lease.state === 'open' ? 'leased' : 'unsettled';
  return {
    lease: { ...lease, remaining: lease.remaining - amount },
    windowRow: { ...windowRow, [claimed]: windowRow[claimed] - amount },
  };
}
