// The records in memory, and the decision which of them may be used. Pure and synchronous: feed messages, responses and
// records of Redis go in, look-up results come out; the clock is passed in. Every record, wherever it came from, is
// checked by the same rule at each look-up.
import type { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock.ts';
import { lruCache } from '../../common/lru-cache.ts';
import { never } from '../../common/never.ts';
import type { SignedRecord } from '../../common/record-signature.ts';
import {
  type CachedKey,
  type CachedOrganization,
  type CachedPlatform,
  type CachedRecord,
  type CachedScope,
  cachedRecordsOf,
  isNewer,
  lastConfirmed,
  platformRef,
  type RecordKind,
  refOf,
  type Subject,
} from './cached-record.ts';
import { FeedState, type Position } from './feed-state.ts';
import type { AccessLimits } from './limits.ts';
import type { KeyRecord, Principal, ScopeRecord } from './principal.ts';
import { SharedProviders } from './shared-providers.ts';
import { openStops, type Stoppable } from './stops.ts';

/** The control plane's response about a hash, read in one snapshot. */
export interface ResolvedRecords {
  readonly asOf: Position;
  /** Undefined: the key does not exist or is revoked. */
  readonly principal: Principal | undefined;
  /** The same records as they were signed, for the cache. Absent if the control plane does not sign. */
  readonly signed?: readonly SignedRecord[];
}

export interface Invalidation extends Subject {
  readonly revision: number;
  readonly state: 'changed' | 'gone';
}

export type Look =
  /**
   * Known to be true a moment ago: it is served. Renewable: it was resolved so long ago that it should be resolved
   * again.
   */
  | { readonly state: 'fresh'; readonly principal: Principal; readonly renewable: boolean }
  /** Not contradicted and not too old, but it should be confirmed. */
  | { readonly state: 'stale'; readonly principal: Principal; readonly inGrace: boolean }
  /** The control plane reported a moment ago that there is no such key. */
  | { readonly state: 'unknown' }
  /** Memory lacks these subjects, at least one. */
  | { readonly state: 'missing'; readonly needs: readonly [Subject, ...Subject[]] };

interface Entry<T extends CachedRecord> {
  /** Undefined: the feed has named the subject since. */
  cached: T | undefined;
  usedAt: number;
  /** A hash whose resolve brings this record. */
  usedBy: string;
}

interface KeyEntry extends Entry<CachedKey> {
  graceUntil: number;
  /** The record is not renewed before this time. */
  renewAt: number;
}

export interface RecordsDeps {
  /** Whether unsigned records are trusted. Absent: they are not. */
  readonly believesUnsigned?: () => boolean;
  readonly clock: Clock;
  readonly maxStaleMs: number;
  readonly limits: AccessLimits;
}

export class Records {
  readonly feed: FeedState;
  readonly #clock: Clock;
  readonly #maxStaleMs: number;
  readonly #limits: AccessLimits;
  readonly #believesUnsigned: () => boolean;
  readonly #keys: LRUCache<string, KeyEntry>;
  readonly #scopes: LRUCache<string, Entry<CachedScope>>;
  readonly #organizations: LRUCache<string, Entry<CachedOrganization>>;
  /** One subject, in the same form as the others. */
  readonly #platform: LRUCache<string, Entry<CachedPlatform>>;
  readonly #sharedProviders = new SharedProviders();
  /** Hashes without a key. The rule applies to them as to records. */
  readonly #unknown: LRUCache<string, { readonly asOf: Position; readonly until: number }>;

  constructor(deps: RecordsDeps) {
    this.#clock = deps.clock;
    this.#maxStaleMs = deps.maxStaleMs;
    this.#limits = deps.limits;
    this.#believesUnsigned = deps.believesUnsigned ?? (() => false);
    this.feed = new FeedState(deps.limits.changedMax);
    this.#keys = lruCache(deps.limits.keysMax);
    this.#scopes = lruCache(deps.limits.scopesMax);
    this.#organizations = lruCache(deps.limits.organizationsMax);
    this.#platform = lruCache(1);
    this.#unknown = lruCache(deps.limits.unknownMax);
  }

  look(keyHash: string): Look {
    const now = this.#clock.monotonic();
    const entry = this.#keys.get(keyHash);
    if (entry !== undefined) entry.usedAt = now;
    const key = this.#usable(entry?.cached, now);
    if (entry === undefined || key === undefined) {
      if (this.#isUnknown(keyHash, now)) return { state: 'unknown' };
      return { state: 'missing', needs: [{ kind: 'key', ref: keyHash }] };
    }
    const organization = this.#find(this.#organizations, key.organizationRef, key, now);
    const scope = key.scopeRef === undefined ? undefined : this.#find(this.#scopes, key.scopeRef, key, now);
    const needs: Subject[] = [];
    if (organization === undefined || organization.record.revision < key.record.organizationRevision)
      needs.push({ kind: 'organization', ref: key.organizationRef });
    if (key.scopeRef !== undefined && scope === undefined)
      needs.push({ kind: scopeKind(key.record), ref: key.scopeRef });
    const platform = this.#find(this.#platform, platformRef, key, now);
    // A control plane that does not sign is of a release without the platform's record.
    const lacksPlatform = platform === undefined && !this.#believesUnsigned();
    if (lacksPlatform) needs.push({ kind: 'platform', ref: platformRef });
    const [first, ...others] = needs;
    if (first !== undefined || organization === undefined)
      return { state: 'missing', needs: [first ?? { kind: 'key', ref: keyHash }, ...others] };
    return this.#classify(entry, { key, scope, organization, platform }, now);
  }

  /** Whether memory has had this key, as opposed to a hash that a caller may have guessed. */
  hasSeen(keyHash: string): boolean {
    return this.#keys.has(keyHash);
  }

  /** Stores a record, unless the existing one is better. @returns whether the record is usable */
  put(cached: CachedRecord, usedBy: string): boolean {
    const now = this.#clock.monotonic();
    if (this.#usable(cached, now) === undefined) return false;
    const fresh = { usedAt: now, usedBy };
    switch (cached.kind) {
      case 'key':
        this.#keep(this.#keys, cached, (kept) => ({ ...fresh, cached: kept, graceUntil: 0, renewAt: 0 }));
        return true;
      case 'organization': {
        const sharing = { ...cached, record: this.#sharedProviders.in(cached.record) };
        this.#keep(this.#organizations, sharing, (kept) => ({ ...fresh, cached: kept }));
        return true;
      }
      case 'ai_system':
      case 'person':
        this.#keep(this.#scopes, cached, (kept) => ({ ...fresh, cached: kept }));
        return true;
      case 'platform':
        this.#keep(this.#platform, cached, (kept) => ({ ...fresh, cached: kept }));
        return true;
      default:
        return never(cached);
    }
  }

  /**
   * Stores a response of the control plane, with the time at which it was requested.
   * @returns the records, empty if there is no such key; undefined if the feed contradicts the response, so that
   * nothing is known
   */
  accept(keyHash: string, response: ResolvedRecords, requestedAt: number): readonly CachedRecord[] | undefined {
    const at = { asOf: response.asOf, confirmedAt: requestedAt };
    const { principal } = response;
    if (!this.feed.permits(keyHash, response.asOf)) return undefined;
    if (principal === undefined) {
      this.#keys.delete(keyHash);
      this.#rememberUnknown(keyHash, response.asOf);
      return [];
    }
    const cached = cachedRecordsOf(keyHash, principal, at);
    if (!cached.every((record) => this.feed.permits(record.ref, record.asOf))) return undefined;
    for (const record of cached) this.put(record, keyHash);
    if (principal.platform === undefined) this.#acceptNoPlatform(keyHash, at);
    this.#unknown.delete(keyHash);
    return cached;
  }

  /**
   * Applies the changes that the feed names.
   * @returns again: hash → subject, to be resolved again because the record is in use; gone: hashes of keys that no
   * longer exist
   */
  change(invalidations: readonly Invalidation[]): {
    readonly again: ReadonlyMap<string, string>;
    readonly gone: readonly string[];
  } {
    const again = new Map<string, string>();
    const gone: string[] = [];
    const usedSince = this.#clock.monotonic() - this.#limits.recentlyUsedMs;
    const epoch = this.feed.position?.epoch;
    for (const { kind, ref, revision, state } of invalidations) {
      this.feed.change(ref, revision);
      const entry = this.#peek(kind, ref);
      // A feed that begins repeats old changes: a record that was read after such a change stays.
      if (entry?.cached === undefined || this.feed.permits(ref, entry.cached.asOf)) continue;
      entry.cached = undefined;
      if (state === 'changed' && entry.usedAt >= usedSince) again.set(entry.usedBy, ref);
      if (state === 'changed' || kind !== 'key') continue;
      this.#keys.delete(ref);
      // The key is remembered as unknown: its callers cause no call of the control plane and do not count towards the
      // limit on refusals.
      if (epoch !== undefined) this.#rememberUnknown(ref, { epoch, revision });
      gone.push(ref);
    }
    return { again, gone };
  }

  /** The newest records with stops, whether they may still be used or not, in place of older ones. */
  newest({ organization, platform }: Stoppable): Stoppable {
    return {
      organization: this.#organizations.peek(refOf('organization', organization.id))?.cached?.record ?? organization,
      platform: this.#platform.peek(platformRef)?.cached?.record ?? platform,
    };
  }

  /** Number of stops in force in the records in memory. @param now milliseconds since 1970 */
  stops(now: number): { readonly platform: number; readonly organization: number } {
    const count = (entries: Iterable<Entry<CachedOrganization | CachedPlatform>>) =>
      [...entries].reduce((sum, { cached }) => sum + openStops(cached?.record.stops, now).length, 0);
    return { platform: count(this.#platform.values()), organization: count(this.#organizations.values()) };
  }

  /** The record was served stale: for a while it does not wait again. */
  grantGrace(keyHash: string): void {
    const entry = this.#keys.peek(keyHash);
    if (entry !== undefined) entry.graceUntil = this.#clock.monotonic() + this.#limits.staleGraceMs;
  }

  /** Which of the records behind a key were resolved longer ago than half of the greatest age. */
  ageing(keyHash: string): readonly Subject[] {
    const now = this.#clock.monotonic();
    const key = this.#keys.peek(keyHash)?.cached;
    const scope = key?.scopeRef === undefined ? undefined : this.#scopes.peek(key.scopeRef)?.cached;
    const organization = key && this.#organizations.peek(key.organizationRef)?.cached;
    const platform = this.#platform.peek(platformRef)?.cached;
    return [key, scope, organization, platform].filter(
      (cached) => cached !== undefined && this.#isAgeing(cached, now),
    ) as CachedRecord[];
  }

  /**
   * The records behind the key are being renewed. Whatever the result, they are not renewed again before the time is
   * over.
   */
  postponeRenewal(keyHash: string, forMs: number): void {
    const entry = this.#keys.peek(keyHash);
    if (entry !== undefined) entry.renewAt = this.#clock.monotonic() + forMs;
  }

  /** Whether the record claims to be newer than everything that a connected feed has reported. */
  isAhead({ asOf }: CachedRecord): boolean {
    const { confirmedAt } = this.feed;
    const isConnected = confirmedAt !== undefined && this.#clock.monotonic() - confirmedAt <= this.#limits.freshForMs;
    return isConnected && this.feed.isAhead(asOf);
  }

  #classify(
    entry: KeyEntry,
    found: {
      key: CachedKey;
      scope: CachedScope | undefined;
      organization: CachedOrganization;
      platform: CachedPlatform | undefined;
    },
    now: number,
  ): Look {
    const { key, scope, organization, platform } = found;
    // Before the feed has begun, nothing else keeps records of two histories apart. Afterwards its rule has admitted
    // them all.
    const { epoch } = key.asOf;
    const isMixed =
      epoch !== organization.asOf.epoch ||
      (platform !== undefined && epoch !== platform.asOf.epoch) ||
      (scope !== undefined && epoch !== scope.asOf.epoch);
    if (isMixed && this.feed.position === undefined)
      return { state: 'missing', needs: [{ kind: 'key', ref: key.ref }] };
    const principal = {
      ...{ key: key.record, scope: scope?.record, organization: organization.record },
      platform: platform?.record,
    };
    const confirmed = Math.min(
      lastConfirmed(key, this.feed),
      lastConfirmed(organization, this.feed),
      this.#confirmed(platform),
      this.#confirmed(scope),
    );
    if (now - confirmed > this.#limits.freshForMs)
      return { state: 'stale', principal, inGrace: now < entry.graceUntil };
    const isAgeing = this.#isAgeing(key, now) || this.#isAgeing(organization, now) || this.#isAgeing(platform, now);
    return { state: 'fresh', principal, renewable: isAgeing && now >= entry.renewAt };
  }

  #usable<T extends CachedRecord>(cached: T | undefined, now: number): T | undefined {
    if (cached === undefined || !this.feed.permits(cached.ref, cached.asOf)) return undefined;
    if (!this.#counts(cached)) return undefined;
    return now - lastConfirmed(cached, this.feed) > this.#maxStaleMs ? undefined : cached;
  }

  #counts(cached: CachedRecord): boolean {
    return cached.isUnsigned !== true || this.#believesUnsigned();
  }

  #find<T extends CachedRecord>(
    map: LRUCache<string, Entry<T>>,
    ref: string,
    key: CachedKey,
    now: number,
  ): T | undefined {
    const entry = map.get(ref);
    if (entry === undefined) return undefined;
    entry.usedAt = now;
    entry.usedBy = key.ref;
    return this.#usable(entry.cached, now);
  }

  #keep<T extends CachedRecord, E extends Entry<T>>(
    map: LRUCache<string, E>,
    cached: T,
    create: (cached: T) => E,
  ): void {
    const entry = map.peek(cached.ref);
    if (entry === undefined) map.set(cached.ref, create(cached));
    else if (entry.cached === undefined || !this.#counts(entry.cached) || isNewer(cached, entry.cached, this.feed))
      entry.cached = cached;
  }

  #peek(kind: RecordKind, ref: string): Entry<CachedRecord> | undefined {
    switch (kind) {
      case 'platform':
        return this.#platform.peek(ref);
      case 'key':
        return this.#keys.peek(ref);
      case 'organization':
        return this.#organizations.peek(ref);
      case 'ai_system':
      case 'person':
        return this.#scopes.peek(ref);
      default:
        return never(kind);
    }
  }

  /** A record that is not needed never limits the others. */
  #confirmed(cached: CachedRecord | undefined): number {
    return cached === undefined ? Number.POSITIVE_INFINITY : lastConfirmed(cached, this.feed);
  }

  /** A control plane of an earlier release stops nothing. What one of this release has sent still counts. */
  #acceptNoPlatform(keyHash: string, at: Pick<CachedPlatform, 'asOf' | 'confirmedAt'>): void {
    const known = this.#usable(this.#platform.peek(platformRef)?.cached, this.#clock.monotonic());
    if (known !== undefined && known.record.stops.length > 0) return;
    this.put({ ...at, kind: 'platform', ref: platformRef, record: { stops: [] } }, keyHash);
  }

  #isAgeing(cached: CachedRecord | undefined, now: number): boolean {
    return cached !== undefined && now - cached.confirmedAt > this.#maxStaleMs / 2;
  }

  #rememberUnknown(keyHash: string, asOf: Position): void {
    this.#unknown.set(keyHash, { asOf, until: this.#clock.monotonic() + this.#limits.unknownForMs });
  }

  #isUnknown(keyHash: string, now: number): boolean {
    const unknown = this.#unknown.get(keyHash);
    return unknown !== undefined && now < unknown.until && this.feed.permits(keyHash, unknown.asOf);
  }
}

function scopeKind({ scope: { kind } }: KeyRecord): ScopeRecord['kind'] {
  if (kind === 'organization') throw new Error('an organization has no scope record');
  return kind;
}
