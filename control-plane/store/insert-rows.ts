// Two ways to write many rows. PostgreSQL takes them as one parameter, in JSON: each parameter of its own is work for driver and
// server. SQLite takes them value by value: what it does for one is little, and to look it up in JSON is more.
import { CompiledQuery } from 'kysely';
import type { InsertRows, RowsInsert, StoredRow } from './store.ts';

export const insertFromJson: InsertRows = async (db, insert, rows) => {
  if (rows.length === 0) return [];
  const values = Object.values(insert.columns).map((type, index) => `cast(value ->> ${index} as ${type})`);
  const text = `${intoColumns(insert)} select ${values.join(', ')} from jsonb_array_elements($1) ${insert.ending}`;
  const { rows: returned } = await db.executeQuery<{ id: string }>(
    CompiledQuery.raw(text, [JSON.stringify(rows)]),
  );
  return returned;
};

export const insertInParts: InsertRows = async (db, insert, rows) => {
  const values = `(${Object.keys(insert.columns)
    .map(() => '?')
    .join(', ')})`;
  const returned: { readonly id: string }[] = [];
  for (const part of partsOf(rows)) {
    const text = `${intoColumns(insert)} values ${part.map(() => values).join(', ')} ${insert.ending}`;
    const result = await db.executeQuery<{ id: string }>(CompiledQuery.raw(text, part.flat()));
    returned.push(...result.rows);
  }
  return returned;
};

// More at once are not cheaper, and few columns are far from the 32,766 parameters that a statement takes.
const partMax = 64;

/** Of sizes that are powers of two: few texts, each of which is prepared once. */
function* partsOf(rows: readonly StoredRow[]): Generator<readonly StoredRow[]> {
  let size = partMax;
  for (let from = 0; from < rows.length; from += size) {
    while (from + size > rows.length) size /= 2;
    yield rows.slice(from, from + size);
  }
}

function intoColumns({ table, columns }: RowsInsert): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')})`;
}
