// Metrics for Prometheus (the only prom-client). Label values come from configuration or fixed tables, never from a caller;
// docs/metrics.md lists every name.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AccessMetrics } from '../access/record-source.ts';
import type { ErrorCode } from '../errors.ts';
import type { RequestRecord } from '../http/exchange.ts';

export interface Gauges {
  inFlight(): number;
  bufferedBytes(): number;
  /** Undefined while the feed has never answered. */
  feedAgeMs(): number | undefined;
}

export interface ProxyMetrics {
  readonly access: AccessMetrics;
  /** One request, when its response is finished. Times in milliseconds. */
  request(record: RequestRecord, times: RequestTimes): void;
  malformed(code: ErrorCode): void;
  backgroundFailure(task: string): void;
  /** What is read at each scrape. */
  observe(gauges: Gauges): void;
  render(): Promise<{ contentType: string; body: string }>;
}

export interface RequestTimes {
  readonly total: number;
  /** From the arrival of the request to the call of the provider; undefined where none was called. */
  readonly overhead: number | undefined;
  readonly firstByte: number | undefined;
}

const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];
const outputTokenBuckets = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const tokenBuckets = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];

export function createMetrics(): ProxyMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = requestMetrics(registry);
  const malformed = tally(registry, {
    name: 'gateway_malformed_requests_total',
    help: 'Connections that sent no valid HTTP request, by the code they were answered',
    labelNames: ['code'],
  });
  const failures = tally(registry, {
    name: 'gateway_background_failures_total',
    help: 'Background tasks that failed; the log has the cause',
    labelNames: ['task'],
  });
  return {
    access: accessMetrics(registry),
    request: requests,
    malformed: (code) => malformed(1, code),
    backgroundFailure: (task) => failures(1, task),
    observe: (gauges) => observeGauges(registry, gauges),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/**
 * A counter that is counted in plain numbers and handed to the library at each scrape: its own `inc` checks and hashes the
 * labels every time.
 */
function tally(registry: Registry, options: TallyOptions): (amount: number, ...labels: string[]) => void {
  const rows = new Map<string, { readonly labels: string[]; pending: number }>();
  new Counter({
    ...options,
    registers: [registry],
    collect() {
      for (const row of rows.values()) {
        this.labels(...row.labels).inc(row.pending);
        row.pending = 0;
      }
    },
  });
  return (amount, ...labels) => {
    const key = labels.join(' ');
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { labels, pending: amount });
    else row.pending += amount;
  };
}

/** Children of a histogram by their label values, each made once. */
function bound<Child>(bind: (...values: string[]) => Child): (...values: string[]) => Child {
  const children = new Map<string, Child>();
  return (...values) => {
    const key = values.join(' ');
    const child = children.get(key) ?? bind(...values);
    children.set(key, child);
    return child;
  };
}

function requestMetrics(registry: Registry): ProxyMetrics['request'] {
  const count = tally(registry, {
    name: 'gateway_requests_total',
    help: 'Requests answered, by route, provider, status, code and who spoke',
    labelNames: ['route', 'provider', 'status', 'code', 'source'],
  });
  const countAttempts = tally(registry, {
    name: 'gateway_attempts_total',
    help: 'Attempts at providers',
    labelNames: ['provider'],
  });
  const countTokens = tally(registry, {
    name: 'gateway_tokens_total',
    help: 'Tokens that providers reported, by provider, catalog model and kind',
    labelNames: ['provider', 'model', 'kind'],
  });
  const overhead = new Histogram({
    name: 'gateway_overhead_seconds',
    help: 'From the arrival of a request to the call of the provider: reading the body and every check',
    buckets: overheadBuckets,
    registers: [registry],
  });
  const observeGenAi = genAiMetrics(registry);
  return (record, times) => {
    const { usage, provider = 'none', errorSource = 'none' } = record;
    const code = errorSource === 'provider' ? 'provider_error' : (record.errorCode ?? 'none');
    count(1, record.route, provider, String(record.status), code, errorSource);
    if (record.attempts > 0) countAttempts(record.attempts, provider);
    if (times.overhead !== undefined) overhead.observe(times.overhead / 1000);
    if (usage !== undefined) {
      const model = record.modelKnown ? (record.model ?? 'other') : 'other';
      countTokens(usage.promptTokens, provider, model, 'input');
      countTokens(usage.completionTokens, provider, model, 'output');
    }
    if (record.provider !== undefined) observeGenAi(record, times, record.provider);
  };
}

/** Names of the OpenTelemetry semantic conventions for generative AI, as Prometheus writes them. */
function genAiMetrics(registry: Registry) {
  const registers = [registry];
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const duration = histogram(
    'gen_ai_server_request_duration_seconds',
    'From the first byte of a request to the last of its answer',
    durationBuckets,
    ['gen_ai_provider_name', 'error_type'],
  );
  const firstToken = histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'From the first byte of a request to the first byte of a streamed answer',
    durationBuckets,
    ['gen_ai_provider_name'],
  );
  const perToken = histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Time per output token after the first of a streamed answer',
    outputTokenBuckets,
    ['gen_ai_provider_name'],
  );
  const usage = histogram('gen_ai_client_token_usage', 'Tokens of one request', tokenBuckets, [
    'gen_ai_provider_name',
    'gen_ai_token_type',
  ]);
  const durationOf = bound((...values) => duration.labels(...values));
  const firstTokenOf = bound((...values) => firstToken.labels(...values));
  const perTokenOf = bound((...values) => perToken.labels(...values));
  const usageOf = bound((...values) => usage.labels(...values));
  return (record: RequestRecord, times: RequestTimes, provider: string) => {
    durationOf(provider, record.errorSource ?? 'none').observe(times.total / 1000);
    if (record.streamed && times.firstByte !== undefined) {
      firstTokenOf(provider).observe(times.firstByte / 1000);
      const following = (record.usage?.completionTokens ?? 0) - 1;
      if (following > 0) perTokenOf(provider).observe((times.total - times.firstByte) / 1000 / following);
    }
    if (record.usage === undefined) return;
    usageOf(provider, 'input').observe(record.usage.promptTokens);
    usageOf(provider, 'output').observe(record.usage.completionTokens);
  };
}

function accessMetrics(registry: Registry): AccessMetrics {
  const lookups = tally(registry, {
    name: 'gateway_key_lookups_total',
    help: 'Key look-ups by the tier that answered',
    labelNames: ['tier'],
  });
  const ignored = tally(registry, {
    name: 'gateway_access_cache_ignored_total',
    help: 'Records in Redis that were not believed, by reason',
    labelNames: ['reason'],
  });
  const failed = tally(registry, {
    name: 'gateway_access_cache_failures_total',
    help: 'Redis commands of the record cache that failed or took too long',
    labelNames: ['operation'],
  });
  return {
    lookup: (tier) => lookups(1, tier),
    cacheIgnored: (reason) => ignored(1, reason),
    cacheFailed: (operation) => failed(1, operation),
  };
}

function observeGauges(registry: Registry, gauges: Gauges): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('gateway_in_flight_requests', 'Admitted requests that are not finished', () => gauges.inFlight());
  gauge('gateway_buffered_bytes', 'Bytes of requests and answers held in memory', () =>
    gauges.bufferedBytes(),
  );
  gauge(
    'gateway_feed_age_seconds',
    'Since the change feed last confirmed what is known; NaN before it ever did',
    () => {
      const age = gauges.feedAgeMs();
      return age === undefined ? Number.NaN : age / 1000;
    },
  );
}
