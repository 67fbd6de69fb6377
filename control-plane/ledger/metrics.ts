// Events of the ledger that metrics count.
import type { AcquireOutcome } from '../../proto/words/money.ts';
import type { Reported } from './report.ts';

export interface LedgerMetrics {
  acquired(outcome: AcquireOutcome): void;
  reported(reported: Reported): void;
  sessionsExpired(count: number): void;
  /** The session's own proxy has closed it, or a proxy that took over. @param freed nano-dollars */
  sessionClosed(freed: number): void;
}
