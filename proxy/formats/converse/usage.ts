// The vendor's token counts (SDK type `TokenUsage`): its input excludes what the cache gave or took. How it was served is beside
// them (SDK types `ServiceTier`, `PerformanceConfiguration`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { count, type ServedTier, servedTier, special, type Usage } from '../../conversation/usage.ts';

export interface ConverseUsage {
  readonly usage: Usage;
  /** The cache's share under the names that callers of such models know, where the vendor reports it. */
  readonly extras: JsonObject;
}

/**
 * Undefined where it is absent or without the two counts.
 * @param reported the response, or the event of a stream, that holds it
 * @param requested `service_tier` of the request
 */
export function readConverseUsage(reported: JsonObject, requested?: unknown): ConverseUsage | undefined {
  const { usage: value } = reported;
  if (!isObject(value)) return undefined;
  const input = count(value.inputTokens);
  const completionTokens = count(value.outputTokens);
  if (input === undefined || completionTokens === undefined) return undefined;
  const read = count(value.cacheReadInputTokens);
  const write = count(value.cacheWriteInputTokens);
  return {
    usage: {
      promptTokens: input + (read ?? 0) + (write ?? 0),
      completionTokens,
      cacheReadTokens: read ?? 0,
      cacheWriteTokens: write ?? 0,
      cacheWrite1hTokens: Math.min(writesOf(value.cacheDetails, '1h'), write ?? 0),
      // Contained in the output; how many they are nobody says.
      reasoningTokens: 0,
      ...special({
        cacheWrite12hTokens: Math.min(writesOf(value.cacheDetails, '12h'), write ?? 0),
        serviceTier: tierOf(reported, requested),
      }),
    },
    extras: {
      ...(write !== undefined && { cache_creation_input_tokens: write }),
      ...(read !== undefined && { cache_read_input_tokens: read }),
    },
  };
}

function tierOf({ serviceTier, performanceConfig }: JsonObject, requested: unknown): ServedTier | undefined {
  if (isObject(performanceConfig) && performanceConfig.latency === 'optimized') return 'optimized';
  return servedTier(isObject(serviceTier) ? serviceTier.type : undefined, requested);
}

/** SDK type `CacheDetail`: what was written, by how long it lives. */
function writesOf(details: unknown, ttl: '1h' | '12h'): number {
  const all: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = all.map((one) => (isObject(one) && one.ttl === ttl ? (count(one.inputTokens) ?? 0) : 0));
  return counts.reduce((sum, one) => sum + one, 0);
}
