// The leases that this proxy holds in Redis for requests under way, by shard and name of the limit's set: what is to be renewed.
export class Leases {
  readonly #shards = new Map<number, Map<string, Set<string>>>();

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  /** @param keys the limits' sets, all in this shard */
  add(shard: number, keys: readonly string[], lease: string): void {
    const sets = this.#shards.get(shard) ?? new Map<string, Set<string>>();
    for (const key of keys) sets.set(key, (sets.get(key) ?? new Set()).add(lease));
    if (sets.size > 0) this.#shards.set(shard, sets);
  }

  remove(shard: number, keys: readonly string[], lease: string): void {
    const sets = this.#shards.get(shard);
    if (sets === undefined) return;
    for (const key of keys) {
      const held = sets.get(key);
      held?.delete(lease);
      if (held?.size === 0) sets.delete(key);
    }
    if (sets.size === 0) this.#shards.delete(shard);
  }

  byShard(): Iterable<readonly [number, ReadonlyMap<string, ReadonlySet<string>>]> {
    return this.#shards;
  }
}
