// Combines several passes into one figure: the median, and the range of the passes.
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? upper;
  return { median: (lower + upper) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Rotates the list, so that no subject always runs first. */
export function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const start = by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** The spread of each field over several measurements of the same kind. */
export function spreads<Measurement extends object>(
  measurements: readonly Measurement[],
): Record<keyof Measurement, Spread> {
  const fields = Object.keys(measurements[0] ?? {}) as (keyof Measurement)[];
  const entries = fields.map((field) => [field, spread(measurements.map((one) => Number(one[field])))]);
  return Object.fromEntries(entries);
}
