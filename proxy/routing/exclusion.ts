// A time in which something is left out. When it is over, one request at a time tries it, and the result decides.

/** `due`: its time is over, and a trial may begin. */
export type Standing = 'in' | 'due' | 'out';

/** A trial without a result after this time is forgotten: nobody reported how it ended. */
export const trialMs = 60_000;

export class Exclusion {
  #isOn = false;
  #until = 0;
  #trialUntil = 0;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** When the next trial may begin, monotonic; 0 if nothing is left out. */
  get endsAt(): number {
    if (!this.#isOn) return 0;
    return Math.max(this.#until, this.#trialUntil);
  }

  start(now: number, forMs: number): void {
    this.#isOn = true;
    this.#until = now + forMs;
    this.#trialUntil = 0;
  }

  end(): void {
    this.#isOn = false;
    this.#trialUntil = 0;
  }

  standing(now: number): Standing {
    if (!this.#isOn) return 'in';
    return now < this.endsAt ? 'out' : 'due';
  }

  beginTrial(now: number): void {
    if (this.standing(now) === 'due') this.#trialUntil = now + trialMs;
  }

  /** The trial ended without a result: the next one may begin. */
  releaseTrial(): void {
    this.#trialUntil = 0;
  }

  /**
   * Whether a result decides now. Before the time is over it does not: it is of a request that began earlier, or of one
   * that had no other target.
   */
  isDeciding(now: number): boolean {
    return this.#isOn && now >= this.#until;
  }
}
