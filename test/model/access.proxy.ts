// One proxy of the model: the real record source on its own link, which can be disturbed. It also tracks what the feed
// has delivered, independently of the implementation.
import type { SealKeys } from '../../common/seal.ts';
import { RateShare } from '../../common/shares.ts';
import type { FeedMessage } from '../../proxy/access/feed.ts';
import type { Position } from '../../proxy/access/feed-state.ts';
import { type AccessLimits, accessLimits } from '../../proxy/access/limits.ts';
import type { Principal } from '../../proxy/access/principal.ts';
import { createRecordSource, type LiveRecordSource } from '../../proxy/access/record-source.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { createRedisRecords } from '../../proxy/record-cache/redis-records.ts';
import { shares } from '../../proxy/shares.ts';
import type { FakeControlPlane, Link } from '../support/access/control-plane.ts';
import type { Random } from '../support/access/random.ts';
import type { FakeRedis } from '../support/access/redis.ts';
import { silentLog } from '../support/silent-log.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

export const maxStaleMs = 120_000;
/** Clocks of proxies differ from true time by at most this. */
export const skewMs = 5_000;

// Small caches, so that evictions matter.
const limits: AccessLimits = {
  ...accessLimits,
  keysMax: 4,
  scopesMax: 2,
  organizationsMax: 2,
  changedMax: 5,
  unknownMax: 3,
  rootsMax: 50,
};

export interface ModelProxyDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly controlPlane: FakeControlPlane;
  readonly redis: FakeRedis;
  readonly sealKeys: SealKeys;
  readonly onFailure: (message: string) => void;
  /** Called when a metric is counted. */
  readonly onEvent: (name: string) => void;
}

export class ModelProxy {
  readonly source: LiveRecordSource;
  /** Every change up to here has been delivered to this proxy. */
  passed: Position | undefined;
  /** The time of the last report to this proxy that a subject is gone. */
  readonly goneAt = new Map<string, number>();
  /** The last time that a resolve without a prompt response was in progress. */
  troubledAt = Number.NEGATIVE_INFINITY;
  isAlive = true;
  readonly #deps: ModelProxyDeps;
  readonly #link: Link;
  #resolveMode: 'well' | 'slow' | 'refused' | 'silent' = 'well';
  #feedDelayMs = 5;
  #feedIsSilent = false;
  #databaseIsLost = false;
  #bufferMax = 1_000;

  constructor(deps: ModelProxyDeps) {
    this.#deps = deps;
    this.#link = this.#createLink();
    const { controlPlane, onFailure, random, redis, sealKeys, time } = deps;
    const skew = random.between(-skewMs, skewMs);
    const clock = { now: () => time.now() + skew, monotonic: () => time.monotonic() };
    const background = (name: string, promise: Promise<unknown>) => {
      promise.catch((error: unknown) => {
        if (!(error instanceof GatewayError)) onFailure(`${name}: ${error}`);
      });
    };
    const metrics = { lookup: deps.onEvent, cacheIgnored: deps.onEvent, cacheFailed: deps.onEvent };
    const shared = { clock, background, metrics, limits, maxStaleMs };
    const recordKeys = controlPlane.signing.publicKeysWithin(limits);
    const cache = createRedisRecords({ ...shared, commands: redis.commands(), sealKeys, recordKeys });
    this.source = createRecordSource({
      ...shared,
      cache,
      unknownCredentials: new RateShare({ ...shares.unknown_credentials.bounds, ownersMax: 100 }),
      controlPlane: controlPlane.connect(this.#link, recordKeys),
      timers: time,
      random: random.next,
      log: silentLog,
    });
  }

  /** Finds a principal; a synchronous refusal is a rejection too. */
  async find(keyHash: string, address: string): Promise<Principal> {
    return await this.source.find(keyHash, address);
  }

  kill(): void {
    this.isAlive = false;
    this.source.close();
  }

  heal(): void {
    this.#resolveMode = 'well';
    this.#feedDelayMs = 5;
    this.#feedIsSilent = false;
    this.#databaseIsLost = false;
    this.#bufferMax = 1_000;
  }

  disturb(random: Random): void {
    switch (random.below(8)) {
      case 0:
        this.#deps.controlPlane.cut(this.#link);
        return;
      case 1:
        this.#feedIsSilent = !this.#feedIsSilent;
        return;
      case 2:
        this.#databaseIsLost = !this.#databaseIsLost;
        return;
      case 3:
        this.#feedDelayMs = random.pick([1, 5, 300, 4_000]);
        return;
      case 4:
        this.#bufferMax = random.pick([1, 2, 1_000]);
        return;
      case 5:
        this.heal();
        return;
      default:
        this.#resolveMode = random.pick(['well', 'slow', 'refused', 'silent']);
    }
  }

  #createLink(): Link {
    const { random } = this.#deps;
    const proxy = this;
    return {
      resolve: () => this.#resolveWay(),
      feedDelay: () => random.between(0, this.#feedDelayMs),
      notificationDelay: () => random.between(0, 1_000),
      feedIsSilent: () => this.#feedIsSilent,
      databaseIsLost: () => this.#databaseIsLost,
      repeats: () => random.below(3),
      get bufferMax() {
        return proxy.#bufferMax;
      },
      onDelivered: (message) => this.#pass(message),
    };
  }

  #resolveWay(): ReturnType<Link['resolve']> {
    const { random, time } = this.#deps;
    if (this.#resolveMode === 'well') return { there: random.between(0, 40), back: random.between(0, 40) };
    this.troubledAt = time.monotonic() + limits.resolveDeadlineMs;
    if (this.#resolveMode !== 'slow') return this.#resolveMode;
    return { there: random.between(0, 1_500), back: random.between(0, 1_500) };
  }

  #pass(message: FeedMessage): void {
    switch (message.type) {
      case 'started':
      case 'reset':
        this.#begin(message.horizon, message.continues ?? []);
        return;
      case 'changes':
        for (const { ref, revision, state } of message.invalidations) {
          this.#passUpTo(revision);
          if (state === 'gone') this.goneAt.set(ref, this.#deps.time.monotonic());
        }
        return;
      case 'response':
        if (message.position.epoch === this.passed?.epoch) this.#passUpTo(message.position.revision);
        return;
      case 'reclaim':
      // A message for the ledger, which does not concern records.
    }
  }

  /** A position in an epoch also counts in the epochs that continue it, up to the position where they do. */
  #begin(horizon: Position, continues: readonly Position[]): void {
    const { passed } = this;
    const way = continues.slice(0, continues.findIndex(({ epoch }) => epoch === passed?.epoch) + 1);
    const isContinued = way.length > 0 && way.every(({ revision }) => (passed?.revision ?? 0) <= revision);
    if (passed === undefined || (passed.epoch !== horizon.epoch && !isContinued)) this.passed = horizon;
    else this.passed = { epoch: horizon.epoch, revision: Math.max(passed.revision, horizon.revision) };
  }

  #passUpTo(revision: number): void {
    if (this.passed !== undefined && revision > this.passed.revision) this.passed = { ...this.passed, revision };
  }
}
