// The leases that this proxy holds in Redis for requests under way, by shard and limit: what is to be renewed.
import type { CountedRequest } from './turn.ts';

export class Leases {
  readonly #shards = new Map<number, Map<string, Set<string>>>();

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  add({ shard, limits, name }: CountedRequest): void {
    for (const { kind, id } of limits) {
      if (kind === 'concurrent_requests') this.#namesOf(shard, id).add(name);
    }
  }

  remove({ shard, limits, name }: CountedRequest): void {
    const sets = this.#shards.get(shard);
    if (sets === undefined) return;
    for (const { id } of limits) {
      const names = sets.get(id);
      names?.delete(name);
      if (names?.size === 0) sets.delete(id);
    }
    if (sets.size === 0) this.#shards.delete(shard);
  }

  /** Names of the leases, by id of their limit. */
  byShard(): Iterable<readonly [number, ReadonlyMap<string, ReadonlySet<string>>]> {
    return this.#shards;
  }

  #namesOf(shard: number, limitId: string): Set<string> {
    const sets = this.#shards.get(shard) ?? new Map<string, Set<string>>();
    const names = sets.get(limitId) ?? new Set<string>();
    if (names.size === 0) this.#shards.set(shard, sets.set(limitId, names));
    return names;
  }
}
