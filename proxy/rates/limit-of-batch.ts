// One limit in a batch. Redis admits or refuses the requests and returns the state of the limit before them; the state
// after each request follows from that.
import { never } from '../../common/never.ts';
import { bucketOpensInMs, bucketRemaining, bucketResetsInMs } from './counters.ts';
import { partsOfToken, type RateKind, type Standing, slotOpensInMs } from './rates.ts';

export class LimitOfBatch {
  /** Its position among the limits of the call, from 1, as Lua counts. */
  readonly position: number;
  readonly kind: RateKind;
  max: number;
  /** Requests or slots that remain; for tokens, the parts of tokens that are used. */
  #left = 0;
  #used = 0;
  #opensInMs = slotOpensInMs;
  #resetsInMs = 0;

  constructor(position: number, kind: RateKind, max: number) {
    this.position = position;
    this.kind = kind;
    this.max = max;
  }

  /** @param figures of all limits. @param at index of this limit's first figure. @returns index of the next limit's */
  hear(figures: readonly number[], at: number): number {
    switch (this.kind) {
      case 'tokens_per_minute':
        this.#used = figures[at] ?? 0;
        return at + 1;
      case 'concurrent_requests':
        this.#left = figures[at] ?? 0;
        return at + 1;
      case 'requests_per_minute':
        this.#left = figures[at] ?? 0;
        this.#opensInMs = figures[at + 1] ?? 0;
        this.#resetsInMs = figures[at + 2] ?? 0;
        return at + 3;
      default:
        return never(this.kind);
    }
  }

  /** The state after the next request. @param tokens that this request needs */
  standing(isAdmitted: boolean, tokens: number): Standing {
    switch (this.kind) {
      case 'tokens_per_minute':
        return this.#ofTokens(isAdmitted, tokens);
      case 'requests_per_minute':
      case 'concurrent_requests':
        return this.#ofRequests(isAdmitted);
      default:
        return never(this.kind);
    }
  }

  #ofRequests(isAdmitted: boolean): Standing {
    const opensInMs = this.#left > 0 ? 0 : this.#opensInMs;
    if (isAdmitted) this.#left--;
    return { opensInMs, remaining: Math.max(0, this.#left), resetsInMs: this.#resetsInMs };
  }

  #ofTokens(isAdmitted: boolean, tokens: number): Standing {
    const opensInMs = bucketOpensInMs(this.#used, tokens, this.max);
    if (isAdmitted) this.#used += tokens * partsOfToken;
    return {
      opensInMs,
      remaining: Math.max(0, bucketRemaining(this.#used, this.max)),
      resetsInMs: bucketResetsInMs(this.#used, this.max),
    };
  }
}
