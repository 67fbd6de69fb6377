// How long a target's streams take to begin, as a peak-sensitive moving average (peak EWMA, as in Finagle and Linkerd): a
// slower response counts at once, faster ones count little by little, and a target without requests is forgiven with
// time, so that it is tried again.

/** After so long, a faster response counts for nearly two thirds. */
export const decayMs = 30_000;

export class PeakLatency {
  #ms = 0;
  #at: number | undefined;

  add(ms: number, now: number): void {
    const before = this.at(now) ?? 0;
    this.#ms = ms >= before ? ms : ms + (this.#ms - ms) * this.#left(now);
    this.#at = now;
  }

  /** Milliseconds; undefined if no stream has begun. */
  at(now: number): number | undefined {
    return this.#at === undefined ? undefined : this.#ms * this.#left(now);
  }

  #left(now: number): number {
    return Math.exp(-Math.max(0, now - (this.#at ?? now)) / decayMs);
  }
}
