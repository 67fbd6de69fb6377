// Where the usage of requests goes: reported in batches, in Redis meanwhile where the control plane is away, never dropped. With what it
// counts.
import type { UsageEvent } from './ledger-client.ts';

export interface UsageLog {
  /** Whether another request may run: what cannot be recorded must not be used. */
  readonly hasRoom: boolean;
  record(event: UsageEvent): void;
  /** Reports what is left, or puts it into Redis. Until the time is over, monotonic; then what is left is logged as lost. */
  close(until: number): Promise<void>;
}

export interface UsageMetrics {
  /** Recorded by the control plane, from this proxy's memory. */
  reported(events: number): void;
  /** Put where they wait for the control plane. */
  overflowed(events: number): void;
  /** Recorded by the control plane, from where they waited; of any proxy. */
  drained(events: number): void;
  /** Never to be recorded; the log has them. */
  lost(events: number): void;
  /** An entry stays where it waits: it does not open here, or the control plane does not take it from this proxy. */
  skipped(reason: SkipReason): void;
}

export const skipReasons = ['unreadable', 'refused', 'denied'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Read at each scrape. */
export interface UsageGauges {
  /** Events in memory that nobody has acknowledged. */
  readonly events: number;
  /** What they take, by estimate. */
  readonly bytes: number;
  /** Milliseconds for which the oldest of them has waited; 0 without one. */
  readonly oldestMs: number;
  /** Milliseconds since the oldest event was acknowledged that could be reported again; 0 without one. */
  readonly keptMs: number;
}

/**
 * Where usage waits while the control plane is away: outside of the proxy's memory, so that it outlives the proxy and any other can
 * report it. Shards, so that proxies that empty it are seldom in each other's way.
 */
export interface Overflow {
  readonly shards: number;
  /** Never rejects. @returns those that are not known to be kept */
  put(events: readonly UsageEvent[]): Promise<readonly UsageEvent[]>;
  /** In the order in which they came. @param after id of an entry @throws RedisUnavailableError */
  read(shard: number, after: string | undefined): Promise<readonly Entry[]>;
  /** Whether nothing is kept, in any shard. @throws RedisUnavailableError */
  isEmpty(): Promise<boolean>;
  /** For a courtesy: two that empty a shard together report its entries twice. @throws RedisUnavailableError */
  lock(shard: number): Promise<boolean>;
  unlock(shard: number): Promise<void>;
  /** Only after all of their events were acknowledged. @throws RedisUnavailableError */
  remove(shard: number, entries: readonly Entry[]): Promise<void>;
}

/** Usage of one organization, because some proxies may report only that of one. */
export interface Entry {
  readonly id: string;
  /** Bytes that it takes. */
  readonly size: number;
  /** Milliseconds since 1970 when it was put there, by the clock there. */
  readonly putAt: number;
  readonly organizationId: string;
  /** Undefined where it does not open: sealed under another key, moved or altered. */
  readonly events: readonly UsageEvent[] | undefined;
}
