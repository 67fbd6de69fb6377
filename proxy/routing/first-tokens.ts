// How long a target takes to its first token: the median of its last sixteen. A slow target is not left out; it comes
// behind its peers. It then gets few requests, so an old median says little: after half a minute one request tries it
// where it was in the order, and the time of that one replaces all earlier ones.

const samplesMax = 16;
/** Fewer say nothing. */
const samplesMin = 8;
const staleMs = 30_000;
/** So many times the median of its peers is slow. */
export const slowFactor = 3;

export class FirstTokens {
  readonly #ring: number[] = [];
  #next = 0;
  #lastAt = 0;
  #trialUntil = 0;
  #median: number | undefined;

  /** Milliseconds; undefined while there are too few samples. */
  get median(): number | undefined {
    return this.#median;
  }

  add(ms: number, now: number): void {
    if (this.isStale(now)) this.#startAnew(ms);
    this.#ring[this.#next] = ms;
    this.#next = (this.#next + 1) % samplesMax;
    this.#lastAt = now;
    this.#median = this.#ring.length < samplesMin ? undefined : medianOf(this.#ring);
  }

  isStale(now: number): boolean {
    return now - this.#lastAt > staleMs;
  }

  /** @returns whether this request is the one that tries a slow target whose median is old */
  beginTrial(now: number): boolean {
    if (!this.isStale(now) || now < this.#trialUntil) return false;
    this.#trialUntil = now + staleMs;
    return true;
  }

  #startAnew(ms: number): void {
    if (this.#median === undefined) this.#ring.length = 0;
    else this.#ring.fill(ms);
    this.#next = this.#ring.length % samplesMax;
  }
}

/** Sorts by insertion, in memory that all calls share: it runs for each response. */
const sorted: number[] = [];

/** @param values at least one; not changed */
export function medianOf(values: readonly number[]): number {
  sorted.length = 0;
  for (const value of values) {
    let at = sorted.push(value) - 1;
    for (let before = sorted[at - 1]; before !== undefined && before > value; before = sorted[at - 1]) {
      sorted[at] = before;
      at--;
    }
    sorted[at] = value;
  }
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
