// How many requests of a route may be hedged: a part of them, so that a vendor that is slow for everybody does not get
// twice the requests. Memory is bounded: the route that was idle longest is forgotten, and starts anew.
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';

/** One in so many, 5 percent. */
const requestsPerHedge = 20;
/** As many hedges may come at once as earlier requests have left. */
const hedgesAtOnceMax = 10;
/** About 200 bytes each. */
const routesMaxUsual = 10_000;

export class HedgeShare {
  /** In requests. A route's first late request may be hedged. */
  readonly #credits: LRUCache<string, number>;

  constructor(routesMax = routesMaxUsual) {
    this.#credits = lruCache(routesMax);
  }

  /** Counts a request that may be hedged, once. */
  request(route: string): void {
    this.#credits.set(route, Math.min(hedgesAtOnceMax * requestsPerHedge, this.#credit(route) + 1));
  }

  /** @returns whether the request may be hedged; if so, it is counted */
  take(route: string): boolean {
    const credit = this.#credit(route);
    if (credit < requestsPerHedge) return false;
    this.#credits.set(route, credit - requestsPerHedge);
    return true;
  }

  /** It was not hedged after all. */
  give(route: string): void {
    this.#credits.set(route, this.#credit(route) + requestsPerHedge);
  }

  #credit(route: string): number {
    return this.#credits.get(route) ?? requestsPerHedge;
  }
}
