// Money of a lease beside reservations: a further attempt of a request needs as much as the first one, and waits for no
// acquire call.
import { budgetBounds } from './bounds.ts';

const { largestReservationMs } = budgetBounds;

export class SpareMoney {
  #amount = 0;
  #since = 0;

  /**
   * A request that may make a further attempt reserves this amount. It counts for ten seconds.
   * @param now monotonic
   */
  note(amount: number, now: number): void {
    if (amount < this.at(now)) return;
    this.#amount = amount;
    this.#since = now;
  }

  /** Nano-dollars that should be available. @param now monotonic */
  at(now: number): number {
    return now - this.#since < largestReservationMs ? this.#amount : 0;
  }
}
