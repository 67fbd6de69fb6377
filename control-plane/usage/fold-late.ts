// Usage that is recorded after its row of sums by hour was folded: the transaction that records it adds it to the sums of
// the day and the month as well. It has the organization's shared lock, so nothing is folded meanwhile.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { LedgerTransaction, RowsInsert } from '../store/store.ts';
import type { FoldSource } from '../store/usage-sums-tables.ts';
import type { FoldedTo } from './fold-position.ts';
import { hourColumns, hourSums, sumsUpdate } from './hours.ts';
import { columnsOfOwners, foldSources, type Level, noOwners, startOfUnit, sumsKey } from './levels.ts';
import { inParts } from './parts.ts';

type SourceRow = Schema['usage_hours'] & { readonly metadata_set?: string };
type SumsRow = Schema['usage_sums'];

/** @param rows that were added to the table of the source; most often all of them are of hours that are not over yet */
export async function addLate(
  { db, insertRows }: Pick<LedgerTransaction, 'db' | 'insertRows'>,
  source: FoldSource,
  { rows, foldedTo }: { readonly rows: readonly SourceRow[]; readonly foldedTo: FoldedTo },
): Promise<void> {
  const late: SourceRow[] = [];
  const unsure: SourceRow[] = [];
  for (const row of rows) {
    const { hour, inside } = foldedTo(row.organization_id)[source];
    if (row.hour < hour) late.push(row);
    else if (row.hour === hour && inside) unsure.push(row);
  }
  late.push(...(await beforePosition(db, source, unsure)));
  if (late.length === 0) return;
  const sums = foldSources[source].levels.flatMap((level) => sumByLevel(late, level));
  const keyed = sums.map((row) => ({ row, key: JSON.stringify(sumsKey.map((column) => row[column])) }));
  // In one order everywhere, so that transactions cannot deadlock.
  const ordered = keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await insertRows(
    db,
    sumsInsert,
    ordered.map(({ row }) => sumsNames.map((name) => row[name])),
  );
}

/** Rows of the hour in which the position is. Only the database knows the order of its texts. */
async function beforePosition(
  db: Kysely<Schema>,
  source: FoldSource,
  rows: readonly SourceRow[],
): Promise<readonly SourceRow[]> {
  const { owners } = foldSources[source];
  const names = sql.join(owners.map((name) => sql.ref(`given.${name}`)));
  const positions = sql.join(owners.map((name) => sql.ref(`folds.${name}`)));
  const found: SourceRow[] = [];
  for (const part of inParts(rows)) {
    const values = part.map(
      (row, nth) =>
        sql`(${sql.lit(nth)}, ${row.organization_id}, ${sql.join(owners.map((name) => sql`${row[name] ?? ''}`))})`,
    );
    const { rows: before } = await sql<{ nth: number }>`
      with given (nth, organization, ${sql.join(owners.map((name) => sql.ref(name)))}) as (values ${sql.join(values)})
      select given.nth from given join usage_folds as folds
        on folds.organization_id = given.organization and folds.source = ${source}
      where (${names}) < (${positions})`.execute(db);
    for (const { nth } of before) {
      const row = part[nth];
      if (row !== undefined) found.push(row);
    }
  }
  return found;
}

function sumByLevel(rows: readonly SourceRow[], { name, unit, owners }: Level): readonly SumsRow[] {
  const sums = new Map<string, SumsRow>();
  for (const { metadata_set = '', ...row } of rows) {
    const level: SumsRow = { ...row, ...noOwners, level: name, hour: startOfUnit(unit, row.hour) };
    for (const column of columnsOfOwners(owners))
      level[column] = column === 'metadata_set' ? metadata_set : row[column];
    const key = JSON.stringify(sumsKey.map((column) => level[column]));
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, level);
    else for (const column of hourSums) sum[column] += row[column];
  }
  return [...sums.values()];
}

const sumsColumns = { level: 'text', ...hourColumns, metadata_set: 'text' } as const satisfies Record<
  keyof SumsRow,
  'text' | 'bigint'
>;
const sumsNames = Object.keys(sumsColumns) as readonly (keyof SumsRow)[];

const sumsInsert: RowsInsert = {
  table: 'usage_sums',
  columns: sumsColumns,
  ending: sumsUpdate('usage_sums', sumsKey),
};
