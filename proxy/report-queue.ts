// Items on their way to the control plane: off the request path, in batches, in a bounded queue of which each organization
// has its share. Unlike usage, items that find no room or cannot be reported are dropped, and counted.
import type { Background } from '../common/background.ts';
import type { Clock } from '../common/clock.ts';
import type { OccupiedShare, ShareOwner } from '../common/shares.ts';
import type { Timers } from '../common/timers.ts';

export interface ReportClient<Item> {
  /**
   * @returns how many of the items the control plane dropped, as `countOf` counts them; `refused` if it will never accept
   * them. @throws an error that may be temporary
   */
  report(items: readonly Item[]): Promise<{ readonly dropped: number } | 'refused'>;
}

export interface ReportMetrics {
  recorded(count: number): void;
  dropped(count: number): void;
}

export interface ReportQueueDeps<Item> {
  readonly client: ReportClient<Item>;
  readonly metrics: ReportMetrics;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
}

/** What distinguishes one kind of items from others. */
export interface ReportKind<Item> {
  /** In the log of failures. */
  readonly task: string;
  readonly share: OccupiedShare;
  /** As many items leave at once. */
  readonly reportMax: number;
  ownerOf(item: Item): ShareOwner;
  /** Of the share. */
  sizeOf(item: Item): number;
  /** For the metrics. */
  countOf(item: Item): number;
  /** The items of one report. */
  firstOf(waiting: readonly Item[]): readonly Item[];
}

const lingerMs = 500;
const retryMsMax = 30_000;
/** A control plane that does not know such items yet is tried again after this. */
const refusedMs = 300_000;
const closeMs = 2_000;

export class ReportQueue<Item> {
  readonly #deps: ReportQueueDeps<Item>;
  readonly #kind: ReportKind<Item>;
  #waiting: Item[] = [];
  #reporting: Promise<void> | undefined;
  #failures = 0;
  /** Monotonic, before which nothing is reported. */
  #notBefore = 0;
  #cancelReport: (() => void) | undefined;

  constructor(deps: ReportQueueDeps<Item>, kind: ReportKind<Item>) {
    this.#deps = deps;
    this.#kind = kind;
  }

  add(item: Item): void {
    const { share, reportMax, ownerOf, sizeOf, countOf } = this.#kind;
    if (!share.take(ownerOf(item), sizeOf(item))) {
      this.#deps.metrics.dropped(countOf(item));
      return;
    }
    const count = this.#waiting.push(item);
    if (count === 1) this.#soon(lingerMs);
    else if (count === reportMax) this.#soon(0);
  }

  /** Reports what waits, at most for some seconds; what is left then is dropped. */
  async close(): Promise<void> {
    this.#cancelReport?.();
    this.#notBefore = Number.NEGATIVE_INFINITY;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.timers.after(closeMs, resolve);
    await Promise.race([late, this.#empty()]);
    cancel();
    this.#cancelReport?.();
    if (this.#waiting.length > 0) this.#deps.metrics.dropped(this.#count(this.#waiting));
    this.#forget(this.#waiting);
  }

  #soon(delayMs: number): void {
    if (this.#reporting !== undefined) return;
    this.#cancelReport?.();
    const { clock, timers, background } = this.#deps;
    this.#cancelReport = timers.after(Math.max(delayMs, this.#notBefore - clock.monotonic()), () => {
      this.#reporting ??= this.#report();
      background(this.#kind.task, this.#reporting);
    });
  }

  async #empty(): Promise<void> {
    await this.#reporting?.catch(() => undefined);
    for (let failed = false; !failed && this.#waiting.length > 0; failed = this.#failures > 0) await this.#report();
  }

  /** Never rejects: the metrics count what is dropped, and a failure is repeated later. */
  async #report(): Promise<void> {
    const { client, metrics } = this.#deps;
    const items = this.#kind.firstOf(this.#waiting);
    try {
      const response = await client.report(items);
      this.#failures = 0;
      this.#forget(items);
      if (response === 'refused') this.#wait(refusedMs);
      const dropped = response === 'refused' ? this.#count(items) : response.dropped;
      metrics.recorded(this.#count(items) - dropped);
      metrics.dropped(dropped);
    } catch {
      this.#failures++;
      this.#wait(Math.min(retryMsMax, 500 * 2 ** this.#failures));
    } finally {
      this.#reporting = undefined;
      if (this.#waiting.length > 0) this.#soon(this.#waiting.length >= this.#kind.reportMax ? 0 : lingerMs);
    }
  }

  #wait(ms: number): void {
    this.#notBefore = this.#deps.clock.monotonic() + ms;
  }

  /** @param items the first ones that wait */
  #forget(items: readonly Item[]): void {
    const { share, ownerOf, sizeOf } = this.#kind;
    this.#waiting = this.#waiting.slice(items.length);
    for (const item of items) share.give(ownerOf(item), sizeOf(item));
  }

  #count(items: readonly Item[]): number {
    return items.reduce((sum, item) => sum + this.#kind.countOf(item), 0);
  }
}
