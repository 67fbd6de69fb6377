// Scans on the event loop: one slice of one of them a turn, organizations and their keys in turns, so that neither many texts nor a long
// one holds up anybody else. A scan that is not given a turn in time has none: it is told so.
import { FairQueue, HeldShare, type ShareOwner } from '../../common/shares.ts';
import { shares } from '../shares.ts';
import type { ReadShare } from '../telemetry/share-metrics.ts';

/** No slice is meant to take longer. */
export const sliceMs = 2;
/** What slices may take of one turn of the event loop where nobody waits. */
const turnMsMax = 4;
/** A scan that should take no longer begins at once, whoever waits: it is over before it could wait. */
const shortNs = 500_000;
/** Between two turns of one scan. */
const waitMsMax = 10_000;

export interface SliceTurnsDeps {
  /** Monotonic milliseconds. */
  now(): number;
}

/** @returns what became of the scan: it goes on with its next turn, or not */
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

/** over: the scan has said so; late: it was given no turn; left: nobody waits for it. */
export type SlicesOutcome = 'over' | 'late' | 'left';

export class SliceTurns {
  readonly #now: () => number;
  /** Turns; what their texts come to is held apart. */
  readonly #queue = new FairQueue<Job>({
    waiting: { capacity: Number.POSITIVE_INFINITY, alpha: 1 },
    quantum: 1,
  });
  readonly #texts = new HeldShare(shares.guardrail_slices.bounds);
  /** Of this turn of the event loop. */
  #spentMs = 0;
  #isResetting = false;
  #isRunning = false;

  constructor({ now }: SliceTurnsDeps) {
    this.#now = now;
  }

  /** Characters of texts under way. */
  get texts(): ReadShare {
    return this.#texts;
  }

  /** Whether a scan may have its first slice at once. */
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

  /**
   * @param length of its texts
   * @param isLeft whether nobody waits for it any more
   * @returns undefined where there is no room for it
   */
  run(
    owner: ShareOwner,
    length: number,
    slice: Slice,
    isLeft: () => boolean,
  ): Promise<SlicesOutcome> | undefined {
    if (!this.#texts.take(owner, length)) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<SlicesOutcome>();
    this.#push({ owner, slice, isLeft, settle: resolve, reject, at: this.#now() });
    return promise.finally(() => this.#texts.give(owner, length));
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
