// Usage of a response (SDK type `Response` of the package openai), with the facts beside it that change its cost.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { count, servedTier, special, type Usage } from '../../conversation/usage.ts';

/**
 * @param response whole, as its last event contains it
 * @returns undefined if the two counts are missing
 */
export function responseUsage({
  usage,
  service_tier: served,
  prompt_cache_options,
  output,
}: JsonObject): Usage | undefined {
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = objectOf(usage);
  const promptTokens = count(input_tokens);
  const completionTokens = count(output_tokens);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const input = objectOf(input_tokens_details);
  const cacheWriteTokens = count(input.cache_write_tokens) ?? 0;
  const lifetimes = objectOf(input.cache_write_tokens_details);
  // If the vendor does not count them separately, all writes of a request for the long lifetime count as long.
  const long = objectOf(prompt_cache_options).ttl === '12h' ? cacheWriteTokens : 0;
  return {
    promptTokens,
    completionTokens,
    cacheReadTokens: count(input.cached_tokens) ?? 0,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
    reasoningTokens: count(objectOf(output_tokens_details).reasoning_tokens) ?? 0,
    ...special({
      cacheWrite12hTokens: count(lifetimes.ttl_12h_tokens) ?? long,
      images: itemsOf(output, 'image_generation_call'),
      searches: itemsOf(output, 'web_search_call'),
      serviceTier: servedTier(served),
    }),
  };
}

function itemsOf(output: unknown, type: string): number {
  return objectsOf(output).filter((item) => item.type === type).length;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
