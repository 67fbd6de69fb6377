// How long a target's recent responses took, of which percentiles are read.

const samplesMax = 64;
/** Fewer say nothing about the slow ones. */
const samplesMin = 20;

export class ResponseTimes {
  readonly #ring = new Float32Array(samplesMax);
  #count = 0;

  add(ms: number): void {
    this.#ring[this.#count % samplesMax] = ms;
    this.#count++;
  }

  /**
   * The time in milliseconds within which so many percent of the recent ones came; undefined while there are too few.
   * @param percent above 0, to 100
   */
  percentile(percent: number): number | undefined {
    const count = Math.min(this.#count, samplesMax);
    if (count < samplesMin) return undefined;
    const sorted = this.#ring.slice(0, count).sort();
    return sorted[Math.ceil((percent / 100) * count) - 1];
  }
}
