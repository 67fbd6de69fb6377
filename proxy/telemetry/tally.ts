// Counters: a name with labels, and one count for each set of label values.
import { Counter, type Registry } from 'prom-client';
import { nanoPerUsd } from '../../common/money.ts';

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  /** The count is in nano-dollars. The same count in dollars, the base unit, is a counter of this name. */
  readonly inUsd?: string;
  /** What is counted in a counter of dollars. */
  readonly unit?: 'nano-dollars';
}

/**
 * Counts in plain numbers and passes them to the library at each scrape: its own `inc` checks and hashes labels every
 * time.
 */
export interface Count {
  readonly labels: readonly string[];
  pending: number;
}

/** Creates a counter. @returns the count of one set of label values, created once; frequent callers keep it */
export type Tally = (options: TallyOptions) => (...labels: string[]) => Count;

export function createTally(registry: Registry): Tally {
  return ({ inUsd, unit, ...options }) => {
    if (unit === undefined) return counter(registry, inUsd, options);
    const rows: Rows = new Map();
    dollarCounter(registry, options, rows);
    return countIn(rows);
  };
}

/** By label values. */
type Rows = Map<string, Count & { total: number }>;

function countIn(rows: Rows): ReturnType<Tally> {
  return (...labels) => {
    const key = labels.join(' ');
    const row = rows.get(key) ?? { labels, pending: 0, total: 0 };
    rows.set(key, row);
    return row;
  };
}

/** From totals in nano-dollars: a sum of fractions would drift. */
function dollarCounter(registry: Registry, options: Omit<TallyOptions, 'inUsd' | 'unit'>, rows: Rows): void {
  new Counter({
    ...options,
    registers: [registry],
    collect() {
      this.reset();
      for (const row of rows.values()) {
        row.total += row.pending;
        row.pending = 0;
        this.labels(...row.labels).inc(row.total / nanoPerUsd);
      }
    },
  });
}

function counter(
  registry: Registry,
  inUsd: string | undefined,
  options: Omit<TallyOptions, 'inUsd' | 'unit'>,
): ReturnType<Tally> {
  const rows: Rows = new Map();
  const registers = [registry];
  new Counter({
    ...options,
    ...(inUsd !== undefined && { help: replacedBy(options.help, inUsd) }),
    registers,
    collect() {
      for (const row of rows.values()) {
        this.labels(...row.labels).inc(row.pending);
        row.total += row.pending;
        row.pending = 0;
      }
    },
  });
  // After the counter above, which is registered first.
  if (inUsd !== undefined) dollarCounter(registry, { ...options, name: inUsd, help: inDollars(options.help) }, rows);
  return countIn(rows);
}

/** @param help of a series in nano-dollars. @returns that of the same series in dollars */
export function inDollars(help: string): string {
  return help.replace('nano-dollars', 'dollars').replace('Nano-dollars', 'Dollars');
}

/** @returns the help of a series that the next release drops for the one of this name */
export function replacedBy(help: string, name: string): string {
  return `${help}. Deprecated, use ${name}: this series goes with the next release`;
}
