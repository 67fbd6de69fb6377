// A clock and its timers that stand still until they are told to go on: whole protocols run in no time and the same way
// each time. Between two timers everything that promises have to do is done.
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
  /** Sorted by time, in order of arrival where that is equal. */
  readonly #entries: Entry[] = [];
  readonly #settled: () => Promise<void>;

  /** @param settled waits for all that is done without time: real databases take more than promises do */
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

  /** The process stands still for so long: what falls due meanwhile is late. */
  stall(ms: number): void {
    this.#now += ms;
  }

  /** Goes on for so long, running what falls due on the way. */
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

/** Lets promises do all that they can do without time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
