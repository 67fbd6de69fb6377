// Where usage waits while the control plane is away: outside of the proxy's memory, so that it outlives the proxy and any other
// can report it. Shards, so that proxies that empty it are seldom in each other's way.
import type { UsageEvent } from '../budgets/ledger-client.ts';

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
