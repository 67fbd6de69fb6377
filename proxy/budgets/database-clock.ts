// What the database's clock shows now, guessed from the times in its answers: read when half the way was gone, so wrong by at most
// that half. The best guess of late is kept. It does not go back but for a clock that was set, so windows do not flap.
import type { Clock } from '../../common/clock.ts';

/** More than clocks drift apart. */
const driftMsPerMs = 0.001;
/** Answers tell whole milliseconds. */
const roundingMs = 1;
/** The estimate stands still rather than go back by less. */
const stallMaxMs = 1_000;

export class DatabaseClock {
  readonly #clock: Clock;
  /** The database's time less the monotonic clock; undefined before the first answer: the system's clock is believed. */
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
    // Before the first answer there is nothing to hold on to.
    if (this.#offset === undefined) return time;
    if (time > this.#latest) this.#latest = time;
    return this.#latest;
  }

  /** @param time of the answer. @param sentAt monotonic, when it was asked for */
  update(time: number, sentAt: number): void {
    const now = this.#clock.monotonic();
    const error = (now - sentAt) / 2;
    const offset = time + error - now;
    const ownError = this.#error + (now - this.#updatedAt) * driftMsPerMs;
    const difference = this.#offset === undefined ? 0 : Math.abs(offset - this.#offset);
    const contradicts = difference > error + ownError + roundingMs;
    if (this.#offset === undefined || contradicts || error <= ownError) this.#believe(offset, error, now);
  }

  /** The answer shows that the estimate was wrong: it is believed as it is, even if the estimate goes back. */
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
