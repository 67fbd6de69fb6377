// Metrics of captured content.
import type { CaptureMetrics } from '../captures/captures.ts';
import type { Tally } from './tally.ts';

export function captureMetrics(tally: Tally): CaptureMetrics {
  const results = tally({
    name: 'gateway_captures_total',
    help: 'Captured sides of requests, by result: recorded at the control plane, or dropped, because the queue or a share was full or the control plane did not keep them',
    labelNames: ['result'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  const [recorded, dropped] = [results('recorded'), results('dropped')];
  return {
    recorded: (sides) => {
      recorded.pending += sides;
    },
    dropped: (sides) => {
      dropped.pending += sides;
    },
  };
}
