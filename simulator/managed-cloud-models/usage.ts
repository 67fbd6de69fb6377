// Token counts in the vendor's fields. inputTokens excludes tokens read from the cache or written to it; totalTokens
// includes them.
import type { Json } from '../checks.ts';
import { type PromptPart, promptParts, promptTokens, sum } from './limits.ts';
import type { ConverseRequest } from './request.ts';

export function usageOf(request: ConverseRequest, outputTokens: number): Json {
  const prompt = promptTokens(request);
  const cached = cachedPrefix(request);
  // The cache has no state: the first turn counts as a write, later turns of the conversation as reads.
  const isRead = request.messages.some(({ role }) => role === 'assistant');
  return {
    inputTokens: prompt - cached.tokens,
    outputTokens,
    totalTokens: prompt + outputTokens,
    ...(request.model.caching.length > 0 && {
      cacheReadInputTokens: isRead ? cached.tokens : 0,
      cacheWriteInputTokens: isRead ? 0 : cached.tokens,
    }),
    ...(cached.tokens > 0 && !isRead && { cacheDetails: [{ ttl: cached.ttl, inputTokens: cached.tokens }] }),
  };
}

/** The prompt before the last cache point, if it is long enough to be cached. */
function cachedPrefix(request: ConverseRequest): { readonly tokens: number; readonly ttl: string } {
  const parts = promptParts(request);
  const last = parts.findLastIndex(({ cachePoint }) => cachePoint !== undefined);
  const tokens = sum(parts.slice(0, Math.max(last, 0)).map((part: PromptPart) => part.tokens));
  const enough = tokens >= request.model.cacheTokensMin;
  return { tokens: enough ? tokens : 0, ttl: parts[last]?.cachePoint ?? '' };
}
