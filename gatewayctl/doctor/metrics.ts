// Parses the metrics of a program from its admin listener. Pure.

export interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The sum of all series with this name; undefined if there is none. */
export function total(metrics: readonly Metric[], name: string): number | undefined {
  const values = metrics.filter((metric) => metric.name === name).map(({ value }) => value);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value);
}

/** Parses the Prometheus text as far as numbers and plain labels: github.com/prometheus/docs, exposition formats. */
export function readMetrics(text: string): Metric[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) return [];
    const [, name = '', labels = '', value = ''] = match;
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: numberOf(value) }];
  });
}

function numberOf(text: string): number {
  if (text === 'Nan' || text === 'NaN') return Number.NaN;
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
}
