// Counters: a name with labels, and one count for each set of label values.
import { Counter, type Registry } from 'prom-client';
import { nanoPerUsd } from '../../common/money.ts';

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  /** The count is in nano-dollars. The same count in dollars, the base unit, is a counter of this name. */
  readonly inUsd?: string;
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
  return ({ inUsd, ...options }) => counter(registry, inUsd, options);
}

function counter(
  registry: Registry,
  inUsd: string | undefined,
  options: Omit<TallyOptions, 'inUsd'>,
): ReturnType<Tally> {
  const rows = new Map<string, Count & { total: number }>();
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
  if (inUsd !== undefined)
    new Counter({
      ...{ name: inUsd, help: inDollars(options.help), labelNames: options.labelNames, registers },
      // After the counter above, which is registered first. From the total: a sum of fractions would drift.
      collect() {
        this.reset();
        for (const { labels, total } of rows.values()) this.labels(...labels).inc(total / nanoPerUsd);
      },
    });
  return (...labels) => {
    const key = labels.join(' ');
    const row = rows.get(key) ?? { labels, pending: 0, total: 0 };
    rows.set(key, row);
    return row;
  };
}

/** @param help of a series in nano-dollars. @returns that of the same series in dollars */
export function inDollars(help: string): string {
  return help.replace('nano-dollars', 'dollars').replace('Nano-dollars', 'Dollars');
}

/** @returns the help of a series that the next release drops for the one of this name */
export function replacedBy(help: string, name: string): string {
  return `${help}. Deprecated, use ${name}: this series goes with the next release`;
}
