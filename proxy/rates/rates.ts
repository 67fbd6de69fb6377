// Rates: requests a minute, tokens a minute and concurrent requests, reserved in all limits of a request or in none; a
// refusal consumes nothing. In any 60 seconds no more requests begin than the limit, and in any t seconds no more
// tokens are used than the limit plus t/60 of it. Two implementations: redis-rates.ts for all proxies together,
// local-rates.ts for one.
import type { Limit } from '../access/principal.ts';

export type RateKind = Exclude<Limit['kind'], 'budget'>;

/** The unit that a limit of each kind counts. Slots are free again when their request ends. */
export const counted = {
  requests_per_minute: 'requests',
  tokens_per_minute: 'tokens',
  concurrent_requests: 'slots',
} as const satisfies Record<RateKind, 'requests' | 'tokens' | 'slots'>;

export interface RateLimit {
  readonly id: string;
  readonly kind: RateKind;
  readonly max: number;
  /** A counter of a value that callers choose: their number is bounded (value-rates.ts). */
  readonly byCaller?: true;
}

export interface RateQuestion {
  readonly organizationId: string;
  /** At least one limit, none twice. */
  readonly limits: readonly RateLimit[];
  /** Tokens that the request may use: a whole number, not above any of its limits on tokens. */
  readonly tokens: number;
}

export interface RateDecision {
  /** In the order of the limits. */
  readonly standings: readonly Standing[];
  /** Undefined: refused, and nothing was reserved. */
  readonly reservation: RateReservation | undefined;
}

/** The state of a limit after the request. */
export interface Standing {
  /** Milliseconds until the limit admits this request if no other one comes; 0 if it admits it now. */
  readonly opensInMs: number;
  /** Requests or tokens that the limit would admit now. */
  readonly remaining: number;
  /** Milliseconds until all of the limit remains; meaningless for concurrent requests. */
  readonly resetsInMs: number;
  /** The part of `remaining` that this proxy has leased: Redis has counted it. Absent: none. */
  readonly leased?: number;
}

export interface RateReservation {
  /** Replaces the estimate by the tokens that were used, and ends the request's leases. Called exactly once. */
  settle(tokensUsed: number): void;
}

export interface Rates {
  /** A promise only if something has to be waited for. @throws RedisUnavailableError if Redis counts */
  take(question: RateQuestion): RateDecision | Promise<RateDecision>;
}

/** Seconds that count towards a minute: the current one and the sixty before it. The oldest counts whole. */
export const cellsInRing = 61;
/**
 * Parts of a token: a limit of one a minute releases one part each millisecond, so that all counts are whole numbers.
 */
export const partsOfToken = 60_000;
/** Tokens that a request used above its estimate are a debt, of at most this many milliseconds. */
export const debtMaxMs = 3_600_000;
/** An assumption: the end of a request under way is unknown. */
export const slotOpensInMs = 1_000;
