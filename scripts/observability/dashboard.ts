// What a dashboard is in the tables of dashboards/: rows of panels, each with what it shows and how to read it. In expressions
// `$scope` stands for the namespaces, jobs and pods that were chosen on the page.

export interface Dashboard {
  /** Of the file, and of the page's address in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A gauge that every process has that the page is about: namespaces, jobs and pods are chosen among those that have it. */
  readonly about: string;
  /** Further choices, by the metric and label that have their values. */
  readonly choices?: readonly Choice[];
  readonly rows: readonly Row[];
}

export interface Choice {
  /** `$name` in expressions. */
  readonly name: string;
  readonly metric: string;
  readonly label: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly kind: 'timeseries' | 'stat' | 'bars';
  readonly title: string;
  /** What it counts, and what to do about it. */
  readonly description: string;
  /** Of Grafana: reqps, s, percentunit … */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Of 24. Default: 8, stats 4. */
  readonly width?: number;
  /** From where it is yellow, from where red; falling where less is worse. */
  readonly thresholds?: readonly [warning: number, critical: number];
  readonly stacked?: boolean;
  readonly max?: number;
}

export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** The labels that every target of the monitors has, and that `$scope` chooses by. */
export const scopeLabels = ['namespace', 'job', 'pod'] as const;
