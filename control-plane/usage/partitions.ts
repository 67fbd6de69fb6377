// Days of usage and of requests. In PostgreSQL each day is a partition of its table, such as usage_events_20261120, so
// that an old day is dropped at once; in SQLite the days are rows of one table. A partition is created as a separate
// table and then attached, and replicas create theirs one after another, so recording and reading never wait for it.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import type { Clock } from '../../common/clock.ts';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';

/** A table with a partition for each day, by the column with its time. */
export type PartitionedTable = keyof typeof bounds;

/** The first value of a day in the column of each table. */
const bounds = {
  usage_events: (day) => sql.lit(day),
  requests: (day) => sql.lit(Date.parse(day)),
} as const satisfies Partial<Record<keyof Schema, (day: string) => RawBuilder<unknown>>>;

export interface UsageDays {
  /**
   * Makes room for rows of these days, such as "2026-11-20". Call it before the transaction that records them.
   * @throws StoreUnavailableError; RangeError if a text is no day
   */
  ensureDays(days: Iterable<string>): Promise<void>;
}

export interface UsageDaysDeps {
  readonly store: Pick<Store, 'ledger' | 'features'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export function createUsageDays({ store, clock }: UsageDaysDeps, table: PartitionedTable = 'usage_events'): UsageDays {
  if (!store.features.partitions) return { ensureDays: async () => undefined };
  // When each day was last found. Another replica may drop an old day, so it is looked up again after an hour.
  const seen = new Map<string, number>();
  const isKnown = (day: string) => clock.monotonic() - (seen.get(day) ?? Number.NEGATIVE_INFINITY) < hourMs;
  return {
    ensureDays: async (days) => {
      const unknown = [...new Set(days)].filter((day) => !isKnown(day));
      if (unknown.length === 0) return;
      const at = clock.monotonic();
      await store.ledger((tx) => createPartitions(tx.db, table, unknown));
      for (const day of unknown) seen.set(day, at);
    },
  };
}

/** The days of usage that have a partition. */
export function partitionedDays(db: Kysely<Schema>): Promise<ReadonlySet<string>> {
  return daysOfTable(db, 'usage_events');
}

/** The days of the table that have a partition. */
export async function daysOfTable(db: Kysely<Schema>, table: PartitionedTable): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${sql.lit(table)}::regclass`.execute(db);
  return new Set(rows.map(({ name }) => name.replace(/^.*_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')));
}

/**
 * Waits for all users of the table and blocks new ones meanwhile, so its wait is short.
 * @throws StoreUnavailableError
 */
export async function dropPartition(
  { db }: Pick<LedgerTransaction, 'db'>,
  day: string,
  table: PartitionedTable = 'usage_events',
): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(db);
  await sql`drop table if exists ${partitionOf(table, day)}`.execute(db);
}

async function createPartitions(db: Kysely<Schema>, table: PartitionedTable, days: readonly string[]): Promise<void> {
  if ((await missing(db, table, days)).length === 0) return;
  await sql`lock table ${sql.table(table)} in share update exclusive mode`.execute(db);
  for (const day of await missing(db, table, days)) {
    const partition = partitionOf(table, day);
    const nextDay = dayOf(Date.parse(day) + dayMs);
    await sql`create table ${partition} (like ${sql.table(table)} including all)`.execute(db);
    await sql`
      alter table ${sql.table(table)} attach partition ${partition}
      for values from (${bounds[table](day)}) to (${bounds[table](nextDay)})`.execute(db);
  }
}

async function missing(
  db: Kysely<Schema>,
  table: PartitionedTable,
  days: readonly string[],
): Promise<readonly string[]> {
  const present = await daysOfTable(db, table);
  return days.filter((day) => !present.has(day));
}

function partitionOf(table: PartitionedTable, day: string) {
  // Checked, because it becomes part of a statement.
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new RangeError('a day of usage is not a day');
  return sql.table(`${table}_${day.replaceAll('-', '')}`);
}
