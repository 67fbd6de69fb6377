// The ledger as the request path sees it: a reservation before the provider is called, settled exactly once afterwards.
import type { EstimateReason } from '../../proto/words/money.ts';
import type { Caller } from '../access/authenticator.ts';
import type { ChatCall, Outcome } from '../call.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Target } from '../providers/provider.ts';

export interface Ledger {
  /**
   * Reserves in all limits of the caller, or in none. @throws GatewayError budget_exceeded, budget_busy,
   * rate_limit_exceeded, concurrency_limit_exceeded, model_not_priced, unsupported_parameter, invalid_request,
   * ledger_unavailable
   */
  reserve(call: ChatCall): Promise<Reservation> | Reservation;
  /**
   * Counts a request that calls no model in the caller's limits of requests, except those for some models. It costs
   * nothing, and takes no slot: a caller may read a response that has the only one.
   * @returns response headers about the limits: names and values alternate
   * @throws GatewayError rate_limit_exceeded
   */
  count(caller: Caller): Promise<readonly string[]> | readonly string[];
  /**
   * Counts a request whose response was stored, in the limits of requests, and reserves what its route charges for it.
   * @param call to the target that sent the response
   * @throws GatewayError as `reserve`
   */
  reserveCached(call: ChatCall, charge: CachedCharge): Promise<CachedReservation>;
}

/** What a cached response costs. */
export interface CachedCharge {
  /** Of the response, as its provider reported it. */
  readonly usage: Usage;
  /** The percentage of the price of its tokens, 0 to 100. */
  readonly pricePercent: number;
}

export interface CachedReservation {
  /** Response headers about the limits: names and values alternate. */
  readonly headers: readonly string[];
  /** Nano-dollars. */
  readonly cost: number;
  /** Charges the cost, and records the request. Called exactly once. */
  settle(outcome: Outcome): void;
}

export interface Reservation {
  /** The reserved call; of a route, with the targets that are left, each with its ceiling. */
  readonly call: ChatCall;
  /**
   * Response headers about the limits: names and values alternate.
   * @param target that has responded; default: the first one
   */
  headersAt(target?: Target): readonly string[];
  /**
   * Tokens that each choice may generate, if a budget applies and the caller has set no maximum; of a route, for its
   * first target.
   */
  readonly outputCeiling: number | undefined;
  /**
   * USD as a decimal string, with the cost of earlier attempts of which the caller has a part; undefined if part of the
   * usage has no price. @param target default: the first one
   */
  costText(usage: Usage, target?: Target): string | undefined;
  /**
   * Charges an attempt that has failed, records its usage, and reserves money for another attempt from the leases: for all
   * targets that are left, or, if a budget of another provider key lacks it, for the next one alone.
   * @returns false if there is no money for another attempt: then the attempt is not charged yet
   */
  chargeAttempt(outcome: Outcome, next: Target): Promise<boolean>;
  /**
   * After an attempt that has cost nothing: the money is for the next target from now on, if it is not already.
   * @returns false if there is none
   */
  moveTo(next: Target): boolean | Promise<boolean>;
  /**
   * Reserves money from the leases for a second attempt while the first one is under way.
   * @returns false if there is none
   */
  reserveHedge(): Promise<boolean>;
  /** Releases the money of a second attempt that is not made. */
  releaseHedge(): void;
  /**
   * Charges one of two attempts, which is over, as far as it may have cost something, and records it then. The money of
   * the other one stays reserved.
   * @param isHedge it is the second one
   */
  chargeContender(outcome: Outcome, isHedge: boolean): void;
  /** Replaces the reservation by the usage of the last attempt, and records it. Called exactly once. */
  settle(outcome: Outcome): Settled;
  /** For a response that outlasts its request: the same reservation, without the texts of the request. */
  outlasting(): Pick<Reservation, 'settle'>;
}

export interface Settled {
  /** Nano-dollars. */
  readonly cost: number;
  /** Why the cost is estimated; undefined if it is not. */
  readonly estimateReason: EstimateReason | undefined;
}
