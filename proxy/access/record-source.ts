// Finds the records behind a key: in memory, then in Redis, then at the control plane. The change feed decides which
// records of the first two may still be used. The usual request gets its records from memory without waiting.
import type { Background } from '../../common/background.ts';
import { addressGroup } from '../../common/caller-address.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
import type { RateShare } from '../../common/shares.ts';
import type { Timers } from '../../common/timers.ts';
import { GatewayError } from '../errors.ts';
import { shares } from '../shares.ts';
import { BatchedResolves, type ResolveMany } from './batched-resolves.ts';
import type { CachedRecord, Subject } from './cached-record.ts';
import { type EpochChange, Feed, type Reclaim, type WatchHandlers, type WatchStart, type WatchStream } from './feed.ts';
import type { AccessLimits } from './limits.ts';
import type { Principal, RecordSource } from './principal.ts';
import { type Invalidation, type Look, Records, type ResolvedRecords } from './records.ts';
import { type Resolved, Resolver, SingleFlight, unavailable } from './resolve.ts';
import type { Stoppable } from './stops.ts';

/** The service Access, as this package calls it. */
export interface ControlPlane {
  /** @throws if there is no response within the time, or a refusal */
  resolve(keyHash: string, timeoutMs: number): Promise<ResolvedRecords>;
  /** Absent: the records are not verified, or the control plane is one that resolves one key at a time. */
  readonly resolveMany?: ResolveMany | undefined;
  watch(start: WatchStart, handlers: WatchHandlers): WatchStream;
}

/**
 * Records that proxies share. Losing, delaying, replaying or forging them does no harm: the cache is a hint, and its
 * records are signed.
 */
export interface RecordCache {
  /** Undefined: the cache has nothing usable. Never rejects, never takes longer than a Redis command may. */
  read(subject: Subject): Promise<CachedRecord | undefined>;
  write(record: SignedRecord): void;
  remove(subject: Subject): void;
  /** Whether the cache has responded since the start and some of its records can be trusted. */
  hasResponded(): boolean;
  /** Whether unsigned records are trusted. Once they are not, they never are again. */
  believesUnsigned(): boolean;
}

export type LookupTier = 'memory' | 'redis' | 'control_plane' | 'negative' | 'stale';
export type CacheIgnored =
  /** Of another layout, sealed under a key that is no longer accepted, or altered without that key. */
  | 'unreadable'
  /** Not signed as the record of this subject by an accepted key: forged, moved or altered. */
  | 'signature'
  /** Newer than everything that the feed, which is connected, has reported. */
  | 'ahead'
  /** Contradicted by the feed, or too old. */
  | 'outdated'
  /** From the future: the clock of some proxy is wrong. */
  | 'clock';

export interface AccessMetrics {
  /** Called once for each request that got a result, with the tier that it came from. */
  lookup(tier: LookupTier): void;
  /** A record in Redis was not trusted. */
  cacheIgnored(reason: CacheIgnored): void;
  cacheFailed(operation: 'read' | 'write'): void;
}

export interface RecordSourceDeps {
  readonly controlPlane: ControlPlane;
  /** Absent: only memory and the control plane are used. */
  readonly cache?: RecordCache | undefined;
  readonly maxStaleMs: number;
  readonly limits: AccessLimits;
  /** Limits look-ups without a result, by address. */
  readonly unknownCredentials: RateShare;
  /** The feed carries requests to reclaim for the ledger. */
  readonly onReclaim?: ((reclaim: Reclaim) => void) | undefined;
  /** The change feed continues in another epoch of the database. */
  readonly onEpochChange?: ((change: EpochChange, epoch: string) => void) | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly log: Logger;
  readonly background: Background;
  readonly metrics: AccessMetrics;
}

export interface FeedStatus {
  readonly state: 'none' | 'live' | 'silent';
  /** Since the newest acknowledged heartbeat was sent. */
  readonly ageMs: number | undefined;
}

export interface LiveRecordSource extends RecordSource {
  /** The records in memory, for the log. The call sends no request, counts nothing and decides nothing. */
  reclaim(keyHash: string): Principal | undefined;
  /** Undefined once the feed or Redis has responded; otherwise the reason in a few words. */
  notReady(): string | undefined;
  feed(): FeedStatus;
  /** The newest records with stops in memory, in place of older ones. */
  newest(records: Stoppable): Stoppable;
  /** Number of stops in force in the records in memory. */
  stops(): { readonly platform: number; readonly organization: number };
  close(): void;
}

export function createRecordSource(deps: RecordSourceDeps): LiveRecordSource {
  return new TieredRecords(deps);
}

type FreshLook = Extract<Look, { readonly state: 'fresh' }>;

type CacheRead = 'usable' | 'outdated' | 'absent';

/** The state of a key in memory and Redis. */
interface LookedUp {
  readonly look: Look;
  /** Memory or Redis has had the key, even if that record is no longer trusted: the key is not a guess. */
  readonly isSeen: boolean;
}

/**
 * A resolve may bring a key that needs a newer organization, which may need another. More rounds than this are a fault.
 */
const roundsMax = 4;

class TieredRecords implements LiveRecordSource {
  readonly #deps: RecordSourceDeps;
  readonly #records: Records;
  readonly #resolver: Resolver;
  readonly #feed: Feed;
  readonly #searches = new SingleFlight<Principal>();
  readonly #lookUps = new SingleFlight<LookedUp>();
  readonly #cacheReads = new SingleFlight<CacheRead>();
  readonly #jitters = new Set<() => void>();
  #hasResponded = false;
  #renewals = 0;

  constructor(deps: RecordSourceDeps) {
    this.#deps = deps;
    this.#records = new Records({ ...deps, believesUnsigned: () => deps.cache?.believesUnsigned() === true });
    const records = this.#records;
    const resolves = new BatchedResolves({
      ...deps,
      one: (keyHash, timeoutMs) => deps.controlPlane.resolve(keyHash, timeoutMs),
      many: deps.controlPlane.resolveMany,
    });
    this.#resolver = new Resolver({
      ...deps,
      records,
      ask: (keyHash, timeoutMs) => resolves.resolve(keyHash, timeoutMs),
      onRecords: (signed) => this.#store(signed),
      onContradiction: () => this.#feed.askNow(),
    });
    this.#feed = new Feed({
      ...deps,
      records,
      watch: (start, handlers) => deps.controlPlane.watch(start, handlers),
      onInvalidations: (invalidations) => this.#invalidate(invalidations),
    });
  }

  find(keyHash: string, address: string): Principal | Promise<Principal> {
    const look = this.#records.look(keyHash);
    switch (look.state) {
      case 'fresh':
        return this.#serveFresh(keyHash, look, 'memory');
      case 'stale':
        if (look.inGrace) return this.#admit(look.principal, 'stale');
        return this.#searchOnce(keyHash, address, { look, isSeen: true });
      case 'unknown':
        throw this.#unknown();
      case 'missing':
        return this.#findBelowMemory(keyHash, address);
    }
  }

  reclaim(keyHash: string): Principal | undefined {
    const look = this.#records.look(keyHash);
    return 'principal' in look ? look.principal : undefined;
  }

  notReady(): string | undefined {
    this.#hasResponded ||= this.#records.feed.confirmedAt !== undefined || this.#deps.cache?.hasResponded() === true;
    return this.#hasResponded
      ? undefined
      : 'neither the control plane nor a Redis whose records can be verified has responded yet';
  }

  feed(): FeedStatus {
    const { confirmedAt } = this.#records.feed;
    if (confirmedAt === undefined) return { state: 'none', ageMs: undefined };
    const ageMs = this.#deps.clock.monotonic() - confirmedAt;
    return { state: ageMs > this.#deps.limits.freshForMs ? 'silent' : 'live', ageMs };
  }

  newest(records: Stoppable): Stoppable {
    return this.#records.newest(records);
  }

  stops() {
    return this.#records.stops(this.#deps.clock.now());
  }

  close(): void {
    this.#feed.close();
    for (const cancel of this.#jitters) cancel();
  }

  async #findBelowMemory(keyHash: string, address: string): Promise<Principal> {
    const lookedUp = await this.#lookUps.run(keyHash, () => this.#lookInCache(keyHash));
    // A record from Redis serves every caller. The limit is on guesses and on their cost; a key that memory or Redis
    // has had, and that has changed since, is not a guess. The limit is checked for each caller here, because several
    // callers may wait for the same key below.
    if (lookedUp.look.state === 'missing' && !lookedUp.isSeen) this.#expectRoom(address);
    return await this.#searchOnce(keyHash, address, lookedUp);
  }

  /** @throws GatewayError rate_limit_exceeded */
  #expectRoom(address: string): void {
    const { clock, unknownCredentials } = this.#deps;
    const retryAfter = unknownCredentials.wait(addressGroup(address), clock.monotonic());
    if (retryAfter > 0) throw new GatewayError(shares.unknown_credentials.refusal, { retryAfter });
  }

  #searchOnce(keyHash: string, address: string, lookedUp: LookedUp): Promise<Principal> {
    return this.#searches.run(keyHash, () => this.#search(keyHash, address, lookedUp));
  }

  async #search(keyHash: string, address: string, { look: first, isSeen }: LookedUp): Promise<Principal> {
    let look = first;
    let tier: LookupTier = 'redis';
    for (let round = 1; round <= roundsMax; round++) {
      if (look.state === 'fresh') return this.#serveFresh(keyHash, look, tier);
      if (look.state === 'unknown') throw tier === 'redis' ? this.#unknown() : this.#refusal(keyHash, address, isSeen);
      const ref = look.state === 'missing' ? look.needs[0].ref : keyHash;
      const resolving = this.#resolver.resolve(keyHash, { ref, isSeen });
      if (look.state === 'stale' && (await this.#fails(resolving))) {
        const again = this.#records.look(keyHash);
        if (again.state === 'stale') return this.#serveStale(keyHash, again.principal);
      }
      if ((await resolving) === 'contradicted') throw unavailable(new Error('the feed contradicts the control plane'));
      tier = 'control_plane';
      look = this.#records.look(keyHash);
    }
    throw unavailable(new Error('the records behind the key do not fit together'));
  }

  // The key's record names the other records that are needed, so there are at most two rounds. Each waits no longer
  // than a Redis command may.
  async #lookInCache(keyHash: string): Promise<LookedUp> {
    const { cache } = this.#deps;
    let look = this.#records.look(keyHash);
    let isSeen = this.#records.hasSeen(keyHash);
    for (let round = 1; cache !== undefined && look.state === 'missing' && round <= 2; round++) {
      const reads = look.needs.map((subject) =>
        this.#cacheReads.run(subject.ref, () => this.#read(cache, subject, keyHash)),
      );
      const found = await Promise.all(reads);
      isSeen ||= look.needs.some(({ ref }, index) => ref === keyHash && found[index] !== 'absent');
      if (!found.includes('usable')) break;
      look = this.#records.look(keyHash);
    }
    return { look, isSeen };
  }

  async #read(cache: RecordCache, subject: Subject, keyHash: string): Promise<CacheRead> {
    const cached = await cache.read(subject);
    if (cached === undefined) return 'absent';
    if (this.#records.isAhead(cached)) {
      this.#deps.metrics.cacheIgnored('ahead');
      return 'outdated';
    }
    if (this.#records.put(cached, keyHash)) return 'usable';
    this.#deps.metrics.cacheIgnored('outdated');
    return 'outdated';
  }

  /** Whether the resolve fails, or takes longer than a stale record waits for it. */
  #fails(resolving: Promise<Resolved>): Promise<boolean> {
    return new Promise((settle) => {
      const cancel = this.#deps.timers.after(this.#deps.limits.staleWaitMs, () => settle(true));
      const done = (failed: boolean) => {
        cancel();
        settle(failed);
      };
      resolving.then(
        () => done(false),
        () => done(true),
      );
    });
  }

  /** For a key that memory knows not to exist. */
  #unknown(): GatewayError {
    this.#deps.metrics.lookup('negative');
    return new GatewayError('access_not_found');
  }

  /** For a key that the control plane does not know. */
  #refusal(keyHash: string, address: string, isSeen: boolean): GatewayError {
    const { cache, clock, metrics, unknownCredentials } = this.#deps;
    if (isSeen) cache?.remove({ kind: 'key', ref: keyHash });
    else unknownCredentials.charge(addressGroup(address), clock.monotonic());
    metrics.lookup('control_plane');
    return new GatewayError('access_not_found');
  }

  #serveFresh(keyHash: string, { principal, renewable }: FreshLook, tier: LookupTier): Principal {
    if (renewable) this.#renewSoon(keyHash);
    return this.#admit(principal, tier);
  }

  #serveStale(keyHash: string, principal: Principal): Principal {
    this.#records.grantGrace(keyHash);
    return this.#admit(principal, 'stale');
  }

  #admit(principal: Principal, tier: LookupTier): Principal {
    this.#deps.metrics.lookup(tier);
    const { valueEndsAt } = principal.key;
    if (valueEndsAt !== undefined && this.#deps.clock.now() >= valueEndsAt) throw new GatewayError('access_not_found');
    return principal;
  }

  #invalidate(invalidations: readonly Invalidation[]): void {
    const { again, gone } = this.#records.change(invalidations);
    for (const keyHash of gone) this.#deps.cache?.remove({ kind: 'key', ref: keyHash });
    for (const [keyHash, ref] of again) this.#resolveSoon(keyHash, ref);
  }

  #resolveSoon(keyHash: string, ref: string): void {
    const { limits } = this.#deps;
    this.#later(limits.resolveJitterMs, 'resolve after a change', () =>
      this.#resolver.resolve(keyHash, { ref, isSeen: true }),
    );
  }

  /** Renews early, so that most records in Redis are young, whatever happens to the control plane. */
  #renewSoon(keyHash: string): void {
    const { limits, maxStaleMs } = this.#deps;
    const spreadMs = Math.min(limits.renewJitterMs, maxStaleMs / 8);
    this.#records.postponeRenewal(keyHash, 2 * spreadMs);
    this.#later(spreadMs, 'renew records', () => this.#renew(keyHash));
  }

  async #renew(keyHash: string): Promise<void> {
    const { cache, limits } = this.#deps;
    // The next request tries again: requests that wait for the control plane go first.
    if (this.#renewals >= limits.renewalsMax) return;
    this.#renewals += 1;
    try {
      // Another proxy may have renewed the records already.
      if (cache !== undefined)
        await Promise.all(this.#records.ageing(keyHash).map((subject) => this.#read(cache, subject, keyHash)));
      if (this.#records.ageing(keyHash).length > 0)
        await this.#resolver.resolve(keyHash, { ref: keyHash, isSeen: true });
    } catch (error) {
      // The known records still serve requests; the feed shows whether the control plane responds.
      if (!(error instanceof GatewayError)) throw error;
    } finally {
      this.#renewals -= 1;
    }
  }

  #later(spreadMs: number, name: string, act: () => Promise<unknown>): void {
    const { background, random, timers } = this.#deps;
    const cancel = timers.after(random() * spreadMs, () => {
      this.#jitters.delete(cancel);
      background(name, act());
    });
    this.#jitters.add(cancel);
  }

  #store(signed: readonly SignedRecord[]): void {
    for (const record of signed) this.#deps.cache?.write(record);
  }
}
