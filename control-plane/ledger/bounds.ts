// Bounds of one statement, and of one number.

// SQLite accepts 32,766 parameters in a statement, PostgreSQL 65,535.
const partMax = 3600;

/** Splits a long list of rows, of at most nine columns each, into parts that fit into one statement. */
export function* partsOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += partMax) yield rows.slice(from, from + partMax);
}

/** Sums stop at 2^53, because the database would not return a larger number unchanged. */
export function plus(sum: number, more: number): number {
  return Math.min(sum + more, Number.MAX_SAFE_INTEGER);
}

/** Longer than an event may wait to be reported, and than a proxy retries an operation. */
export const usageWaitsMaxMs = 45 * 86_400_000;
