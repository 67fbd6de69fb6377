// The ledger as the request path sees it: a reservation before the provider is called, settled exactly once afterwards.
import type { EstimateReason } from '../../proto/words/money.ts';
import type { ChatCall, Outcome } from '../call.ts';
import type { Usage } from '../conversation/usage.ts';

export interface Ledger {
  /**
   * Reserves in all limits of the caller, or in none. @throws GatewayError budget_exceeded, budget_busy,
   * rate_limit_exceeded, concurrency_limit_exceeded, model_not_priced, unsupported_parameter, invalid_request,
   * ledger_unavailable
   */
  reserve(call: ChatCall): Promise<Reservation> | Reservation;
}

export interface Reservation {
  /** Response headers about the limits: names and values alternate. */
  readonly headers: readonly string[];
  /** Tokens that each choice may generate, if a budget applies and the caller has set no maximum. */
  readonly outputCeiling: number | undefined;
  /** USD as a decimal string; undefined if part of the usage has no price. */
  costText(usage: Usage): string | undefined;
  /** Replaces the reservation by the usage, and records it. Called exactly once. */
  settle(outcome: Outcome): Settled;
}

export interface Settled {
  /** Nano-dollars. */
  readonly cost: number;
  /** Why the cost is estimated; undefined if it is not. */
  readonly estimateReason: EstimateReason | undefined;
}
