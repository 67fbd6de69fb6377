// The form of each content block, as in ContentBlockParam of the vendor's SDK. conversation.ts checks which roles may
// send a block, and in which order.
import { anyObject, anything, arrayOf, boolean, type Check, nullable, object, string, stringOr } from '../checks.ts';
import { choice, union, vendorPath } from './fields.ts';
import { citations, document, image } from './media.ts';
import { badRequest } from './refusal.ts';

const type = anything;

export const cacheControl = union({ ephemeral: object({ type }, { ttl: choice('5m', '1h') }) });
const cached = { cache_control: nullable(cacheControl) };

export const toolName = string({ min: 1, pattern: /^[a-zA-Z0-9_-]{1,128}$/ });
const toolUseId = string({ pattern: /^[a-zA-Z0-9_-]+$/ });
const serverToolUseId = string({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/ });

const text = object({ type, text: string() }, { ...cached, citations: nullable(arrayOf(anyObject)) });
const textOnly = union({ text });
const images = image(cached);
const documents = document(cached, union({ text, image: images }));
const searchResult = object(
  { type, content: arrayOf(textOnly, { min: 1 }), source: string(), title: string() },
  { ...cached, citations },
);

const caller = union({
  direct: object({ type }),
  code_execution_20250825: object({ type, tool_id: string() }),
  code_execution_20260120: object({ type, tool_id: string() }),
});

const resultParts = union({
  text,
  image: images,
  search_result: searchResult,
  document: documents,
  tool_reference: object({ type, tool_name: string() }, cached),
  browser_state: object({ type, tabs: arrayOf(anyObject) }, { ...cached, state_changes: anything }),
});

const toolResult: Check = (value, path) => {
  object(
    { type, tool_use_id: toolUseId },
    {
      ...cached,
      content: stringOr(arrayOf(resultParts)),
      is_error: boolean,
      toolset_name: nullable(string()),
    },
  )(value, path);
  const { content, is_error } = value as { content?: unknown; is_error?: boolean };
  if (!is_error || !Array.isArray(content) || content.every((part) => part.type === 'text')) return;
  throw badRequest(`${vendorPath(path)}: all content must be type "text" if "is_error" is true`);
};

/** The result of a tool that the vendor runs. Its content is the vendor's own, so only the frame is checked. */
const serverResult = object({ type, tool_use_id: serverToolUseId, content: anything }, { ...cached, caller });

/** Tools that the vendor runs, and the block types of their results. */
const serverTools = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
] as const;

export const contentBlock = union({
  text,
  image: images,
  document: documents,
  search_result: searchResult,
  thinking: object({ type, thinking: string(), signature: string() }),
  redacted_thinking: object({ type, data: string() }),
  tool_use: object(
    { type, id: toolUseId, name: toolName, input: anyObject },
    { ...cached, caller, toolset_name: nullable(string()) },
  ),
  tool_result: toolResult,
  server_tool_use: object(
    {
      type,
      id: serverToolUseId,
      name: choice(...serverTools, 'tool_search_tool_regex', 'tool_search_tool_bm25'),
      input: anyObject,
    },
    { ...cached, caller },
  ),
  ...Object.fromEntries(serverTools.map((name) => [`${name}_tool_result`, serverResult])),
  tool_search_tool_result: serverResult,
  container_upload: object({ type, file_id: string() }, cached),
});

/** The top-level system prompt. */
export const systemPrompt: Check = (value, path) => {
  stringOr(arrayOf(textOnly))(value, path);
  if (!Array.isArray(value) || value.every((block) => block.text !== '')) return;
  throw badRequest(`${path}: text content blocks must be non-empty`);
};
