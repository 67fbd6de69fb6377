// Two ways to write many rows. For PostgreSQL all rows are one parameter in JSON, because each parameter costs the
// driver and the server work. For SQLite each value is a parameter, because a parameter costs little there, less than
// reading JSON.
import { CompiledQuery } from 'kysely';
import type { InsertRows, RowsInsert, StoredRow } from './store.ts';

export const insertFromJson: InsertRows = async (db, insert, rows) => {
  if (rows.length === 0) return [];
  const values = Object.values(insert.columns).map((type, index) => `cast(value ->> ${index} as ${type})`);
  const text = `${intoColumns(insert)} select ${values.join(', ')} from jsonb_array_elements($1) ${insert.ending}`;
  const { rows: returned } = await db.executeQuery<{ id: string }>(CompiledQuery.raw(text, [JSON.stringify(rows)]));
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

// Larger parts are not cheaper, and with few columns they are far from the 32,766 parameters that a statement accepts.
const partMax = 64;

/** Parts have sizes that are powers of two, so there are few statements, each prepared once. */
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
