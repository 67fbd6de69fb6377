// Usage on its way to the control plane. An event leaves memory only when a report of it was acknowledged, or when it
// was stored where it outlives this proxy. All other events fill the queue, and a full queue lets no further request
// run.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { usdOfNano } from '../../common/money.ts';
import type { Timers } from '../../common/timers.ts';
import { type Batch, batchBytesMax, batchEventsMax, bytesOf, bytesOfAll, costOfAll } from './batch.ts';
import type { UsageEvent } from './ledger-client.ts';
import type { Reporting } from './reporting.ts';
import type { Overflow, UsageGauges, UsageLog, UsageMetrics } from './usage-log.ts';

export interface UsageQueueDeps {
  readonly reporting: Reporting;
  /** Absent: events that cannot be reported stay in memory. */
  readonly overflow: Overflow | undefined;
  readonly memoryBytesMax: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: UsageMetrics;
  /** Gets the location of every event, once. */
  readonly whereabouts: Whereabouts;
}

export interface Whereabouts {
  /** Some events are about to be reported. */
  reporting(): void;
  /** The events are in the ledger, in this epoch of its database. */
  recorded(events: readonly UsageEvent[], epoch: string): void;
  /** The events are in Redis. */
  overflowed(events: readonly UsageEvent[]): void;
  /** The events are lost. */
  lost(events: readonly UsageEvent[]): void;
}

const lingerMs = 20;
/** While the control plane is away: fewer and fuller batches, but not much to lose with the process. */
const lingerAwayMs = 5_000;
const reportsMax = 3;
const spillAgainMs = 500;
/** Part of the time to close, for events that the control plane did not record. */
const leaveMs = 2_000;

/**
 * open: accepts events; closing: reports at once; leaving: the time for reports is over, all events go to the overflow;
 * closed: later events are lost.
 */
type State = 'open' | 'closing' | 'leaving' | 'closed';

export class UsageQueue implements UsageLog, Omit<UsageGauges, 'keptMs'> {
  readonly #deps: UsageQueueDeps;
  #state: State = 'open';
  /** The events of the next batch. */
  #collected: UsageEvent[] = [];
  #collectedBytes = 0;
  #collectedSince = 0;
  /** Every unacknowledged batch. */
  readonly #batches = new Set<Batch>();
  /** The batches that are neither being reported nor being stored. */
  readonly #ready: Batch[] = [];
  readonly #reporting = new Set<Batch>();
  #spilling = false;
  #spillAt = Number.NEGATIVE_INFINITY;
  #events = 0;
  #bytes = 0;
  #cancelWake: () => void = () => undefined;
  #onEmpty: () => void = () => undefined;

  constructor(deps: UsageQueueDeps) {
    this.#deps = deps;
  }

  get hasRoom(): boolean {
    return this.#state === 'open' && this.#bytes < this.#deps.memoryBytesMax;
  }

  get events(): number {
    return this.#events;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldestMs(): number {
    const now = this.#deps.clock.monotonic();
    let since = this.#collected.length > 0 ? this.#collectedSince : now;
    for (const batch of this.#batches) since = Math.min(since, batch.since);
    return now - since;
  }

  /** Also beyond the bound: all usage is recorded. */
  record(event: UsageEvent): void {
    if (this.#state === 'closed') {
      this.#lose([event], 'usage came after the end of the queue');
      return;
    }
    const bytes = bytesOf(event);
    const isFirst = this.#collected.length === 0;
    const wasHalfFull = this.#isHalfFull;
    if (isFirst) this.#collectedSince = this.#deps.clock.monotonic();
    this.#collected.push(event);
    this.#collectedBytes += bytes;
    this.#bytes += bytes;
    this.#events += 1;
    const isFull = this.#collected.length >= batchEventsMax || this.#collectedBytes >= batchBytesMax;
    if (isFull) this.#ready.push(this.#collect());
    if (isFirst || isFull || this.#isHalfFull !== wasHalfFull) this.#wake();
  }

  /** Takes every action that is possible now: a condition outside has changed. */
  proceed(): void {
    if (this.#state === 'closed') return;
    const now = this.#deps.clock.monotonic();
    while (this.#reportAt() <= now) {
      const batch = this.#next(now);
      if (batch === undefined) break;
      this.#deps.background('report usage', this.#report(batch));
    }
    if (this.#spillableAt() <= now && this.#nextAt() <= now)
      this.#deps.background('put usage into Redis', this.#spill());
    this.#wake();
  }

  /** Waits until no event is left, or until this time. */
  async settled(until: number): Promise<void> {
    const { clock, timers } = this.#deps;
    while (this.#events > 0 && this.#state === 'open' && clock.monotonic() < until)
      await new Promise<void>((resolve) => void timers.after(lingerMs, resolve));
  }

  async close(until: number): Promise<void> {
    const { clock, overflow } = this.#deps;
    this.#state = 'closing';
    this.proceed();
    const reserve = overflow === undefined ? 0 : Math.min(leaveMs, (until - clock.monotonic()) / 2);
    await this.#emptied(until - reserve);
    if (overflow !== undefined && this.#events > 0) {
      this.#state = 'leaving';
      // A report without a response must not cost its events: they are stored as well, and recorded once.
      this.#ready.push(...this.#reporting);
      this.#spillAt = Number.NEGATIVE_INFINITY;
      this.proceed();
      await this.#emptied(until);
    }
    this.#state = 'closed';
    this.#cancelWake();
    const left = [...this.#batches].flatMap((batch) => batch.events).concat(this.#collected);
    if (left.length > 0) this.#lose(left, 'usage could neither be reported nor put into Redis in time');
  }

  async #report(batch: Batch): Promise<void> {
    this.#reporting.add(batch);
    const sent = batch.events;
    this.#deps.whereabouts.reporting();
    const { failed, recorded, refused } = await this.#deps.reporting.report(sent, 'own');
    this.#reporting.delete(batch);
    for (const event of refused) this.#reportRefused(event);
    this.#deps.metrics.reported(sent.length - failed.length - refused.length);
    // Unless the batch was stored meanwhile.
    if (this.#batches.has(batch)) {
      for (const { epoch, events } of recorded) this.#deps.whereabouts.recorded(events, epoch);
      this.#deps.whereabouts.lost(refused);
    }
    if (failed.length === 0) this.#keep(batch, []);
    else if (this.#state !== 'leaving' && this.#state !== 'closed') {
      this.#keep(batch, failed);
      this.#ready.unshift(batch);
    }
    this.proceed();
  }

  async #spill(): Promise<void> {
    const { clock, overflow } = this.#deps;
    this.#spilling = true;
    try {
      while (overflow !== undefined && this.#isSpilling && this.#spillAt <= clock.monotonic()) {
        const batch = this.#next(clock.monotonic());
        if (batch === undefined) break;
        await this.#put(batch, overflow);
      }
    } finally {
      this.#spilling = false;
      this.proceed();
    }
  }

  async #put(batch: Batch, overflow: Overflow): Promise<void> {
    const { clock, metrics, whereabouts } = this.#deps;
    const put = batch.events;
    let left = put;
    try {
      left = await overflow.put(put);
    } finally {
      metrics.overflowed(put.length - left.length);
      const kept = new Set(left);
      if (this.#batches.has(batch)) whereabouts.overflowed(put.filter((event) => !kept.has(event)));
      if (left.length > 0) {
        this.#spillAt = clock.monotonic() + spillAgainMs;
        this.#ready.unshift(batch);
      }
      // Unless a report of the batch was acknowledged meanwhile.
      this.#keep(batch, left);
    }
  }

  get #isSpilling(): boolean {
    if (this.#state === 'leaving') return true;
    return this.#state !== 'closed' && (this.#isHalfFull || this.#deps.reporting.isAway);
  }

  /**
   * If the control plane records usage more slowly than it arises, the overflow helps early: requests are refused once
   * memory is full.
   */
  get #isHalfFull(): boolean {
    return this.#bytes > this.#deps.memoryBytesMax / 2;
  }

  /** Monotonic, when a report may begin; infinite until something else changes. */
  #reportAt(): number {
    const { reporting } = this.#deps;
    const most = reporting.isFailing ? 1 : reportsMax;
    if (this.#state === 'leaving' || this.#reporting.size >= most) return Number.POSITIVE_INFINITY;
    return reporting.nextTryAt;
  }

  #spillableAt(): number {
    const may = this.#deps.overflow !== undefined && this.#isSpilling && !this.#spilling;
    return may ? this.#spillAt : Number.POSITIVE_INFINITY;
  }

  #nextAt(): number {
    if (this.#ready.length > 0) return Number.NEGATIVE_INFINITY;
    if (this.#collected.length === 0) return Number.POSITIVE_INFINITY;
    if (this.#state !== 'open') return Number.NEGATIVE_INFINITY;
    return this.#collectedSince + (this.#deps.reporting.isAway ? lingerAwayMs : lingerMs);
  }

  #next(now: number): Batch | undefined {
    for (let batch = this.#ready.shift(); batch !== undefined; batch = this.#ready.shift())
      if (this.#batches.has(batch)) return batch;
    return this.#nextAt() <= now ? this.#collect() : undefined;
  }

  #collect(): Batch {
    const batch = { events: this.#collected, bytes: this.#collectedBytes, since: this.#collectedSince };
    this.#collected = [];
    this.#collectedBytes = 0;
    this.#batches.add(batch);
    return batch;
  }

  /** Keeps these events of the batch. All others were acknowledged. */
  #keep(batch: Batch, events: readonly UsageEvent[]): void {
    if (!this.#batches.has(batch)) return;
    const bytes = bytesOfAll(events);
    this.#events -= batch.events.length - events.length;
    this.#bytes -= batch.bytes - bytes;
    batch.events = events;
    batch.bytes = bytes;
    if (events.length > 0) return;
    this.#batches.delete(batch);
    if (this.#events === 0) this.#onEmpty();
  }

  /** One timer for the next possible action. It never acts at once, because records come from the request path. */
  #wake(): void {
    this.#cancelWake();
    const at = Math.max(this.#nextAt(), Math.min(this.#reportAt(), this.#spillableAt()));
    if (at === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(0, at - this.#deps.clock.monotonic());
    this.#cancelWake = this.#deps.timers.after(delayMs, () => this.proceed());
  }

  async #emptied(by: number): Promise<void> {
    if (this.#events === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    const cancel = this.#deps.timers.after(Math.max(0, by - this.#deps.clock.monotonic()), resolve);
    await promise;
    cancel();
  }

  #lose(events: readonly UsageEvent[], message: string): void {
    this.#deps.metrics.lost(events.length);
    this.#deps.log.error({ events: events.length, cost_usd: usdOfNano(costOfAll(events)) }, message);
  }

  #reportRefused(event: UsageEvent): void {
    this.#deps.metrics.lost(1);
    this.#deps.log.error(
      {
        event_id: event.id,
        at: event.at,
        organization_id: event.organizationId,
        key_id: event.keyId,
        request_id: event.requestId,
        model: event.modelAsked,
        cost_usd: usdOfNano(event.cost),
        charges: event.charges,
      },
      'the control plane refuses this usage for good: it is lost',
    );
  }
}
