// Constructs the cache of responses. Without Redis it stores nothing, and equal requests at the same time still share.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import { systemTimers } from '../common/timers.ts';
import type { RedisConnection } from './redis/connection.ts';
import { ResponseCache } from './response-cache/response-cache.ts';
import { RedisResponses } from './response-cache/response-store.ts';
import type { ProxySettings } from './settings.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

export interface ResponseCacheParts {
  readonly redis: RedisConnection | undefined;
  readonly background: Background;
  readonly metrics: Pick<ProxyMetrics, 'responseCache'>;
}

export function openResponseCache(
  { responseCacheBytesMax: bytesMax }: Pick<ProxySettings, 'responseCacheBytesMax'>,
  { redis: connection, background, metrics }: ResponseCacheParts,
): ResponseCache {
  return new ResponseCache({
    store: connection && new RedisResponses({ connection, clock: systemClock, bytesMax }),
    clock: systemClock,
    timers: systemTimers,
    background,
    metrics: metrics.responseCache,
  });
}
