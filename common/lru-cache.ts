// A map with a limit: the entry that was used least recently makes room. Its memory grows with its entries; the
// package's own `max` allocates for all of them at once, which takes 13 ms and some megabytes for a hundred thousand.
import { LRUCache } from 'lru-cache';

export type { LRUCache } from 'lru-cache';

export function lruCache<V extends NonNullable<unknown>>(max: number): LRUCache<string, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
