// Turns at the event loop. What comes in bulk (large bodies, streams as fast as they can be sent) is worked through piece by piece, so much
// in a turn of the loop, and the organization comes first that has had the least time of late: whoever sends a little is served at once,
// however much others send. What waits is paused at its source, so that it is little.
import { LeastServed } from '../common/least-served.ts';
import { HeldShare, type ShareOwner } from '../common/shares.ts';
import { shares } from './shares.ts';
import type { ReadShare } from './telemetry/share-metrics.ts';

/** What follows a large body is not measured: about what it takes to parse it, or to write it anew. */
const bytesPerMs = 100 * 1024;
/** What may be worked at in one turn of the event loop before others have theirs. */
const turnMsMax = 4;
/** A piece of work: what is longer is cut where that is possible. */
export const pieceBytes = 16 * 1024;
/** What is no longer is done at once, unless its organization has used up this turn alone. */
const smallBytes = 8 * 1024;
/** A request of up to so many bytes is done in one piece: others do not notice. */
export const wholeBytes = 64 * 1024;

export interface LoopTurnsDeps {
  /** Monotonic milliseconds. */
  now(): number;
  /** Default: setImmediate. */
  nextTurn?(work: () => void): void;
}

interface Job {
  readonly owner: ShareOwner;
  readonly bytes: number;
  readonly work: () => void;
  /** What follows it runs when it returns, and cannot be measured: no other follows in the same turn. */
  readonly isLast: boolean;
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
    if (!this.#mayRun(owner.organization, bytes) && this.#wait({ owner, bytes, work, isLast: false }))
      return false;
    const begun = this.#deps.now();
    work();
    this.#took(owner, bytes, this.#deps.now() - begun);
    return true;
  }

  /**
   * For work that cannot be cut, such as parsing a large body: it is to follow at once.
   * @returns undefined where it may follow now. @throws whatever refused() makes, where there is no room to wait
   */
  ready(owner: ShareOwner, bytes: number, refused: () => Error): Promise<void> | undefined {
    if (bytes <= wholeBytes) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#wait({ owner, bytes, work: resolve, isLast: true })) throw refused();
    return promise;
  }

  #mayRun(organization: string, bytes: number): boolean {
    if (this.#queue.isWaiting(organization)) return false;
    if (bytes <= smallBytes) return (this.#spentBy.get(organization) ?? 0) < turnMsMax;
    return this.#queue.length === 0 && this.#spentMs < turnMsMax;
  }

  #wait(job: Job): boolean {
    if (!this.#bytes.take(job.owner, job.bytes)) return false;
    this.#queue.push(job.owner, job);
    this.#comeAgain();
    return true;
  }

  #took(owner: ShareOwner, bytes: number, ms: number): void {
    const { organization } = owner;
    this.#spentMs += ms;
    this.#spentBy.set(organization, (this.#spentBy.get(organization) ?? 0) + ms);
    // Of what is small, and passes, nobody has to be told as long as nobody waits.
    if (bytes > smallBytes || this.#queue.length > 0) this.#queue.charge(owner, ms);
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
    const begun = this.#deps.now();
    for (let at = begun; at - begun < turnMsMax; ) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#bytes.give(job.owner, job.bytes);
      job.work();
      const now = this.#deps.now();
      this.#queue.charge(job.owner, job.isLast ? job.bytes / bytesPerMs : now - at);
      at = now;
      if (job.isLast) break;
    }
    this.#spentMs = this.#deps.now() - begun;
    if (this.#queue.length > 0) this.#comeAgain();
  }
}
