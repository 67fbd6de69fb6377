// Grants time on the event loop to everything that takes long on it: new requests, large bodies, streams as fast as
// they can be sent, work that is cut into slices. A tick does a limited amount of it, and the organization with the
// least recent time comes first: an organization that sends little is served at once, however much others send. Waiting
// work is paused at its source, so little of it waits.
import { LeastServed } from '../common/least-served.ts';
import { OccupiedShare, type ShareOwner } from '../common/shares.ts';
import { overloaded } from './errors.ts';
import type { ReadShare } from './shares.ts';
import { shares } from './shares.ts';

/** Speed of the work after a large body, which is not measured: about that of parsing or rewriting it. */
const bytesPerMs = 100 * 1024;
/** All work for a small request, which is not measured either. */
const requestMs = 0.5;
/** Work in one tick of the event loop before other events get their time. */
const tickMsMax = 2;
/** No slice should take longer. */
export const sliceMs = 1;
/** Size of a piece of work: longer work is cut if that is possible. */
export const pieceBytes = 16 * 1024;
/** Work of up to this size is done at once, unless its organization has used its part of this tick. */
const smallBytes = 8 * 1024;
const smallMs = 0.5;
/** A request of up to this many bytes is done in one piece, without a noticeable effect on others. */
export const wholeBytes = 64 * 1024;
/** The longest wait between two slices of one piece of work. */
const waitMsMax = 10_000;

export interface LoopSchedulerDeps {
  /** Monotonic milliseconds. */
  now(): number;
  /** Default: setImmediate. */
  nextTick?(work: () => void): void;
}

/** @returns whether the work needs another slice */
export type Slice = () => 'more' | 'over';

/** over: the work has ended; late: it got no grant in time; left: nothing waits for it. */
export type SlicesOutcome = 'over' | 'late' | 'left';

interface Job {
  readonly owner: ShareOwner;
  /** Counted as used while the work waits; 0 if something else limits waiting work. */
  readonly bytes: number;
  /** The time that is charged; undefined: the time that the work takes. */
  readonly ms?: number;
  readonly work: () => void;
}

export class LoopScheduler {
  readonly #deps: Required<LoopSchedulerDeps>;
  readonly #queue: LeastServed<Job>;
  readonly #bytes = new OccupiedShare(shares.loop_turns.bounds);
  /** Time that was used in this tick: by organization, and in total. */
  readonly #spentBy = new Map<string, number>();
  #spentMs = 0;
  #isComing = false;

  constructor(deps: LoopSchedulerDeps) {
    this.#deps = { nextTick: setImmediate, ...deps };
    this.#queue = new LeastServed(this.#deps.now);
  }

  /** Bytes of waiting work. */
  get bytes(): ReadShare {
    return this.#bytes;
  }

  /**
   * Does the work now, or at the owner's next grant; its sender pauses until then.
   * @param bytes the size of the work
   * @returns whether it was done now
   */
  run(owner: ShareOwner, bytes: number, work: () => void): boolean {
    const mayRun = this.#mayRun(owner.organization, bytes <= smallBytes);
    if (!mayRun && this.#bytes.take(owner, bytes)) {
      this.#push({ owner, bytes, work });
      return false;
    }
    const begun = this.#deps.now();
    work();
    // Small work that passes at once is not charged as long as no work waits.
    this.#took(owner, this.#deps.now() - begun, bytes > smallBytes);
    return true;
  }

  /** For a request, before it is read. @returns undefined if work on it may begin now */
  begin(owner: ShareOwner): Promise<void> | undefined {
    if (this.#mayRun(owner.organization, true)) {
      this.#took(owner, requestMs, false);
      return undefined;
    }
    // The number of waiting requests is bounded by admission.
    return this.#grantOf({ owner, bytes: 0, ms: requestMs });
  }

  /**
   * For work that is not cut, such as parsing a body that is large, but not too large: it has to follow at once.
   * @returns undefined if it may follow now. @throws GatewayError overloaded
   */
  ready(owner: ShareOwner, bytes: number): Promise<void> | undefined {
    if (bytes <= wholeBytes) return undefined;
    if (!this.#bytes.take(owner, bytes)) throw overloaded();
    return this.#grantOf({ owner, bytes, ms: bytes / bytesPerMs });
  }

  /** Whether work in slices may have its first one at once; afterwards call took() with its time. */
  mayBegin({ organization }: ShareOwner, likelyMs: number): boolean {
    return this.#mayRun(organization, likelyMs <= smallMs);
  }

  took(owner: ShareOwner, ms: number): void {
    this.#took(owner, ms, ms > smallMs);
  }

  /**
   * Does work in slices of at most sliceMs, one for each grant. Its callers limit how much of it may wait.
   * @param isLeft whether nothing waits for the work any longer
   */
  slices(owner: ShareOwner, slice: Slice, isLeft: () => boolean): Promise<SlicesOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<SlicesOutcome>();
    const next = () => {
      const at = this.#deps.now();
      const work = () => {
        if (isLeft()) return resolve('left');
        if (this.#deps.now() - at > waitMsMax) return resolve('late');
        try {
          if (slice() === 'over') resolve('over');
          else next();
        } catch (error) {
          reject(error);
        }
      };
      this.#push({ owner, bytes: 0, work });
    };
    next();
    return promise;
  }

  /**
   * Does steps that are much shorter than a slice, as many for each grant as fit.
   * @throws the errors of the steps; NotScheduledError
   */
  async finish<T>(owner: ShareOwner, steps: Generator<void, T>, isLeft: () => boolean): Promise<T> {
    let result: IteratorResult<void, T> | undefined;
    const slice = () => {
      const begun = this.#deps.now();
      let last = begun;
      for (;;) {
        result = steps.next();
        if (result.done === true) return 'over';
        const at = this.#deps.now();
        // The next step may take as long as this one.
        if (2 * at - last - begun > sliceMs) return 'more';
        last = at;
      }
    };
    const outcome = await this.slices(owner, slice, isLeft);
    if (outcome !== 'over' || result?.done !== true) throw new NotScheduledError(outcome);
    return result.value;
  }

  /**
   * If the tick's time is used up, small work is still done for organizations that have used less than an equal part of
   * it.
   */
  #mayRun(organization: string, isSmall: boolean): boolean {
    if (this.#queue.isWaiting(organization)) return false;
    if (this.#spentMs < tickMsMax && (isSmall || this.#queue.length === 0)) return true;
    return isSmall && (this.#spentBy.get(organization) ?? 0) * this.#spentBy.size < tickMsMax;
  }

  #grantOf(job: Omit<Job, 'work'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#push({ ...job, work: resolve });
    return promise;
  }

  #push(job: Job): void {
    this.#queue.push(job.owner, job);
    this.#comeAgain();
  }

  #took(owner: ShareOwner, ms: number, isCharged: boolean): void {
    const { organization } = owner;
    this.#spentMs += ms;
    this.#spentBy.set(organization, (this.#spentBy.get(organization) ?? 0) + ms);
    if (isCharged || this.#queue.length > 0) this.#queue.charge(owner, ms);
    this.#comeAgain();
  }

  #comeAgain(): void {
    if (this.#isComing) return;
    this.#isComing = true;
    this.#deps.nextTick(() => {
      this.#isComing = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#spentMs = 0;
    this.#spentBy.clear();
    let begun = this.#deps.now();
    while (this.#spentMs < tickMsMax) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      if (job.bytes > 0) this.#bytes.give(job.owner, job.bytes);
      job.work();
      const now = this.#deps.now();
      this.#took(job.owner, job.ms ?? now - begun, true);
      begun = now;
    }
  }
}

/** Work was not finished: it got no grant in time, or nothing waits for it. */
export class NotScheduledError extends Error {
  readonly outcome: SlicesOutcome;

  constructor(outcome: SlicesOutcome) {
    super(`work was not finished: ${outcome}`);
    this.name = 'NotScheduledError';
    this.outcome = outcome;
  }
}
