// The service Access over the fake database, with a network in front of it: late, silent, refused or cut, as its link
// sets it.
import type { Clock } from '../../../common/clock.ts';
import type { Timers } from '../../../common/timers.ts';
import type { ResolveResponse__Output } from '../../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { FeedMessage, WatchHandlers, WatchStart, WatchStream } from '../../../proxy/access/feed.ts';
import type { Position } from '../../../proxy/access/feed-state.ts';
import type { RecordKeys } from '../../../proxy/access/record-keys.ts';
import type { ControlPlane } from '../../../proxy/access/record-source.ts';
import { decodeSignedResolve } from '../../../proxy/control-plane/wire-signed.ts';
import type { FakeDatabase } from './database.ts';
import { TestSigning } from './signing.ts';

/** The connection of one proxy to the control plane. */
export interface Link {
  /** Milliseconds there and back, or the failure of the call. */
  resolve(): { readonly there: number; readonly back: number } | 'refused' | 'silent';
  /** Milliseconds that a message of the feed takes; order is kept. */
  feedDelay(): number;
  /** Milliseconds from a commit to the replica's notification. */
  notificationDelay(): number;
  /** Nothing passes in either direction, and neither side notices. */
  feedIsSilent(): boolean;
  /** The replica has lost its database: it does not respond to requests. */
  databaseIsLost(): boolean;
  /** Number of changes that are sent again when a watch continues. */
  repeats(): number;
  /** Number of waiting changes beyond which a watcher is reset. */
  readonly bufferMax: number;
  /** Called just before the proxy gets a message. */
  onDelivered(message: FeedMessage): void;
}

export class FakeControlPlane {
  readonly database: FakeDatabase;
  readonly signing = new TestSigning();
  readonly #time: Clock & Timers;
  readonly #watches = new Set<Watch>();

  constructor(time: Clock & Timers, database: FakeDatabase) {
    this.#time = time;
    this.database = database;
    database.onCommit = () => {
      for (const watch of this.#watches) watch.ring();
    };
  }

  connect(link: Link, recordKeys: RecordKeys = this.signing.publicKeys()): ControlPlane {
    return {
      resolve: async (keyHash, timeoutMs) =>
        decodeSignedResolve(await this.#resolve(link, keyHash, timeoutMs), keyHash, recordKeys),
      watch: (start, handlers) => {
        const message = (received: FeedMessage) => {
          if (received.type === 'started' || received.type === 'reset') recordKeys.learn(this.signing.named());
          handlers.message(received);
        };
        return this.#watch(link, start, { ...handlers, message });
      },
    };
  }

  /** Ends the watches of a link, as a replica does when it ends. */
  cut(link: Link): void {
    for (const watch of this.#watches) if (watch.link === link) watch.cut();
  }

  #resolve(link: Link, keyHash: string, timeoutMs: number): Promise<ResolveResponse__Output> {
    const way = link.resolve();
    return new Promise((resolve, reject) => {
      if (way === 'refused') return reject(new Error('refused'));
      this.#time.after(timeoutMs, () => reject(new Error('no response in time')));
      if (way === 'silent') return;
      this.#time.after(way.there, () => {
        const response = this.signing.respond(keyHash, this.database.resolve(keyHash), this.#time.now());
        this.#time.after(way.back, () => resolve(response));
      });
    });
  }

  #watch(link: Link, start: WatchStart, handlers: WatchHandlers): WatchStream {
    const watch = new Watch({ time: this.#time, database: this.database, link, handlers });
    this.#watches.add(watch);
    watch.onEnd = () => this.#watches.delete(watch);
    watch.begin(start);
    return { ask: (nonce) => watch.ask(nonce), cancel: () => watch.end() };
  }
}

interface WatchDeps {
  readonly time: Clock & Timers;
  readonly database: FakeDatabase;
  readonly link: Link;
  readonly handlers: WatchHandlers;
}

class Watch {
  readonly link: Link;
  onEnd: () => void = () => {};
  readonly #deps: WatchDeps;
  #epoch = '';
  #sent = 0;
  #begun = false;
  #ended = false;
  /** A stream can lose its end, never its middle: after one lost message no later one arrives. */
  #isDeaf = false;
  #arrivesAt = 0;
  #departsAt = 0;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.link = deps.link;
  }

  begin({ maxStaleMs, since }: WatchStart): void {
    this.#toServer(() => {
      const { database, link, time } = this.#deps;
      this.#begun = true;
      const { epoch, prunedRevision } = database;
      if (since === undefined) {
        const horizon = { epoch, revision: database.revisionAt(time.monotonic() - maxStaleMs) };
        this.#start({ type: 'started', horizon });
      } else if (this.#isContinuing(since)) {
        this.#start({ type: 'started', horizon: { epoch, revision: since.revision } });
        this.#sent = Math.max(prunedRevision, since.revision - link.repeats());
      } else this.#start({ type: 'reset', horizon: database.position });
      this.#flush();
    });
  }

  ask(nonce: number): void {
    this.#toServer(() => {
      if (!this.#begun || this.link.databaseIsLost()) return;
      this.#flush();
      this.#send({ type: 'response', nonce, position: this.#deps.database.position });
    });
  }

  ring(): void {
    this.#deps.time.after(this.link.notificationDelay(), () => {
      if (this.#begun && !this.#ended && !this.link.databaseIsLost()) this.#flush();
    });
  }

  cut(): void {
    if (this.#ended) return;
    this.end();
    this.#isDeaf = true;
    this.#deps.time.after(this.link.feedDelay(), () => this.#deps.handlers.closed(new Error('cut')));
  }

  end(): void {
    this.#ended = true;
    this.onEnd();
  }

  /** Whether the history up to the position is this database's, and all later changes are still there. */
  #isContinuing(position: Position): boolean {
    const { database } = this.#deps;
    const revision = database.counted(position);
    return revision !== undefined && revision >= database.prunedRevision && revision <= database.revision;
  }

  #start(message: Extract<FeedMessage, { readonly horizon: unknown }>): void {
    this.#epoch = message.horizon.epoch;
    this.#sent = message.horizon.revision;
    this.#send({ ...message, continues: this.#deps.database.continues });
  }

  #flush(): void {
    const { database } = this.#deps;
    if (this.#epoch !== database.epoch && this.#isContinuing({ epoch: this.#epoch, revision: this.#sent }))
      this.#start({ type: 'started', horizon: { epoch: database.epoch, revision: this.#sent } });
    const changes = database.changesAfter(this.#sent);
    if (
      this.#epoch !== database.epoch ||
      this.#sent < database.prunedRevision ||
      changes.length > this.link.bufferMax
    ) {
      this.#start({ type: 'reset', horizon: database.position });
      return;
    }
    const byRevision = Map.groupBy(changes, ({ revision }) => revision);
    for (const invalidations of byRevision.values()) this.#send({ type: 'changes', invalidations });
    this.#sent = database.revision;
  }

  #toServer(act: () => void): void {
    const { time } = this.#deps;
    this.#departsAt = Math.max(this.#departsAt, time.monotonic() + this.link.feedDelay());
    if (this.link.feedIsSilent()) return;
    time.after(this.#departsAt - time.monotonic(), () => {
      if (!this.#ended) act();
    });
  }

  #send(message: FeedMessage): void {
    const { handlers, time } = this.#deps;
    this.#arrivesAt = Math.max(this.#arrivesAt, time.monotonic() + this.link.feedDelay());
    if (this.link.feedIsSilent()) this.#isDeaf = true;
    time.after(this.#arrivesAt - time.monotonic(), () => {
      if (this.#isDeaf) return;
      // Messages in flight when the proxy gave the watch up still arrive, but are not part of its feed.
      if (!this.#ended) this.link.onDelivered(message);
      handlers.message(message);
    });
  }
}
