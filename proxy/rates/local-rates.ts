// Rates of this proxy alone, in memory: the same as the scripts of redis-rates.ts, without a network. Beside Redis,
// they are this proxy's share of the state that Redis returned last. Memory is bounded: the least recently used limits
// are removed, but requests under way are always counted.
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import { never } from '../../common/never.ts';
import { type Counter, Slots } from './counters.ts';
import {
  counted,
  type RateDecision,
  type RateKind,
  type RateLimit,
  type RateQuestion,
  type RateReservation,
  type Rates,
  type Standing,
} from './rates.ts';
import { type SharedCounter, SharedRequests, SharedTokens, type Unreported } from './shares.ts';

export interface LocalRatesDeps {
  readonly clock: Clock;
  /** Called for each request that is counted here. */
  onTake(): void;
  /** Limits on requests and tokens that are remembered. */
  readonly limitsMax?: number;
  /** How many proxies share each limit, at least 1. Default: each limit is this proxy's alone. */
  readonly proxies?: () => number;
}

/** The requests admitted without Redis that one call reports to Redis. */
export interface Report {
  readonly counts: readonly CountedAlone[];
  /** The call has ended. @param isAcknowledged Redis has counted them; otherwise the next call reports them */
  end(isAcknowledged: boolean): void;
}

export interface CountedAlone {
  readonly limit: RateLimit;
  /** Requests or tokens. Tokens may be negative: they were not used in the end. */
  readonly count: number;
}

const defaultLimitsMax = 20_000;

interface Part {
  readonly counter: Counter;
  readonly max: number;
}

export class LocalRates implements Rates {
  readonly #deps: LocalRatesDeps;
  readonly #proxies: () => number;
  readonly #counters: LRUCache<string, SharedCounter>;
  /** Of values that callers choose: they remove none of the others. */
  readonly #byCaller: LRUCache<string, SharedCounter>;
  readonly #slots = new Map<string, number>();

  constructor(deps: LocalRatesDeps) {
    this.#deps = deps;
    this.#proxies = deps.proxies ?? (() => 1);
    this.#counters = lruCache(deps.limitsMax ?? defaultLimitsMax);
    this.#byCaller = lruCache(deps.limitsMax ?? defaultLimitsMax);
  }

  take({ limits, tokens }: RateQuestion): RateDecision {
    this.#deps.onTake();
    const now = this.#now();
    const parts = limits.map((limit) => ({ counter: this.#counterOf(limit), max: limit.max }));
    const opens = parts.map(({ counter, max }) => counter.opensInMs(max, tokens, now));
    const admitted = opens.every((ms) => ms === 0);
    if (admitted) for (const { counter } of parts) counter.take(tokens);
    const standings = parts.map(({ counter, max }, index) => ({
      opensInMs: opens[index] ?? 0,
      remaining: Math.max(0, counter.remaining(max, now)),
      resetsInMs: counter.resetsInMs(max, now),
    }));
    return { standings, reservation: admitted ? this.#reservation(parts, tokens) : undefined };
  }

  /**
   * Takes over the state of limits in Redis, and whether Redis admitted a request, so that counting can continue here.
   */
  hear(limits: readonly RateLimit[], standings: readonly Standing[], isAdmitted: boolean): void {
    const now = this.#now();
    for (const [index, limit] of limits.entries()) {
      const [counter, standing] = [this.#sharedOf(limit), standings[index]];
      if (counter === undefined || standing === undefined) continue;
      if (isAdmitted) counter.follow(now);
      // What this proxy has leased, it uses before it counts alone.
      counter.hear({ ...standing, remaining: standing.remaining - (standing.leased ?? 0) }, limit.max, now);
    }
  }

  /** This proxy has admitted so many requests or tokens of a lease. */
  followLease(limit: RateLimit, count: number): void {
    this.#sharedOf(limit)?.followLease(count, this.#now());
  }

  /** Counts of these limits that Redis does not have, and that no other call is reporting. */
  report(limits: Iterable<RateLimit>): Report {
    const parts: (CountedAlone & { readonly unreported: Unreported })[] = [];
    for (const limit of limits) {
      const unreported = this.#sharedOf(limit)?.unreported;
      const count = unreported?.report() ?? 0;
      if (unreported !== undefined && count !== 0) parts.push({ limit, count, unreported });
    }
    return {
      counts: parts,
      end: (isAcknowledged) => {
        for (const { count, unreported } of parts) unreported.reported(count, isAcknowledged);
      },
    };
  }

  /** Counts a request under way that Redis admitted, so that it is included when this proxy counts alone. */
  follow(limits: readonly RateLimit[], reservation: RateReservation): RateReservation {
    if (!limits.some(isOfSlots)) return reservation;
    for (const limit of limits) if (isOfSlots(limit)) this.#slot(limit.id).take();
    return {
      settle: (tokensUsed) => {
        for (const limit of limits) if (isOfSlots(limit)) this.#slot(limit.id).settle();
        reservation.settle(tokensUsed);
      },
    };
  }

  /** Limits with a count in memory. */
  get size(): number {
    return this.#counters.size + this.#byCaller.size + this.#slots.size;
  }

  #reservation(parts: readonly Part[], estimate: number): RateReservation {
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

  #counterOf(limit: RateLimit): Counter {
    return this.#sharedOf(limit) ?? this.#slot(limit.id);
  }

  /** Undefined for concurrent requests: each proxy counts its own. */
  #sharedOf({ id, kind, byCaller }: RateLimit): SharedCounter | undefined {
    const counters = byCaller === true ? this.#byCaller : this.#counters;
    const known = counters.get(id);
    if (known !== undefined) return known;
    const made = this.#made(kind);
    if (made !== undefined) counters.set(id, made);
    return made;
  }

  #made(kind: RateKind): SharedCounter | undefined {
    switch (kind) {
      case 'requests_per_minute':
        return new SharedRequests(this.#proxies);
      case 'tokens_per_minute':
        return new SharedTokens(this.#proxies);
      case 'concurrent_requests':
        return undefined;
      default:
        return never(kind);
    }
  }

  #slot(limitId: string): Slots {
    return new Slots(this.#slots, limitId);
  }
}

function isOfSlots({ kind }: RateLimit): boolean {
  return counted[kind] === 'slots';
}
