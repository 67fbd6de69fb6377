// A clock and its timers that stand still until a test advances them: whole protocols run in no time, and the same way
// each time. Between two timers all pending promises are completed.
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';

interface Entry {
  readonly at: number;
  readonly task: () => void;
}

export class VirtualTime implements Clock, Timers {
  /** Wall time minus monotonic time. */
  wallOffset = 1_800_000_000_000;
  #now = 1_000_000;
  /** Sorted by time, and by order of arrival at equal times. */
  readonly #entries: Entry[] = [];
  readonly #settled: () => Promise<void>;

  /** @param settled waits for all work that needs no virtual time: real databases take more than promises do */
  constructor(settled: () => Promise<void> = settle) {
    this.#settled = settled;
  }

  now(): number {
    return this.#now + this.wallOffset;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, task: () => void): () => void {
    const entry = { at: this.#now + Math.max(0, delayMs), task };
    const index = this.#entries.findLastIndex((other) => other.at <= entry.at) + 1;
    this.#entries.splice(index, 0, entry);
    return () => {
      const at = this.#entries.indexOf(entry);
      if (at >= 0) this.#entries.splice(at, 1);
    };
  }

  /** Milliseconds until the next timer. */
  get nextInMs(): number {
    const [next] = this.#entries;
    return next === undefined ? Number.POSITIVE_INFINITY : next.at - this.#now;
  }

  /** The process stands still for this time: timers in it fire late. */
  stall(ms: number): void {
    this.#now += ms;
  }

  /** Advances by this time, and runs the timers in it. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#settled();
    for (let next = this.#entries[0]; next !== undefined && next.at <= end; next = this.#entries[0]) {
      this.#entries.shift();
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await this.#settled();
    }
    this.#now = end;
  }
}

/** Lets promises complete as far as they can without time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
