// Metrics of copies of requests that routes send to other models, beside those of the copied requests themselves.
import type { RequestRecord } from '../http/exchange.ts';
import { type NotSent, notSent, shadowEndings } from '../http/shadow-results.ts';
import type { EndedShadow } from '../http/shadows.ts';
import type { HistogramOptions, TalliedHistogram } from './histogram.ts';
import { createNameLabels } from './name-labels.ts';
import type { Tally } from './tally.ts';

export interface ShadowMetrics {
  notSent(reason: NotSent): void;
  ended(ended: EndedShadow): void;
  /** A caller's request that was copied, when its response is finished. Times are in milliseconds. */
  copied(record: RequestRecord, times: CopiedTimes): void;
}

/** Since the request arrived. */
interface CopiedTimes {
  readonly total: number;
  /** Until it was sent. */
  readonly overhead: number | undefined;
  readonly firstByte: number | undefined;
}

const buckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const labelNames = ['request', 'provider', 'model'];

const durationOptions: HistogramOptions = {
  name: 'gateway_shadow_duration_seconds',
  help: 'From the sending of a request to the end of its response, by provider and known model, for copies of requests (shadow) and for the requests that were copied (caller)',
  ...{ buckets, labelNames },
};

const firstTokenOptions: HistogramOptions = {
  name: 'gateway_shadow_first_token_seconds',
  help: 'The same to the first token of a stream',
  ...{ buckets, labelNames },
};

export function shadowMetrics(tally: Tally, histogram: (options: HistogramOptions) => TalliedHistogram): ShadowMetrics {
  const results = tally({
    name: 'gateway_shadow_requests_total',
    help: 'Copies of requests that routes send to other models, by outcome: responded, failed, timed_out, shutdown; or not sent: no budget is for them (no_budget), too little money in it (no_money), the model has no price (no_price), too many (no_room), the key may not call the model (not_allowed), no such model or key (no_target), an operator has stopped the model (stopped), the request uses tools or state of a vendor (unfit)',
    labelNames: ['result'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  for (const result of [...shadowEndings, ...notSent]) results(result);
  const labels = createNameLabels();
  const duration = histogram(durationOptions);
  const firstToken = histogram(firstTokenOptions);
  const observe = (request: 'caller' | 'shadow', named: Parameters<typeof labels.model>[0], times: Sent) => {
    const row = [request, labels.provider(named) ?? 'none', labels.model(named)] as const;
    duration.row(...row).observe(times.totalMs / 1000);
    if (times.firstTokenMs !== undefined) firstToken.row(...row).observe(times.firstTokenMs / 1000);
  };
  return {
    notSent: (reason) => void results(reason).pending++,
    ended: ({ ending, call: { provider, catalogModel }, outcome: { latencyMs, firstTokenMs } }) => {
      results(ending).pending++;
      if (ending !== 'responded') return;
      const named = { provider: provider.name, catalogName: catalogModel?.name };
      observe('shadow', named, { totalMs: latencyMs, firstTokenMs });
    },
    copied: (record, { total, overhead = 0, firstByte }) => {
      if (record.status !== 200) return;
      const firstTokenMs = record.streamed && firstByte !== undefined ? firstByte - overhead : undefined;
      observe('caller', record, { totalMs: total - overhead, firstTokenMs });
    },
  };
}

/** Since the request was sent. */
interface Sent {
  readonly totalMs: number;
  readonly firstTokenMs: number | undefined;
}
