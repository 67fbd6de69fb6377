// Writes a whole response for clients of the Messages API (SDK type `Message` of @anthropic-ai/sdk).
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Finish, ResponseMessage } from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';

export function writeMessagesResponse({ id, model, choices, usage }: ResponseMessage): JsonObject {
  const [choice] = choices;
  if (choice === undefined) throw new Error('a response has a choice');
  const { finish, content, reasoning, calls, extras = {} } = choice;
  const refusal = choice.refusal ?? extras.refusal;
  const text = [content, refusal].filter((one) => typeof one === 'string').join('');
  return {
    id: messageId(id),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...thinkingBlocks(reasoning, extras.thinking_blocks),
      ...(text === '' ? [] : [{ type: 'text', text, citations: null }]),
      ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.arguments) })),
    ],
    ...stopFields(finish),
    usage: usageFields(usage),
  };
}

/** Reasoning of another vendor has no signature; clients keep the field, and the gateway drops it when it comes back. */
function thinkingBlocks(reasoning: string | undefined, signed: unknown): readonly JsonObject[] {
  const blocks = objectsOf(signed);
  if (blocks.length > 0) return blocks;
  return reasoning === undefined || reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }];
}

function inputOf(args: string): JsonObject {
  const input = parseExactJson(args === '' ? '{}' : args);
  return isObject(input) ? input : {};
}

const idForm = /^msg_[\w-]+$/;

export function messageId(id: string): string {
  return idForm.test(id) ? id : `msg_${id.replaceAll(/[^A-Za-z0-9]/g, '')}`;
}

/** `stop_reason` and `stop_sequence`. */
export function stopFields(finish: Finish): JsonObject {
  return { stop_reason: stopReason(finish), stop_sequence: finish.stopSequence ?? null };
}

/** Words of this format that have no counterpart in chat completions. */
const ownReasons: ReadonlySet<unknown> = new Set(['pause_turn', 'model_context_window_exceeded', 'refusal']);

function stopReason({ reason, native, stopSequence }: Finish): string {
  if (native !== undefined && ownReasons.has(native)) return native;
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    case 'stop':
    case 'error':
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  }
}

/** SDK type `Usage`: its input tokens exclude those of the prompt cache. */
export function usageFields(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens, special } = usage;
  const searches = special?.searches ?? 0;
  return {
    input_tokens: Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens - cacheWrite1hTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: completionTokens,
    server_tool_use: searches === 0 ? null : { web_search_requests: searches },
    service_tier: null,
  };
}
