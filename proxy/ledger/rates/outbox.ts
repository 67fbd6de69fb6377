// What is to be told to Redis, by shard. What begins leaves at the end of this turn of the event loop, when all that came in it is
// there; what has ended leaves before it, or after a moment on its own. So many requests cost one call.
import type { Timers } from '../../../common/timers.ts';
import type { Begun, Ended, Turn } from './turn.ts';

export interface OutboxDeps {
  readonly timers: Timers;
  /** Makes one call of it. */
  send(turn: Turn): void;
}

/** Requests in one call: others wait in Redis while it runs. */
export const requestsInCallMax = 128;
/** What has ended waits no longer for something to travel with. */
export const endsWaitMs = 5;

interface Waiting {
  readonly ended: Ended[];
  readonly begun: Begun[];
}

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #shards = new Map<number, Waiting>();
  #leavesWithTurn = false;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  begin(one: Begun): void {
    this.#waiting(one.request.shard).begun.push(one);
    if (this.#leavesWithTurn) return;
    this.#leavesWithTurn = true;
    // After the events of this turn, each of which may bring requests.
    setImmediate(() => {
      this.#leavesWithTurn = false;
      this.#send(({ begun }) => begun.length > 0);
    });
  }

  end(one: Ended): void {
    this.#waiting(one.request.shard).ended.push(one);
    if (this.#closed) this.#send(() => true);
    else
      this.#cancelTimer ??= this.#deps.timers.after(endsWaitMs, () => {
        this.#cancelTimer = undefined;
        this.#send(() => true);
      });
  }

  /** Sends what waits; from now on nothing waits for company. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#send(() => true);
  }

  #waiting(shard: number): Waiting {
    const known = this.#shards.get(shard);
    if (known !== undefined) return known;
    const made = { ended: [], begun: [] };
    this.#shards.set(shard, made);
    return made;
  }

  #send(leaves: (waiting: Waiting) => boolean): void {
    for (const [shard, waiting] of this.#shards) {
      if (!leaves(waiting)) continue;
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
