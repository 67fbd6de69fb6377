// The leases in Redis that this proxy has for requests under way, by shard and limit: those to be renewed.
import type { CountedRequest } from './rate-batch.ts';
import { counted } from './rates.ts';

/** The leases of one shard: by id of the limit, then by name of the lease, the request. */
export type SlotLeases = ReadonlyMap<string, ReadonlyMap<string, CountedRequest>>;

export class Leases {
  readonly #shards = new Map<number, Map<string, Map<string, CountedRequest>>>();

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  add(request: CountedRequest): void {
    for (const { kind, id } of request.limits) {
      if (counted[kind] === 'slots') this.#ofLimit(request.shard, id).set(request.name, request);
    }
  }

  remove({ shard, limits, name }: CountedRequest): void {
    const inShard = this.#shards.get(shard);
    if (inShard === undefined) return;
    for (const { id } of limits) {
      const requests = inShard.get(id);
      requests?.delete(name);
      if (requests?.size === 0) inShard.delete(id);
    }
    if (inShard.size === 0) this.#shards.delete(shard);
  }

  has({ shard, limits, name }: CountedRequest): boolean {
    const inShard = this.#shards.get(shard);
    return limits.some(({ id }) => inShard?.get(id)?.has(name) === true);
  }

  byShard(): Iterable<readonly [number, SlotLeases]> {
    return this.#shards;
  }

  #ofLimit(shard: number, limitId: string): Map<string, CountedRequest> {
    const inShard = this.#shards.get(shard) ?? new Map<string, Map<string, CountedRequest>>();
    const requests = inShard.get(limitId) ?? new Map<string, CountedRequest>();
    if (requests.size === 0) this.#shards.set(shard, inShard.set(limitId, requests));
    return requests;
  }
}
