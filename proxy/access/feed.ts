// Keeps one watch on the change feed open. A heartbeat is sent at once and every five seconds; the age of its response
// counts from when it was sent. A connection that does not acknowledge a heartbeat until the next one is due is
// replaced by another, perhaps to another replica.
import { type BackoffOptions, backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { Position } from './feed-state.ts';
import type { AccessLimits } from './limits.ts';
import type { Invalidation, Records } from './records.ts';

export type FeedMessage =
  | (FeedBeginning & { readonly type: 'started' })
  | (FeedBeginning & { readonly type: 'reset' })
  | { readonly type: 'changes'; readonly invalidations: readonly Invalidation[] }
  | { readonly type: 'response'; readonly nonce: number; readonly position: Position }
  /** Not part of the feed's order. */
  | { readonly type: 'reclaim'; readonly reclaim: Reclaim };

interface FeedBeginning {
  readonly horizon: Position;
  /** Undefined: nothing is known to be lost. */
  readonly epochChange?: EpochChange;
  /** The positions that the watermark's epoch continues, the newest first. Absent: none that is known. */
  readonly continues?: readonly Position[];
}

/** How a new epoch continues the history before it. `restored`: the last commits may be lost. */
export type EpochChange = 'restarted' | 'restored';

/** A request to reclaim: another proxy needs money that this one has leased of a budget's window. */
export interface Reclaim {
  readonly budgetId: string;
  readonly window: string;
}

/** The handlers are never called before the call of `watch` that they were passed to has returned. */
export interface WatchHandlers {
  message(message: FeedMessage): void;
  /** Called once, and last. */
  closed(reason: Error): void;
}

export interface WatchStart {
  readonly since: Position | undefined;
  readonly maxStaleMs: number;
}

export interface WatchStream {
  ask(nonce: number): void;
  cancel(): void;
}

export interface FeedDeps {
  readonly watch: (start: WatchStart, handlers: WatchHandlers) => WatchStream;
  readonly records: Records;
  readonly onInvalidations: (invalidations: readonly Invalidation[]) => void;
  readonly onReclaim?: ((reclaim: Reclaim) => void) | undefined;
  /** Called when the feed continues in another epoch. */
  readonly onEpochChange?: ((change: EpochChange, epoch: string) => void) | undefined;
  readonly maxStaleMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly limits: AccessLimits;
  readonly log: Logger;
}

interface Connection {
  readonly stream: WatchStream;
  /** Nonce → when the heartbeat was sent. */
  readonly requests: Map<number, number>;
  begun: boolean;
}

export class Feed {
  readonly #deps: FeedDeps;
  readonly #backoff: BackoffOptions;
  #connection: Connection | undefined;
  #cancelTimer: () => void = () => {};
  #nonce = 0;
  #failures = 0;
  #closed = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#backoff = { firstMs: deps.limits.reconnectFirstMs, maxMs: deps.limits.reconnectMaxMs };
    this.#connect();
  }

  /** Sends a heartbeat now, because there is a sign that the feed has news. */
  askNow(): void {
    const connection = this.#connection;
    if (connection !== undefined && connection.requests.size === 0) this.#ask(connection);
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#connection?.stream.cancel();
    this.#connection = undefined;
  }

  #connect(): void {
    const { maxStaleMs, records, watch } = this.#deps;
    // Messages of a replaced connection may still arrive, but no longer in order with those of the new one.
    const ifCurrent = (act: (connection: Connection) => void) => {
      if (this.#connection === connection) act(connection);
    };
    const stream = watch(
      { since: records.feed.position, maxStaleMs },
      {
        message: (message) => ifCurrent(() => this.#take(connection, message)),
        closed: (reason) => ifCurrent(() => this.#reconnect(reason)),
      },
    );
    const connection: Connection = { stream, requests: new Map(), begun: false };
    this.#connection = connection;
    this.#ask(connection);
    this.#askAgainLater(connection);
  }

  #ask(connection: Connection): void {
    this.#nonce += 1;
    connection.requests.set(this.#nonce, this.#deps.clock.monotonic());
    connection.stream.ask(this.#nonce);
  }

  #askAgainLater(connection: Connection): void {
    this.#cancelTimer = this.#deps.timers.after(this.#deps.limits.askEveryMs, () => {
      if (connection.requests.size > 0)
        return this.#giveUp(new Error('the control plane did not respond to a heartbeat'));
      this.#ask(connection);
      this.#askAgainLater(connection);
    });
  }

  #take(connection: Connection, message: FeedMessage): void {
    if (message.type === 'reclaim') {
      this.#deps.onReclaim?.(message.reclaim);
    } else if (message.type === 'started' || message.type === 'reset') {
      connection.begun = true;
      const { feed } = this.#deps.records;
      const before = feed.position?.epoch;
      const { epoch } = message.horizon;
      feed.begin(message.horizon, message.continues);
      this.askNow();
      if (before !== undefined && before !== epoch)
        this.#deps.onEpochChange?.(message.epochChange ?? 'restarted', epoch);
    } else if (!connection.begun) {
      this.#giveUp(new Error('the feed did not begin with a position'));
    } else if (message.type === 'changes') {
      this.#deps.onInvalidations(message.invalidations);
    } else {
      this.#takeResponse(connection, message.nonce, message.position);
    }
  }

  #takeResponse(connection: Connection, nonce: number, position: Position): void {
    const requestedAt = connection.requests.get(nonce);
    if (requestedAt === undefined) return;
    connection.requests.delete(nonce);
    if (!this.#deps.records.feed.confirm(position, requestedAt)) {
      this.#giveUp(new Error('the feed went back without a new epoch'));
      return;
    }
    if (this.#failures > 1) this.#deps.log.info('the change feed is connected again');
    this.#failures = 0;
  }

  #giveUp(reason: Error): void {
    this.#connection?.stream.cancel();
    this.#reconnect(reason);
  }

  #reconnect(reason: Error): void {
    this.#cancelTimer();
    this.#connection = undefined;
    if (this.#closed) return;
    this.#failures += 1;
    if (this.#failures === 2)
      this.#deps.log.warn(
        { err: reason },
        'the change feed is disconnected; records are served until they are too old',
      );
    const delayMs = backoffMs(this.#failures, this.#backoff, this.#deps.random);
    this.#cancelTimer = this.#deps.timers.after(delayMs, () => this.#connect());
  }
}
