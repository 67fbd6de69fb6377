// Circuit breaker. After a number of consecutive failures, nothing is tried for a while; then one trial decides.
import { type Clock, systemClock } from './clock.ts';

export interface BreakerOptions {
  /** Consecutive failures after which nothing is tried. */
  readonly failuresMax: number;
  readonly restMs: number;
  readonly clock?: Pick<Clock, 'monotonic'>;
}

export class Breaker {
  readonly #options: BreakerOptions;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #failures = 0;
  #restsUntil = 0;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Call before each attempt.
   * @returns the consecutive failures so far, to pass to `failed`; undefined if nothing may be tried
   */
  enter(): number | undefined {
    const { failuresMax, restMs } = this.#options;
    if (this.#failures < failuresMax) return this.#failures;
    const now = this.#clock.monotonic();
    if (now < this.#restsUntil) return undefined;
    // This attempt is the trial. Until it ends, or for one more rest time, nobody else is let through.
    this.#restsUntil = now + restMs;
    return this.#failures;
  }

  /** @returns whether the breaker was open */
  succeeded(): boolean {
    const wasOpen = this.#failures >= this.#options.failuresMax;
    this.#failures = 0;
    return wasOpen;
  }

  /**
   * @param before the value that `enter` returned. Attempts that ran at the same time then count as one failure,
   * because all of them hit the same outage.
   * @returns whether this failure opens the breaker
   */
  failed(before: number = this.#failures): boolean {
    const { failuresMax, restMs } = this.#options;
    if (before < this.#failures) return false;
    this.#failures += 1;
    if (this.#failures < failuresMax) return false;
    this.#restsUntil = this.#clock.monotonic() + restMs;
    return this.#failures === failuresMax;
  }
}
