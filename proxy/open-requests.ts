// Constructs the log of requests: rows that the control plane keeps for operators.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import { systemTimers } from '../common/timers.ts';
import type { ControlPlaneClient } from './control-plane/client.ts';
import { RequestLog } from './requests/request-log.ts';
import { useOf } from './shares.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

interface RequestLogParts {
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly controlPlane: Pick<ControlPlaneClient, 'requests'>;
}

export function openRequestLog(
  { metrics, background, controlPlane }: RequestLogParts,
  lifecycle: Lifecycle,
): RequestLog {
  const log = new RequestLog({
    client: controlPlane.requests,
    metrics: metrics.requestRows,
    clock: systemClock,
    timers: systemTimers,
    background,
  });
  metrics.shares.watch('request_rows', () => useOf(log.share));
  lifecycle.onClose('rows of requests', () => log.close());
  return log;
}
