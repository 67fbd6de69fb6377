// Runs a few items of work at a time, with organizations taking turns. Each item starts in its own event-loop tick,
// after incoming messages were read. So a proxy's `ask`, which never waits here, is not delayed by waiting calls of
// operators.
import type { Clock } from '../../common/clock.ts';
import { FairQueue, type ShareOwner } from '../../common/shares.ts';

export interface WorkQueueOptions {
  readonly atOnce: number;
  /** How many items may wait; `alpha` gives an organization's share of them. */
  readonly waiting: number;
  readonly alpha: number;
  /** An item that has waited for longer is not started. */
  readonly waitMs: number;
  readonly clock: Clock;
}

/** late: the item waited too long and was not started. */
export type WorkResult<T> = { readonly value: T } | { readonly late: true };

interface Waiting {
  readonly since: number;
  begin(): Promise<void>;
  giveUp(): void;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #queue: FairQueue<Waiting>;
  #running = 0;
  #late = 0;
  #scheduled = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    const { alpha, waiting } = options;
    this.#queue = new FairQueue({ waiting: { capacity: waiting, alpha }, quantum: 1 });
  }

  /** The part of the waiting capacity in use, from 0 to 1. */
  get used(): number {
    return this.#queue.waiting.used / this.#queue.waiting.capacity;
  }

  /** Since the start. */
  get refused(): number {
    return this.#queue.waiting.refused + this.#late;
  }

  /**
   * @param signal once it is aborted, work that waits is not started; work that runs ends itself
   * @returns undefined if too much of the owner's work waits already; otherwise a promise that rejects with the work's
   * error, or with the signal's reason
   */
  run<T>(owner: ShareOwner, work: () => Promise<T>, signal?: AbortSignal): Promise<WorkResult<T>> | undefined {
    const { promise, resolve, reject } = Promise.withResolvers<WorkResult<T>>();
    let hasBegun = false;
    const leave = () => hasBegun || reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    const waiting: Waiting = {
      since: this.#options.clock.monotonic(),
      begin: async () => {
        if (signal?.aborted === true) return reject(signal.reason);
        hasBegun = true;
        try {
          resolve({ value: await work() });
        } catch (error) {
          reject(error);
        }
      },
      giveUp: () => resolve({ late: true }),
    };
    if (!this.#queue.push(owner, waiting, 1)) return undefined;
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#running >= this.#options.atOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#beginNext();
      this.#schedule();
    });
  }

  #beginNext(): void {
    const next = this.#queue.shift();
    if (next === undefined) return;
    if (this.#options.clock.monotonic() - next.since > this.#options.waitMs) {
      this.#late++;
      next.giveUp();
      return;
    }
    this.#running++;
    void next.begin().then(() => {
      this.#running--;
      this.#schedule();
    });
  }
}
