// How many requests a target may have in flight before others are preferred. Nothing is known at first, so there is no
// limit. It appears when first bytes take clearly longer than usual, and then follows what the target bears: it is cut
// once for each round of requests by how much longer they take, and grows by about its square root in each round that
// is as fast as usual. So that load does not become usual, a round with few requests shows from time to time how long
// the target takes without load. The ideas are those of gradient limits (Netflix, concurrency-limits) and of the probes
// of BBR; times are compared as logarithms, because first bytes of models differ much without any load.

/** A target has room for at least so many, however slow it is. */
export const limitMin = 4;
/** First bytes that take so many times as long as usual are a sign of load. */
const tolerance = Math.log(2);
/** One round cuts the limit at most to this part. */
const cutMin = 0.5;
/** Responses before any of them counts as slow. */
const samplesMin = 16;
/** Weights of one response: in the recent time, and in the usual time if it is faster. */
const weights = { recent: 1 / 16, faster: 1 / 50 };
/** Without a limit, what is slower becomes usual in about this time. */
const slowerMs = 600_000;
/** A limit that was not cut for so long is no longer needed. */
const quietMs = 300_000;
const probe = { everyMs: 30_000, samples: 8, part: 1 / 4 };

export interface FirstByte {
  /** From the start of the attempt. */
  readonly ms: number;
  /** Monotonic: when the attempt began. */
  readonly startedAt: number;
  /** Monotonic. */
  readonly now: number;
  /** Requests of the target now, with this one. */
  readonly inFlight: number;
}

interface Probe {
  readonly startedAt: number;
  readonly limit: number;
  sum: number;
  samples: number;
}

export class GradientLimit {
  #limit = Number.POSITIVE_INFINITY;
  /** Logarithms of milliseconds. */
  #recent = 0;
  #usual = 0;
  #samples = 0;
  #lastAt = 0;
  #cutAt = Number.NEGATIVE_INFINITY;
  #probedAt = 0;
  #probe: Probe | undefined;

  /** Infinity: no sign of load so far. */
  get limit(): number {
    return this.#probe?.limit ?? this.#limit;
  }

  add(firstByte: FirstByte): void {
    const { startedAt, now, inFlight } = firstByte;
    const time = Math.log(Math.max(1, firstByte.ms));
    this.#samples++;
    if (this.#samples <= samplesMin) this.#learnFirst(time, now);
    else if (this.#probe !== undefined) this.#learnFromProbe(this.#probe, time, startedAt);
    else {
      this.#learn(time, now);
      const gradient = Math.exp(tolerance + this.#usual - this.#recent);
      if (gradient < 1) this.#cut(Math.max(cutMin, gradient), firstByte);
      else if (2 * inFlight >= this.#limit) this.#limit += 1 / Math.sqrt(this.#limit);
      this.#review(now);
    }
  }

  /** Of few, the mean. */
  #learnFirst(time: number, now: number): void {
    this.#usual += (time - this.#usual) / this.#samples;
    this.#recent = this.#usual;
    this.#lastAt = now;
  }

  #learn(time: number, now: number): void {
    this.#recent += (time - this.#recent) * weights.recent;
    const change = this.#recent - this.#usual;
    if (change < 0) this.#usual += change * weights.faster;
    else if (this.#limit === Number.POSITIVE_INFINITY) {
      this.#usual += change * (1 - Math.exp((this.#lastAt - now) / slowerMs));
    }
    this.#lastAt = now;
  }

  /** From what was really in flight. Requests that began before a cut say nothing about its effect. */
  #cut(part: number, { startedAt, now, inFlight }: FirstByte): void {
    if (startedAt < this.#cutAt) return;
    if (this.#limit === Number.POSITIVE_INFINITY) this.#probedAt = now;
    this.#cutAt = now;
    this.#limit = Math.max(limitMin, Math.min(this.#limit, inFlight) * part);
  }

  #review(now: number): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    if (now - this.#cutAt > quietMs) this.#limit = Number.POSITIVE_INFINITY;
    else if (now - this.#probedAt > probe.everyMs) {
      this.#probe = { startedAt: now, limit: Math.max(limitMin, this.#limit * probe.part), sum: 0, samples: 0 };
    }
  }

  #learnFromProbe(running: Probe, time: number, startedAt: number): void {
    if (startedAt < running.startedAt) return;
    running.sum += time;
    running.samples++;
    if (running.samples < probe.samples) return;
    this.#usual = running.sum / running.samples;
    this.#recent = this.#usual;
    this.#probedAt = startedAt;
    this.#probe = undefined;
  }
}
