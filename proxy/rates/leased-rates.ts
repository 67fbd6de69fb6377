// Decides requests without a call to Redis, of what this proxy has leased of all of their limits, or of none. Limits
// that are used little are never leased. Everything leased returns after a quarter of a second, with the next call or
// alone, so that other proxies find it.
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import type { Timers } from '../../common/timers.ts';
import { LeasedLimit } from './leased-limit.ts';
import type { CountedRequest, EndedLease, LeaseGrants, LeaseOfLimit } from './rate-batch.ts';
import { counted, type RateLimit, type Standing } from './rates.ts';

export interface LeasedRatesDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Limits whose load is known. 0: nothing is leased. */
  readonly limitsMax: number;
  /** Sends the end of leases to Redis. */
  onBack(shard: number, leases: readonly LeaseOfLimit[]): void;
  /** Frees a slot in Redis. */
  onFree(slot: CountedRequest): void;
  /** Settles the tokens of requests that were decided here. Its limit is the only one. */
  onCorrection(request: CountedRequest, correction: number): void;
  /** So many requests or tokens of an ended lease were admitted. */
  onUsed(limit: RateLimit, count: number): void;
}

export interface LeasedDecision {
  readonly standings: readonly Standing[];
  /** The slots that the request has; undefined: it is refused. */
  readonly slots: readonly CountedRequest[] | undefined;
}

/** The wishes of one call, and what becomes of them. */
export interface LeaseCall {
  readonly leases: readonly LeaseOfLimit[];
  granted(grants: LeaseGrants): void;
  failed(): void;
}

/** What is over is looked for so often. */
const sweepMs = 50;
/** A wall clock that moves so much against the monotonic one was set, or this machine stood still. */
const clockJumpMs = 100;
const noCall: LeaseCall = { leases: [], granted: () => undefined, failed: () => undefined };

export class LeasedRates {
  readonly #deps: LeasedRatesDeps;
  readonly #limits: LRUCache<string, LeasedLimit>;
  /** Of values that callers choose: they remove none of the others. */
  readonly #byCaller: LRUCache<string, LeasedLimit>;
  /** Those with something to return. */
  readonly #inUse = new Set<LeasedLimit>();
  #cancelSweep: (() => void) | undefined;
  /** Wall time minus monotonic time. */
  #offset = Number.NaN;
  #closed = false;

  constructor(deps: LeasedRatesDeps) {
    this.#deps = deps;
    this.#limits = lruCache(Math.max(1, deps.limitsMax));
    this.#byCaller = lruCache(Math.max(1, deps.limitsMax));
  }

  /** @returns undefined: the request is Redis's to decide. Then `hear` follows if Redis responds */
  decide(shard: number, limits: readonly RateLimit[], tokens: number): LeasedDecision | undefined {
    const now = this.#now();
    let admits = true;
    let refuses = false;
    for (const limit of limits) {
      const known = this.#known(shard, limit);
      if (known === undefined) return undefined;
      admits &&= known.admits(limit, tokens, now);
      refuses ||= known.refuses(limit, now);
    }
    if (admits) return this.#admit(shard, limits, { tokens, now });
    return refuses ? this.#refuse(shard, limits, now) : undefined;
  }

  /** What Redis decided on a request. @param sentAt monotonic: before the call */
  hear(request: CountedRequest, standings: readonly Standing[], { isAdmitted, sentAt }: Decided): void {
    const now = this.#now();
    for (const [index, limit] of request.limits.entries()) {
      const standing = standings[index];
      if (standing === undefined) continue;
      this.#ofLimit(request.shard, limit)?.hear({ standing, tokens: request.tokens, isAdmitted, sentAt }, now);
    }
  }

  /** The leases of a call for requests of these limits. */
  call(shard: number, limits: Iterable<RateLimit>): LeaseCall {
    if (this.#closed) return noCall;
    const sentAt = this.#now();
    const leases: LeaseOfLimit[] = [];
    const wanted: LeasedLimit[] = [];
    for (const limit of limits) {
      const known = this.#known(shard, limit);
      const lease = known?.request(limit, sentAt);
      if (known === undefined || lease === undefined) continue;
      leases.push(lease);
      this.#ended(limit, lease.back);
      if (lease.want > 0) wanted.push(known);
    }
    if (leases.length === 0) return noCall;
    return {
      leases,
      granted: ({ sizes, at }) => {
        for (const [index, known] of wanted.entries()) {
          known.granted({ size: sizes[index] ?? 0, sentAt, countedAt: at });
          this.#used(known);
        }
      },
      failed: () => {
        for (const known of wanted) known.failed();
      },
    };
  }

  /** @returns whether the slot, which a request no longer uses, waits here for the next one */
  retains(slot: CountedRequest): boolean {
    const [limit] = slot.limits;
    const known = limit && !this.#closed ? this.#known(slot.shard, limit) : undefined;
    const now = this.#now();
    if (known?.retainsSlots(now) !== true) return false;
    known.free(slot, now);
    this.#used(known);
    return true;
  }

  /** A request that was decided here has ended. @param correction tokens above its estimate; negative: below */
  settle(shard: number, limits: readonly RateLimit[], correction: number): void {
    if (correction === 0) return;
    for (const limit of limits) {
      if (counted[limit.kind] !== 'tokens') continue;
      const known = this.#ofLimit(shard, limit);
      if (known === undefined || this.#closed) this.#deps.onCorrection(ofLimit(shard, limit), correction);
      else {
        known.correct(correction);
        this.#used(known);
      }
    }
  }

  /** Returns everything. */
  close(): void {
    this.#closed = true;
    this.#cancelSweep?.();
    for (const known of this.#inUse) this.#return(known, true);
    this.#inUse.clear();
  }

  #admit(shard: number, limits: readonly RateLimit[], { tokens, now }: { tokens: number; now: number }) {
    if (!this.#isClockSteady(now)) return undefined;
    const slots: CountedRequest[] = [];
    const standings: Standing[] = [];
    for (const limit of limits) {
      const known = this.#known(shard, limit);
      const slot = known?.take(tokens, now);
      if (slot !== undefined) slots.push(slot);
      standings.push(known?.standing(now) ?? unknown);
    }
    return { standings, slots };
  }

  #refuse(shard: number, limits: readonly RateLimit[], now: number): LeasedDecision | undefined {
    const standings: Standing[] = [];
    for (const limit of limits) {
      const standing = this.#known(shard, limit)?.standing(now);
      if (standing === undefined) return undefined;
      standings.push(standing);
    }
    for (const limit of limits) {
      const known = this.#known(shard, limit);
      if (known?.refuses(limit, now) === true) known.refused(now);
    }
    return { standings, slots: undefined };
  }

  /** Otherwise everything leased returns: how old it is, nobody knows. */
  #isClockSteady(now: number): boolean {
    const offset = this.#deps.clock.now() - now;
    const isSteady = !(Math.abs(offset - this.#offset) > clockJumpMs);
    this.#offset = offset;
    if (isSteady) return true;
    for (const known of this.#inUse) this.#return(known, true);
    return false;
  }

  #sweepLater(): void {
    if (this.#cancelSweep !== undefined || this.#closed) return;
    this.#cancelSweep = this.#deps.timers.after(sweepMs, () => {
      this.#cancelSweep = undefined;
      for (const known of this.#inUse) {
        this.#return(known, false);
        if (!known.isInUse) this.#inUse.delete(known);
      }
      if (this.#inUse.size > 0) this.#sweepLater();
    });
  }

  #return(known: LeasedLimit, all: boolean): void {
    const { shard, limit } = known;
    const now = this.#now();
    const correction = known.takeCorrection();
    if (correction !== 0) this.#deps.onCorrection(ofLimit(shard, limit), correction);
    for (const slot of known.idleSlots(now, all)) this.#deps.onFree(slot);
    const back = all || known.isLeaseOver(now) ? known.endLease() : undefined;
    this.#ended(limit, back);
    // Otherwise Redis has nothing to subtract.
    if (back !== undefined && (back.unused > 0 || counted[limit.kind] === 'tokens'))
      this.#deps.onBack(shard, [{ limit, want: 0, back }]);
  }

  #ended(limit: RateLimit, back: EndedLease | undefined): void {
    if (back !== undefined && back.size > back.unused) this.#deps.onUsed(limit, back.size - back.unused);
  }

  #used(known: LeasedLimit): void {
    if (!known.isInUse) return;
    this.#inUse.add(known);
    this.#sweepLater();
  }

  #known(shard: number, limit: RateLimit): LeasedLimit | undefined {
    const known = this.#memoryOf(limit).get(limit.id);
    return known?.shard === shard ? known : undefined;
  }

  #ofLimit(shard: number, limit: RateLimit): LeasedLimit | undefined {
    const memory = this.#memoryOf(limit);
    const known = memory.get(limit.id);
    if (known !== undefined) return known.shard === shard ? known : undefined;
    if (this.#deps.limitsMax === 0) return undefined;
    const made = new LeasedLimit(shard, limit);
    memory.set(limit.id, made);
    return made;
  }

  #memoryOf({ byCaller }: RateLimit): LRUCache<string, LeasedLimit> {
    return byCaller === true ? this.#byCaller : this.#limits;
  }

  #now(): number {
    return this.#deps.clock.monotonic();
  }
}

export interface Decided {
  readonly isAdmitted: boolean;
  readonly sentAt: number;
}

/** For a limit that was forgotten in the same instant. */
const unknown: Standing = { opensInMs: 0, remaining: 0, resetsInMs: 0 };

function ofLimit(shard: number, limit: RateLimit): CountedRequest {
  return { shard, name: '', limits: [limit], tokens: 0 };
}
