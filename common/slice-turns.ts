// Work on the event loop that is too long for one turn of it: one slice of one piece of work a turn, organizations and their keys in turns,
// so that neither much of it nor a long one holds up anybody else. All work of a process takes turns together. Work that is not given a
// turn in time gets none: it is told so.
import { FairQueue, type ShareOwner } from './shares.ts';

/** No slice is meant to take longer. */
export const sliceMs = 2;
/** What slices may take of one turn of the event loop where nobody waits. */
const turnMsMax = 4;
/** What should take no longer begins at once, whoever waits: it is over before it could wait. */
const shortNs = 500_000;
/** Between two turns of one piece of work. */
const waitMsMax = 10_000;

export interface SliceTurnsDeps {
  /** Monotonic milliseconds. */
  now(): number;
}

/** @returns what became of the work: it goes on with its next turn, or not */
export type Slice = () => 'more' | 'over';

interface Job {
  readonly owner: ShareOwner;
  readonly slice: Slice;
  readonly isLeft: () => boolean;
  readonly settle: (outcome: SlicesOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** When it was last given a turn. */
  at: number;
}

/** over: the slice has said so; late: it was given no turn; left: nobody waits for it. */
export type SlicesOutcome = 'over' | 'late' | 'left';

export class SliceTurns {
  readonly #now: () => number;
  /** Turns; how much may wait for them is for others to bound. */
  readonly #queue = new FairQueue<Job>({
    waiting: { capacity: Number.POSITIVE_INFINITY, alpha: 1 },
    quantum: 1,
  });
  /** Of this turn of the event loop. */
  #spentMs = 0;
  #isResetting = false;
  #isRunning = false;

  constructor({ now }: SliceTurnsDeps) {
    this.#now = now;
  }

  /** Whether work may have its first slice at once. */
  mayBegin(likelyNs: number): boolean {
    return likelyNs <= shortNs || (this.#queue.length === 0 && this.#spentMs < turnMsMax);
  }

  /** Says what the first slices have taken. */
  took(ms: number): void {
    if (ms < shortNs / 1e6) return;
    this.#spentMs += ms;
    if (this.#isResetting) return;
    this.#isResetting = true;
    setImmediate(() => {
      this.#isResetting = false;
      this.#spentMs = 0;
    });
  }

  /** @param isLeft whether nobody waits for it any more */
  run(owner: ShareOwner, slice: Slice, isLeft: () => boolean): Promise<SlicesOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<SlicesOutcome>();
    this.#push({ owner, slice, isLeft, settle: resolve, reject, at: this.#now() });
    return promise;
  }

  /**
   * Steps of far less than a slice each, as many a turn as fit.
   * @throws what they throw; NoTurnError
   */
  async finish<T>(owner: ShareOwner, steps: Generator<void, T>, isLeft: () => boolean): Promise<T> {
    let result: IteratorResult<void, T> | undefined;
    const slice = () => {
      const begun = this.#now();
      let last = begun;
      for (;;) {
        result = steps.next();
        if (result.done === true) return 'over';
        const at = this.#now();
        // The next step may take as long as this one.
        if (2 * at - last - begun > sliceMs) return 'more';
        last = at;
      }
    };
    const outcome = await this.run(owner, slice, isLeft);
    if (outcome !== 'over' || result?.done !== true) throw new NoTurnError(outcome);
    return result.value;
  }

  #push(job: Job): void {
    this.#queue.push(job.owner, job, 1);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const job = this.#queue.shift();
    if (job !== undefined) this.#serve(job);
    this.#isRunning = this.#queue.length > 0;
    if (this.#isRunning) setImmediate(() => this.#turn());
  }

  #serve(job: Job): void {
    if (job.isLeft()) job.settle('left');
    else if (this.#now() - job.at > waitMsMax) job.settle('late');
    else
      try {
        if (job.slice() === 'over') job.settle('over');
        else {
          job.at = this.#now();
          this.#queue.push(job.owner, job, 1);
        }
      } catch (error) {
        job.reject(error);
      }
  }
}

/** Work was not finished: it was given no turn in time, or nobody waits for it. */
export class NoTurnError extends Error {
  readonly outcome: SlicesOutcome;

  constructor(outcome: SlicesOutcome) {
    super(`work was not finished: ${outcome}`);
    this.name = 'NoTurnError';
    this.outcome = outcome;
  }
}
