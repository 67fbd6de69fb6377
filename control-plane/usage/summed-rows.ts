// The rows of sums that a question reads: months and days that are folded, hours at the edges of its range, and the hours
// that are not folded yet. Their signed sum is that of all usage in the range.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import type { FoldSource, SumLevel } from '../store/usage-sums-tables.ts';
import { cover } from './cover.ts';
import { beside, type FoldPositions } from './fold-position.ts';
import type { hourSums } from './hours.ts';
import { foldSources, type Level, nextUnit, type Owners, type SumUnit } from './levels.ts';

/** The most rows of sums that one call reads. */
export const sumRowsMax = 50_000;

export interface RowsQuestion {
  readonly organizationId: string;
  /** Start of the first hour. */
  readonly from: number;
  /** End of the last hour. */
  readonly to: number;
  /** The shortest time that is distinguished; undefined: none is. */
  readonly unit: SumUnit | undefined;
  /** What is distinguished or selected. */
  readonly owners: Owners;
  /** Only usage of these keys: their rows are found directly. */
  readonly keys: readonly string[] | undefined;
  readonly positions: FoldPositions;
}

/** Rows of one table in one range. */
interface Rows {
  readonly table: 'usage_sums' | (typeof foldSources)[FoldSource]['table'];
  readonly conditions: readonly RawBuilder<unknown>[];
  readonly sign: 1 | -1;
}

export interface SelectedColumns {
  /** Names of columns of the key. */
  readonly key: readonly string[];
  readonly sums: readonly (typeof hourSums)[number][];
  /** Conditions on the columns. */
  readonly where: readonly RawBuilder<unknown>[];
}

/** @returns a list of `select`s joined by `union all` */
export function selectRows(source: FoldSource, question: RowsQuestion, selected: SelectedColumns): RawBuilder<unknown> {
  const { key, sums, where } = selected;
  const parts = rowsOf(source, question).map(({ table, conditions, sign }) => {
    const summed = sums.map((name) => (sign === 1 ? sql.ref(name) : sql`-${sql.ref(name)} as ${sql.ref(name)}`));
    return sql`select ${sql.join([...key.map((name) => sql.ref(name)), ...summed])} from ${sql.table(table)}
      where ${sql.join([...conditions, ...where], sql` and `)}`;
  });
  return sql.join(parts, sql` union all `);
}

/** How many rows are read, at most `max + 1`. A filter on other columns than the key makes a read no shorter. */
export async function countRows(
  db: Kysely<Schema>,
  question: RowsQuestion,
  sources: readonly FoldSource[],
  max = sumRowsMax,
): Promise<number> {
  const parts = sources.flatMap((source) =>
    rowsOf(source, question).map(
      ({ table, conditions }) => sql`select 1 from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`,
    ),
  );
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as bigint) as count from (
      ${sql.join(parts, sql` union all `)} limit ${sql.lit(max + 1)}
    ) as counted`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** At least one. */
function rowsOf(source: FoldSource, question: RowsQuestion): readonly Rows[] {
  const { from, to, unit, positions } = question;
  const position = positions[source];
  const levels = levelsOf(source, question);
  const ofHours = { table: foldSources[source].table, sign: 1 } as const;
  // Of single hours, one read has both what is folded and what is not.
  if (unit === 'hour' && !levels.has('hour'))
    return [{ ...ofHours, conditions: [...owned(question), ...between(from, to)] }];
  const until = position.inside ? nextUnit('hour', position.hour) : position.hour;
  const folded = cover({ from, to, until }, unitsOf(unit, levels)).map((piece): Rows => {
    const range = [...owned(question), ...between(piece.from, piece.to)];
    const level = levels.get(piece.unit);
    return level === undefined
      ? { ...ofHours, sign: piece.sign, conditions: [...range, beside(source, position, 'before')] }
      : { table: 'usage_sums', sign: piece.sign, conditions: [...range, sql`level = ${level}`] };
  });
  const isWhole = from > position.hour;
  const rest = isWhole ? between(from, to) : [beside(source, position, 'from'), ...between(undefined, to)];
  return [...folded, { ...ofHours, conditions: [...owned(question), ...rest] }];
}

type LevelNames = ReadonlyMap<SumUnit, SumLevel>;

/** The levels that fit the question, by their unit. */
function levelsOf(source: FoldSource, { owners }: RowsQuestion): LevelNames {
  const levels: readonly Level[] = foldSources[source].levels;
  const fitting = levels.filter((level) => source === 'sets' || level.owners === owners);
  return new Map(fitting.map(({ unit, name }) => [unit, name]));
}

/** The coarsest first. */
function unitsOf(unit: SumUnit | undefined, levels: LevelNames): readonly SumUnit[] {
  const units = ['month', 'day', 'hour'] as const;
  const short = units.slice(unit === undefined ? 0 : units.indexOf(unit));
  return short.filter((one) => one === 'hour' || levels.has(one));
}

function owned({ organizationId, keys }: RowsQuestion): readonly RawBuilder<unknown>[] {
  if (keys === undefined) return [sql`organization_id = ${organizationId}`];
  // An expression, so that both databases find the rows by their keys.
  return [isOneOf(sql`key_id`, keys), sql`organization_id || '' = ${organizationId}`];
}

function between(from: number | undefined, to: number): readonly RawBuilder<unknown>[] {
  const start = from === undefined ? [] : [sql`hour >= cast(${from} as bigint)`];
  return [...start, sql`hour < cast(${to} as bigint)`];
}

export function isOneOf(value: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(values)})`;
}
