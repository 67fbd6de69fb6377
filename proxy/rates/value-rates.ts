// Bounds the counters of limits for each value of a tag, because callers choose the values. Of an organization, so many
// values have a counter of their own at a time; further ones share the limit's counter for them. So memory here and keys
// in Redis are bounded, and what an organization's requests get is bounded by that many counters and one more. A value
// that is not used for one to two minutes leaves its room to another; by then its counts of a minute are over.
import type { Clock } from '../../common/clock.ts';
import { limitOfCounter, otherCounterOf } from '../../common/counter-names.ts';
import { minuteMs } from '../../common/durations.ts';
import type { RateDecision, RateLimit, RateQuestion, Rates } from './rates.ts';

/** Counters of values that an organization may use at a time, at each proxy. */
export const valuesMax = 10_000;

interface Generations {
  /** Used since the last change of generations. */
  current: Set<string>;
  /** Used in the minute before, and not since. */
  before: Set<string>;
  /** Monotonic. */
  since: number;
}

export class ValueRates implements Rates {
  readonly #rates: Rates;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #max: number;
  readonly #organizations = new Map<string, Generations>();

  constructor(rates: Rates, clock: Pick<Clock, 'monotonic'>, max = valuesMax) {
    this.#rates = rates;
    this.#clock = clock;
    this.#max = max;
  }

  take(question: RateQuestion): RateDecision | Promise<RateDecision> {
    const { limits, organizationId } = question;
    if (!limits.some(({ byCaller }) => byCaller === true)) return this.#rates.take(question);
    const generations = this.#generationsOf(organizationId);
    return this.#rates.take({ ...question, limits: limits.map((limit) => this.#bounded(limit, generations)) });
  }

  #bounded(limit: RateLimit, { current, before }: Generations): RateLimit {
    if (limit.byCaller !== true || current.has(limit.id)) return limit;
    if (before.delete(limit.id) || current.size + before.size < this.#max) {
      current.add(limit.id);
      return limit;
    }
    return { ...limit, id: otherCounterOf(limitOfCounter(limit.id)) };
  }

  #generationsOf(organizationId: string): Generations {
    const now = this.#clock.monotonic();
    const known = this.#organizations.get(organizationId);
    if (known === undefined) this.#forget(now);
    const generations = known ?? { current: new Set(), before: new Set(), since: now };
    this.#organizations.set(organizationId, generations);
    const age = now - generations.since;
    if (age < minuteMs) return generations;
    generations.before = age < 2 * minuteMs ? generations.current : new Set();
    generations.current = new Set();
    generations.since = now;
    return generations;
  }

  /** Organizations without such requests of late. */
  #forget(now: number): void {
    for (const [id, { since }] of this.#organizations) if (now - since >= 2 * minuteMs) this.#organizations.delete(id);
  }
}
