// Whether the ledger holds more for a session than its proxy knows of, for long: then events were lost on their way, and what was
// taken for them would stay leased as long as the proxy lives.

/** Nothing is under way for so long. */
export const driftMs = 300_000;

export class Drift {
  #session = '';
  #since = 0;
  #least = 0;

  /** @returns nano-dollars that were too many all the time, once that is long enough. @param now monotonic */
  seen(session: string, tooMany: number, now: number): number | undefined {
    if (tooMany <= 0) {
      this.#session = '';
      return undefined;
    }
    if (session !== this.#session) {
      this.#session = session;
      this.#since = now;
      this.#least = tooMany;
    }
    this.#least = Math.min(this.#least, tooMany);
    return now - this.#since >= driftMs ? this.#least : undefined;
  }
}
