// What counters are asked by: a name with labels, and one count for each set of their values.

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Counted in plain numbers and handed to the library at each scrape: its own `inc` checks and hashes labels every time. */
export interface Count {
  readonly labels: readonly string[];
  pending: number;
}

/** Makes a counter. @returns the count of one set of label values, made once; whoever counts often keeps it */
export type Tally = (options: TallyOptions) => (...labels: string[]) => Count;
