// Whether a request asks the GPT vendor for cache entries that live twelve hours (SDK types `PromptCacheOptions`,
// `PromptCacheBreakpoint`): they cost more to write, and the answer may not say which ones were.
import { isObject, type JsonObject } from '../../common/json.ts';

export function asksLongCache({ prompt_cache_options: options, messages, tools }: JsonObject): boolean {
  if (isLong(options)) return true;
  return someMarked(messages, ({ content }) => someMarked(content)) || someMarked(tools);
}

function someMarked(list: unknown, within: (one: JsonObject) => boolean = () => false): boolean {
  if (!Array.isArray(list)) return false;
  return list.some((one: unknown) => isObject(one) && (isLong(one.prompt_cache_breakpoint) || within(one)));
}

function isLong(options: unknown): boolean {
  return isObject(options) && options.ttl === '12h';
}
