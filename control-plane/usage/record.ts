// Puts usage into the books: each event once, and its hour's sums and its keys' last use in the same transaction. Rows are
// locked in one order everywhere (events, hours, keys; each by its key), so that reports never wait in a circle.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { BooksTransaction } from '../store/store.ts';
import { type HourRow, hourKey, hourSums, sumByHour } from './hours.ts';
import { noteLastUse } from './last-used.ts';

export type UsageEventRow = Omit<Schema['usage_events'], 'recorded_at'>;

/**
 * A thousand events cost eight statements at most, whatever is in them. The days of the events must be there: days.ts.
 * @returns ids of the events that were not in the books before; an id that comes twice counts once
 */
export async function recordUsage(
  tx: BooksTransaction,
  events: readonly UsageEventRow[],
): Promise<ReadonlySet<string>> {
  const fresh = await insertEvents(tx, events);
  await addToHours(tx.db, sumByHour(fresh));
  await noteLastUse(tx, fresh);
  return new Set(fresh.map(({ id }) => id));
}

// SQLite takes 32,766 parameters in a statement: an event has 33, a row of hours fewer.
const insertRowsMax = 900;

async function insertEvents(
  tx: BooksTransaction,
  events: readonly UsageEventRow[],
): Promise<readonly UsageEventRow[]> {
  const byId = new Map<string, UsageEventRow>();
  for (const event of events) {
    if (!byId.has(event.id)) byId.set(event.id, event);
  }
  const rows = [...byId.values()].toSorted((a, b) => (a.day + a.id < b.day + b.id ? -1 : 1));
  const fresh = new Set<string>();
  for (const part of partsOf(rows)) {
    const inserted = await tx.db
      .insertInto('usage_events')
      .values(part.map((row) => ({ ...row, recorded_at: tx.now })))
      .onConflict((conflict) => conflict.columns(['day', 'id']).doNothing())
      .returning('id')
      .execute();
    for (const { id } of inserted) fresh.add(id);
  }
  return rows.filter(({ id }) => fresh.has(id));
}

async function addToHours(db: Kysely<Schema>, rows: readonly HourRow[]): Promise<void> {
  for (const part of partsOf(rows)) {
    await db
      .insertInto('usage_hours')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .columns([...hourKey])
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(
              hourSums.map((sum) => [
                sum,
                sql<number>`${ref(`usage_hours.${sum}`)} + ${ref(`excluded.${sum}`)}`,
              ]),
            ),
          ),
      )
      .execute();
  }
}

function* partsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += insertRowsMax) yield rows.slice(from, from + insertRowsMax);
}
