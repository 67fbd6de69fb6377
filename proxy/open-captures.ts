// Constructs what captures texts of requests, where an owner has switched that on.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import { systemTimers } from '../common/timers.ts';
import { Captures } from './captures/captures.ts';
import type { ControlPlaneClient } from './control-plane/client.ts';
import { useOf } from './shares.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

interface CaptureParts {
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly controlPlane: Pick<ControlPlaneClient, 'captures'>;
}

export function openCaptures({ metrics, background, controlPlane }: CaptureParts, lifecycle: Lifecycle): Captures {
  const captures = new Captures({
    client: controlPlane.captures,
    metrics: metrics.captures,
    clock: systemClock,
    timers: systemTimers,
    background,
  });
  metrics.shares.watch('capture_bytes', () => useOf(captures.share));
  lifecycle.onClose('captures', () => captures.close());
  return captures;
}
