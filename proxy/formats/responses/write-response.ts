// Writes a whole response for clients of the Responses API (SDK type `Response` of the package openai).
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { CalledTool, Finish, ResponseIdentity, ResponseMessage } from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';
import { wrappedValue } from '../../models/claude/wrapped-thinking.ts';
import type { ClientRequest } from '../client-format.ts';
import { calledTool, customInput, type ToolNames, toolNames } from './offered-tools.ts';

export function writeResponsesResponse(message: ResponseMessage, { body }: ClientRequest): JsonObject {
  const [choice] = message.choices;
  if (choice === undefined) throw new Error('a response has a choice');
  const { finish, content, reasoning = '', calls, extras = {} } = choice;
  const refusal = choice.refusal ?? extras.refusal;
  const parts = [
    ...(content === undefined || content === ''
      ? []
      : [textPart('text', content, objectsOf(choice.logprobs?.content))]),
    ...(typeof refusal === 'string' && refusal !== '' ? [textPart('refusal', refusal)] : []),
  ];
  const names = toolNames(body);
  const writers: ((id: ItemId, status: string) => JsonObject)[] = [
    ...reasoned(reasoning, objectsOf(extras.thinking_blocks)),
    ...(parts.length === 0 ? [] : [(id: ItemId, status: string) => messageItem(id, status, parts)]),
    ...calls.map((call) => (id: ItemId, status: string) => callItem(id, status, namedCall(names, call))),
  ];
  const { status } = endOf(finish);
  const output = writers.map((write, index) => {
    const id: ItemId = (prefix) => itemId(prefix, message.id, index);
    return write(id, index === writers.length - 1 ? itemStatus(status) : 'completed');
  });
  return responseObject(body, message, { ...endOf(finish), output, usage: usageFields(message.usage) });
}

/** A block of thinking that its vendor wants back is an item; other reasoning is one item. */
function reasoned(reasoning: string, blocks: readonly JsonObject[]): ((id: ItemId) => JsonObject)[] {
  const wrapped = blocks.filter((block) => wrappedValue(block) !== undefined);
  if (wrapped.length === 0) return reasoning === '' ? [] : [(id) => reasoningItem(id, reasoning)];
  return wrapped.map(
    (block) => (id) => reasoningItem(id, block.type === 'thinking' ? String(block.thinking) : '', wrappedValue(block)),
  );
}

type ItemId = (prefix: string) => string;

/** The fields of a response that change while it arrives. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly incomplete_details: JsonObject | null;
  readonly error: JsonObject | null;
  readonly output: readonly JsonObject[];
  readonly usage: JsonObject | null;
}

/** With the fields of the request that every response repeats. Nothing is stored, whatever the request wants. */
export function responseObject(body: JsonObject, identity: ResponseIdentity, state: ResponseState): JsonObject {
  const { text, reasoning } = body;
  const { format, verbosity } = isObject(text) ? text : {};
  const { effort } = isObject(reasoning) ? reasoning : {};
  return {
    id: responseId(identity.id),
    object: 'response',
    created_at: identity.created,
    ...state,
    background: false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    model: identity.model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: effort ?? null, summary: null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: body.service_tier ?? null,
    store: false,
    temperature: body.temperature ?? null,
    text: { format: format ?? { type: 'text' }, ...(verbosity !== undefined && { verbosity }) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? null,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
  };
}

/** `status`, `incomplete_details` and `error`. */
export function endOf({ reason, message }: Finish): Pick<ResponseState, 'status' | 'incomplete_details' | 'error'> {
  switch (reason) {
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, error: null };
    case 'content_filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, error: null };
    case 'error': {
      const error = { code: 'server_error', message: message ?? 'the model failed' };
      return { status: 'failed', incomplete_details: null, error };
    }
    case 'stop':
    case 'tool_calls':
      return { status: 'completed', incomplete_details: null, error: null };
  }
}

/** The status of the last item; all items before it are complete. */
export function itemStatus(status: ResponseState['status']): string {
  return status === 'completed' ? status : 'incomplete';
}

/** Ids have one form, whichever the vendor has. */
const idLength = 48;

export function responseId(id: string): string {
  return `resp_${digest(id)}`;
}

export function itemId(prefix: string, id: string, index: number): string {
  return `${prefix}_${digest(`${id} ${index}`)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, idLength);
}

export function textPart(kind: 'text' | 'refusal', text: string, logprobs: readonly JsonObject[] = []): JsonObject {
  return kind === 'text'
    ? { type: 'output_text', text, annotations: [], logprobs }
    : { type: 'refusal', refusal: text };
}

export function messageItem(id: ItemId, status: string, content: readonly JsonObject[]): JsonObject {
  return { id: id('msg'), type: 'message', status, role: 'assistant', content };
}

/**
 * @param text empty before its first piece
 * @param encrypted what only the vendor can read
 */
export function reasoningItem(id: ItemId, text: string, encrypted?: string): JsonObject {
  const summary = text === '' ? [] : [summaryPart(text)];
  return {
    ...{ id: id('rs'), type: 'reasoning', summary },
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  };
}

export function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text };
}

/** A call with the names that the client gave its tool. */
export interface NamedCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly isCustom: boolean;
  /** The arguments, or the text of a custom tool. */
  readonly input: string;
}

export function namedCall(names: ToolNames, call: CalledTool): NamedCall {
  const { name, namespace, isCustom } = calledTool(names, call.name);
  const args = call.arguments === '' ? '{}' : call.arguments;
  return { callId: call.id, name, namespace, isCustom, input: isCustom ? customInput(call.arguments) : args };
}

export function callItem(id: ItemId, status: string, call: NamedCall): JsonObject {
  const { callId, name, namespace, isCustom, input } = call;
  const named = { call_id: callId, name, ...(namespace !== undefined && { namespace }) };
  return isCustom
    ? { id: id('ctc'), type: 'custom_tool_call', status, ...named, input }
    : { id: id('fc'), type: 'function_call', status, ...named, arguments: input };
}

/** SDK type `ResponseUsage`. */
export function usageFields(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cacheReadTokens, reasoningTokens, cacheWriteTokens } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
