// How many further attempts an organization may make on this proxy, so that they cannot multiply a vendor's outage: a
// share of its requests, and a floor for organizations with few. Nobody can spend another organization's part. Memory is
// bounded: the organization that was idle longest is forgotten, and starts with the floor again.
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';

const share = 0.2;
const floorPerSecond = 3;
const windowSeconds = 10;
const floor = floorPerSecond * windowSeconds;

/** About 300 bytes each. */
const organizationsMax = 10_000;

export class RetryBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counts: LRUCache<string, Counts>;

  constructor({ clock, max = organizationsMax }: { readonly clock: Pick<Clock, 'monotonic'>; readonly max?: number }) {
    this.#clock = clock;
    this.#counts = lruCache(max);
  }

  /** Counts a request, once, whatever becomes of it. */
  request(organization: string): void {
    this.#of(organization).request(this.#second());
  }

  /**
   * Call before each attempt after a request's first one.
   * @returns whether the attempt may be made; if so, it is counted
   */
  mayRetry(organization: string): boolean {
    return this.#of(organization).mayRetry(this.#second());
  }

  /** Organizations in memory. */
  get size(): number {
    return this.#counts.size;
  }

  #second(): number {
    return Math.floor(this.#clock.monotonic() / 1000);
  }

  #of(organization: string): Counts {
    const known = this.#counts.get(organization);
    if (known !== undefined) return known;
    const made = new Counts();
    this.#counts.set(organization, made);
    return made;
  }
}

class Counts {
  readonly #requests = new RecentCount(windowSeconds);
  /** One second more than of requests: the first one is over in part. So the share is never exceeded in between. */
  readonly #retries = new RecentCount(windowSeconds + 1);

  request(second: number): void {
    this.#requests.add(second);
  }

  mayRetry(second: number): boolean {
    const allowed = Math.max(floor, Math.floor(share * this.#requests.sum(second)));
    if (this.#retries.sum(second) >= allowed) return false;
    this.#retries.add(second);
    return true;
  }
}

/** Counts by second in a ring, with their sum. */
class RecentCount {
  readonly #ring: Uint32Array;
  #sum = 0;
  #last = 0;

  constructor(seconds: number) {
    this.#ring = new Uint32Array(seconds);
  }

  add(second: number): void {
    this.#advance(second);
    const index = second % this.#ring.length;
    this.#ring[index] = (this.#ring[index] ?? 0) + 1;
    this.#sum++;
  }

  /** Of this second and those before it, as many as the ring has. */
  sum(second: number): number {
    this.#advance(second);
    return this.#sum;
  }

  #advance(second: number): void {
    if (second === this.#last) return;
    const ring = this.#ring;
    const over = Math.min(second - this.#last, ring.length);
    for (let step = 0; step < over; step++) {
      const index = (second - step) % ring.length;
      this.#sum -= ring[index] ?? 0;
      ring[index] = 0;
    }
    this.#last = second;
  }
}
