// What is to be told of budgets: rows that the transaction writes in which it happens, so that a row is there exactly if that is.
// Each is there once, by its key; alerts.ts tells of it later.
import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';

export type NoticeRow = Schema['budget_notices'];

/** So many columns as a row has: both databases bound the parameters of a statement. */
const insertRowsMax = 1000;

/** Those that are not there yet; none where there are none. In one order, so that nobody waits in a circle. */
export async function insertNotices(db: Kysely<Schema>, rows: readonly NoticeRow[]): Promise<void> {
  const ordered = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (let from = 0; from < ordered.length; from += insertRowsMax) {
    await db
      .insertInto('budget_notices')
      .values(ordered.slice(from, from + insertRowsMax))
      .onConflict((conflict) => conflict.columns(['budget_id', 'window_start', 'kind', 'about']).doNothing())
      .execute();
  }
}

function keyOf({ budget_id, window_start, kind, about }: NoticeRow): string {
  return `${budget_id} ${window_start} ${kind} ${about}`;
}
