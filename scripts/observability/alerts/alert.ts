// What an alert and a recorded series are in the tables beside this file.

export interface AlertGroup {
  readonly name: string;
  /** How often it is evaluated, where that is not Prometheus' own pace. */
  readonly interval?: string;
  /** Evaluated before the alerts, which compare them over a week, or read them several times. */
  readonly recorded?: readonly Recorded[];
  readonly alerts: readonly Alert[];
}

export interface Alert {
  readonly name: string;
  /** critical: callers or accounts suffer now; warning: they will, or a part of them does; info: worth knowing on a working day. */
  readonly severity: 'critical' | 'warning' | 'info';
  /** How long it has to hold. */
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
