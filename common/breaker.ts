// Leaves alone what fails: after so many failures in a row nothing is tried for a while, then one trial decides.
import { type Clock, systemClock } from './clock.ts';

export interface BreakerOptions {
  /** In a row, until nothing is tried. */
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

  /** Before each try. @returns failures in a row so far, for `failed`; undefined: nothing is to be tried */
  enter(): number | undefined {
    const { failuresMax, restMs } = this.#options;
    if (this.#failures < failuresMax) return this.#failures;
    const now = this.#clock.monotonic();
    if (now < this.#restsUntil) return undefined;
    // The trial: until it is over, or as long again, nobody else waits for it.
    this.#restsUntil = now + restMs;
    return this.#failures;
  }

  /** @returns whether it had been given up */
  succeeded(): boolean {
    const wasOpen = this.#failures >= this.#options.failuresMax;
    this.#failures = 0;
    return wasOpen;
  }

  /**
   * @param before what `enter` returned, where tries that were under way together are one failure, however many: they met the same
   * silence
   * @returns whether it is given up by this
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
