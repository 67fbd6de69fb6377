// What this proxy may decide of one limit without a call: it has leased requests or tokens, retained slots that became
// free, or knows that the limit is full. A lease is used only in the second of Redis's clock in which Redis counted it,
// so its use is in the same cell as if Redis had counted each request.
import { minuteMs } from '../../common/durations.ts';
import { never } from '../../common/never.ts';
import { Meter } from './meter.ts';
import type { CountedRequest, EndedLease, LeaseOfLimit } from './rate-batch.ts';
import { counted, type RateLimit, type Standing } from './rates.ts';

/** Leases are for so long a time of the present load; then they return. */
const leasedMs = 250;
/** A load of fewer requests in that time goes to Redis, request by request. */
const leasedRequestsMin = 4;
/** Redis's clock and this one may differ by that much in a second. */
const clockMarginMs = 10;
/** After that time without a response, what is known of a limit is too old. */
const knownMs = 1_000;

/** A slot in Redis that no request uses. */
interface FreeSlot {
  /** Its limit is the only one. */
  readonly slot: CountedRequest;
  readonly freeSince: number;
}

/** When a call was sent, and what it got of a limit; times are monotonic. */
export interface Grant {
  readonly sentAt: number;
  readonly size: number;
  /** Redis's time, in milliseconds since 1970. */
  readonly countedAt: number;
}

/** All `now` are monotonic milliseconds. */
export class LeasedLimit {
  readonly shard: number;
  #limit: RateLimit;
  readonly #requests = new Meter();
  readonly #tokens = new Meter();
  readonly #refusals = new Meter();
  // The lease.
  #size = 0;
  #left = 0;
  #second = 0;
  #endsAt = Number.NEGATIVE_INFINITY;
  /** A call that may get a lease is under way. A second one would replace the first, whose rest would be lost. */
  #isRequested = false;
  // What Redis returned last, less what was used of the lease since.
  #remaining = 0;
  #resetsAt = 0;
  #receivedAt = Number.NEGATIVE_INFINITY;
  // While the limit is full.
  #refusesUntil = Number.NEGATIVE_INFINITY;
  #opensAt = 0;
  /** The last one became free last. */
  readonly #slots: FreeSlot[] = [];
  #correction = 0;

  constructor(shard: number, limit: RateLimit) {
    this.shard = shard;
    this.#limit = limit;
  }

  get limit(): RateLimit {
    return this.#limit;
  }

  /** Whether a lease or a free slot admits a request now. @param limit as the request has it: its maximum may change */
  admits(limit: RateLimit, tokens: number, now: number): boolean {
    if (limit.max !== this.#limit.max) return false;
    switch (limit.kind) {
      case 'requests_per_minute':
        return this.#left >= 1 && now < this.#endsAt;
      case 'tokens_per_minute':
        return this.#left >= tokens && now < this.#endsAt;
      case 'concurrent_requests':
        return now < (this.#slots.at(-1)?.freeSince ?? Number.NEGATIVE_INFINITY) + leasedMs && this.#isKnown(now);
      default:
        return never(limit.kind);
    }
  }

  /** Whether the limit was found full a moment ago, and cannot have opened since. */
  refuses(limit: RateLimit, now: number): boolean {
    return now < this.#refusesUntil && limit.max === this.#limit.max;
  }

  /** For a request that `admits` allows. @returns the slot that it uses, which its end frees */
  take(tokens: number, now: number): CountedRequest | undefined {
    const { kind } = this.#limit;
    const units = kind === 'tokens_per_minute' ? tokens : 1;
    this.#requests.count(1, now);
    this.#remaining -= units;
    if (counted[kind] === 'slots') return this.#slots.pop()?.slot;
    if (counted[kind] === 'tokens') this.#tokens.count(tokens, now);
    this.#left -= units;
    return undefined;
  }

  /** The state by the last response. */
  standing(now: number): Standing | undefined {
    if (now - this.#receivedAt >= knownMs) return undefined;
    const opensInMs = now < this.#refusesUntil ? Math.ceil(this.#opensAt - now) : 0;
    const remaining = Math.max(0, this.#remaining);
    return { opensInMs, remaining, resetsInMs: this.#resetsInMs(remaining, now) };
  }

  refused(now: number): void {
    this.#refusals.count(1, now);
  }

  /** The end of the lease, and a wish for the next one, to be sent with a call. Then `granted` or `failed` follows. */
  request(limit: RateLimit, now: number): LeaseOfLimit | undefined {
    if (this.#isRequested) return undefined;
    const want = limit.max === this.#limit.max ? this.#wanted(now) : 0;
    const back = this.endLease();
    this.#limit = limit;
    this.#isRequested = want > 0;
    return want > 0 || back !== undefined ? { limit, want, back } : undefined;
  }

  /** Only if the wish was for more than nothing. */
  granted({ size, sentAt, countedAt }: Grant): void {
    this.#isRequested = false;
    this.#size = size;
    this.#left = size;
    this.#second = Math.floor(countedAt / 1000);
    const untilNext = 1000 - (countedAt % 1000);
    this.#endsAt = sentAt + Math.min(leasedMs, untilNext - clockMarginMs);
  }

  /** Redis may have granted a lease or not: it is not used, and stays counted. */
  failed(): void {
    this.#isRequested = false;
  }

  /** What Redis returned for a request, in the order of the requests. */
  hear({ standing, tokens, isAdmitted, sentAt }: ResponseOnLimit, now: number): void {
    if (isAdmitted) {
      this.#requests.count(1, now);
      this.#tokens.count(tokens, now);
    }
    this.#remaining = standing.remaining;
    this.#resetsAt = now + standing.resetsInMs;
    this.#receivedAt = now;
    this.#refusesUntil = Number.NEGATIVE_INFINITY;
    if (standing.opensInMs === 0) return;
    this.refused(now);
    // Of other kinds, room comes with the end of any request.
    if (counted[this.#limit.kind] !== 'requests' || !isMuch(this.#refusals.perSecond(now))) return;
    this.#opensAt = sentAt + standing.opensInMs;
    this.#refusesUntil = Math.min(this.#opensAt, sentAt + leasedMs);
  }

  /** Whether a slot that became free should wait here for the next request: the limit is in use, and far from full. */
  retainsSlots(now: number): boolean {
    const isFar = this.#remaining >= this.#limit.max / 4;
    return isFar && this.#isKnown(now) && isMuch(this.#requests.perSecond(now));
  }

  free(slot: CountedRequest, now: number): void {
    this.#slots.push({ slot, freeSince: now });
    this.#remaining++;
  }

  /** @returns slots that were free for so long that another proxy should have them. @param all every one */
  idleSlots(now: number, all = false): readonly CountedRequest[] {
    const firstKept = all ? -1 : this.#slots.findIndex(({ freeSince }) => now < freeSince + leasedMs);
    const idle = this.#slots.splice(0, firstKept < 0 ? this.#slots.length : firstKept);
    return idle.map(({ slot }) => slot);
  }

  /** Whether the lease is over, or was not renewed in its time. */
  isLeaseOver(now: number): boolean {
    return this.#size > 0 && now >= this.#endsAt;
  }

  /** @returns the lease, which is no longer used; undefined: there is none */
  endLease(): EndedLease | undefined {
    if (this.#size === 0) return undefined;
    const ended = { second: this.#second, size: this.#size, unused: this.#left };
    this.#size = 0;
    this.#left = 0;
    this.#endsAt = Number.NEGATIVE_INFINITY;
    return ended;
  }

  /** Collects tokens that requests used above their estimates, or, negative, below. */
  correct(tokens: number): void {
    this.#correction += tokens;
    this.#remaining -= tokens;
  }

  takeCorrection(): number {
    const tokens = this.#correction;
    this.#correction = 0;
    return tokens;
  }

  /** Whether something here is to be returned to Redis at some time. */
  get isInUse(): boolean {
    return this.#size > 0 || this.#slots.length > 0 || this.#correction !== 0;
  }

  #isKnown(now: number): boolean {
    return now - this.#receivedAt < knownMs;
  }

  /** Requests or tokens for a lease; 0: none. */
  #wanted(now: number): number {
    const requests = this.#requests.perSecond(now);
    if (!isMuch(requests) || !this.#isKnown(now)) return 0;
    switch (this.#limit.kind) {
      case 'requests_per_minute':
        return Math.floor(inLease(requests));
      case 'tokens_per_minute': {
        const tokens = this.#tokens.perSecond(now);
        // Too few requests would fit into what remains for others.
        return 4 * (tokens / requests) > this.#remaining / 4 ? 0 : Math.floor(inLease(tokens));
      }
      case 'concurrent_requests':
        return 0;
      default:
        return never(this.#limit.kind);
    }
  }

  #resetsInMs(remaining: number, now: number): number {
    const { kind, max } = this.#limit;
    switch (kind) {
      case 'requests_per_minute':
        return Math.max(0, Math.ceil(this.#resetsAt - now));
      case 'tokens_per_minute':
        return Math.ceil(((max - remaining) * minuteMs) / max);
      case 'concurrent_requests':
        return 0;
      default:
        return never(kind);
    }
  }
}

export interface ResponseOnLimit {
  readonly standing: Standing;
  /** Of the request. */
  readonly tokens: number;
  readonly isAdmitted: boolean;
  /** Monotonic: before the call. */
  readonly sentAt: number;
}

function inLease(perSecond: number): number {
  return (perSecond * leasedMs) / 1000;
}

function isMuch(perSecond: number): boolean {
  return inLease(perSecond) >= leasedRequestsMin;
}
