// How much longer programs take because the machine is busy with others: the time that they waited for a processor, beside
// the time that they had one. Bounds in time are multiplied by it, so that slowness is not taken for a fault.
import { readFileSync } from 'node:fs';

interface Sample {
  /** By performance.now(). */
  readonly at: number;
  /** Nanoseconds since the first sample, of all programs. */
  readonly ran: number;
  readonly waited: number;
}

const everyMs = 250;
/** Beyond it a run says nothing. */
export const slownessMax = 20;
const none: Sample = { at: 0, ran: 0, waited: 0 };

export class Pace {
  readonly #pids: () => readonly number[];
  readonly #samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;
  #before = new Map<number, readonly [number, number]>();

  /** @param pids of the running programs, called for each sample */
  constructor(pids: () => readonly number[]) {
    this.#pids = pids;
    this.#timer = setInterval(() => this.#sample(), everyMs);
  }

  /** From 1, on an idle machine, to 20. Instants are by performance.now(). */
  factor(from: number, to: number): number {
    const [first, last] = [this.#lastBefore(from), this.#lastBefore(to + everyMs)];
    const ran = last.ran - first.ran;
    return ran === 0 ? 1 : Math.min(slownessMax, 1 + (last.waited - first.waited) / ran);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** By bisection: a verifier calls it for each call and each fault. */
  #lastBefore(at: number): Sample {
    let [low, high] = [0, this.#samples.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#samples[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return this.#samples[low - 1] ?? none;
  }

  #sample(): void {
    const before = this.#before;
    this.#before = new Map();
    let { ran, waited } = this.#samples.at(-1) ?? none;
    for (const pid of this.#pids()) {
      const now = timesOf(pid);
      if (now === undefined) continue;
      const [ranBefore, waitedBefore] = before.get(pid) ?? [0, 0];
      ran += now[0] - ranBefore;
      waited += now[1] - waitedBefore;
      this.#before.set(pid, now);
    }
    this.#samples.push({ at: performance.now(), ran, waited });
  }
}

/** Nanoseconds of its main thread; undefined if it has ended, and on systems other than Linux. */
function timesOf(pid: number): readonly [ran: number, waited: number] | undefined {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return [ran, waited];
  } catch {
    return undefined;
  }
}
