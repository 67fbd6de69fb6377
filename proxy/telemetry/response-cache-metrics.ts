// Metrics of cached responses.
import type { ResponseCacheMetrics } from '../response-cache/response-cache.ts';
import { ignoredReasons, lookupResults, notStoredReasons } from '../response-cache/results.ts';
import type { Tally } from './tally.ts';

export function responseCacheMetrics(tally: Tally): ResponseCacheMetrics {
  const lookups = tally({
    name: 'gateway_response_cache_requests_total',
    help: 'Requests to routes that cache responses, by what was found: a cached response (hit), that of an equal request at the same time (shared), or none (miss)',
    labelNames: ['result'],
  });
  const notStored = tally({
    name: 'gateway_response_cache_not_stored_total',
    help: 'Requests to routes that cache responses whose response was not stored, by reason',
    labelNames: ['reason'],
  });
  const ignored = tally({
    name: 'gateway_response_cache_ignored_total',
    help: 'Cached responses that were found and not used, by reason: not sealed for this request (unreadable), too old (old), from no target of this request (target), without the form that it is for (form)',
    labelNames: ['reason'],
  });
  for (const result of lookupResults) lookups(result);
  for (const reason of notStoredReasons) notStored(reason);
  for (const reason of ignoredReasons) ignored(reason);
  return {
    lookedUp: (result) => void lookups(result).pending++,
    notStored: (reason) => void notStored(reason).pending++,
    ignored: (reason) => void ignored(reason).pending++,
  };
}
