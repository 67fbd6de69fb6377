// Calls that wait for new rows of requests: bounded in number, with a share for each organization, and ended when this
// replica stops.
import { setTimeout as sleep } from 'node:timers/promises';
import { OccupiedShare, type ShareOwner } from '../../common/shares.ts';

/** One organization alone has at most 51 of them. */
const waiting = { capacity: 256, alpha: 0.25 };

export class Followers {
  readonly #share = new OccupiedShare(waiting);
  readonly #stopped = new AbortController();

  /** @returns ends the wait; undefined if the owner's share is used up */
  occupy(owner: ShareOwner): (() => void) | undefined {
    return this.#share.take(owner) ? () => this.#share.give(owner) : undefined;
  }

  /** @returns false if this replica stops */
  async pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopped;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }

  stop(): void {
    this.#stopped.abort();
  }
}
