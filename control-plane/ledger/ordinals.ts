// The ordinals of a session's recorded events. While a session's row exists, an event is known to be recorded even if
// its own row was deleted long ago. A transaction that records events of a session has the row's lock exclusively.
import { type Kysely, sql } from 'kysely';
import { aList, aNumber, aPair } from '../../common/json-shape.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction } from '../store/store.ts';
import { partsOf } from './bounds.ts';

type Range = [first: number, last: number];

const rangesIn = jsonColumn('booked_ordinals', 'ranges', aList(aPair(aNumber, aNumber)));

/**
 * At most this many ranges of a session are stored. Gaps close when proxies report events that waited elsewhere. The
 * lowest ranges are forgotten first.
 */
export const rangesMax = 2_000;

/** Whole numbers from 1, as sorted ranges that do not touch. */
export class OrdinalRanges {
  readonly #ranges: Range[];

  constructor(ranges: readonly (readonly [number, number])[] = []) {
    this.#ranges = ranges.map(([first, last]) => [first, last]);
  }

  has(ordinal: number): boolean {
    const range = this.#ranges[this.#after(ordinal) - 1];
    return range !== undefined && ordinal <= range[1];
  }

  add(ordinal: number): void {
    const after = this.#after(ordinal);
    const [before, next] = [this.#ranges[after - 1], this.#ranges[after]];
    if (before !== undefined && ordinal <= before[1]) return;
    const continues = before !== undefined && before[1] + 1 === ordinal;
    const precedes = next !== undefined && ordinal + 1 === next[0];
    if (continues && precedes) {
      before[1] = next[1];
      this.#ranges.splice(after, 1);
    } else if (continues) before[1] = ordinal;
    else if (precedes) next[0] = ordinal;
    else this.#ranges.splice(after, 0, [ordinal, ordinal]);
  }

  /** The highest ranges, as many as are stored. */
  toJSON(): readonly Range[] {
    return this.#ranges.slice(-rangesMax);
  }

  /** @returns the index of the first range that begins above the ordinal */
  #after(ordinal: number): number {
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ranges[middle]?.[0] ?? 0) > ordinal) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Creates and locks the rows in the order of their ids. @returns the ordinals of all named sessions, by session */
export async function lockOrdinals(
  { db, now }: LedgerTransaction,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, OrdinalRanges>> {
  const found = new Map<string, OrdinalRanges>();
  for (const part of partsOf(sessions.toSorted())) {
    const rows = await db
      .insertInto('booked_ordinals')
      .values(part.map((session) => ({ session_id: session, ranges: '[]', updated_at: now })))
      .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ updated_at: now }))
      .returning(['session_id', 'ranges'])
      .execute();
    for (const row of rows) found.set(row.session_id, new OrdinalRanges(rangesIn(row, row.session_id)));
  }
  return found;
}

/** Writes rows that are locked. */
export async function saveOrdinals(
  { db, now }: LedgerTransaction,
  ordinals: ReadonlyMap<string, OrdinalRanges>,
): Promise<void> {
  const rows = Array.from(ordinals, ([session, ranges]) => ({
    session_id: session,
    ranges: JSON.stringify(ranges),
    updated_at: now,
  }));
  for (const part of partsOf(rows.toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1)))) {
    await db
      .insertInto('booked_ordinals')
      .values(part)
      .onConflict((conflict) =>
        conflict.column('session_id').doUpdateSet(({ ref }) => ({ ranges: ref('excluded.ranges') })),
      )
      .execute();
  }
}

const batchRows = 500;

/** Deletes the rows of sessions without a report since then. @returns whether there are more */
export async function forgetOrdinals(db: Kysely<Schema>, before: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from booked_ordinals where session_id in (
      select session_id from booked_ordinals where updated_at < ${before} order by updated_at limit ${sql.lit(batchRows)}
    )`.execute(db);
  return numAffectedRows === BigInt(batchRows);
}
