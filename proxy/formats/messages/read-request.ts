// Reads a client's request (SDK type `MessageCreateParams` of @anthropic-ai/sdk) into chat completions and the
// extensions that this format has there: `thinking`, `thinking_blocks`, `cache_control`, `top_k`, `citations`.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { effortOfBudget, isGiven } from '../../conversation/options.ts';
import { count } from '../../conversation/usage.ts';
import type { ChatTurn, PathFields, ReadClientRequest } from '../client-format.ts';
import { givenOf, LossList } from '../client-losses.ts';
import { chatContent, chatParts } from './read-content.ts';
import { chatTools } from './read-tools.ts';

/** @throws GatewayError invalid_request that names the field */
export function readMessagesRequest(body: JsonObject, path: PathFields): ReadClientRequest {
  checkRequired(body, path);
  const losses = new LossList();
  const messages = listOf(body.messages);
  const turns = messages.flatMap((message, index) =>
    isCleared(messages, index) ? [] : chatTurns(message, `messages[${index}]`, losses),
  );
  const all = [...systemTurns(body.system, losses), ...turns];
  noteLosses(body, losses);
  const chat = {
    model: path.model ?? body.model,
    messages: all.map(({ message }) => message),
    ...givenOf(body, same),
    ...chatTools(body, losses),
    ...reasoning(body, losses),
    ...outputFormat(body),
    ...renamedFields(body),
  };
  return { chat, origins: all.map(({ at }) => at), losses };
}

function checkRequired({ model, messages, max_tokens: maxTokens }: JsonObject, path: PathFields): void {
  const named = path.model ?? model;
  if (typeof named !== 'string' || named === '') throw invalid('model', 'model must be a non-empty string');
  if (path.counts !== true && (count(maxTokens) ?? 0) === 0) {
    throw invalid('max_tokens', 'max_tokens must be a whole number from 1');
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', 'messages must be a non-empty array');
  }
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'clear_at']);

/** A system text that the model no longer sees, because the user has written since (SDK type `BetaSystemMessageParam`). */
function isCleared(messages: readonly unknown[], index: number): boolean {
  const message = messages[index];
  if (!isObject(message) || message.role !== 'system' || message.clear_at !== 'next_user_message') return false;
  return messages.slice(index + 1).some((later) => isObject(later) && later.role === 'user');
}

function listOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function noteLosses(body: JsonObject, losses: LossList): void {
  const lost = Object.keys(body).filter((name) => isGiven(body[name]) && !readFields.has(name));
  for (const name of lost) {
    if (accountFields.has(name) || changesResponse.has(name)) losses.refuse(name);
    else losses.drop(name);
  }
  if (isObject(body.output_config)) losses.dropOthers(body.output_config, outputFields, 'output_config');
}

const outputFields: ReadonlySet<string> = new Set(['effort', 'format']);

function renamedFields({ stop_sequences: stop, metadata, service_tier: tier }: JsonObject): JsonObject {
  const userId = isObject(metadata) ? metadata.user_id : undefined;
  return {
    ...(isGiven(stop) && { stop }),
    ...(isGiven(userId) && { user: userId }),
    ...(isGiven(tier) && { service_tier: tiers.get(tier) ?? tier }),
  };
}

/** Names that mean the same in chat completions, where some are extensions. */
const same = ['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'thinking', 'cache_control'] as const;

const readFields: ReadonlySet<string> = new Set([
  ...same,
  ...['model', 'messages', 'system', 'stop_sequences', 'metadata', 'service_tier'],
  ...['tools', 'tool_choice', 'output_config', 'output_format'],
]);

/**
 * Fields that name what belongs to the whole vendor account, such as a conversation that it stores, or let the vendor
 * reach other hosts.
 */
export const accountFields: ReadonlySet<string> = new Set(['container', 'mcp_servers', 'thread']);

/** A request for a summary of the conversation, instead of its next message. */
const changesResponse: ReadonlySet<string> = new Set(['compaction']);

const tiers: ReadonlyMap<unknown, string> = new Map([['standard_only', 'default']]);

function systemTurns(system: unknown, losses: LossList): readonly ChatTurn[] {
  if (!isGiven(system)) return [];
  if (typeof system !== 'string' && !Array.isArray(system)) {
    throw invalid('system', 'system must be a string or an array of text blocks');
  }
  const content = typeof system === 'string' ? system : chatContent(system, 'system', losses);
  return [{ message: { role: 'system', content }, at: 'system' }];
}

function chatTurns(message: unknown, at: string, losses: LossList): readonly ChatTurn[] {
  if (!isObject(message)) throw invalid(at, `${at} must be an object`);
  const { role, content } = message;
  losses.dropOthers(message, messageFields, at);
  switch (role) {
    case 'user':
      return userTurns(content, at, losses);
    case 'assistant':
      return [{ message: assistantMessage(content, at, losses), at }];
    case 'system':
      // Some only change the options of what follows.
      if (!isGiven(content)) return [];
      return [{ message: { role, content: chatContent(content, `${at}.content`, losses) }, at }];
    default:
      throw invalid(`${at}.role`, `${at}.role must be user, assistant or system`);
  }
}

/** Results of tools are messages of their own, before the rest. */
function userTurns(content: unknown, at: string, losses: LossList): readonly ChatTurn[] {
  if (!Array.isArray(content)) return [{ message: { role: 'user', content: text(content, `${at}.content`) }, at }];
  const results: ChatTurn[] = [];
  const rest: JsonObject[] = [];
  content.forEach((block: unknown, index) => {
    const where = `${at}.content[${index}]`;
    if (!isObject(block)) throw invalid(where, `${where} must be an object with a type`);
    if (block.type !== 'tool_result') {
      rest.push(...chatParts(block, where, losses));
      return;
    }
    const { tool_use_id: id, content: result, is_error: isError, cache_control } = block;
    if (typeof id !== 'string') throw invalid(`${where}.tool_use_id`, `${where}.tool_use_id must be a string`);
    if (isError === true) losses.drop('messages.content.is_error');
    losses.dropOthers(block, resultFields, where);
    const parts = typeof result === 'string' ? result : chatContent(result ?? '', `${where}.content`, losses);
    results.push({ message: { role: 'tool', tool_call_id: id, content: parts, ...marked(cache_control) }, at: where });
  });
  return rest.length === 0 && results.length > 0
    ? results
    : [...results, { message: { role: 'user', content: rest }, at }];
}

function marked(mark: unknown): JsonObject {
  return isObject(mark) ? { cache_control: mark } : {};
}

function assistantMessage(content: unknown, at: string, losses: LossList): JsonObject {
  if (!Array.isArray(content)) return { role: 'assistant', content: text(content, `${at}.content`) };
  const parts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const thinking: JsonObject[] = [];
  content.forEach((block: unknown, index) => {
    const where = `${at}.content[${index}]`;
    if (!isObject(block)) throw invalid(where, `${where} must be an object with a type`);
    switch (block.type) {
      case 'thinking':
      case 'redacted_thinking':
        thinking.push(block);
        return;
      case 'tool_use':
        calls.push(toolCall(block, where, losses));
        return;
      case 'server_tool_use':
      case 'mcp_tool_use':
        losses.refuse(where);
        return;
      default:
        parts.push(...chatParts(block, where, losses));
    }
  });
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : parts,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
  };
}

const resultFields: ReadonlySet<string> = new Set([...['type', 'tool_use_id', 'content', 'is_error', 'cache_control']]);
const callFields: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);

function toolCall(block: JsonObject, at: string, losses: LossList): JsonObject {
  const { id, name, input, cache_control, caller } = block;
  // The model itself is the usual caller, which every response names.
  if (isObject(caller) && caller.type !== 'direct') losses.drop(`${at}.caller`);
  losses.dropOthers(block, callFields, at);
  if (typeof id !== 'string') throw invalid(`${at}.id`, `${at}.id must be a string`);
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  const called = { name, arguments: isGiven(input) ? writeJson(input) : '{}' };
  return { id, type: 'function', function: called, ...marked(cache_control) };
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw invalid(at, `${at} must be a string or an array of content blocks`);
}

/** `thinking` passes under its own name. The effort is for vendors that know efforts only. */
function reasoning({ thinking, output_config: config }: JsonObject, losses: LossList): JsonObject {
  const stated = isObject(config) ? config.effort : undefined;
  const passed = isObject(thinking) ? withoutBinding(thinking, losses) : {};
  if (isGiven(stated)) return { ...passed, reasoning_effort: stated };
  if (!isObject(thinking)) return {};
  if (thinking.type === 'disabled') return { ...passed, reasoning_effort: 'none' };
  const budget = count(thinking.budget_tokens);
  if (thinking.type !== 'enabled' || budget === undefined) return passed;
  return { ...passed, reasoning_effort: effortOfBudget(budget) };
}

/** Which thinking of earlier turns its vendor may leave out. No other vendor reads any. */
function withoutBinding({ block_binding: binding, ...thinking }: JsonObject, losses: LossList): JsonObject {
  if (isGiven(binding)) losses.drop('thinking.block_binding');
  return { thinking };
}

/** SDK type `JSONOutputFormat`; `output_format` is its older name. */
function outputFormat({ output_config: config, output_format: older }: JsonObject): JsonObject {
  const [format] = objectsOf([isObject(config) ? config.format : undefined, older]);
  if (format === undefined) return {};
  const at = isObject(config) && isGiven(config.format) ? 'output_config.format' : 'output_format';
  if (format.type !== 'json_schema' || !isObject(format.schema)) {
    throw invalid(at, `${at} must be an object with type json_schema and a schema`);
  }
  const schema = { name: 'response', strict: true, schema: format.schema };
  return { response_format: { type: 'json_schema', json_schema: schema } };
}
