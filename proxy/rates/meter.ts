// How much happened in the last whole second. A burst shows only in the second after it, so that what is measured is a
// load that lasts.
export class Meter {
  #second = Number.NEGATIVE_INFINITY;
  #current = 0;
  #last = 0;

  /** @param now monotonic milliseconds */
  count(units: number, now: number): void {
    this.#roll(now);
    this.#current += units;
  }

  /** @param now monotonic milliseconds */
  perSecond(now: number): number {
    this.#roll(now);
    return this.#last;
  }

  #roll(now: number): void {
    const second = Math.floor(now / 1000);
    if (second === this.#second) return;
    this.#last = second === this.#second + 1 ? this.#current : 0;
    this.#current = 0;
    this.#second = second;
  }
}
