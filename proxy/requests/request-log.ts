// Rows of requests on their way to the control plane. Floods of equal refusals are sampled.
import { OccupiedShare } from '../../common/shares.ts';
import { type ReportClient, ReportQueue, type ReportQueueDeps } from '../report-queue.ts';
import { shares } from '../shares.ts';
import { RefusalSampler } from './refusal-sampler.ts';
import type { RequestRow } from './request-row.ts';

/** Counts are of requests: rows that were sampled count as those that they represent. */
export type RequestLogClient = ReportClient<RequestRow>;

export type RequestLogDeps = ReportQueueDeps<RequestRow>;

/** The contract's limit for one report. */
export const reportMax = 1_000;
const sampledMs = 10_000;

export class RequestLog {
  readonly share = new OccupiedShare(shares.request_rows.bounds);
  readonly #timers: RequestLogDeps['timers'];
  readonly #sampler = new RefusalSampler();
  readonly #queue: ReportQueue<RequestRow>;
  #cancelSampling: (() => void) | undefined;

  constructor(deps: RequestLogDeps) {
    this.#timers = deps.timers;
    this.#queue = new ReportQueue(deps, {
      ...{ task: 'requests', share: this.share, reportMax },
      ownerOf: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
      sizeOf: () => 1,
      countOf: ({ represents }) => represents,
      firstOf: (waiting) => waiting.slice(0, reportMax),
    });
  }

  add(row: RequestRow): void {
    // A request that no provider got costs the caller nothing, so only those can be a flood.
    if (row.status >= 400 && row.attempts === 0) this.#sample(row);
    else this.#queue.add(row);
  }

  /** Reports what waits, at most for some seconds; what is left then is dropped. */
  close(): Promise<void> {
    this.#endInterval();
    return this.#queue.close();
  }

  #sample(row: RequestRow): void {
    if (this.#sampler.passes(row)) this.#queue.add(row);
    if (this.#sampler.isFull) this.#endInterval();
    else this.#cancelSampling ??= this.#timers.after(sampledMs, () => this.#endInterval());
  }

  #endInterval(): void {
    this.#cancelSampling?.();
    this.#cancelSampling = undefined;
    for (const row of this.#sampler.end()) this.#queue.add(row);
  }
}
