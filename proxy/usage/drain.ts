// Reports the events that any proxies have left in the overflow. An entry is removed only after the report of all its
// events was acknowledged. An entry that cannot be reported is skipped and tried again later, so that it blocks no
// other.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import { RedisUnavailableError } from '../redis/connection.ts';
import { batchEventsMax } from './batch.ts';
import type { UsageEvent } from './ledger-client.ts';
import type { Reporting } from './reporting.ts';
import type { Entry, Overflow, SkipReason, UsageMetrics } from './usage-log.ts';

export interface DrainDeps {
  readonly overflow: Overflow;
  readonly reporting: Reporting;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: UsageMetrics;
  /**
   * The events are in the ledger, in this epoch of its database. Called again if a report is repeated because its entry
   * still exists.
   */
  readonly onRecorded: (events: readonly UsageEvent[], epoch: string) => void;
  /** The events are in the ledger and no longer in the overflow. Called once for each event. */
  readonly onDrained: (events: readonly UsageEvent[]) => void;
}

const everyMs = 10_000;
/** After the control plane was away every proxy drains, but not at the same instant. */
const soonMs = 1_000;
/** Skipped entries are tried again after this time. */
const againMs = 600_000;
/** The control plane accepts no older usage. */
const entryAgeMaxMs = 40 * 86_400_000;
const reportedMax = 10_000;

export class Drain {
  readonly #deps: DrainDeps;
  /** By shard: the last entry that was reported or skipped. */
  readonly #passed = new Map<number, string>();
  readonly #deniedOrganizations = new Set<string>();
  readonly #reported = new Set<string>();
  #forgetAt: number;
  #running = false;
  #closed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(deps: DrainDeps) {
    this.#deps = deps;
    this.#forgetAt = deps.clock.monotonic() + againMs;
    this.#after(soonMs * deps.random());
  }

  /** The control plane is back: drains soon. */
  soon(): void {
    if (!this.#running) this.#after(soonMs * this.#deps.random());
  }

  /** Does not wait for a report under way: its entries stay in the overflow. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  #after(delayMs: number): void {
    this.#cancelTimer();
    if (this.#closed) return;
    this.#cancelTimer = this.#deps.timers.after(delayMs, () =>
      this.#deps.background('drain usage from Redis', this.#run()),
    );
  }

  async #run(): Promise<void> {
    this.#running = true;
    this.#forget();
    try {
      await this.#drain();
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
    } finally {
      this.#running = false;
      this.#after(everyMs * (0.5 + this.#deps.random()));
    }
  }

  #forget(): void {
    const now = this.#deps.clock.monotonic();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + againMs;
    this.#passed.clear();
    this.#deniedOrganizations.clear();
    if (this.#reported.size > reportedMax) this.#reported.clear();
  }

  /** Starts at a random shard, so that proxies do not follow one another. */
  async #drain(): Promise<void> {
    const { overflow, random } = this.#deps;
    const first = Math.floor(random() * overflow.shards);
    for (let i = 0; i < overflow.shards && this.#mayTry; i++) await this.#drainShard((first + i) % overflow.shards);
  }

  get #mayTry(): boolean {
    return !this.#closed && this.#deps.reporting.nextTryAt <= this.#deps.clock.monotonic();
  }

  async #drainShard(shard: number): Promise<void> {
    const { overflow } = this.#deps;
    let isLocked = false;
    while (this.#mayTry) {
      const entries = await overflow.read(shard, this.#passed.get(shard));
      const last = entries.at(-1);
      if (last === undefined) break;
      isLocked ||= await overflow.lock(shard);
      if (!isLocked || !(await this.#drainEntries(shard, entries))) break;
      this.#passed.set(shard, last.id);
    }
    if (isLocked) await overflow.unlock(shard);
  }

  /** @returns whether the control plane responds */
  async #drainEntries(shard: number, entries: readonly Entry[]): Promise<boolean> {
    const readable: ReadableEntry[] = [];
    for (const entry of entries) {
      if (!isReadable(entry)) await this.#skip(shard, entry, 'unreadable');
      else if (this.#deniedOrganizations.has(entry.organizationId)) await this.#skip(shard, entry, 'denied');
      else readable.push(entry);
    }
    for (const group of grouped(readable)) if (!(await this.#reportGroup(shard, group))) return false;
    return true;
  }

  async #reportGroup(shard: number, group: readonly ReadableEntry[]): Promise<boolean> {
    const { metrics, overflow, reporting } = this.#deps;
    const events = group.flatMap((entry) => entry.events);
    const { denied, failed, recorded, refused } = await reporting.report(events, 'any');
    for (const each of recorded) this.#deps.onRecorded(each.events, each.epoch);
    if (failed.length + refused.length === 0) {
      await overflow.remove(shard, group);
      this.#deps.onDrained(events);
      metrics.drained(events.length);
      return true;
    }
    if (failed.length > 0 && !denied) return false;
    const [entry] = group;
    if (entry !== undefined && group.length === 1) {
      if (denied) this.#deniedOrganizations.add(entry.organizationId);
      await this.#skip(shard, entry, denied ? 'denied' : 'refused');
      return true;
    }
    for (const alone of group) if (!(await this.#reportGroup(shard, [alone]))) return false;
    return true;
  }

  /** The entry stays for another proxy, or for a later version, as long as one of them might still report it. */
  async #skip(shard: number, entry: Entry, reason: SkipReason): Promise<void> {
    const { clock, log, metrics, overflow } = this.#deps;
    const about = {
      entry: entry.id,
      shard,
      organization_id: entry.organizationId,
      events: entry.events?.length,
    };
    if (clock.now() - entry.putAt > entryAgeMaxMs) {
      await overflow.remove(shard, [entry]);
      metrics.lost(entry.events?.length ?? 1);
      log.error({ ...about, reason }, 'usage in Redis is too old to be recorded: it is lost');
      return;
    }
    const what = reason === 'denied' ? entry.organizationId : `${shard}:${entry.id}`;
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    metrics.skipped(reason);
    log.warn({ ...about, reason }, 'usage in Redis cannot be reported by this proxy; it stays there');
  }
}

type ReadableEntry = Entry & { readonly events: NonNullable<Entry['events']> };

function isReadable(entry: Entry): entry is ReadableEntry {
  return entry.events !== undefined;
}

/** Groups as many entries as fit into one report. */
function grouped(entries: readonly ReadableEntry[]): readonly (readonly ReadableEntry[])[] {
  const groups: ReadableEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const group = groups.at(-1);
    if (group !== undefined && entry.events.length <= room) group.push(entry);
    else {
      groups.push([entry]);
      room = batchEventsMax;
    }
    room -= entry.events.length;
  }
  return groups;
}
