// The counters of local-rates.ts, with the same arithmetic as the scripts. Times are whole monotonic milliseconds.
import { cellsInRing, debtMaxMs, partsOfToken, slotOpensInMs } from './rates.ts';

/** The count of one limit. `max` comes with each call, because a limit may change under its count. */
export interface Counter {
  /** 0: the limit admits this many tokens now. Brings the count up to this time. */
  opensInMs(max: number, tokens: number, now: number): number;
  take(tokens: number): void;
  remaining(max: number, now: number): number;
  resetsInMs(max: number, now: number): number;
  /** The request has ended. @param correction tokens that it used above its estimate; negative: below */
  settle(max: number, correction: number, now: number): void;
}

/** Requests a minute. The count is the sum of the cells. */
export class RequestRing implements Counter {
  readonly #cells = new Uint32Array(cellsInRing);
  #second = 0;
  #count = 0;

  opensInMs(max: number, _tokens: number, now: number): number {
    this.#roll(Math.floor(now / 1000));
    let left = this.#count;
    if (left < max) return 0;
    for (let second = this.#second - cellsInRing + 1; second <= this.#second; second++) {
      left -= this.#at(second);
      if (left < max) return (second + cellsInRing) * 1000 - now;
    }
    return this.resetsInMs(max, now);
  }

  take(_tokens: number, count = 1): void {
    const cell = this.#second % cellsInRing;
    this.#cells[cell] = (this.#cells[cell] ?? 0) + count;
    this.#count += count;
  }

  remaining(max: number): number {
    return max - this.#count;
  }

  resetsInMs(_max: number, now: number): number {
    return (this.#second + cellsInRing) * 1000 - now;
  }

  settle(): void {}

  #roll(second: number): void {
    if (second - this.#second >= cellsInRing) {
      this.#cells.fill(0);
      this.#count = 0;
    } else {
      for (let past = this.#second + 1; past <= second; past++) {
        this.#count -= this.#at(past);
        this.#cells[past % cellsInRing] = 0;
      }
    }
    this.#second = second;
  }

  #at(second: number): number {
    return this.#cells[(second + cellsInRing) % cellsInRing] ?? 0;
  }
}

/** Tokens a minute, counted as the used parts of tokens. */
export class TokenBucket implements Counter {
  #used = 0;
  #at = 0;

  /** @param used parts of tokens; replaces the count before */
  begin(used: number, now: number): void {
    this.#used = Math.max(0, used);
    this.#at = now;
  }

  opensInMs(max: number, tokens: number, now: number): number {
    this.#roll(max, now);
    return bucketOpensInMs(this.#used, tokens, max);
  }

  take(tokens: number): void {
    this.#used += tokens * partsOfToken;
  }

  remaining(max: number): number {
    return bucketRemaining(this.#used, max);
  }

  resetsInMs(max: number): number {
    return bucketResetsInMs(this.#used, max);
  }

  settle(max: number, correction: number, now: number): void {
    this.#roll(max, now);
    const used = Math.min(this.#used + correction * partsOfToken, debtMaxMs * max);
    this.#used = Math.max(0, used);
  }

  #roll(max: number, now: number): void {
    this.#used = Math.max(0, this.#used - (now - this.#at) * max);
    this.#at = now;
  }
}

/** @param used parts of tokens. @param tokens that are requested */
export function bucketOpensInMs(used: number, tokens: number, max: number): number {
  return Math.max(0, Math.ceil((used + (tokens - max) * partsOfToken) / max));
}

export function bucketRemaining(used: number, max: number): number {
  return Math.floor((max * partsOfToken - used) / partsOfToken);
}

export function bucketResetsInMs(used: number, max: number): number {
  return Math.ceil(used / max);
}

/** Concurrent requests. They are counted by limit, and a count exists only while there are any. */
export class Slots implements Counter {
  readonly #counts: Map<string, number>;
  readonly #limitId: string;

  constructor(counts: Map<string, number>, limitId: string) {
    this.#counts = counts;
    this.#limitId = limitId;
  }

  get #count(): number {
    return this.#counts.get(this.#limitId) ?? 0;
  }

  opensInMs(max: number): number {
    return this.#count < max ? 0 : slotOpensInMs;
  }

  take(): void {
    this.#counts.set(this.#limitId, this.#count + 1);
  }

  remaining(max: number): number {
    return max - this.#count;
  }

  resetsInMs(): number {
    return 0;
  }

  settle(): void {
    const left = this.#count - 1;
    if (left > 0) this.#counts.set(this.#limitId, left);
    else this.#counts.delete(this.#limitId);
  }
}
