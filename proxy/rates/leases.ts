// The leases in Redis that this proxy has for requests under way, by shard and limit: those to be renewed.
import type { CountedRequest } from './rate-batch.ts';
import { counted } from './rates.ts';

/** The leases of one shard: by id of the limit, then by name of the lease, the request. */
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
