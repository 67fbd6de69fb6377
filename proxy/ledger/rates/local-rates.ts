// Rates of this proxy alone, in memory: what the scripts of redis-rates.ts do, without a network. Bounded: limits that have not
// been asked for longest are forgotten, but for requests under way, which are always known.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../common/clock.ts';
import { type Counter, Places, RequestRing, TokenBucket } from './counters.ts';
import type { RateAnswer, RateHold, RateLimit, RateQuestion, Rates } from './rates.ts';

export interface LocalRatesDeps {
  readonly clock: Clock;
  /** Called for each request that is counted here. */
  onTake(): void;
  /** Limits on requests and tokens that are remembered. */
  readonly limitsMax?: number;
}

const defaultLimitsMax = 20_000;

interface Part {
  readonly counter: Counter;
  readonly max: number;
}

export class LocalRates implements Rates {
  readonly #deps: LocalRatesDeps;
  readonly #counters: LRUCache<string, Counter>;
  readonly #places = new Map<string, number>();

  constructor(deps: LocalRatesDeps) {
    this.#deps = deps;
    this.#counters = new LRUCache({ max: deps.limitsMax ?? defaultLimitsMax });
  }

  take({ limits, tokens }: RateQuestion): RateAnswer {
    this.#deps.onTake();
    const now = this.#now();
    const parts = limits.map((limit) => ({ counter: this.#counterOf(limit), max: limit.max }));
    const opens = parts.map(({ counter, max }) => counter.opensInMs(max, tokens, now));
    const admitted = opens.every((ms) => ms === 0);
    if (admitted) for (const { counter } of parts) counter.take(tokens);
    const standings = parts.map(({ counter, max }, index) => ({
      opensInMs: opens[index] ?? 0,
      remaining: Math.max(0, counter.remaining(max)),
      resetsInMs: counter.resetsInMs(max, now),
    }));
    return { standings, hold: admitted ? this.#hold(parts, tokens) : undefined };
  }

  /** Counts a request under way that was let in elsewhere, so that it is known here if this takes over. */
  follow(limits: readonly RateLimit[], hold: RateHold): RateHold {
    if (!limits.some(isOfPlaces)) return hold;
    for (const limit of limits) if (isOfPlaces(limit)) this.#place(limit.id).take();
    return {
      settle: (tokensUsed) => {
        for (const limit of limits) if (isOfPlaces(limit)) this.#place(limit.id).settle();
        hold.settle(tokensUsed);
      },
    };
  }

  /** Limits that something is remembered of. */
  get size(): number {
    return this.#counters.size + this.#places.size;
  }

  #hold(parts: readonly Part[], estimate: number): RateHold {
    return {
      settle: (tokensUsed) => {
        const now = this.#now();
        for (const { counter, max } of parts) counter.settle(max, tokensUsed - estimate, now);
      },
    };
  }

  #now(): number {
    return Math.floor(this.#deps.clock.monotonic());
  }

  #counterOf({ id, kind }: RateLimit): Counter {
    if (kind === 'concurrent_requests') return this.#place(id);
    const known = this.#counters.get(id);
    if (known !== undefined) return known;
    const made = kind === 'requests_per_minute' ? new RequestRing() : new TokenBucket();
    this.#counters.set(id, made);
    return made;
  }

  #place(limitId: string): Places {
    return new Places(this.#places, limitId);
  }
}

function isOfPlaces({ kind }: RateLimit): boolean {
  return kind === 'concurrent_requests';
}
