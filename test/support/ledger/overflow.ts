// Redis with the usage that overflows into it, in memory: it outlives proxies, may be away, and may store an entry
// without confirming it.
import { RedisUnavailableError } from '../../../proxy/redis/connection.ts';
import type { UsageEvent } from '../../../proxy/usage/ledger-client.ts';
import type { Entry, Overflow } from '../../../proxy/usage/usage-log.ts';

export interface OverflowFaults {
  /** Read before every operation. */
  mode(): 'well' | 'away' | 'unsure';
  now(): number;
}

const shards = 2;
const entriesMax = 3;

export class MemoryOverflow {
  readonly #faults: OverflowFaults;
  readonly #shards: Entry[][] = Array.from({ length: shards }, () => []);
  #entries = 0;

  constructor(faults: OverflowFaults) {
    this.#faults = faults;
  }

  get isEmpty(): boolean {
    return this.#shards.every((entries) => entries.length === 0);
  }

  /** Like a Redis that died and started empty. */
  lose(): void {
    for (const shard of this.#shards) shard.splice(0);
  }

  /** The overflow of one proxy. */
  connect(): Overflow {
    return {
      shards,
      put: async (events) => {
        const mode = this.#faults.mode();
        if (mode === 'away') return events;
        this.#put(events);
        return mode === 'unsure' ? events : [];
      },
      read: async (shard, after) => {
        const entries = this.#responding(shard);
        const from = after === undefined ? 0 : entries.findIndex(({ id }) => Number(id) > Number(after));
        return from < 0 ? [] : entries.slice(from, from + entriesMax);
      },
      isEmpty: async () => {
        this.#responding(0);
        return this.isEmpty;
      },
      // Always succeeds, because two proxies at once do no harm.
      lock: async (shard) => this.#responding(shard) !== undefined,
      unlock: async () => undefined,
      remove: async (shard, removed) => {
        const entries = this.#responding(shard);
        const ids = new Set(removed.map(({ id }) => id));
        this.#shards[shard] = entries.filter(({ id }) => !ids.has(id));
      },
    };
  }

  #put(events: readonly UsageEvent[]): void {
    this.#entries += 1;
    const organizationId = events[0]?.organizationId ?? '';
    const entry = { id: String(this.#entries), size: 1, putAt: this.#faults.now(), organizationId, events };
    this.#shards[this.#entries % shards]?.push(entry);
  }

  #responding(shard: number): readonly Entry[] {
    const mode = this.#faults.mode();
    if (mode !== 'well') throw new RedisUnavailableError('it is away');
    return this.#shards[shard] ?? [];
  }
}
