// What fits: into one statement, and into a number.

// SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535.
const partMax = 3600;

/** Long lists of rows, of at most nine columns each, in parts that one statement can take. */
export function* partsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += partMax) yield rows.slice(from, from + partMax);
}

/** Sums stop at 2^53: what is beyond would not come back from the database as it was stored. */
export function plus(sum: number, more: number): number {
  return Math.min(sum + more, Number.MAX_SAFE_INTEGER);
}
