// The types of dashboards in the tables of dashboards/: rows of panels, each with its queries and how to read them. In
// expressions, `$scope` is replaced by the namespaces, jobs and pods that the viewer has chosen.

export interface Dashboard {
  /** Name of the file, and of the page in Grafana's address. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /**
   * A gauge of every process that the page is about. The viewer chooses among the namespaces, jobs and pods that have
   * it.
   */
  readonly about: string;
  /** Further choices, by the metric and label with their values. */
  readonly choices?: readonly Choice[];
  readonly rows: readonly Row[];
}

export interface Choice {
  /** `$name` in expressions. */
  readonly name: string;
  readonly metric: string;
  readonly label: string;
  /** The label that the viewer sees in place of the value. */
  readonly text?: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly kind: 'timeseries' | 'stat' | 'bars';
  readonly title: string;
  /** The meaning of the value, and the remedy. */
  readonly description: string;
  /** Grafana's unit: reqps, s, percentunit … */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Of 24 columns. Default: 8, for stats 4. */
  readonly width?: number;
  /** Values from which it is yellow and red; falling values if less is worse. */
  readonly thresholds?: readonly [warning: number, critical: number];
  readonly stacked?: boolean;
  readonly max?: number;
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** The labels that every target of the monitors has, and by which `$scope` selects. */
export const scopeLabels = ['namespace', 'job', 'pod'] as const;
