// What is to be told to Redis, by shard. What begins, and what frees a place, leaves at the end of this turn of the event loop, when
// all that came in it is there; tokens that were not used go with it, or after a moment on their own. So many requests cost one call.
import type { Timers } from '../../common/timers.ts';
import { type Begun, type Ended, holdsPlaces, type Turn } from './rate-batch.ts';

export interface OutboxDeps {
  readonly timers: Timers;
  /** Makes one call of it. */
  send(turn: Turn): void;
}

/** Requests in one call: others wait in Redis while it runs. */
export const requestsInCallMax = 128;
/** Tokens given back wait no longer for something to travel with. */
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
    // Somebody may want the place at another proxy.
    else if (holdsPlaces(one.request)) this.#leaveWithTurn(waiting);
    else this.#leaveSoon();
  }

  /** Sends what waits; from now on what ends does not wait. */
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
    // After the events of this turn, each of which may bring requests.
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
