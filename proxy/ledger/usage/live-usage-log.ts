// The usage log as a proxy has it: the queue in memory, reports to the control plane, and the overflow that this proxy fills and
// every proxy empties.
import type { Background } from '../../../common/background.ts';
import type { Clock } from '../../../common/clock.ts';
import type { Logger } from '../../../common/logger.ts';
import type { Timers } from '../../../common/timers.ts';
import type { LedgerClient } from '../budgets/ledger-client.ts';
import { Drain } from './drain.ts';
import type { Overflow } from './overflow.ts';
import { Reporting } from './reporting.ts';
import type { UsageLog } from './usage-log.ts';
import type { UsageGauges, UsageMetrics } from './usage-metrics.ts';
import { UsageQueue } from './usage-queue.ts';

export interface UsageLogDeps {
  readonly client: Pick<LedgerClient, 'report'>;
  /** Without Redis or without a cache key there is none: what cannot be reported stays in memory, up to its bound. */
  readonly overflow: Overflow | undefined;
  readonly memoryBytesMax: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: UsageMetrics;
}

export interface LiveUsageLog extends UsageLog {
  readonly gauges: UsageGauges;
}

/** By estimate: some sixty thousand events. */
export const usageMemoryBytesMax = 64 * 1024 * 1024;

export function createUsageLog(deps: UsageLogDeps): LiveUsageLog {
  const { log, overflow } = deps;
  const reporting = new Reporting({
    ...deps,
    onChange: (state, err) => {
      if (state === 'away') log.warn({ err }, 'usage cannot be reported; it is kept until it can');
      else log.info('usage is reported again');
      queue.proceed();
      if (state === 'back') drain?.soon();
    },
  });
  const queue = new UsageQueue({ ...deps, reporting });
  const drain = overflow && new Drain({ ...deps, overflow, reporting });
  return {
    get hasRoom() {
      return queue.hasRoom;
    },
    gauges: queue,
    record: (event) => queue.record(event),
    close: (until) => {
      drain?.close();
      return queue.close(until);
    },
  };
}
