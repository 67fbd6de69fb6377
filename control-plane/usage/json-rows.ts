// Many rows as one parameter, in JSON that both databases read alike: a thousand events are 33,000 parameters otherwise, more
// than SQLite takes, and three times the work for Node.
import { type RawBuilder, sql } from 'kysely';

export type ColumnTypes<Row> = Readonly<Record<Extract<keyof Row, string>, 'text' | 'bigint'>>;

/** The beginning of an insert, in the order of the rows; an `on conflict` may follow. */
export function insertRows<Row>(
  table: string,
  types: ColumnTypes<Row>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const columns = Object.entries<'text' | 'bigint'>(types);
  const names = columns.map(([name]) => sql.ref(name));
  const values = columns.map(
    ([name, type]) => sql`cast(value ->> ${sql.lit(name)} as ${type === 'text' ? sql`text` : sql`bigint`})`,
  );
  // As an object with the rows' numbers for names: PostgreSQL reads arrays by another function. SQLite takes what follows
  // for the condition of a join, unless there is a where.
  const json = JSON.stringify({ ...rows });
  return sql`insert into ${sql.table(table)} (${sql.join(names)})
    select ${sql.join(values)} from jsonb_each(${json}) where true`;
}
