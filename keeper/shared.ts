// What the parts of a keeper share, and what one of them is to the others.
import type { CertificateEnds } from '../common/certificate-ends.ts';
import type { Clock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import type { Timers } from '../common/timers.ts';
import type { ApiClient } from './api/client.ts';
import type { KeeperSettings } from './settings.ts';
import type { KeeperMetrics } from './telemetry/metrics.ts';

export interface Shared {
  readonly settings: KeeperSettings;
  readonly client: ApiClient;
  readonly metrics: KeeperMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly lifecycle: Lifecycle;
}

/** Where the bundle comes from, and what else there is of certificates. */
export interface Certificates {
  bundle(): string | undefined;
  ends(): ReturnType<CertificateEnds['read']>;
  wake(): void;
}
