// The ledger as the request path sees it: a hold before the provider is called, settled exactly once afterwards.
import type { ChatCall } from '../chat/call.ts';
import type { Usage } from '../chat/usage.ts';

export interface Ledger {
  /** All limits of the caller, all or nothing. @throws GatewayError budget_exceeded, rate_limit_exceeded… */
  reserve(call: ChatCall): Promise<Hold> | Hold;
}

export interface Hold {
  /** What the answer tells of the limits: names and values in turn. */
  readonly headers: readonly string[];
  /** Replaces the reservation by what was used; undefined where the provider did not tell. Called exactly once. */
  settle(usage: Usage | undefined): void;
}

/** Of a request that no limit applies to. */
export const nothingHeld: Hold = { headers: [], settle: () => undefined };
