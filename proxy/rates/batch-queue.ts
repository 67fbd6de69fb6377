// Requests that wait to be sent to Redis, by shard. Requests that begin, and ends that free a slot, are sent at the end
// of this tick of the event loop, together with everything that came in it. Unused tokens are released with them, or
// alone after a moment. So many requests cost one call.
import type { Timers } from '../../common/timers.ts';
import { type Begun, type Ended, type LeaseOfLimit, type RateBatch, takesSlots } from './rate-batch.ts';

export interface BatchQueueDeps {
  readonly timers: Timers;
  /** Sends the batch in one call. */
  send(batch: RateBatch): void;
}

/** Requests in one call. The number is bounded, because other calls wait in Redis while it runs. */
export const requestsInCallMax = 128;
/** Released tokens wait no longer than this for a call that is sent anyway. */
export const tokensWaitMs = 5;

interface Waiting {
  readonly ended: Ended[];
  readonly begun: Begun[];
  readonly back: LeaseOfLimit[];
  leavesWithBatch: boolean;
}

export class BatchQueue {
  readonly #deps: BatchQueueDeps;
  readonly #shards = new Map<number, Waiting>();
  #isTickAwaited = false;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(deps: BatchQueueDeps) {
    this.#deps = deps;
  }

  begin(one: Begun): void {
    const waiting = this.#waiting(one.request.shard);
    waiting.begun.push(one);
    this.#leaveWithBatch(waiting);
  }

  end(one: Ended): void {
    const waiting = this.#waiting(one.request.shard);
    waiting.ended.push(one);
    if (this.#closed) this.#send();
    // Another proxy may need the slot.
    else if (takesSlots(one.request)) this.#leaveWithBatch(waiting);
    else this.#leaveSoon();
  }

  /** Leases that end without requests that begin. */
  back(shard: number, leases: readonly LeaseOfLimit[]): void {
    this.#waiting(shard).back.push(...leases);
    if (this.#closed) this.#send();
    else this.#leaveSoon();
  }

  /** Sends everything that waits. From now on, requests that end do not wait. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#send();
  }

  #waiting(shard: number): Waiting {
    const known = this.#shards.get(shard);
    if (known !== undefined) return known;
    const made = { ended: [], begun: [], back: [], leavesWithBatch: false };
    this.#shards.set(shard, made);
    return made;
  }

  #leaveWithBatch(waiting: Waiting): void {
    waiting.leavesWithBatch = true;
    if (this.#isTickAwaited) return;
    this.#isTickAwaited = true;
    // Runs after the events of this tick, each of which may bring requests.
    setImmediate(() => {
      this.#isTickAwaited = false;
      this.#send(({ leavesWithBatch }) => leavesWithBatch);
    });
  }

  #leaveSoon(): void {
    this.#cancelTimer ??= this.#deps.timers.after(tokensWaitMs, () => {
      this.#cancelTimer = undefined;
      this.#send();
    });
  }

  #send(leaves?: (waiting: Waiting) => boolean): void {
    for (const [shard, waiting] of this.#shards) {
      if (leaves?.(waiting) === false) continue;
      this.#shards.delete(shard);
      for (const batch of batchesOf(shard, waiting)) this.#deps.send(batch);
    }
  }
}

function batchesOf(shard: number, { ended, begun, back }: Waiting): readonly RateBatch[] {
  const batches: RateBatch[] = [];
  while (ended.length + begun.length + back.length > 0) {
    const first = ended.splice(0, requestsInCallMax);
    const next = begun.splice(0, requestsInCallMax - first.length);
    batches.push({ shard, ended: first, begun: next, back: back.splice(0, requestsInCallMax) });
  }
  return batches;
}
