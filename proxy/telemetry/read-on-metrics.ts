// Metrics of responses that are read on without their caller.
import { type ReadOnMetrics, readOnResults } from '../http/read-on.ts';
import type { Tally } from './tally.ts';

export function readOnMetrics(tally: Tally): ReadOnMetrics {
  const results = tally({
    name: 'gateway_read_on_total',
    help: 'Responses whose caller had left or was refused, by outcome: read on to their end, cancelled at a provider that stops then (left), no room or not readable (not_read), timed_out, shutdown',
    labelNames: ['result'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  for (const result of readOnResults) results(result);
  return { readOn: (result) => void results(result).pending++ };
}
