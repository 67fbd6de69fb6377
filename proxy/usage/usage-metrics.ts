// What the usage queue tells of itself.

export interface UsageMetrics {
  /** Recorded by the control plane, from this proxy's memory. */
  reported(events: number): void;
  /** Put where they wait for the control plane. */
  overflowed(events: number): void;
  /** Recorded by the control plane, from where they waited; of any proxy. */
  drained(events: number): void;
  /** Never to be recorded; the log has them. */
  lost(events: number): void;
  /** An entry stays where it waits: it does not open here, or the control plane does not take it from this proxy. */
  skipped(reason: SkipReason): void;
}

export const skipReasons = ['unreadable', 'refused', 'denied'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Read at each scrape. */
export interface UsageGauges {
  /** Events in memory that nobody has acknowledged. */
  readonly events: number;
  /** What they take, by estimate. */
  readonly bytes: number;
  /** Milliseconds for which the oldest of them has waited; 0 without one. */
  readonly oldestMs: number;
  /** Milliseconds since the oldest event was acknowledged that could be reported again; 0 without one. */
  readonly keptMs: number;
}
