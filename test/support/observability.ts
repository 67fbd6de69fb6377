// What dashboards and rules may ask for: what the programs' scrapes tell, with the labels that Prometheus puts on every target;
// series that rules record; and the few metrics of others.
import { recorded } from '../../scripts/observability/alerts/index.ts';
import { readExposition, type ScrapedMetric } from './exposition.ts';
import { valuesOf } from './label-values.ts';
import { type Known, type KnownMetric, lookAt } from './promql.ts';

/** Of a target that a ServiceMonitor or PodMonitor has found. */
export const targetLabels = ['namespace', 'job', 'pod', 'container', 'instance'] as const;

/** Of Prometheus itself and kube-state-metrics. */
const foreign: ReadonlyMap<string, KnownMetric> = new Map(
  Object.entries({
    up: [],
    kube_pod_container_resource_limits: ['resource', 'unit', 'node'],
    kube_pod_init_container_resource_limits: ['resource', 'unit', 'node'],
  }).map(([name, labels]) => [name, { type: 'gauge', labels: new Set([...targetLabels, ...labels]) }]),
);

export type Scrape = ReadonlyMap<string, ScrapedMetric>;

/** Of several programs: a metric has the labels that it has in any. */
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

/** @param scrape what there is; nothing that it does not have is known, but for what is recorded of it */
export function knownFrom(scrape: Scrape): Known {
  const own = new Map<string, KnownMetric>();
  for (const [name, { type, labels }] of scrape)
    own.set(name, { type, labels: new Set([...labels, ...targetLabels]) });
  const known: Known = { metric: (name) => own.get(name) ?? foreign.get(name), values: valuesOf };
  for (const { name, expr } of recorded)
    own.set(name, { type: 'gauge', labels: lookAt(expr, known).labels ?? new Set() });
  return known;
}
