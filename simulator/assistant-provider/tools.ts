// Tools and the choice among them, as ToolUnion and ToolChoice of the vendor's SDK define them.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  integer,
  isObject,
  type Json,
  nullable,
  object,
  string,
  wrongType,
} from '../checks.ts';
import { cacheControl, toolName } from './blocks.ts';
import { choice, tagged, union, vendorPath } from './fields.ts';
import { citations } from './media.ts';
import { badRequest } from './refusal.ts';
import { checkInputSchema } from './schema.ts';

const type = anything;

const common = {
  allowed_callers: arrayOf(
    choice('direct', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'),
  ),
  cache_control: nullable(cacheControl),
  defer_loading: boolean,
  strict: boolean,
};
const examples = { input_examples: arrayOf(anyObject) };

const inputSchema: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
  // Only `type` is checked here; `checkInputSchema` checks the rest of the schema.
  object({ type: choice('object') })({ ...('type' in value && { type: value.type }) }, path);
  checkInputSchema(value, vendorPath(path));
};

const custom = object(
  { name: toolName, input_schema: inputSchema },
  {
    ...common,
    ...examples,
    type: nullable(choice('custom')),
    description: string(),
    eager_input_streaming: nullable(boolean),
  },
);

const domains = {
  allowed_domains: nullable(arrayOf(string())),
  blocked_domains: nullable(arrayOf(string())),
  max_uses: nullable(integer(1)),
};
const location = nullable(string());
const search = {
  ...domains,
  user_location: nullable(
    object(
      { type: choice('approximate') },
      { city: location, country: location, region: location, timezone: location },
    ),
  ),
};
const fetching = {
  ...domains,
  citations,
  max_content_tokens: nullable(integer(1)),
  url_sources: nullable(anyObject),
};
const late = { use_cache: boolean };
const included = { response_inclusion: choice('full', 'excluded') };

/** Tools that the vendor defines: type, required name, additional fields. */
const defined: readonly (readonly [string, string, Readonly<Record<string, Check>>])[] = [
  ['bash_20250124', 'bash', examples],
  ['text_editor_20250124', 'str_replace_editor', examples],
  ['text_editor_20250429', 'str_replace_based_edit_tool', examples],
  ['text_editor_20250728', 'str_replace_based_edit_tool', { ...examples, max_characters: nullable(integer(1)) }],
  ['memory_20250818', 'memory', examples],
  ['code_execution_20250522', 'code_execution', {}],
  ['code_execution_20250825', 'code_execution', {}],
  ['code_execution_20260120', 'code_execution', {}],
  ['code_execution_20260521', 'code_execution', {}],
  ['web_search_20250305', 'web_search', search],
  ['web_search_20260209', 'web_search', search],
  ['web_search_20260318', 'web_search', { ...search, ...included }],
  ['web_fetch_20250910', 'web_fetch', fetching],
  ['web_fetch_20260209', 'web_fetch', fetching],
  ['web_fetch_20260309', 'web_fetch', { ...fetching, ...late }],
  ['web_fetch_20260318', 'web_fetch', { ...fetching, ...late, ...included }],
  ['tool_search_tool_bm25_20251119', 'tool_search_tool_bm25', {}],
  ['tool_search_tool_bm25', 'tool_search_tool_bm25', {}],
  ['tool_search_tool_regex_20251119', 'tool_search_tool_regex', {}],
  ['tool_search_tool_regex', 'tool_search_tool_regex', {}],
];

const toolset = object({ type }, { cache_control: nullable(cacheControl), configs: nullable(anyObject) });

const variants: Readonly<Record<string, Check>> = {
  custom,
  ...Object.fromEntries(
    defined.map(([tag, name, own]) => [tag, object({ type, name: choice(name) }, { ...common, ...own })]),
  ),
  browser_toolset_20260801: toolset,
  computer_toolset_20260801: toolset,
};

/** A tool without a type is one of the caller's own. */
const tool: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
  const tag = value.type ?? 'custom';
  tagged(variants, tag, path)(value, `${path}.${String(tag)}`);
};

export const tools: Check = (value, path) => {
  arrayOf(tool)(value, path);
  const names = (value as readonly Json[]).map(nameOf);
  if (new Set(names).size < names.length) throw badRequest(`${path}: Tool names must be unique.`);
};

const parallel = { disable_parallel_tool_use: boolean };

export const toolChoice = union({
  auto: object({ type }, parallel),
  any: object({ type }, parallel),
  tool: object({ type, name: toolName }, parallel),
  none: object({ type }),
});

/** The name of a tool; a toolset has only its type. */
export function nameOf(one: Json): string {
  return String(one.name ?? one.type);
}

/** The tools that the caller runs, which have an input schema. */
export function callable(list: readonly Json[]): readonly Json[] {
  return list.filter((one) => one.input_schema !== undefined);
}
