// Where a prompt is to be cached: the extension `cache_control` on parts, messages, calls and tools, and `prompt_cache_breakpoint`.
// A mark is never lost without a word: it moves to what can bear it, or whoever asked is told that it was dropped.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { CacheMark, Part } from './content.ts';

export function markOf(part: Part): CacheMark | undefined {
  return part.kind === 'audio' ? undefined : part.cache;
}

/**
 * The parts of a message with its own mark on the last of them that can bear one. Blank texts are not sent, so what marks one of
 * them marks what is before it.
 * @param whole the mark of the message
 * @returns isLost: there is nothing before a mark
 */
export function withMarks<P extends Part>(
  parts: readonly P[],
  whole: CacheMark | undefined,
): { readonly marked: P[]; readonly isLost: boolean } {
  const marked: P[] = [];
  let isLost = false;
  const markLast = (mark: CacheMark) => {
    const at = marked.findLastIndex(bearsMark);
    const last = marked[at];
    if (last === undefined) isLost = true;
    else marked[at] = { ...last, cache: markOf(last) ?? mark };
  };
  for (const part of parts) {
    const mark = markOf(part);
    if (mark === undefined || bearsMark(part)) marked.push(part);
    else {
      marked.push({ ...part, cache: undefined });
      markLast(mark);
    }
  }
  if (whole !== undefined) markLast(whole);
  return { marked, isLost };
}

function bearsMark(part: Part): boolean {
  return part.kind === 'text' ? part.text.trim() !== '' : part.kind !== 'audio';
}

/**
 * The fields in which a request marks what is to be cached, for those who have to say that they do not go to the vendor.
 * @returns of `messages.cache_control`, `messages.prompt_cache_breakpoint` and `tools.cache_control` those that are given
 */
export function markedFields({ messages, tools, functions }: JsonObject): string[] {
  const inMessages = listed(messages).flatMap((message) => [
    message,
    ...listed(message.content),
    ...listed(message.tool_calls),
  ]);
  const inTools = [...listed(tools), ...listed(functions)];
  return [
    ...(inMessages.some(hasControl) ? ['messages.cache_control'] : []),
    ...(inMessages.some(({ prompt_cache_breakpoint: point }) => isObject(point))
      ? ['messages.prompt_cache_breakpoint']
      : []),
    ...(inTools.some((tool) => hasControl(tool) || (isObject(tool.function) && hasControl(tool.function)))
      ? ['tools.cache_control']
      : []),
  ];
}

/** @returns `messages.citations` where a file is to be cited from (extension `citations` of a part), for those who cannot */
export function citedField({ messages }: JsonObject): string[] {
  const parts = listed(messages).flatMap(({ content }) => listed(content));
  const isCited = ({ citations, file }: JsonObject) =>
    isObject(citations) || (isObject(file) && isObject(file.citations));
  return parts.some(isCited) ? ['messages.citations'] : [];
}

function hasControl({ cache_control: control }: JsonObject): boolean {
  return isObject(control);
}

function listed(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The messages and tools of a request without `cache_control` and `citations`: those fields of them that it has. */
export function withoutMarks({ messages, tools, functions }: JsonObject): JsonObject {
  const message = (one: JsonObject) => ({ ...bare(one), ...bareLists(one, ['content', 'tool_calls'], bare) });
  const tool = (one: JsonObject) => ({
    ...bare(one),
    ...(isObject(one.function) && { function: bare(one.function) }),
  });
  return {
    ...bareLists({ messages }, ['messages'], message),
    ...bareLists({ tools, functions }, ['tools', 'functions'], tool),
  };
}

function bare({ cache_control: _, citations: __, file, ...rest }: JsonObject): JsonObject {
  if (file === undefined) return rest;
  if (!isObject(file)) return { ...rest, file };
  const { citations: ___, ...plain } = file;
  return { ...rest, file: plain };
}

function bareLists(
  object: JsonObject,
  names: readonly string[],
  strip: (one: JsonObject) => JsonObject,
): JsonObject {
  const lists = names.flatMap((name) => {
    const list = object[name];
    return Array.isArray(list)
      ? [[name, list.map((one: unknown) => (isObject(one) ? strip(one) : one))]]
      : [];
  });
  return Object.fromEntries(lists) as JsonObject;
}
