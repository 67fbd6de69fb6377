// The usage log: usage is reported in batches, put into Redis while the control plane is away, and never dropped. Also
// its metrics.
import type { UsageEvent } from './ledger-client.ts';

export interface UsageLog {
  /** Whether another request may run: a request must not use anything that cannot be recorded. */
  readonly hasRoom: boolean;
  record(event: UsageEvent): void;
  /**
   * Reports the rest, or puts it into Redis, until this time (monotonic). Events that are still left are logged as
   * lost.
   */
  close(until: number): Promise<void>;
}

export interface UsageMetrics {
  /** Recorded by the control plane, from this proxy's memory. */
  reported(events: number): void;
  /** Put into the overflow, where they wait for the control plane. */
  overflowed(events: number): void;
  /** Recorded by the control plane, from the overflow; of any proxy. */
  drained(events: number): void;
  /** Never recorded; the log contains them. */
  lost(events: number): void;
  /**
   * An entry stays in the overflow: it cannot be unsealed here, or the control plane does not accept it from this
   * proxy.
   */
  skipped(reason: SkipReason): void;
}

export const skipReasons = ['unreadable', 'refused', 'denied'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Read at each scrape. */
export interface UsageGauges {
  /** Unacknowledged events in memory. */
  readonly events: number;
  /** Their estimated size. */
  readonly bytes: number;
  /** Milliseconds for which the oldest of them has waited; 0 without one. */
  readonly oldestMs: number;
  /** Milliseconds since the acknowledgement of the oldest event that could be reported again; 0 without one. */
  readonly keptMs: number;
}

/**
 * Usage that waits while the control plane is away: outside of the proxy's memory, so that it outlives the proxy and
 * any other proxy can report it. It has shards, so that proxies that empty it seldom use the same one.
 */
export interface Overflow {
  readonly shards: number;
  /** Never rejects. @returns the events that are not known to be stored */
  put(events: readonly UsageEvent[]): Promise<readonly UsageEvent[]>;
  /** In order of arrival. @param after id of an entry @throws RedisUnavailableError */
  read(shard: number, after: string | undefined): Promise<readonly Entry[]>;
  /** Whether no shard has an entry. @throws RedisUnavailableError */
  isEmpty(): Promise<boolean>;
  /**
   * Avoids double work only: two proxies that empty a shard together report its entries twice. @throws
   * RedisUnavailableError
   */
  lock(shard: number): Promise<boolean>;
  unlock(shard: number): Promise<void>;
  /** Called only after all of their events were acknowledged. @throws RedisUnavailableError */
  remove(shard: number, entries: readonly Entry[]): Promise<void>;
}

/** Usage of one organization, because some proxies may report for one only. */
export interface Entry {
  readonly id: string;
  /** Its size in bytes. */
  readonly size: number;
  /** When it was stored: milliseconds since 1970 by the clock of Redis. */
  readonly putAt: number;
  readonly organizationId: string;
  /** Undefined if it cannot be unsealed: sealed under another key, moved or altered. */
  readonly events: readonly UsageEvent[] | undefined;
}
