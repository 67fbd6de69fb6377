// Metrics of the rows of requests that operators read.
import type { ReportMetrics } from '../report-queue.ts';
import type { Tally } from './tally.ts';

export function requestRowMetrics(tally: Tally): ReportMetrics {
  const results = tally({
    name: 'gateway_request_rows_total',
    help: 'Requests of organizations that record their requests, by result: recorded at the control plane, by a row of their own or one that represents a flood of equal refusals, or dropped, because the queue or a share was full or the control plane did not accept them',
    labelNames: ['result'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  const [recorded, dropped] = [results('recorded'), results('dropped')];
  return {
    recorded: (requests) => {
      recorded.pending += requests;
    },
    dropped: (requests) => {
      dropped.pending += requests;
    },
  };
}
