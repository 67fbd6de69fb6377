// The ledger as the request path sees it: a hold before the provider is called, settled exactly once afterwards.
import type { EstimateReason } from '../../proto/words/money.ts';
import type { ChatCall, Outcome } from '../call.ts';
import type { Usage } from '../conversation/usage.ts';

export interface Ledger {
  /**
   * All limits of the caller, all or nothing. @throws GatewayError budget_exceeded, budget_busy, rate_limit_exceeded,
   * concurrency_limit_exceeded, model_not_priced, unsupported_parameter, invalid_request, ledger_unavailable
   */
  reserve(call: ChatCall): Promise<Hold> | Hold;
}

export interface Hold {
  /** What the answer tells of the limits: names and values in turn. */
  readonly headers: readonly string[];
  /** Tokens that each choice may put out, where a budget applies and the caller has set no maximum. */
  readonly outputCeiling: number | undefined;
  /** USD as a decimal string; undefined where not all of it has a price. */
  costText(usage: Usage): string | undefined;
  /** Replaces the reservation by what was used, and records it. Called exactly once. */
  settle(outcome: Outcome): Settled;
}

export interface Settled {
  /** Nano-dollars. */
  readonly cost: number;
  /** Why it is estimated; undefined where it is not. */
  readonly estimateReason: EstimateReason | undefined;
}
