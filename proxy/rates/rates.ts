// Rates: requests a minute, tokens a minute and requests at a time, taken of all limits of a request or of none; a refusal
// consumes nothing. No 60 seconds see more requests than the limit, and any t seconds no more tokens than the limit and
// t/60 of it. Two implementations: redis-rates.ts for all proxies together, local-rates.ts for one.
import type { Limit } from '../access/principal.ts';

export type RateKind = Exclude<Limit['kind'], 'budget'>;

/** What a limit of each kind counts. Slots are free again when their request ends. */
export const counted = {
  requests_per_minute: 'requests',
  tokens_per_minute: 'tokens',
  concurrent_requests: 'slots',
} as const satisfies Record<RateKind, 'requests' | 'tokens' | 'slots'>;

export interface RateLimit {
  readonly id: string;
  readonly kind: RateKind;
  readonly max: number;
}

export interface RateQuestion {
  readonly organizationId: string;
  /** At least one, none twice. */
  readonly limits: readonly RateLimit[];
  /** What the request may use: a whole number, not above any of its limits on tokens. */
  readonly tokens: number;
}

export interface RateDecision {
  /** In the order of the limits. */
  readonly standings: readonly Standing[];
  /** Undefined: refused, and nothing was taken. */
  readonly hold: RateHold | undefined;
}

/** How a limit stands after the request. */
export interface Standing {
  /** Milliseconds until it lets this request in if nobody else comes; 0 where it does now. */
  readonly opensInMs: number;
  /** Requests or tokens that it would let in now. */
  readonly remaining: number;
  /** Milliseconds until all of it remains; of no meaning for requests at a time. */
  readonly resetsInMs: number;
}

export interface RateHold {
  /** Replaces the estimate by the tokens that were used and ends the request's leases. Called exactly once. */
  settle(tokensUsed: number): void;
}

export interface Rates {
  /** A promise only where something has to be waited for. @throws RedisUnavailableError where it is Redis that counts */
  take(question: RateQuestion): RateDecision | Promise<RateDecision>;
}

/** Seconds that count towards a minute: the running one and the sixty before it. The oldest is counted whole. */
export const cellsInRing = 61;
/** Parts of a token: a limit of one a minute gives one back each millisecond, so that all that is counted is whole. */
export const partsOfToken = 60_000;
/** Tokens that a request used above its estimate are a debt, of so many milliseconds at most. */
export const debtMaxMs = 3_600_000;
/** Nobody knows when a request under way ends. */
export const placeOpensInMs = 1_000;
