// What the control plane refused of a window, and whether that can come back. Pure.
import type { AcquireResponse } from '../usage/ledger-client.ts';
import type { RefusalReason } from './budgets.ts';

export interface Refusal {
  readonly reason: RefusalReason;
  /** This much more was refused, and any larger amount would be refused as well. */
  readonly need: number;
  /** Monotonic. */
  readonly until: number;
}

/**
 * Whether the missing money cannot come back, although its usage is not reported yet: neither other proxies nor this proxy
 * have it.
 * @param own nano-dollars that requests of this proxy have reserved, or have returned since the operation began
 */
export function isSpent({ attainable, outcome }: AcquireResponse, need: number, own: number): boolean {
  return outcome === 'busy' && attainable !== undefined && need > attainable + own;
}
