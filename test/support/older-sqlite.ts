// A SQLite file as an earlier version left it: made by the first steps of migrations.ts and no later ones.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from '../../control-plane/store/migrations.ts';

/** Runs the steps up to this one, with it, on the file. @returns the open file */
export async function sqliteOfStep(path: string, step: string): Promise<DatabaseSync> {
  const file = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: adapted(file) }) });
  const provider = { getMigrations: async () => migrations({ partitions: false }) };
  const { error } = await new Migrator({ db, provider }).migrateTo(step);
  if (error !== undefined) throw error;
  return file;
}

function adapted(file: DatabaseSync): SqliteDatabase {
  const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    close: () => undefined,
    prepare: (text) => {
      const statement = file.prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bound(parameters)),
        run: (parameters) => statement.run(...bound(parameters)),
        iterate: (parameters) => statement.iterate(...bound(parameters)),
      };
    },
  };
}

/** Inserts a row; columns that need a value and are not given get an empty one. */
export function insertInto(file: DatabaseSync, table: string, given: Readonly<Record<string, SQLInputValue>>): void {
  const needed = file
    .prepare(`pragma table_info(${table})`)
    .all()
    .filter(
      ({ name, notnull, dflt_value: byDefault }) => notnull === 1 && byDefault === null && !(String(name) in given),
    );
  const empty = needed.map(({ name, type }) => [String(name), String(type).toLowerCase() === 'text' ? '' : 0] as const);
  const row: Record<string, SQLInputValue> = { ...Object.fromEntries(empty), ...given };
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  file.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(...Object.values(row));
}
