// Metrics of a scrape: names, types, the labels of their samples.

export interface ScrapedMetric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Labels of all its samples; empty while it has no sample. */
  readonly labels: ReadonlySet<string>;
  readonly hasSamples: boolean;
}

/** @returns metrics by the names in expressions: for a histogram those of its buckets, sum and count */
export function readExposition(text: string): ReadonlyMap<string, ScrapedMetric> {
  const found = new Map<string, { type: ScrapedMetric['type']; labels: Set<string>; hasSamples: boolean }>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (type !== 'counter' && type !== 'gauge' && type !== 'histogram') continue;
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name];
    for (const each of names) found.set(each, { type, labels: new Set(), hasSamples: false });
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_A-Z0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const metric = found.get(name);
    if (metric === undefined) continue;
    metric.hasSamples = true;
    for (const [, label = ''] of labels.matchAll(/([a-zA-Z_]+)="(?:[^"\\]|\\.)*"/g)) metric.labels.add(label);
  }
  return found;
}
