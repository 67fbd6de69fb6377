// Metrics that dashboards and rules may query: those of the programs' scrapes, with the labels that Prometheus adds to
// every target; recorded series; and the few metrics of other exporters.
import { recorded } from '../../scripts/observability/alerts/index.ts';
import { readExposition, type ScrapedMetric } from './exposition.ts';
import { valuesOf } from './label-values.ts';
import { type Known, type KnownMetric, lookAt } from './promql.ts';

/** Labels of a target that a ServiceMonitor or PodMonitor has found. */
export const targetLabels = ['namespace', 'job', 'pod', 'container', 'instance'] as const;

/** Metrics of Prometheus itself and kube-state-metrics. */
const foreign: ReadonlyMap<string, KnownMetric> = new Map(
  Object.entries({
    up: [],
    kube_pod_container_resource_limits: ['resource', 'unit', 'node'],
    kube_pod_init_container_resource_limits: ['resource', 'unit', 'node'],
  }).map(([name, labels]) => [name, { type: 'gauge', labels: new Set([...targetLabels, ...labels]) }]),
);

export type Scrape = ReadonlyMap<string, ScrapedMetric>;

/** Merges the scrapes of several programs: a metric has the labels that it has in any. */
export function merged(texts: readonly string[]): Scrape {
  const metrics = new Map<string, ScrapedMetric>();
  for (const [name, metric] of texts.flatMap((text) => [...readExposition(text)])) {
    const before = metrics.get(name);
    metrics.set(name, {
      type: metric.type,
      labels: new Set([...(before?.labels ?? []), ...metric.labels]),
      hasSamples: before?.hasSamples === true || metric.hasSamples,
    });
  }
  return metrics;
}

/** @param scrape the known metrics, to which recorded series are added */
export function knownFrom(scrape: Scrape): Known {
  const own = new Map<string, KnownMetric>();
  for (const [name, { type, labels }] of scrape) own.set(name, { type, labels: new Set([...labels, ...targetLabels]) });
  const known: Known = { metric: (name) => own.get(name) ?? foreign.get(name), values: valuesOf };
  for (const { name, expr } of recorded)
    own.set(name, { type: 'gauge', labels: lookAt(expr, known).labels ?? new Set() });
  return known;
}
