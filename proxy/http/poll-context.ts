// One reading of a stored response on behalf of no request: its time limit, and its bytes in memory.
import type { OccupiedShare, ShareOwner } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import { GatewayError, overloaded } from '../errors.ts';
import type { PlainContext } from '../upstream/plain-exchange.ts';

export interface PollDeps {
  readonly owner: ShareOwner;
  readonly bytes: Pick<OccupiedShare, 'take' | 'give'>;
  readonly timers: Timers;
}

const pollTimeoutMs = 30_000;

export class PollContext implements PlainContext {
  readonly owner: ShareOwner;
  readonly #bytes: PollDeps['bytes'];
  readonly #cancelTimer: () => void;
  #taken = 0;
  #aborted: Error | undefined;
  #abortable: { abort(error: Error): void } | undefined;

  constructor({ owner, bytes, timers }: PollDeps) {
    this.owner = owner;
    this.#bytes = bytes;
    this.#cancelTimer = timers.after(pollTimeoutMs, () => this.abort(new GatewayError('upstream_timeout')));
  }

  onAbort(abortable: { abort(error: Error): void }): void {
    this.#abortable = abortable;
    if (this.#aborted !== undefined) abortable.abort(this.#aborted);
  }

  abort(error: Error): void {
    this.#aborted ??= error;
    this.#abortable?.abort(error);
  }

  /** @throws GatewayError overloaded */
  buffer(bytes: number): void {
    if (!this.#bytes.take(this.owner, bytes)) throw overloaded();
    this.#taken += bytes;
  }

  progress(): void {
    // One time limit for the whole is enough for a response of JSON.
  }

  /** Releases what it has. */
  end(): void {
    this.#cancelTimer();
    if (this.#taken > 0) this.#bytes.give(this.owner, this.#taken);
    this.#taken = 0;
  }
}
