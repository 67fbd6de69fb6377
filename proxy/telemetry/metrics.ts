// Metrics for Prometheus. Label values come from configuration or fixed tables, never from a
// caller; docs/metrics.md lists every name.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CertificateEnds, certificateGauge, createCertificateEnds } from '../../common/certificate-ends.ts';
import { lossCounters, shareRefusedCounter, shareUsedGauge } from '../../common/shared-metrics.ts';
import { version } from '../../common/version.ts';
import type { AccessMetrics } from '../access/record-source.ts';
import type { CaptureMetrics } from '../captures/captures.ts';
import type { ErrorCode } from '../errors.ts';
import type { GuardrailMetrics } from '../guardrails/decisions.ts';
import type { ServiceMetrics } from '../guardrails/services/service-guard.ts';
import type { BackgroundResult } from '../http/background-responses.ts';
import type { RequestRecord } from '../http/exchange.ts';
import type { ReadOnMetrics } from '../http/read-on.ts';
import type { LimitMetrics } from '../ledger/rate-limits.ts';
import type { ReportMetrics } from '../report-queue.ts';
import type { ResponseCacheMetrics } from '../response-cache/response-cache.ts';
import { createShareUses, type ShareUses } from '../shares.ts';
import { backgroundResponseMetrics } from './background-metrics.ts';
import { captureMetrics } from './capture-metrics.ts';
import { type AdmissionGauges, type Gauges, observeAdmission, observeGauges } from './gauges.ts';
import { guardrailMetrics } from './guardrail-metrics.ts';
import { type HistogramOptions, type HistogramRow, TalliedHistogram } from './histogram.ts';
import { type LedgerMetrics, ledgerMetrics } from './ledger-metrics.ts';
import { createNameLabels, type NameLabels } from './name-labels.ts';
import { organizationMetrics } from './organization-metrics.ts';
import { readOnMetrics } from './read-on-metrics.ts';
import { requestRowMetrics } from './request-row-metrics.ts';
import { responseCacheMetrics } from './response-cache-metrics.ts';
import { type RoutingMetrics, routingMetrics } from './routing-metrics.ts';
import { type ShadowMetrics, shadowMetrics } from './shadow-metrics.ts';
import { type Count, createTally, type Tally } from './tally.ts';

export interface ProxyMetrics extends LedgerMetrics {
  readonly routing: RoutingMetrics;
  readonly responseCache: ResponseCacheMetrics;
  readonly access: AccessMetrics;
  readonly limits: LimitMetrics;
  readonly readOn: ReadOnMetrics;
  readonly shadows: ShadowMetrics;
  readonly requestRows: ReportMetrics;
  readonly captures: CaptureMetrics;
  readonly guardrails: GuardrailMetrics & ServiceMetrics;
  /** Certificates in use; each owner registers its own. */
  readonly certificates: CertificateEnds;
  /** Shares in use; each owner registers its own. */
  readonly shares: ShareUses;
  /** Counts one request, when its response is finished. Times are in milliseconds. */
  request(record: RequestRecord, times: RequestTimes): void;
  /** Counts usage and cost that were known only after the request was counted. */
  backgroundSettled(result: BackgroundResult, record: RequestRecord): void;
  malformed(code: ErrorCode): void;
  backgroundFailure(task: string): void;
  /** Sets the values that are read at each scrape. */
  observe(gauges: Gauges): void;
  /** Sets the admission gauges in forward mode. */
  observeAdmission(admission: AdmissionGauges): void;
  render(): Promise<{ contentType: string; body: string }>;
}

export interface RequestTimes {
  readonly total: number;
  /** From the arrival of the request to the call of the provider; undefined if no provider was called. */
  readonly overhead: number | undefined;
  readonly firstByte: number | undefined;
}

export function createMetrics(): ProxyMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  buildInfo(registry);
  const certificates = createCertificateEnds();
  new Gauge(certificateGauge(certificates.read, [registry]));
  for (const options of lossCounters([registry])) new Counter(options);
  const shares = createShareUses();
  new Gauge(shareUsedGauge(shares.read, [registry]));
  new Counter(shareRefusedCounter(shares.read, [registry]));
  const histograms: TalliedHistogram[] = [];
  const histogram = (options: HistogramOptions) => {
    const made = new TalliedHistogram(options);
    histograms.push(made);
    return made;
  };
  const tally = createTally(registry);
  const requests = requestMetrics(tally, histogram);
  const organizations = organizationMetrics(tally);
  const shadows = shadowMetrics(tally, histogram);
  const settledInBackground = backgroundResponseMetrics(tally);
  const malformed = tally({
    name: 'gateway_malformed_requests_total',
    help: 'Connections that sent no valid HTTP request, by the code of the response',
    labelNames: ['code'],
  });
  const failures = tally({
    name: 'gateway_background_failures_total',
    help: 'Background tasks that failed; the log has the cause',
    labelNames: ['task'],
  });
  return {
    access: accessMetrics(tally),
    certificates,
    shares,
    limits: limitMetrics(tally),
    routing: routingMetrics(tally),
    responseCache: responseCacheMetrics(tally),
    readOn: readOnMetrics(tally),
    shadows,
    requestRows: requestRowMetrics(tally),
    captures: captureMetrics(tally),
    guardrails: guardrailMetrics(tally, histogram),
    ...ledgerMetrics(tally, histogram),
    request: (record, times) => {
      requests.count(record, times);
      organizations.request(record);
      if (record.isCopied === true) shadows.copied(record, times);
    },
    backgroundSettled: (result, record) => {
      settledInBackground(result);
      requests.countUsage(record);
      organizations.used(record);
    },
    malformed: (code) => void malformed(code).pending++,
    backgroundFailure: (task) => void failures(task).pending++,
    observe: (gauges) => observeGauges(registry, gauges),
    observeAdmission: (admission) => observeAdmission(registry, admission),
    render: async () => {
      const tallied = histograms.map((histogram) => histogram.render());
      return { contentType: registry.contentType, body: [await registry.metrics(), ...tallied].join('\n') };
    },
  };
}

function buildInfo(registry: Registry): void {
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; its label is the version',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}

/** All counters of one kind of request. */
interface RequestRow {
  readonly requests: Count;
  /** Undefined if no provider was chosen. */
  readonly provider: ProviderRow | undefined;
}

interface ProviderRow {
  readonly attempts: Count;
  readonly inputTokens: Count;
  readonly outputTokens: Count;
  readonly cost: Count;
  readonly duration: HistogramRow;
  readonly firstToken: HistogramRow;
  readonly perToken: HistogramRow;
  readonly inputUsage: HistogramRow;
  readonly outputUsage: HistogramRow;
}

type MakeHistogram = (options: HistogramOptions) => TalliedHistogram;

interface RequestCounters {
  readonly count: ProxyMetrics['request'];
  countUsage(record: RequestRecord): void;
}

function requestMetrics(tally: Tally, histogram: MakeHistogram): RequestCounters {
  const overhead = histogram(overheadOptions).row();
  const labels = createNameLabels();
  const makeRow = requestRows(tally, histogram, labels);
  const rows = new Map<string, RequestRow>();
  const rowOf = (record: RequestRecord): RequestRow => {
    const key = `${record.route} ${record.clientFormat} ${labels.provider(record)} ${record.status} ${errorLabel(record)} ${record.canary} ${labels.model(record)}`;
    const row = rows.get(key) ?? makeRow(record);
    rows.set(key, row);
    return row;
  };
  return {
    count: (record, times) => {
      const row = rowOf(record);
      row.requests.pending++;
      if (times.overhead !== undefined) overhead.observe(times.overhead / 1000);
      if (row.provider !== undefined) observeProvider(row.provider, record, times);
    },
    countUsage: (record) => {
      const { provider } = rowOf(record);
      if (provider !== undefined) observeUsage(provider, record);
    },
  };
}

function observeProvider(row: ProviderRow, record: RequestRecord, times: RequestTimes): void {
  row.attempts.pending += record.attempts;
  // A count of tokens calls no model: in these it would look like a fast response.
  if (record.route === 'count') return;
  if (record.cache === 'hit') {
    // No provider was called.
    row.cost.pending += record.costNano;
    return;
  }
  row.duration.observe(times.total / 1000);
  const { usage } = record;
  if (record.streamed && times.firstByte !== undefined) {
    row.firstToken.observe(times.firstByte / 1000);
    const following = (usage?.completionTokens ?? 0) - 1;
    if (following > 0) row.perToken.observe((times.total - times.firstByte) / 1000 / following);
  }
  observeUsage(row, record);
}

function observeUsage(row: ProviderRow, { usage, costNano }: RequestRecord): void {
  row.cost.pending += costNano;
  if (usage === undefined) return;
  row.inputTokens.pending += usage.promptTokens;
  row.outputTokens.pending += usage.completionTokens;
  row.inputUsage.observe(usage.promptTokens);
  row.outputUsage.observe(usage.completionTokens);
}

/** Error codes of providers are not labels, because a provider can send any code. */
function errorLabel({ errorSource, errorCode = 'none' }: RequestRecord): string {
  return errorSource === 'provider' ? 'provider_error' : errorCode;
}

function requestRows(
  tally: Tally,
  histogram: MakeHistogram,
  labels: NameLabels,
): (record: RequestRecord) => RequestRow {
  const requests = tally({
    name: 'gateway_requests_total',
    help: 'Requests with a response, by route, format of the client, provider, status, code and source of the response, and whether a canary got it first (true, false; failed: another target responded)',
    labelNames: ['route', 'client_format', 'provider', 'status', 'code', 'source', 'canary'],
  });
  const attempts = tally({
    name: 'gateway_attempts_total',
    help: 'Attempts at providers',
    labelNames: ['provider'],
  });
  const tokens = tally({
    name: 'gateway_tokens_total',
    help: 'Tokens that providers reported, by provider, known model and kind',
    labelNames: ['provider', 'model', 'kind'],
  });
  const cost = tally({
    name: 'gateway_cost_nano_usd_total',
    inUsd: 'gateway_cost_usd_total',
    help: 'Cost of settled requests in nano-dollars, by provider and known model',
    labelNames: ['provider', 'model'],
  });
  const duration = histogram(durationOptions);
  const firstToken = histogram(firstTokenOptions);
  const perToken = histogram(perTokenOptions);
  const usage = histogram(usageOptions);
  const providerRow = (provider: string, record: RequestRecord): ProviderRow => ({
    attempts: attempts(provider),
    inputTokens: tokens(provider, labels.model(record), 'input'),
    outputTokens: tokens(provider, labels.model(record), 'output'),
    cost: cost(provider, labels.model(record)),
    duration: duration.row(provider, record.errorSource ?? 'none', record.canary),
    firstToken: firstToken.row(provider, record.canary),
    perToken: perToken.row(provider),
    inputUsage: usage.row(provider, 'input'),
    outputUsage: usage.row(provider, 'output'),
  });
  return (record) => {
    const { route, clientFormat = 'none', status, errorSource = 'none' } = record;
    const provider = labels.provider(record);
    return {
      requests: requests(
        ...[route, clientFormat, provider ?? 'none', String(status), errorLabel(record), errorSource, record.canary],
      ),
      provider: provider === undefined ? undefined : providerRow(provider, record),
    };
  };
}

const overheadOptions: HistogramOptions = {
  name: 'gateway_overhead_seconds',
  help: 'From the arrival of a request to the call of the provider: reading the body and every check',
  buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
  labelNames: [],
};

// Names and buckets of the OpenTelemetry semantic conventions for generative AI, in Prometheus spelling.
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const durationOptions: HistogramOptions = {
  name: 'gen_ai_server_request_duration_seconds',
  help: 'From the first byte of a request to the last of its response',
  buckets: durationBuckets,
  labelNames: ['gen_ai_provider_name', 'error_type', 'canary'],
};

const firstTokenOptions: HistogramOptions = {
  name: 'gen_ai_server_time_to_first_token_seconds',
  help: 'From the first byte of a request to the first byte of a streamed response',
  buckets: durationBuckets,
  labelNames: ['gen_ai_provider_name', 'canary'],
};

const perTokenOptions: HistogramOptions = {
  name: 'gen_ai_server_time_per_output_token_seconds',
  help: 'Time per output token after the first of a streamed response',
  buckets: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  labelNames: ['gen_ai_provider_name'],
};

const usageOptions: HistogramOptions = {
  name: 'gen_ai_client_token_usage',
  help: 'Tokens of one request',
  buckets: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576],
  labelNames: ['gen_ai_provider_name', 'gen_ai_token_type'],
};

function accessMetrics(tally: Tally): AccessMetrics {
  const lookups = tally({
    name: 'gateway_key_lookups_total',
    help: 'Key look-ups by the tier that served them',
    labelNames: ['tier'],
  });
  const ignored = tally({
    name: 'gateway_access_cache_ignored_total',
    help: 'Records in Redis that were ignored, by reason',
    labelNames: ['reason'],
  });
  const failed = tally({
    name: 'gateway_access_cache_failures_total',
    help: 'Redis commands of the record cache that failed or took too long',
    labelNames: ['operation'],
  });
  return {
    lookup: (tier) => void lookups(tier).pending++,
    cacheIgnored: (reason) => void ignored(reason).pending++,
    cacheFailed: (operation) => void failed(operation).pending++,
  };
}

function limitMetrics(tally: Tally): LimitMetrics {
  const refusals = tally({
    name: 'gateway_rate_limit_refusals_total',
    help: 'Requests that a limit on rates refused, by its level and kind',
    labelNames: ['level', 'kind'],
  });
  const local = tally({
    name: 'gateway_rate_limit_local_total',
    help: 'Requests whose rates this proxy counted alone, because Redis does not respond or is not set',
    labelNames: [],
  })();
  const leased = tally({
    name: 'gateway_rate_limit_leased_total',
    help: 'Requests whose rates this proxy decided without a call to Redis: it had leased a part of their limits, or found one full a moment ago',
    labelNames: [],
  })();
  return {
    refused: (level, kind) => void refusals(level, kind).pending++,
    countedLocally: () => void local.pending++,
    decidedByLeases: () => void leased.pending++,
  };
}
