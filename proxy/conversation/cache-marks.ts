// Where a prompt is to be cached: the extension `cache_control` on parts, messages, calls and tools, and `prompt_cache_breakpoint`.
// A mark is never lost without a word: it moves to what can bear it, or whoever asked is told that it was dropped.
import { isObject, type JsonObject, someObject } from '../../common/json.ts';
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
  // Of the last part that can bear a mark: looking for it anew at each mark would take the square of the parts.
  let bearer = -1;
  let isLost = false;
  const markLast = (mark: CacheMark) => {
    const last = marked[bearer];
    if (last === undefined) isLost = true;
    else marked[bearer] = { ...last, cache: markOf(last) ?? mark };
  };
  for (const part of parts) {
    const mark = markOf(part);
    if (bearsMark(part)) bearer = marked.length;
    if (mark === undefined || bearer === marked.length) marked.push(part);
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
  return [
    ...(someInMessages(messages, hasControl) ? ['messages.cache_control'] : []),
    ...(someInMessages(messages, hasBreakpoint) ? ['messages.prompt_cache_breakpoint'] : []),
    ...(someObject(tools, isMarkedTool) || someObject(functions, isMarkedTool)
      ? ['tools.cache_control']
      : []),
  ];
}

/** @returns `messages.citations` where a file is to be cited from (extension `citations` of a part), for those who cannot */
export function citedField({ messages }: JsonObject): string[] {
  const isCited = ({ citations, file }: JsonObject) =>
    isObject(citations) || (isObject(file) && isObject(file.citations));
  return someObject(messages, ({ content }) => someObject(content, isCited)) ? ['messages.citations'] : [];
}

/** Of a message, of its parts and of its calls. */
function someInMessages(messages: unknown, isSo: (one: JsonObject) => boolean): boolean {
  return someObject(
    messages,
    (message) => isSo(message) || someObject(message.content, isSo) || someObject(message.tool_calls, isSo),
  );
}

function hasControl({ cache_control: control }: JsonObject): boolean {
  return isObject(control);
}

function hasBreakpoint({ prompt_cache_breakpoint: point }: JsonObject): boolean {
  return isObject(point);
}

function isMarkedTool(tool: JsonObject): boolean {
  return hasControl(tool) || (isObject(tool.function) && hasControl(tool.function));
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
