// Tasks that are done again and again, with what a scrape tells of them.
import type { Logger } from '../common/logger.ts';
import { type Rounds, startRounds } from '../common/periodic-task.ts';
import type { Timers } from '../common/timers.ts';
import type { KeeperMetrics, Task } from './telemetry/metrics.ts';

export interface TaskDeps {
  readonly log: Logger;
  readonly timers: Timers;
  readonly metrics: KeeperMetrics;
}

export interface TaskOptions {
  readonly task: Task;
  readonly everyMs: number;
  /** @throws Error: told, counted, and tried again */
  round(): Promise<void>;
}

/** The first round begins at once. */
export function startTask({ task, everyMs, round }: TaskOptions, { metrics, ...deps }: TaskDeps): Rounds {
  const counted = async () => {
    try {
      await round();
      metrics.taskFailing(task, false);
    } catch (error) {
      metrics.taskFailing(task, true);
      throw error;
    }
  };
  return startRounds(counted, { ...deps, what: `keeping ${task}`, everyMs });
}
