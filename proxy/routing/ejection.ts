// The ejection of a target: each one in succession lasts twice as long, and quiet minutes make up for it.
import { Exclusion } from './exclusion.ts';
import type { HostCause } from './health-events.ts';

export const ejectionFirstMs = 5_000;
export const ejectionMaxMs = 300_000;
/** Doublings from the first time to the longest. */
const doublingsMax = 6;
/** After so long without an ejection, the next one is one doubling shorter. */
const quietMs = 60_000;
/** So much earlier an ejection may end, so that the proxies which ejected a target together do not return together. */
const jitter = 0.1;

export class Ejection {
  readonly exclusion = new Exclusion();
  #doublings = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #ejectedAt = Number.NEGATIVE_INFINITY;
  #cause: HostCause | undefined;
  #beganAt = Number.NEGATIVE_INFINITY;

  /** When the current or last ejection began or was prolonged, monotonic. */
  get ejectedAt(): number {
    return this.#ejectedAt;
  }

  /** Of the failure that ejected it last. */
  get cause(): HostCause | undefined {
    return this.#cause;
  }

  /** When the current or last ejection began, monotonic. */
  get beganAt(): number {
    return this.#beganAt;
  }

  /** Begins, or prolongs after a failed trial. @returns milliseconds */
  eject(now: number, random: () => number, cause: HostCause): number {
    if (!this.exclusion.isOn) {
      const quietTimes = Math.floor((now - this.#endedAt) / quietMs);
      this.#doublings = Math.max(0, this.#doublings - quietTimes);
      this.#beganAt = now;
    }
    const longest = Math.min(ejectionFirstMs * 2 ** this.#doublings, ejectionMaxMs);
    const forMs = Math.round(longest * (1 - jitter * random()));
    this.#doublings = Math.min(this.#doublings + 1, doublingsMax);
    this.#ejectedAt = now;
    this.#cause = cause;
    this.exclusion.start(now, forMs);
    return forMs;
  }

  readmit(now: number): void {
    this.exclusion.end();
    this.#endedAt = now;
  }
}
