// What one of several proxies counts with while Redis is silent: its share of what the last answer left, so that all of them together
// let in no more than the limit, however often Redis is slow. What was let in alone is told to Redis when it answers again.
import { type Counter, RequestRing, TokenBucket } from './counters.ts';
import { partsOfToken, type Standing } from './rates.ts';

/** A counter that hears how its limit stands for all proxies together. */
export interface SharedCounter extends Counter {
  /** Redis has counted a request of this proxy. */
  follow(now: number): void;
  /** How the limit stands in Redis. */
  hear(standing: Standing, max: number, now: number): void;
  /** Requests or tokens that were let in alone, and that Redis is not known to count. */
  readonly unreported: Unreported;
}

/** What is reported by one call at a time, though several are under way: each part of it is in one of them, or waits. */
export class Unreported {
  #count = 0;
  /** Of them, in calls under way. */
  #reporting = 0;

  get count(): number {
    return this.#count;
  }

  /** Negative: tokens that were not used after all. */
  add(count: number): void {
    this.#count += count;
  }

  /** A call takes all that no other one has. */
  report(): number {
    const count = this.#count - this.#reporting;
    this.#reporting = this.#count;
    return count;
  }

  /** The call is over. @param isAcknowledged Redis knows of it; else the next call has it */
  reported(count: number, isAcknowledged: boolean): void {
    this.#reporting -= count;
    if (isAcknowledged) this.#count -= count;
  }
}

/** What was let in longer ago does not count any more. */
const minuteMs = 60_000;

/** Requests a minute. @param proxies how many share, at least 1 */
export class SharedRequests implements SharedCounter {
  readonly unreported = new Unreported();
  readonly #proxies: () => number;
  /** All that this proxy has let in, with Redis and alone. */
  readonly #own = new RequestRing();
  #left = 0;
  #receivedAt = Number.NEGATIVE_INFINITY;
  #alone = 0;

  constructor(proxies: () => number) {
    this.#proxies = proxies;
  }

  follow(now: number): void {
    this.#own.opensInMs(1, 1, now);
    this.#own.take();
  }

  hear({ remaining }: Standing, _max: number, now: number): void {
    this.#left = remaining;
    this.#receivedAt = now;
    // What this answer does not know of yet.
    this.#alone = this.unreported.count;
  }

  opensInMs(max: number, _tokens: number, now: number): number {
    if (!this.#isFresh(now)) return this.#own.opensInMs(this.#shareOf(max, max), 1, now);
    // Brings the ring up to the time.
    this.#own.opensInMs(max, 1, now);
    return this.#alone < this.#shareOf(this.#left, max) ? 0 : this.#receivedAt + minuteMs - now;
  }

  take(): void {
    this.#own.take();
    this.#alone += 1;
    this.unreported.add(1);
  }

  /** After `opensInMs` of the same moment. */
  remaining(max: number, now: number): number {
    return this.#isFresh(now)
      ? this.#shareOf(this.#left, max) - this.#alone
      : this.#own.remaining(this.#shareOf(max, max));
  }

  resetsInMs(max: number, now: number): number {
    return this.#isFresh(now) ? this.#receivedAt + minuteMs - now : this.#own.resetsInMs(max, now);
  }

  settle(): void {}

  #isFresh(now: number): boolean {
    return now - this.#receivedAt < minuteMs;
  }

  #shareOf(left: number, max: number): number {
    return shareOf(left, max, this.#proxies());
  }
}

/** Tokens a minute: a bucket of the share's size, which is as full as that of all proxies was when Redis answered last. */
export class SharedTokens implements SharedCounter {
  readonly unreported = new Unreported();
  readonly #proxies: () => number;
  readonly #bucket = new TokenBucket();

  constructor(proxies: () => number) {
    this.#proxies = proxies;
  }

  follow(): void {}

  hear({ remaining }: Standing, max: number, now: number): void {
    const used = (max - remaining) / this.#proxies() + this.unreported.count;
    this.#bucket.begin(used * partsOfToken, now);
  }

  /** One that is larger than the share is let in where nothing is used. */
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

/** At least 1, or it would be an outage; but of a limit of none nothing. */
function shareOf(left: number, max: number, proxies: number): number {
  return Math.min(max, Math.max(1, Math.floor(left / proxies)));
}
