// Rows of requests on their way to the control plane: off the request path, in batches, in a bounded queue of which each
// organization has its share. Unlike usage, rows that find no room or cannot be reported are dropped, and counted.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { OccupiedShare } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import { shares } from '../shares.ts';
import { RefusalSampler } from './refusal-sampler.ts';
import type { RequestRow } from './request-row.ts';

export interface RequestLogClient {
  /**
   * @returns how many of the rows the control plane dropped; `refused` if it will never accept them. @throws an error that
   * may be temporary
   */
  report(rows: readonly RequestRow[]): Promise<{ readonly dropped: number } | 'refused'>;
}

export interface RequestLogMetrics {
  /** Requests: rows that were sampled count as those that they represent. */
  recorded(requests: number): void;
  dropped(requests: number): void;
}

export interface RequestLogDeps {
  readonly client: RequestLogClient;
  readonly metrics: RequestLogMetrics;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
}

/** The contract's limit for one report. */
export const reportMax = 1_000;
const lingerMs = 500;
const retryMsMax = 30_000;
/** A control plane that does not know rows yet is tried again after this. */
const refusedMs = 300_000;
const sampledMs = 10_000;
const closeMs = 2_000;

export class RequestLog {
  readonly #deps: RequestLogDeps;
  readonly #sampler = new RefusalSampler();
  readonly share = new OccupiedShare(shares.request_rows.bounds);
  #waiting: RequestRow[] = [];
  #reporting: Promise<void> | undefined;
  #failures = 0;
  /** Monotonic, before which nothing is reported. */
  #notBefore = 0;
  #cancelReport: (() => void) | undefined;
  #cancelSampling: (() => void) | undefined;

  constructor(deps: RequestLogDeps) {
    this.#deps = deps;
  }

  add(row: RequestRow): void {
    // A request that no provider got costs the caller nothing, so only those can be a flood.
    if (row.status >= 400 && row.attempts === 0) this.#sample(row);
    else this.#queue(row);
  }

  /** Reports what waits, at most for some seconds; what is left then is dropped. */
  async close(): Promise<void> {
    this.#endInterval();
    this.#cancelReport?.();
    this.#notBefore = Number.NEGATIVE_INFINITY;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(closeMs, resolve);
    await Promise.race([late, this.#empty()]);
    cancel();
    this.#cancelReport?.();
    this.#drop(this.#waiting);
    this.#waiting = [];
  }

  #sample(row: RequestRow): void {
    if (this.#sampler.passes(row)) this.#queue(row);
    if (this.#sampler.isFull) this.#endInterval();
    else this.#cancelSampling ??= this.#deps.timers.after(sampledMs, () => this.#endInterval());
  }

  #endInterval(): void {
    this.#cancelSampling?.();
    this.#cancelSampling = undefined;
    for (const row of this.#sampler.end()) this.#queue(row);
  }

  #queue(row: RequestRow): void {
    if (!this.share.take(ownerOf(row))) {
      this.#deps.metrics.dropped(row.represents);
      return;
    }
    const count = this.#waiting.push(row);
    if (count === 1) this.#soon(lingerMs);
    else if (count === reportMax) this.#soon(0);
  }

  #soon(delayMs: number): void {
    if (this.#reporting !== undefined) return;
    this.#cancelReport?.();
    const { clock, timers } = this.#deps;
    this.#cancelReport = timers.after(Math.max(delayMs, this.#notBefore - clock.monotonic()), () => {
      this.#reporting ??= this.#report();
      this.#deps.background('requests', this.#reporting);
    });
  }

  async #empty(): Promise<void> {
    await this.#reporting?.catch(() => undefined);
    for (let failed = false; !failed && this.#waiting.length > 0; failed = this.#failures > 0) await this.#report();
  }

  /** Never rejects: the metrics count what is dropped, and a failure is repeated later. */
  async #report(): Promise<void> {
    const { client, metrics } = this.#deps;
    const rows = this.#waiting.slice(0, reportMax);
    try {
      const response = await client.report(rows);
      this.#failures = 0;
      this.#forget(rows);
      if (response === 'refused') {
        this.#wait(refusedMs);
        this.#drop(rows, 'given');
      } else {
        metrics.recorded(requestsOf(rows) - response.dropped);
        metrics.dropped(response.dropped);
      }
    } catch {
      this.#failures++;
      this.#wait(Math.min(retryMsMax, 500 * 2 ** this.#failures));
    } finally {
      this.#reporting = undefined;
      if (this.#waiting.length > 0) this.#soon(this.#waiting.length >= reportMax ? 0 : lingerMs);
    }
  }

  #wait(ms: number): void {
    this.#notBefore = this.#deps.clock.monotonic() + ms;
  }

  #forget(rows: readonly RequestRow[]): void {
    this.#waiting = this.#waiting.slice(rows.length);
    for (const row of rows) this.share.give(ownerOf(row));
  }

  #drop(rows: readonly RequestRow[], share: 'held' | 'given' = 'held'): void {
    if (rows.length > 0) this.#deps.metrics.dropped(requestsOf(rows));
    if (share === 'held') for (const row of rows) this.share.give(ownerOf(row));
  }
}

function ownerOf({ organizationId, keyId }: RequestRow) {
  return { organization: organizationId, key: keyId };
}

function requestsOf(rows: readonly RequestRow[]): number {
  return rows.reduce((sum, { represents }) => sum + represents, 0);
}
