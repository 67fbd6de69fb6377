// The ledger as the request path sees it: a hold before the provider is called, settled exactly once afterwards.
import type { ChatCall } from '../chat/call.ts';
import type { Usage } from '../chat/usage.ts';

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
  /** Replaces the reservation by what was used, and records it. Called exactly once. @returns what it did cost, nano-dollars */
  settle(outcome: Outcome): number;
}

/** What became of a reserved request. */
export interface Outcome {
  /** Undefined where the provider did not tell it. */
  readonly usage: Usage | undefined;
  /** It never came to a provider, or the provider refused it: what is not told is nothing. */
  readonly nothingUsed: boolean;
  /** Bytes of text that came of the answer. */
  readonly textBytes: number;
  readonly modelAnswered: string | undefined;
  readonly attempts: number;
  readonly status: number;
  readonly errorSource: 'gateway' | 'provider' | undefined;
  readonly errorCode: string | undefined;
  /** Milliseconds since the request came. */
  readonly latencyMs: number;
  readonly firstTokenMs: number | undefined;
}
