// The vendor's counts (SDK type `GenerateContentResponseUsageMetadata`) by the common rule. Its prompt has the cached tokens in it
// and lacks what its own tools read; its candidates normally lack the thoughts, which the total tells.
import { isObject } from '../../../common/json.ts';
import { count, type Usage } from '../../chat/usage.ts';

/** Counts that are missing are 0; undefined where there are none at all. */
export function readSearchUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const of = (name: string) => count(value[name]) ?? 0;
  const promptTokens = of('promptTokenCount') + of('toolUsePromptTokenCount');
  const said = of('candidatesTokenCount');
  const thoughts = of('thoughtsTokenCount');
  const isInside = promptTokens + said === count(value.totalTokenCount) && thoughts <= said;
  return {
    promptTokens,
    completionTokens: isInside ? said : said + thoughts,
    cacheReadTokens: Math.min(of('cachedContentTokenCount'), promptTokens),
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: thoughts,
  };
}
