// The types of alerts and recorded series in this folder's tables.

export interface AlertGroup {
  readonly name: string;
  /** The evaluation interval, if not Prometheus' default. */
  readonly interval?: string;
  /** Evaluated before the alerts, which compare these series over a week or read them several times. */
  readonly recorded?: readonly Recorded[];
  readonly alerts: readonly Alert[];
}

export interface Alert {
  readonly name: string;
  /**
   * critical: callers or accounts are affected now; warning: they will be, or a part of them is; info: for a working
   * day.
   */
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long the expression must be true. */
  readonly for: string;
  readonly expr: string;
  readonly summary: string;
  readonly description: string;
  /** The section of docs/runbook.md. */
  readonly runbook: string;
}

export interface Recorded {
  readonly name: string;
  readonly expr: string;
}
