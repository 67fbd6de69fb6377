// The counters of one of several proxies while Redis is silent: its share of what the last response left. So all
// proxies together admit no more than the limit, however often Redis is slow. Requests that were admitted alone are
// reported to Redis when it responds again.
import { minuteMs } from '../../common/durations.ts';
import { type Counter, RequestRing, TokenBucket } from './counters.ts';
import { partsOfToken, type Standing } from './rates.ts';

/** A counter that follows the state of its limit for all proxies together. */
export interface SharedCounter extends Counter {
  /** Redis has counted a request of this proxy. */
  follow(now: number): void;
  /** This proxy has admitted so many requests or tokens of a lease since Redis returned the state of the limit. */
  followLease(count: number, now: number): void;
  /** Takes over the state of the limit in Redis. */
  hear(standing: Standing, max: number, now: number): void;
  /** Requests or tokens that were admitted alone, and that Redis is not known to have counted. */
  readonly unreported: Unreported;
}

/**
 * Counts to be reported to Redis by calls, several of which may be under way: each count is in one of them, or waits.
 */
export class Unreported {
  #count = 0;
  /** The part of the count that is in calls under way. */
  #reporting = 0;

  get count(): number {
    return this.#count;
  }

  /** Negative: tokens that were not used in the end. */
  add(count: number): void {
    this.#count += count;
  }

  /** Takes everything that no other call has. */
  report(): number {
    const count = this.#count - this.#reporting;
    this.#reporting = this.#count;
    return count;
  }

  /** The call has ended. @param isAcknowledged Redis has counted it; otherwise the next call reports it */
  reported(count: number, isAcknowledged: boolean): void {
    this.#reporting -= count;
    if (isAcknowledged) this.#count -= count;
  }
}

/** Requests a minute. @param proxies how many proxies share the limit, at least 1 */
export class SharedRequests implements SharedCounter {
  readonly unreported = new Unreported();
  readonly #proxies: () => number;
  /** All requests that this proxy has admitted, with Redis and alone. */
  readonly #own = new RequestRing();
  #left = 0;
  /** Admitted of leases since. The standing includes them, and not what the others admitted meanwhile. */
  #leased = 0;
  #receivedAt = Number.NEGATIVE_INFINITY;
  #alone = 0;

  constructor(proxies: () => number) {
    this.#proxies = proxies;
  }

  follow(now: number): void {
    this.#follow(1, now);
  }

  followLease(count: number, now: number): void {
    this.#follow(count, now);
    this.#leased += count;
  }

  hear({ remaining }: Standing, _max: number, now: number): void {
    this.#left = remaining;
    this.#leased = 0;
    this.#receivedAt = now;
    // Requests that this response does not include yet.
    this.#alone = this.unreported.count;
  }

  opensInMs(max: number, _tokens: number, now: number): number {
    if (!this.#isFresh(now)) return this.#own.opensInMs(this.#shareOf(max, max), 1, now);
    // Brings the ring up to the time.
    this.#own.opensInMs(max, 1, now);
    return this.#alone < this.#shareOfLeft(max) ? 0 : this.#receivedAt + minuteMs - now;
  }

  take(): void {
    this.#own.take(1);
    this.#alone += 1;
    this.unreported.add(1);
  }

  /** To be called after `opensInMs` of the same instant. */
  remaining(max: number, now: number): number {
    return this.#isFresh(now) ? this.#shareOfLeft(max) - this.#alone : this.#own.remaining(this.#shareOf(max, max));
  }

  resetsInMs(max: number, now: number): number {
    return this.#isFresh(now) ? this.#receivedAt + minuteMs - now : this.#own.resetsInMs(max, now);
  }

  settle(): void {}

  #follow(count: number, now: number): void {
    this.#own.opensInMs(1, 1, now);
    this.#own.take(1, count);
  }

  #isFresh(now: number): boolean {
    return now - this.#receivedAt < minuteMs;
  }

  /** Each of the others is taken to have admitted as many since the standing as this proxy. */
  #shareOfLeft(max: number): number {
    return this.#shareOf(this.#left - (this.#proxies() - 1) * this.#leased, max);
  }

  #shareOf(left: number, max: number): number {
    return shareOf(left, max, this.#proxies());
  }
}

/** Tokens a minute: a bucket of the share's size, as full as that of all proxies was when Redis last responded. */
export class SharedTokens implements SharedCounter {
  readonly unreported = new Unreported();
  readonly #proxies: () => number;
  readonly #bucket = new TokenBucket();

  constructor(proxies: () => number) {
    this.#proxies = proxies;
  }

  follow(): void {}

  followLease(count: number): void {
    const proxies = this.#proxies();
    this.#bucket.take(Math.ceil((count * (proxies - 1)) / proxies));
  }

  hear({ remaining }: Standing, max: number, now: number): void {
    const used = (max - remaining) / this.#proxies() + this.unreported.count;
    this.#bucket.begin(used * partsOfToken, now);
  }

  /** A request larger than the share is admitted if nothing is used. */
  opensInMs(max: number, tokens: number, now: number): number {
    const share = this.#shareOf(max);
    return this.#bucket.opensInMs(share, Math.min(tokens, share), now);
  }

  take(tokens: number): void {
    this.#bucket.take(tokens);
    this.unreported.add(tokens);
  }

  remaining(max: number): number {
    return this.#bucket.remaining(this.#shareOf(max));
  }

  resetsInMs(max: number): number {
    return this.#bucket.resetsInMs(this.#shareOf(max));
  }

  settle(max: number, correction: number, now: number): void {
    this.#bucket.settle(this.#shareOf(max), correction, now);
    this.unreported.add(correction);
  }

  #shareOf(max: number): number {
    return shareOf(max, max, this.#proxies());
  }
}

/** At least 1, to avoid an outage; but 0 for a limit of 0. */
function shareOf(left: number, max: number, proxies: number): number {
  return Math.min(max, Math.max(1, Math.floor(left / proxies)));
}
