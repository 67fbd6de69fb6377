// Two ways to write many rows. For PostgreSQL all rows are one parameter in JSON, because each parameter costs the
// driver and the server work. For SQLite each value is a parameter, because a parameter costs little there, less than
// reading JSON.
import { CompiledQuery } from 'kysely';
import type { InsertRows, RowsInsert, StoredRow } from './store.ts';

export const insertFromJson: InsertRows = async (db, insert, rows) => {
  if (rows.length === 0) return [];
  const given = [JSON.stringify(rows), ...(insert.shared === undefined ? [] : [JSON.stringify(insert.shared.rows)])];
  const text = `${intoColumns(insert)} ${selectRows(insert)} ${insert.ending}`;
  const { rows: returned } = await db.executeQuery<{ id: string }>(CompiledQuery.raw(text, given));
  return returned;
};

function selectRows({ columns, shared }: RowsInsert): string {
  if (shared === undefined) return `select ${castValues(columns, 0)} from jsonb_array_elements($1)`;
  const names = Object.keys(shared.columns).map((name) => `shared.${name}`);
  const sharedValues = Object.entries(shared.columns).map(
    ([name, type], index) => `cast(value ->> ${index} as ${type}) as ${name}`,
  );
  return `select ${castValues(columns, 1)}, ${names.join(', ')} from jsonb_array_elements($1) join (
    select ordinality - 1 as position, ${sharedValues.join(', ')} from jsonb_array_elements($2) with ordinality as given(value)
  ) as shared on shared.position = cast(jsonb_array_elements.value ->> 0 as bigint)`;
}

/** @param first position of the first column in a row */
function castValues(columns: RowsInsert['columns'], first: number): string {
  return Object.values(columns)
    .map((type, index) => `cast(jsonb_array_elements.value ->> ${index + first} as ${type})`)
    .join(', ');
}

export const insertInParts: InsertRows = async (db, insert, rows) => {
  const values = `(${namesOf(insert)
    .map(() => '?')
    .join(', ')})`;
  const returned: { readonly id: string }[] = [];
  for (const part of partsOf(rows)) {
    const text = `${intoColumns(insert)} values ${part.map(() => values).join(', ')} ${insert.ending}`;
    const result = await db.executeQuery<{ id: string }>(CompiledQuery.raw(text, part.flatMap(wholeRow(insert))));
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

/** The row with its shared values in place of their position. */
function wholeRow({ shared }: RowsInsert): (row: StoredRow) => StoredRow {
  if (shared === undefined) return (row) => row;
  return ([position, ...own]) => [...own, ...(shared.rows[Number(position)] ?? [])];
}

function namesOf({ columns, shared }: RowsInsert): readonly string[] {
  return [...Object.keys(columns), ...Object.keys(shared?.columns ?? {})];
}

function intoColumns(insert: RowsInsert): string {
  return `insert into ${insert.table} (${namesOf(insert).join(', ')})`;
}
