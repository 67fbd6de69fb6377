// Histograms that count in plain numbers and are written at each scrape, in the Prometheus text format. The library's
// own `observe` checks and hashes its labels every time, which costs more than a request's authentication.

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. The unbounded bucket is added. */
  readonly buckets: readonly number[];
  readonly labelNames: readonly string[];
}

/** The observations with one set of label values. */
export class HistogramRow {
  readonly labels: readonly string[];
  readonly #bounds: readonly number[];
  /** One count for each bound, and one for all values above. */
  readonly counts: number[];
  sum = 0;

  constructor(labels: readonly string[], bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

export class TalliedHistogram {
  readonly #options: HistogramOptions;
  readonly #rows = new Map<string, HistogramRow>();

  constructor(options: HistogramOptions) {
    this.#options = options;
  }

  /** Creates one row for each set of label values. Frequent observers keep the row. */
  row(...labels: string[]): HistogramRow {
    const key = labels.join(' ');
    const row = this.#rows.get(key) ?? new HistogramRow(labels, this.#options.buckets);
    this.#rows.set(key, row);
    return row;
  }

  /** The text for a scrape. */
  render(): string {
    const { name, help } = this.#options;
    const rows = [...this.#rows.values()].flatMap((row) => this.#lines(row));
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...rows, ''].join('\n');
  }

  #lines({ labels, counts, sum }: HistogramRow): string[] {
    const { name, buckets, labelNames } = this.#options;
    const pairs = labelNames.map((label, i) => `${label}="${escaped(labels[i] ?? '')}"`);
    const withLabels = (more: readonly string[]) => {
      const all = [...pairs, ...more];
      return all.length === 0 ? '' : `{${all.join(',')}}`;
    };
    let total = 0;
    const lines = counts.map((count, i) => {
      total += count;
      return `${name}_bucket${withLabels([`le="${buckets[i] ?? '+Inf'}"`])} ${total}`;
    });
    return [...lines, `${name}_sum${withLabels([])} ${sum}`, `${name}_count${withLabels([])} ${total}`];
  }
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
