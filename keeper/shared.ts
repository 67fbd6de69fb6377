// Types and functions shared by the parts of a keeper: their dependencies, the interface of certificates, and periodic
// tasks.
import type { CertificateEnds } from '../common/certificate-ends.ts';
import type { Clock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../common/periodic-task.ts';
import type { Timers } from '../common/timers.ts';
import type { ApiClient } from './api/client.ts';
import type { KeeperSettings } from './settings.ts';
import type { KeeperMetrics, Task } from './telemetry/metrics.ts';

export interface Shared {
  readonly settings: KeeperSettings;
  readonly client: ApiClient;
  readonly metrics: KeeperMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly lifecycle: Lifecycle;
}

/** The source of the bundle, and expiry times of certificates. */
export interface Certificates {
  bundle(): string | undefined;
  ends(): ReturnType<CertificateEnds['read']>;
  wake(): void;
}

interface TaskDeps {
  readonly log: Logger;
  readonly timers: Timers;
  readonly metrics: KeeperMetrics;
}

interface TaskOptions {
  readonly task: Task;
  readonly everyMs: number;
  /** @throws Error, which is logged and counted; the task is repeated */
  run(): Promise<void>;
}

/** The first run begins at once. */
export function startTask({ task, everyMs, run }: TaskOptions, { metrics, ...deps }: TaskDeps): PeriodicTask {
  const counted = async () => {
    try {
      await run();
      metrics.taskFailing(task, false);
    } catch (error) {
      metrics.taskFailing(task, true);
      throw error;
    }
  };
  return startPeriodicTask(counted, { ...deps, what: `keeping ${task}`, everyMs });
}
