// How much longer programs take because the machine is busy with others: the time that they waited for a processor, beside
// the time that they had one. Bounds in time are multiplied by it, so that slowness is not taken for a fault.
import { readFileSync } from 'node:fs';

interface Sample {
  /** By performance.now(). */
  readonly at: number;
  /** Nanoseconds since the sample before, of all programs. */
  readonly ran: number;
  readonly waited: number;
}

const everyMs = 250;
/** Beyond it a run says nothing. */
const factorMax = 20;

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
    const within = this.#samples.filter(({ at }) => at >= from && at <= to + everyMs);
    const ran = within.reduce((sum, sample) => sum + sample.ran, 0);
    const waited = within.reduce((sum, sample) => sum + sample.waited, 0);
    return ran === 0 ? 1 : Math.min(factorMax, 1 + waited / ran);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const before = this.#before;
    this.#before = new Map();
    let [ran, waited] = [0, 0];
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
