// Metrics of responses that vendors generate after their request has ended.
import { type BackgroundResult, backgroundResults } from '../http/background-responses.ts';
import type { Tally } from './tally.ts';

export function backgroundResponseMetrics(tally: Tally): (result: BackgroundResult) => void {
  const results = tally({
    name: 'gateway_background_responses_total',
    help: 'Responses in the background that were settled, by outcome: by their usage (settled), over without a usage (unreported), deleted before (gone), timed_out, shutdown, not_read',
    labelNames: ['result'],
  });
  // Created at the start: Prometheus does not see the increase of a series that begins with 1.
  for (const result of backgroundResults) results(result);
  return (result) => void results(result).pending++;
}
