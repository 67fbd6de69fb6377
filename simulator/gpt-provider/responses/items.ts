// The form of each input item. Follows ResponseInputItem of the vendor's SDK and the refusals that its users quote.
// Items of tools that the vendor runs are checked for their required members only.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  FieldFault,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
  wrongType,
} from '../../checks.ts';
import { imageUrl } from '../messages.ts';
import { badField } from '../refusal.ts';
import { tools } from './tools.ts';

const type = anything;
const status = nullable(oneOf('in_progress', 'completed', 'incomplete'));
const cacheable = { prompt_cache_breakpoint: object({ mode: oneOf('explicit') }) };
const callId = string({ min: 1, max: 64 });
const caller = nullable(tagged('type', { direct: object({ type }), program: object({ type, caller_id: string() }) }));

/** The vendor refuses ids of another kind of item. */
function idWith(prefix: string): Check {
  return (value, path) => {
    if (value === null) return;
    string({ max: 64 })(value, path);
    if ((value as string).startsWith(prefix)) return;
    const message = `Invalid '${path}': '${String(value)}'. Expected an ID that begins with '${prefix}'.`;
    throw badField(path, message, 'invalid_value');
  };
}

const inputParts = {
  input_text: object({ type, text: string() }, cacheable),
  input_image: object(
    { type },
    {
      image_url: nullable(imageUrl),
      file_id: nullable(string()),
      detail: nullable(oneOf('low', 'high', 'auto', 'original')),
      ...cacheable,
    },
  ),
  input_file: object(
    { type },
    {
      file_id: nullable(string()),
      file_data: nullable(string()),
      file_url: nullable(string()),
      filename: nullable(string()),
      detail: nullable(oneOf('auto', 'low', 'high')),
      ...cacheable,
    },
  ),
};
const outputParts = {
  output_text: object(
    { type, text: string() },
    { annotations: arrayOf(anyObject), logprobs: nullable(arrayOf(anyObject)) },
  ),
  refusal: object({ type, refusal: string() }),
};
const inputContent = stringOr(arrayOf(tagged('type', inputParts)));

const role = oneOf('user', 'assistant', 'system', 'developer');
const phase = nullable(oneOf('commentary', 'final_answer'));
const inputMessage = object({ role, content: inputContent }, { type, status, id: idWith('msg') });
const outputMessage = object(
  { role, content: stringOr(arrayOf(tagged('type', outputParts))) },
  { type, status, id: idWith('msg'), phase },
);

const message: Check = (value, path) => {
  const { role: stated } = value as Json;
  if (stated === undefined) throw new FieldFault(`${path}.role`, { kind: 'missing' }, undefined);
  (stated === 'assistant' ? outputMessage : inputMessage)(value, path);
};

const calling = { status, async: boolean, caller, namespace: string() };

/** Checks these members only. */
function loose(...required: readonly string[]): Check {
  return (value, path) => {
    anyObject(value, path);
    const missing = required.find((key) => (value as Json)[key] === undefined);
    if (missing !== undefined) throw new FieldFault(`${path}.${missing}`, { kind: 'missing' }, undefined);
  };
}

const kinds: Readonly<Record<string, Check>> = {
  message,
  function_call: object(
    { type, call_id: callId, name: string({ min: 1, max: 128 }), arguments: string() },
    { ...calling, id: idWith('fc') },
  ),
  function_call_output: object(
    { type, call_id: callId, output: inputContent },
    { id: nullable(string({ max: 64 })), status, caller, name: nullable(string()), namespace: nullable(string()) },
  ),
  custom_tool_call: object(
    { type, call_id: callId, name: string({ min: 1, max: 128 }), input: string() },
    { ...calling, id: idWith('ctc') },
  ),
  custom_tool_call_output: object(
    { type, call_id: callId, output: inputContent },
    { id: nullable(string({ max: 64 })), status, caller },
  ),
  reasoning: object(
    { type, summary: arrayOf(object({ type: oneOf('summary_text'), text: string() })) },
    {
      id: idWith('rs'),
      encrypted_content: nullable(string()),
      content: nullable(arrayOf(object({ type: oneOf('reasoning_text'), text: string() }))),
      status,
    },
  ),
  compaction: object({ type, encrypted_content: string() }, { id: nullable(string({ max: 64 })) }),
  compaction_trigger: object({ type }, { id: nullable(string()) }),
  item_reference: object({ id: string({ max: 64 }) }, { type }),
  additional_tools: object({ type, role: oneOf('developer'), tools }, { id: nullable(string()) }),
  configuration_update: object(
    { type },
    {
      id: nullable(string()),
      reasoning: object({}, { effort: nullable(string()) }),
      text: object({ format: anyObject }),
    },
  ),
  web_search_call: object({ type, id: idWith('ws'), status: string() }, { action: anyObject }),
  file_search_call: loose('id', 'queries', 'status'),
  computer_call: loose('call_id'),
  computer_call_output: loose('call_id', 'output'),
  code_interpreter_call: loose('id', 'container_id'),
  image_generation_call: loose('id'),
  local_shell_call: loose('id', 'call_id', 'action'),
  local_shell_call_output: loose('output'),
  shell_call: loose('call_id', 'action'),
  shell_call_output: loose('call_id', 'output'),
  apply_patch_call: loose('call_id', 'operation'),
  apply_patch_call_output: loose('call_id', 'status'),
  mcp_list_tools: loose('id', 'server_label', 'tools'),
  mcp_approval_request: loose('id', 'arguments', 'name', 'server_label'),
  mcp_approval_response: loose('approval_request_id', 'approve'),
  mcp_call: loose('id', 'arguments', 'name', 'server_label'),
  tool_search_call: loose('arguments'),
  tool_search_output: loose('tools'),
  program: loose('id', 'call_id', 'code'),
  program_output: loose('id', 'call_id', 'result'),
};

/** The type of an item: a message and a reference may omit it. */
export function typeOf(item: Json): string {
  if (typeof item.type === 'string') return item.type;
  return item.role === undefined && item.id !== undefined ? 'item_reference' : 'message';
}

const item: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
  const kind = value.type == null ? typeOf(value) : value.type;
  oneOf(...Object.keys(kinds))(kind, `${path}.type`);
  kinds[String(kind)]?.(value, path);
};

export const input = stringOr(arrayOf(item));

/** The input as items. @param value that passed the check */
export function itemsOf(value: unknown): readonly Json[] {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }];
  return Array.isArray(value) ? value : [];
}
