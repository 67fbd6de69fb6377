// Where a reader is on the change feed.

/**
 * A position on the change feed. Positions of different epochs can only be compared by the lineage of the present one.
 */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}
