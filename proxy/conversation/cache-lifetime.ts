// Whether a request asks the GPT vendor for cache entries that live twelve hours (SDK types `PromptCacheOptions`,
// `PromptCacheBreakpoint`): they cost more to write, and the answer may not say which ones were.
import { isObject, type JsonObject, someObject } from '../../common/json.ts';

export function asksLongCache({ prompt_cache_options: options, messages, tools }: JsonObject): boolean {
  return (
    isLong(options) ||
    someObject(messages, (one) => isMarkedLong(one) || someObject(one.content, isMarkedLong)) ||
    someObject(tools, isMarkedLong)
  );
}

function isMarkedLong({ prompt_cache_breakpoint: point }: JsonObject): boolean {
  return isLong(point);
}

function isLong(options: unknown): boolean {
  return isObject(options) && options.ttl === '12h';
}
