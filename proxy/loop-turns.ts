// Turns at the event loop. Everything that takes time on it goes through here: new requests, large bodies, streams as fast as they can be
// sent, work that is cut into slices. A turn of the loop does so much of it, and the organization comes first that has had the least time of
// late: whoever sends a little is served at once, however much others send. What waits is paused at its source, so that it is little.
import { LeastServed } from '../common/least-served.ts';
import { HeldShare, type ShareOwner } from '../common/shares.ts';
import { overloaded } from './errors.ts';
import type { ReadShare } from './shares.ts';
import { shares } from './shares.ts';

/** What follows a large body is not measured: about what it takes to parse it, or to write it anew. */
const bytesPerMs = 100 * 1024;
/** A small request, all that is done for it: it is not measured either. */
const requestMs = 0.5;
/** What may be worked at in one turn of the event loop before others have theirs. */
const turnMsMax = 2;
/** No slice is meant to take longer. */
export const sliceMs = 1;
/** A piece of work: what is longer is cut where that is possible. */
export const pieceBytes = 16 * 1024;
/** What is no longer is done at once, unless its organization has had its part of this turn. */
const smallBytes = 8 * 1024;
const smallMs = 0.5;
/** A request of up to so many bytes is done in one piece: others do not notice. */
export const wholeBytes = 64 * 1024;
/** Between two slices of one piece of work. */
const waitMsMax = 10_000;

export interface LoopTurnsDeps {
  /** Monotonic milliseconds. */
  now(): number;
  /** Default: setImmediate. */
  nextTurn?(work: () => void): void;
}

/** @returns what became of the work: it goes on with its next turn, or not */
export type Slice = () => 'more' | 'over';

/** over: the slice has ended so; late: it was given no turn; left: nobody waits for it. */
export type SlicesOutcome = 'over' | 'late' | 'left';

interface Job {
  readonly owner: ShareOwner;
  /** Held while it waits; 0 where something else bounds what may wait. */
  readonly bytes: number;
  /** What it is charged; undefined: what it takes. */
  readonly ms?: number;
  readonly work: () => void;
}

export class LoopTurns {
  readonly #deps: Required<LoopTurnsDeps>;
  readonly #queue: LeastServed<Job>;
  readonly #bytes = new HeldShare(shares.loop_turns.bounds);
  /** Of this turn: in all, and by organization. */
  readonly #spentBy = new Map<string, number>();
  #spentMs = 0;
  #isComing = false;

  constructor(deps: LoopTurnsDeps) {
    this.#deps = { nextTurn: setImmediate, ...deps };
    this.#queue = new LeastServed(this.#deps.now);
  }

  /** Bytes that wait. */
  get bytes(): ReadShare {
    return this.#bytes;
  }

  /**
   * Does the work now, or when it is the owner's turn: whoever sends it pauses until then.
   * @param bytes what it costs
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
    // Of what is small, and passes, nobody has to be told as long as nobody waits.
    this.#took(owner, this.#deps.now() - begun, bytes > smallBytes);
    return true;
  }

  /** For a request, before it is read. @returns undefined where it may be worked at now */
  begin(owner: ShareOwner): Promise<void> | undefined {
    if (this.#mayRun(owner.organization, true)) {
      this.#took(owner, requestMs, false);
      return undefined;
    }
    // How many may wait is bounded by the requests that are admitted.
    return this.#turnOf({ owner, bytes: 0, ms: requestMs });
  }

  /**
   * For work that is not cut, such as parsing a body that is large, but not too large: it is to follow at once.
   * @returns undefined where it may follow now. @throws GatewayError overloaded
   */
  ready(owner: ShareOwner, bytes: number): Promise<void> | undefined {
    if (bytes <= wholeBytes) return undefined;
    if (!this.#bytes.take(owner, bytes)) throw overloaded();
    return this.#turnOf({ owner, bytes, ms: bytes / bytesPerMs });
  }

  /** Whether work in slices may have its first one at once; took() says what that has taken. */
  mayBegin({ organization }: ShareOwner, likelyMs: number): boolean {
    return this.#mayRun(organization, likelyMs <= smallMs);
  }

  took(owner: ShareOwner, ms: number): void {
    this.#took(owner, ms, ms > smallMs);
  }

  /**
   * Work in slices of sliceMs at most, one a turn; how much of it may wait is for others to bound.
   * @param isLeft whether nobody waits for it any more
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
   * Steps of far less than a slice each, as many a turn as fit.
   * @throws what they throw; NoTurnError
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
    if (outcome !== 'over' || result?.done !== true) throw new NoTurnError(outcome);
    return result.value;
  }

  /** Where the turn is used up, what is small is done for those who have had less of it than an equal part. */
  #mayRun(organization: string, isSmall: boolean): boolean {
    if (this.#queue.isWaiting(organization)) return false;
    if (this.#spentMs < turnMsMax && (isSmall || this.#queue.length === 0)) return true;
    return isSmall && (this.#spentBy.get(organization) ?? 0) * this.#spentBy.size < turnMsMax;
  }

  #turnOf(job: Omit<Job, 'work'>): Promise<void> {
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
    this.#deps.nextTurn(() => {
      this.#isComing = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#spentMs = 0;
    this.#spentBy.clear();
    let begun = this.#deps.now();
    while (this.#spentMs < turnMsMax) {
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

/** Work was not finished: it was given no turn in time, or nobody waits for it. */
export class NoTurnError extends Error {
  readonly outcome: SlicesOutcome;

  constructor(outcome: SlicesOutcome) {
    super(`work was not finished: ${outcome}`);
    this.name = 'NoTurnError';
    this.outcome = outcome;
  }
}
