// Long lists in several statements: a statement of SQLite has at most 32,766 parameters, one of PostgreSQL 65,535.

const partMax = 4_000;

/** @param rows of at most eight parameters each */
export function* inParts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += partMax) yield rows.slice(from, from + partMax);
}
