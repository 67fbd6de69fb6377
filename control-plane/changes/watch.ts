// One proxy's watch, from its start message to its end. One loop sends everything in order: changes by revision, and
// the response to an `ask` only after every change up to its position. Only reclaim requests are sent out of order, as
// soon as they arrive.
import type { Logger } from '../../common/logger.ts';
import { systemTimers, type Timers } from '../../common/timers.ts';
import type { WatchAsk__Output } from '../../proto/generated/gateway/v1/WatchAsk.ts';
import type { WatchRequest__Output } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import type { WatchStart__Output } from '../../proto/generated/gateway/v1/WatchStart.ts';
import { type EpochChange, epochChanges, recordKinds, recordStates } from '../../proto/words/access.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError } from '../rpc/errors.ts';
import { countedIn } from '../store/epochs.ts';
import { platformId } from '../store/platform-id.ts';
import type { Position } from '../store/position.ts';
import { type ChangeRow, type Reclaim, type Store, StoreUnavailableError } from '../store/store.ts';
import { type Feed, indexAfter } from './feed.ts';
import type { WatcherEntry, Watchers } from './watchers.ts';

/** The transport of a watch. Handlers are set before any message is read. */
export interface WatchStream {
  onMessage(handler: (message: WatchRequest__Output) => void): void;
  /** Called when the proxy has disconnected or has ended its side. */
  onClose(handler: () => void): void;
  /** Called when there is room again after `send` returned false. */
  onDrain(handler: () => void): void;
  /**
   * @returns false if the caller must send nothing more until there is room. The message itself is sent in any case.
   */
  send(message: WatchResponse): boolean;
  /** Ends with an error, or without one so that the proxy connects again. */
  end(error?: CallError): void;
}

export interface WatchDeps {
  readonly store: Pick<Store, 'changesAfter' | 'epochChange' | 'positionAgo' | 'startNewEpoch'>;
  readonly feed: Feed;
  /** Calls the listener when other proxies need money of a budget. @returns removes the listener */
  onReclaim(listener: (reclaim: Reclaim) => void): () => void;
  readonly watchers: Pick<Watchers, 'came'>;
  /** Public keys of the keys with which this replica signs now. */
  recordKeys(): readonly Buffer[];
  readonly log: Logger;
  readonly limits: WatchLimits;
  readonly timers?: Timers;
  /** At least 0 and below 1; spreads the recycling of connections. */
  readonly random?: () => number;
}

export interface WatchLimits {
  /** A connection ends after this time, give or take 10 %, so that proxies spread over replicas that start and stop. */
  readonly recycleMs: number;
  /** A message contains about this many invalidations. */
  readonly messageRows: number;
  /**
   * A revision with more invalidations than this is replaced by a reset, because it must fit into a gRPC message of 4
   * MiB.
   */
  readonly revisionRowsMax: number;
  /** A proxy sends an `ask` every few seconds. One with more open asks than this violates the protocol. */
  readonly requestsMax: number;
}

export const defaultWatchLimits: WatchLimits = {
  recycleMs: 300_000,
  messageRows: 1000,
  revisionRowsMax: 20_000,
  requestsMax: 16,
};

/** Serves a watch until it ends; never rejects. */
export async function watch(deps: WatchDeps, caller: ProxyCaller, stream: WatchStream): Promise<void> {
  const session = new Session(deps, caller, stream);
  const timers = deps.timers ?? systemTimers;
  const spread = 0.9 + 0.2 * (deps.random ?? Math.random)();
  const cancelRecycling = timers.after(deps.limits.recycleMs * spread, () => session.end());
  const ignoreNews = deps.feed.onNews(() => session.wake());
  const ignoreReclaims = deps.onReclaim((reclaim) => session.reclaim(reclaim));
  stream.onMessage((message) => session.take(message));
  stream.onClose(() => session.end());
  stream.onDrain(() => session.drained());
  try {
    await session.run();
  } catch (err) {
    session.end(failureOf(err, deps.log, caller));
  } finally {
    cancelRecycling();
    ignoreNews();
    ignoreReclaims();
    session.gone();
  }
}

function failureOf(err: unknown, log: Logger, caller: ProxyCaller): CallError {
  if (err instanceof CallError) return err;
  if (err instanceof StoreUnavailableError) {
    log.warn({ err, proxy: caller.id }, 'a watch ended: the database could not be read');
    return new CallError('unavailable', 'the database cannot be read right now; try another replica');
  }
  log.error({ err, proxy: caller.id }, 'a watch failed');
  return new CallError('internal', 'the control plane failed; its log has the cause');
}

interface PendingResponse {
  readonly nonce: string;
  readonly position: Position;
}

class Session {
  readonly #deps: WatchDeps;
  readonly #caller: ProxyCaller;
  readonly #stream: WatchStream;
  readonly #entry: WatcherEntry;
  #start: WatchStart__Output | undefined;
  /** Every change up to here has been sent. Set once the start message has its response. */
  #cursor: Position | undefined;
  /**
   * Whether the watcher has caught up with the feed's log once. From then on a watcher that falls behind it is reset.
   */
  #live = false;
  #requestsOpen = 0;
  #responses: PendingResponse[] = [];
  #blocked = false;
  #ended = false;
  /** Wakes the loop if it waits. */
  #wake: (() => void) | undefined;
  /** Whether something arrived since the loop last looked. */
  #news = false;

  constructor(deps: WatchDeps, caller: ProxyCaller, stream: WatchStream) {
    this.#deps = deps;
    this.#caller = caller;
    this.#stream = stream;
    this.#entry = deps.watchers.came(caller);
  }

  async run(): Promise<void> {
    while (!this.#ended) {
      this.#news = false;
      const more = !this.#blocked && this.#start !== undefined && (await this.#step(this.#start));
      if (!more) await this.#untilNews();
    }
  }

  take(message: WatchRequest__Output): void {
    if (this.#ended) return;
    if (message.start != null && this.#start === undefined) {
      this.#start = message.start;
      this.#entry.program(message.start.proxy);
      this.#entry.state(message.start.state);
      this.wake();
    } else if (message.ask != null && this.#start !== undefined) {
      this.#ask(message.ask);
    } else {
      this.end(new CallError('invalid_request', 'a watch begins with one `start`; after it come `ask`s only'));
    }
  }

  wake(): void {
    this.#news = true;
    this.#wake?.();
  }

  drained(): void {
    this.#blocked = false;
    this.wake();
  }

  /** A reclaim request is a hint outside the feed's order: it is sent at once or not at all. */
  reclaim({ budgetId, organizationId, window }: Reclaim): void {
    const bound = this.#caller.organizationId;
    if (this.#cursor === undefined || this.#blocked) return;
    if ([undefined, organizationId].includes(bound) || organizationId === platformId)
      this.#send({ recall: { budgetId, window } });
  }

  end(error?: CallError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stream.end(error);
    this.wake();
  }

  gone(): void {
    this.#entry.gone();
  }

  async #untilNews(): Promise<void> {
    if (this.#news) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  /**
   * Reads the database after the `ask`. If the read fails there is no response, so the proxy learns that this replica
   * is cut off.
   */
  #ask({ nonce, state }: WatchAsk__Output): void {
    if (this.#requestsOpen >= this.#deps.limits.requestsMax) {
      this.end(new CallError('invalid_request', 'too many `ask`s are open; wait for a response before the next'));
      return;
    }
    this.#requestsOpen++;
    this.#entry.requested();
    this.#entry.state(state);
    this.#deps.feed.read().then(
      (position) => {
        this.#responses.push({ nonce, position });
        this.wake();
      },
      // The feed has logged the failure.
      () => void this.#requestsOpen--,
    );
  }

  /** Does the next step. @returns whether there may be more to do */
  async #step(start: WatchStart__Output): Promise<boolean> {
    if (this.#cursor === undefined) {
      this.#cursor = await this.#begin(start);
      return true;
    }
    const cursor = this.#cursor;
    const { feed, limits } = this.#deps;
    if (cursor.epoch !== feed.position.epoch) return this.#proceed(cursor);
    const rows = feed.after(cursor.revision);
    if (rows === undefined) return this.#live ? this.#reset() : await this.#catchUp(cursor);
    this.#live = true;
    const end = rows.length > limits.messageRows ? rows[limits.messageRows - 1] : undefined;
    if (end === undefined) this.#sendChanges(rows, feed.position);
    else this.#sendChanges(rows.slice(0, indexAfter(rows, end.revision)), { ...cursor, revision: end.revision });
    if (this.#cursor !== undefined) this.#sendResponses(this.#cursor);
    return end !== undefined;
  }

  /** Responds to the start message. @returns the position from which changes are to be sent */
  async #begin(start: WatchStart__Output): Promise<Position> {
    const { feed, store } = this.#deps;
    if (start.since == null) {
      const horizon = await store.positionAgo(start.maxStaleSeconds * 1000);
      await feed.read();
      return this.#sendHorizon('started', horizon);
    }
    const since = { epoch: start.since.epoch, revision: Number(start.since.revision) };
    if (!Number.isSafeInteger(since.revision)) {
      throw new CallError('invalid_request', '`since` must be a position that this service has sent');
    }
    // Another replica may have sent the proxy changes that this one has not read yet.
    await feed.read();
    if (since.epoch === feed.position.epoch && since.revision > feed.position.revision) {
      await this.#databaseWentBack(since);
    } else if (since.epoch === feed.position.epoch && since.revision >= feed.prunedRevision) {
      return this.#sendHorizon('started', since);
    }
    const { position } = feed;
    if (since.epoch === position.epoch) return this.#sendHorizon('reset', position);
    const isBelieved = this.#caller.organizationId === undefined;
    const change = await store.epochChange(since, isBelieved);
    const counted = this.#countedHere(since);
    if (counted !== undefined) return this.#sendHorizon('started', counted, change);
    return this.#sendHorizon('reset', position, change);
  }

  /**
   * Handles a proxy that has received more of this epoch than the database contains: the database was restored to an
   * earlier state. That concerns all proxies, so only an unbound proxy is believed; one that belongs to a tenant is
   * not.
   */
  async #databaseWentBack(since: Position): Promise<void> {
    const { feed, log, store } = this.#deps;
    const evidence = { proxy: this.#caller.id, since, now: feed.position };
    if (this.#caller.organizationId !== undefined) {
      log.warn(evidence, 'a bound proxy has seen later changes than the database contains');
      return;
    }
    log.warn(
      evidence,
      'a proxy has seen later changes than the database contains: the database has gone back; a new epoch begins',
    );
    await store.startNewEpoch(since.epoch);
    await feed.read();
  }

  /** Sends changes from the database that are older than the feed's log. This happens only at the start of a watch. */
  async #catchUp(cursor: Position): Promise<boolean> {
    const { feed, limits, store } = this.#deps;
    const page = await store.changesAfter(cursor.revision, limits.messageRows);
    if (page.position.epoch !== cursor.epoch) await feed.read();
    if (page.position.epoch !== cursor.epoch || page.prunedRevision > cursor.revision) return this.#reset();
    this.#sendChanges(page.changes, { epoch: cursor.epoch, revision: page.upTo });
    return true;
  }

  #sendChanges(rows: readonly ChangeRow[], upTo: Position): void {
    if (this.#ended) return;
    if (rows.length > this.#deps.limits.revisionRowsMax) {
      this.#reset();
      return;
    }
    const { organizationId } = this.#caller;
    const isVisible = (row: ChangeRow) => row.organizationId === organizationId || row.kind === 'platform';
    const visible = organizationId === undefined ? rows : rows.filter(isVisible);
    if (visible.length > 0) this.#send({ changes: { invalidations: visible.map(toInvalidation) } });
    this.#cursor = upTo;
  }

  #sendResponses(cursor: Position): void {
    const waiting: PendingResponse[] = [];
    for (const { nonce, position } of this.#responses) {
      // A read in an epoch that has ended is no longer a valid response.
      const over = position.epoch !== cursor.epoch;
      if (!over && (this.#blocked || position.revision > cursor.revision)) {
        waiting.push({ nonce, position });
        continue;
      }
      this.#requestsOpen--;
      if (!over) this.#send({ answer: { nonce, position } });
    }
    this.#responses = waiting;
  }

  /**
   * @returns the position in the present epoch of a position in an older one, if all changes since are still available
   */
  #countedHere(at: Position): Position | undefined {
    const { lineage, position, prunedRevision } = this.#deps.feed;
    const revision = lineage.epoch === position.epoch ? countedIn(lineage, at) : undefined;
    if (revision === undefined || revision < prunedRevision || revision > position.revision) return undefined;
    return { epoch: position.epoch, revision };
  }

  /**
   * Handles a standby that was promoted while this process runs: if the new epoch continues everything that was sent,
   * the watch continues; otherwise the watcher is reset.
   */
  #proceed(cursor: Position): true {
    const counted = this.#countedHere(cursor);
    if (counted === undefined) return this.#reset();
    this.#live = false;
    this.#cursor = this.#sendHorizon('started', counted, 'restored');
    return true;
  }

  /** While this process runs the epoch changes only if the database was restored or a standby was promoted. */
  #reset(): true {
    const { position } = this.#deps.feed;
    const isAnother = this.#cursor !== undefined && this.#cursor.epoch !== position.epoch;
    this.#cursor = this.#sendHorizon('reset', position, isAnother ? 'restored' : undefined);
    return true;
  }

  #sendHorizon(kind: 'started' | 'reset', horizon: Position, change?: EpochChange): Position {
    const { feed, recordKeys } = this.#deps;
    const continues = feed.lineage.epoch === horizon.epoch ? [...feed.lineage.continues] : [];
    const epochChange = change && epochChanges.names[change];
    const { id, organizationId } = this.#caller;
    const platformIdentity = organizationId === undefined ? id : '';
    const begun = {
      ...{ horizon, continues, recordKeys: [...recordKeys()], platformIdentity },
      ...(epochChange && { epochChange }),
    };
    this.#send(kind === 'started' ? { started: begun } : { reset: begun });
    return horizon;
  }

  #send(message: WatchResponse): void {
    if (!this.#ended && !this.#stream.send(message)) this.#blocked = true;
  }
}

function toInvalidation({ kind, ref, revision, state }: ChangeRow) {
  const name = kind === 'key' ? { keyHash: Buffer.from(ref, 'hex') } : { id: ref };
  return { kind: recordKinds.names[kind], ...name, revision, state: recordStates.names[state] };
}
