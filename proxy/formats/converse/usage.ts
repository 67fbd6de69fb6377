// Reads the vendor's token counts (SDK type `TokenUsage`). Its input excludes tokens read from the cache or written to
// it. The service tier is beside the counts (SDK types `ServiceTier`, `PerformanceConfiguration`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { count, type ServedTier, servedTier, special, type Usage } from '../../conversation/usage.ts';

export interface ConverseUsage {
  readonly usage: Usage;
  /** Cache tokens under the names that callers of such models know, if the vendor reports them. */
  readonly extras: JsonObject;
}

/**
 * Undefined if the usage is absent or lacks one of the two counts.
 * @param reported the response, or the stream event that contains the usage
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
      // Contained in the output; the vendor does not report their number.
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

/** Tokens written to the cache with this lifetime (SDK type `CacheDetail`). */
function writesOf(details: unknown, ttl: '1h' | '12h'): number {
  const all: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = all.map((one) => (isObject(one) && one.ttl === ttl ? (count(one.inputTokens) ?? 0) : 0));
  return counts.reduce((sum, one) => sum + one, 0);
}
