// Where the usage of requests goes: reported in batches, in Redis meanwhile where the control plane is away, never dropped.
import type { UsageEvent } from '../budgets/ledger-client.ts';

export interface UsageLog {
  /** Whether another request may run: what cannot be recorded must not be used. */
  readonly hasRoom: boolean;
  record(event: UsageEvent): void;
  /** Reports what is left, or puts it into Redis. Until the time is over, monotonic; then what is left is logged as lost. */
  close(until: number): Promise<void>;
}
