// Work that is done so much at a time, organizations in turn. Each piece begins in a turn of the event loop of its own, after what has
// come in was heard: so a proxy's ask, which waits for nothing here, never stands behind operators' calls that wait.
import type { Clock } from '../../common/clock.ts';
import { FairQueue, type ShareOwner } from '../../common/shares.ts';

export interface TurnsOptions {
  readonly atOnce: number;
  /** How much may wait, and the share of an organization in it. */
  readonly waiting: number;
  readonly alpha: number;
  /** What has waited for longer is not begun. */
  readonly waitMs: number;
  readonly clock: Clock;
}

/** late: it has waited too long, and was not begun. */
export type Turn<T> = { readonly value: T } | { readonly late: true };

interface Waiting {
  readonly since: number;
  begin(): Promise<void>;
  giveUp(): void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: FairQueue<Waiting>;
  #running = 0;
  #late = 0;
  #scheduled = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    const { alpha, waiting } = options;
    this.#queue = new FairQueue({ waiting: { capacity: waiting, alpha }, quantum: 1 });
  }

  /** Of what may wait, from 0 to 1. */
  get used(): number {
    return this.#queue.waiting.used / this.#queue.waiting.capacity;
  }

  /** Since the start. */
  get refused(): number {
    return this.#queue.waiting.refused + this.#late;
  }

  /** @returns undefined where the owner has too much waiting already. Rejects with what the work rejects with */
  run<T>(owner: ShareOwner, work: () => Promise<T>): Promise<Turn<T>> | undefined {
    const { promise, resolve, reject } = Promise.withResolvers<Turn<T>>();
    const waiting: Waiting = {
      since: this.#options.clock.monotonic(),
      begin: async () => {
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
