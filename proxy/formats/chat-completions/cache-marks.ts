// Cache marks and citation marks in a request, for vendors' formats that have no such marks.
import { isObject, type JsonObject, someObject } from '../../../common/json.ts';

/**
 * The fields with cache marks. A writer lists them as dropped when its vendor does not get them.
 * @returns those of `messages.cache_control`, `messages.prompt_cache_breakpoint` and `tools.cache_control` that are
 * present
 */
export function markedFields({ messages, tools, functions }: JsonObject): string[] {
  return [
    ...(someInMessages(messages, hasControl) ? ['messages.cache_control'] : []),
    ...(someInMessages(messages, hasBreakpoint) ? ['messages.prompt_cache_breakpoint'] : []),
    ...(someObject(tools, isMarkedTool) || someObject(functions, isMarkedTool) ? ['tools.cache_control'] : []),
  ];
}

/**
 * @returns `messages.citations` if a part requests citations of a file (extension `citations`), for vendors without
 * citations
 */
export function citedField({ messages }: JsonObject): string[] {
  const isCited = ({ citations, file }: JsonObject) =>
    isObject(citations) || (isObject(file) && isObject(file.citations));
  return someObject(messages, ({ content }) => someObject(content, isCited)) ? ['messages.citations'] : [];
}

/** Looks at each message, its parts and its calls. */
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

/** The given fields of `messages`, `tools` and `functions`, without `cache_control` and `citations`. */
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

function bareLists(object: JsonObject, names: readonly string[], strip: (one: JsonObject) => JsonObject): JsonObject {
  const lists = names.flatMap((name) => {
    const list = object[name];
    return Array.isArray(list) ? [[name, list.map((one: unknown) => (isObject(one) ? strip(one) : one))]] : [];
  });
  return Object.fromEntries(lists) as JsonObject;
}
