// The interface of counters: a name with labels, and one count for each set of label values.

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
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
