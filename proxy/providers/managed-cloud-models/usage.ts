// The vendor's token counts (SDK type `TokenUsage`): its input excludes what the cache gave or took.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { count, type Usage } from '../../chat/usage.ts';

export interface CloudUsage {
  readonly usage: Usage;
  /** The cache's share under the names that callers of such models know, where the vendor tells it. */
  readonly extras: JsonObject;
}

/** Undefined where it is absent or without the two counts. */
export function readCloudUsage(value: unknown): CloudUsage | undefined {
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
      cacheWrite1hTokens: Math.min(writes1h(value.cacheDetails), write ?? 0),
      // Contained in the output; how many they are nobody says.
      reasoningTokens: 0,
    },
    extras: {
      ...(write !== undefined && { cache_creation_input_tokens: write }),
      ...(read !== undefined && { cache_read_input_tokens: read }),
    },
  };
}

/** SDK type `CacheDetail`: what was written, by how long it lives. */
function writes1h(details: unknown): number {
  const all: readonly unknown[] = Array.isArray(details) ? details : [];
  const counts = all.map((one) => (isObject(one) && one.ttl === '1h' ? (count(one.inputTokens) ?? 0) : 0));
  return counts.reduce((sum, one) => sum + one, 0);
}
