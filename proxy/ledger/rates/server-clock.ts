// What a server's clock shows now, never ahead of it: guessed from the times that it told. A time that waited here before it was
// read is too early, so the latest guess is believed; it ages, for clocks drift, and a clock that was set back is followed.

/** More than clocks drift apart. */
const driftMsPerMs = 0.001;
/** No time waits here for longer. */
const setBackMs = 1_000;

export class ServerClock {
  /** The server's time less the monotonic clock. */
  #offset = Number.NEGATIVE_INFINITY;
  #toldAt = 0;

  /** @param now monotonic, when the time was read */
  told(time: number, now: number): void {
    const offset = time - now;
    const aged = this.#offset - (now - this.#toldAt) * driftMsPerMs;
    this.#offset = aged - offset > setBackMs ? offset : Math.max(aged, offset);
    this.#toldAt = now;
  }

  /** Whole milliseconds; 0 while it told none. @param at monotonic */
  timeAt(at: number): number {
    return Math.max(0, Math.floor(at + this.#offset));
  }
}
