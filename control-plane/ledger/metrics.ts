// What the ledger tells of itself, for counters.
import type { DrawOutcome } from '../../proto/words/money.ts';
import type { Reported } from './report.ts';

export interface LedgerMetrics {
  drawn(outcome: DrawOutcome): void;
  reported(reported: Reported): void;
  sessionsExpired(count: number): void;
  /** By its own proxy, or by the one that took over for it. @param freed nano-dollars */
  sessionClosed(freed: number): void;
}
