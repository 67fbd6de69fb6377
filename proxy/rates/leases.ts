// The leases that this proxy holds in Redis for requests under way, by shard and limit: what is to be renewed.
import type { CountedRequest } from './rate-batch.ts';
import { counted } from './rates.ts';

/** Of one shard: requests by the names of their leases, by id of their limit. */
export type HeldLeases = ReadonlyMap<string, ReadonlyMap<string, CountedRequest>>;

export class Leases {
  readonly #shards = new Map<number, Map<string, Map<string, CountedRequest>>>();

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  add(request: CountedRequest): void {
    for (const { kind, id } of request.limits) {
      if (counted[kind] === 'slots') this.#heldOf(request.shard, id).set(request.name, request);
    }
  }

  remove({ shard, limits, name }: CountedRequest): void {
    const held = this.#shards.get(shard);
    if (held === undefined) return;
    for (const { id } of limits) {
      const requests = held.get(id);
      requests?.delete(name);
      if (requests?.size === 0) held.delete(id);
    }
    if (held.size === 0) this.#shards.delete(shard);
  }

  has({ shard, limits, name }: CountedRequest): boolean {
    const held = this.#shards.get(shard);
    return limits.some(({ id }) => held?.get(id)?.has(name) === true);
  }

  byShard(): Iterable<readonly [number, HeldLeases]> {
    return this.#shards;
  }

  #heldOf(shard: number, limitId: string): Map<string, CountedRequest> {
    const held = this.#shards.get(shard) ?? new Map<string, Map<string, CountedRequest>>();
    const requests = held.get(limitId) ?? new Map<string, CountedRequest>();
    if (requests.size === 0) this.#shards.set(shard, held.set(limitId, requests));
    return requests;
  }
}
