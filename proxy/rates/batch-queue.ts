// Requests that wait to be sent to Redis, by shard. Requests that begin, and ends that free a slot, are sent at the end
// of this tick of the event loop, together with everything that came in it. Unused tokens are released with them, or
// alone after a moment. So many requests cost one call.
import type { Timers } from '../../common/timers.ts';
import { type Begun, type Ended, takesSlots, type Turn } from './rate-batch.ts';

export interface OutboxDeps {
  readonly timers: Timers;
  /** Sends the batch in one call. */
  send(turn: Turn): void;
}

/** Requests in one call. The number is bounded, because other calls wait in Redis while it runs. */
export const requestsInCallMax = 128;
/** Released tokens wait no longer than this for a call that is sent anyway. */
export const tokensWaitMs = 5;

interface Waiting {
  readonly ended: Ended[];
  readonly begun: Begun[];
  leavesWithTurn: boolean;
}

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #shards = new Map<number, Waiting>();
  #isTurnAwaited = false;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  begin(one: Begun): void {
    const waiting = this.#waiting(one.request.shard);
    waiting.begun.push(one);
    this.#leaveWithTurn(waiting);
  }

  end(one: Ended): void {
    const waiting = this.#waiting(one.request.shard);
    waiting.ended.push(one);
    if (this.#closed) this.#send();
    // Another proxy may need the slot.
    else if (takesSlots(one.request)) this.#leaveWithTurn(waiting);
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
    const made = { ended: [], begun: [], leavesWithTurn: false };
    this.#shards.set(shard, made);
    return made;
  }

  #leaveWithTurn(waiting: Waiting): void {
    waiting.leavesWithTurn = true;
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    // Runs after the events of this tick, each of which may bring requests.
    setImmediate(() => {
      this.#isTurnAwaited = false;
      this.#send(({ leavesWithTurn }) => leavesWithTurn);
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
      for (const turn of turnsOf(shard, waiting)) this.#deps.send(turn);
    }
  }
}

function turnsOf(shard: number, { ended, begun }: Waiting): readonly Turn[] {
  const turns: Turn[] = [];
  while (ended.length + begun.length > 0) {
    const first = ended.splice(0, requestsInCallMax);
    turns.push({ shard, ended: first, begun: begun.splice(0, requestsInCallMax - first.length) });
  }
  return turns;
}
