// Measured figures of a test, printed in one line.

/** The value below which this part of the values lies, by nearest rank. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/** Prints milliseconds as "what: 12 ms" or "what: n 300, p50 12 ms, p99 40 ms, max 55 ms". */
export function log(what: string, ms: number | readonly number[]): void {
  const text = typeof ms === 'number' ? `${rounded(ms)} ms` : distribution(ms);
  console.log(`${what}: ${text}`);
}

function distribution(values: readonly number[]): string {
  const figures = { p50: percentile(values, 0.5), p99: percentile(values, 0.99), max: Math.max(...values) };
  const text = Object.entries(figures).map(([name, value]) => `${name} ${rounded(value)} ms`);
  return `n ${values.length}, ${text.join(', ')}`;
}

function rounded(ms: number): number {
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms);
}
