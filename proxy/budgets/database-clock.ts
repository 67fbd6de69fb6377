// Estimates the database's clock from the times in its responses. It takes each time to be read halfway through the
// round trip, so the error is at most half of it. The best recent estimate is kept. The estimate does not go back,
// unless a clock was set, so windows do not flap.
import type { Clock } from '../../common/clock.ts';

/** More than clocks drift apart. */
const driftMsPerMs = 0.001;
/** Responses contain whole milliseconds. */
const roundingMs = 1;
/** If the estimate would go back by less than this, it pauses instead. */
const stallMaxMs = 1_000;

export class DatabaseClock {
  readonly #clock: Clock;
  /** The database's time minus the monotonic clock. Undefined before the first response: the system's clock is used. */
  #offset: number | undefined;
  #error = 0;
  #updatedAt = 0;
  #latest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970. @param now monotonic */
  at(now: number): number {
    const time = Math.floor(this.#offset === undefined ? this.#clock.now() : now + this.#offset);
    // Before the first response there is no estimate that could go back.
    if (this.#offset === undefined) return time;
    if (time > this.#latest) this.#latest = time;
    return this.#latest;
  }

  /** @param time of the response. @param sentAt monotonic, when the request was sent */
  update(time: number, sentAt: number): void {
    const now = this.#clock.monotonic();
    const error = (now - sentAt) / 2;
    const offset = time + error - now;
    const ownError = this.#error + (now - this.#updatedAt) * driftMsPerMs;
    const difference = this.#offset === undefined ? 0 : Math.abs(offset - this.#offset);
    const contradicts = difference > error + ownError + roundingMs;
    if (this.#offset === undefined || contradicts || error <= ownError) this.#believe(offset, error, now);
  }

  /** The response shows that the estimate was wrong: it replaces the estimate, even if that goes back. */
  correct(time: number, sentAt: number): void {
    const now = this.#clock.monotonic();
    const error = (now - sentAt) / 2;
    this.#believe(time + error - now, error, now);
    this.#latest = 0;
  }

  #believe(offset: number, error: number, now: number): void {
    this.#offset = offset;
    this.#error = error;
    this.#updatedAt = now;
    if (this.#latest - (now + offset) > stallMaxMs) this.#latest = 0;
  }
}
